"""In which order the free cells of a square with given cells are filled, so that few partial squares are met.

How many a depth-first search meets depends on that order by many powers of ten. With r numbers left a cell has r
choices, and a line that becomes full is right once in about 2.5 standard deviations of its sum: so

    partial squares at a depth / squares = 1 / completions of what is free below it
    completions of k free cells          = k! / product of 2.5 deviations over the lines that become full there

and an order is the better the more free cells the last lines have in common. The order of the lines is annealed to the
fewest partial squares for each square: e^14 to e^17 where half of orders 10 to 16 is given, however many squares there
are.
"""

from __future__ import annotations

from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import RngState, below, uniform
from islands.kernels.shuffle import shuffle_short
from islands.operators.space import Genomes
from problems.magic_square.structure import Board, Cells, Numbers, Rows

Reals = NDArray[np.float64]

HOTTEST, COLDEST = 3.0, 0.1  # temperatures of annealing, in logarithms of partial squares
WIDEST = 1 << 16  # greatest number after all have been made as small as they can be


class Task(NamedTuple):
    """What a completion is sought for. Free cells are counted from 0; the line after the last one is none."""

    values: Numbers  # of the free cells and of those left out of the square, ascending from 0, (cells,)
    through: Cells  # the lines of each free cell, then none, (cells, 5)
    members: Cells  # the free cells of each line, then -1, (lines, longest + 1)
    free: Numbers  # how many these are; 0 for none, (lines + 1,)
    wanted: Numbers  # what they sum to, (lines + 1,)
    odds: Reals  # how seldom a line that becomes full is right, as a logarithm, (lines + 1,)
    inside: int  # how many of the free cells are on lines


def task_of(board: Board, genome: Genomes) -> Task | None:
    """The task of a board with given cells as in `genome`; None where nothing is free or numbers are too far apart."""
    values, cells, lines = board.values, board.cells, len(board.targets)
    if not len(cells):
        return None
    unit = max(1, int(np.gcd.reduce(values - values[0])))
    small = (values - values[0]) // unit
    through = np.where(board.through < 0, lines, board.through)
    free = np.bincount(through[cells].ravel(), minlength=lines + 1)
    free[-1] = 0
    given, sums = np.setdiff1d(np.arange(len(genome)), cells), np.zeros(lines + 1, np.int64)
    np.add.at(sums, through[given].ravel(), np.repeat(genome[given].astype(np.int64), 4))
    wanted = board.targets - sums[:-1] - free[:-1] * values[0]
    if small[-1] > WIDEST or (wanted % unit).any():
        return None
    packed = np.sort(np.column_stack((through[cells], np.full(len(cells), lines))), axis=1).astype(np.int32)
    members = np.full((lines, max(free) + 1), -1, np.int32)
    for line in range(lines):
        members[line, : free[line]] = np.flatnonzero((packed == line).any(axis=1))
    odds = np.log(2.5 * max(1.0, float(small.std())) * np.sqrt(np.maximum(free, 1)))
    inside = int(np.count_nonzero(packed[:, 0] < lines))
    return Task(small, packed, members, free, np.append(wanted // unit, 0), odds, inside)


@kernel
def _fill(task: Task, cell: int, depth: int, order: Cells, left: Numbers, met: Rows) -> int:
    """The next cell of an order, and every cell that is the last free one of a line then: the new depth."""
    first, met[cell], order[depth] = depth, True, cell
    depth += 1
    while first < depth:
        for line in task.through[order[first]]:
            left[line] -= 1
            if left[line] != 1:
                continue
            for last in task.members[line]:
                if last >= 0 and not met[last]:
                    met[last], order[depth] = True, last
                    depth += 1
        first += 1
    return depth


@kernel
def fill_order(task: Task, lines: Cells, order: Cells) -> None:
    """The order of the cells for an order of the lines: those of each line that are not filled yet."""
    left, met, depth = task.free.copy(), np.zeros(order.shape[0], np.bool_), 0
    for line in lines:
        for cell in task.members[line]:
            if cell >= 0 and not met[cell]:
                depth = _fill(task, cell, depth, order, left, met)
    for cell in range(order.shape[0]):
        if not met[cell]:
            order[depth] = cell
            depth += 1


@kernel
def difficulty(task: Task, order: Cells) -> float:
    """The logarithm of the partial squares to a square; where less than one is to be expected, of all of them.

    From the last cell to the first. If the last cell is the last number's, its lines are right by themselves.
    """
    cells, none = order.shape[0], task.odds.shape[0] - 1
    met = np.zeros(none + 1, np.bool_)
    partial, total = 0.0, 1.0
    for depth in range(task.inside - 1, -1, -1):
        partial -= log(cells - depth)
        for line in task.through[order[depth]]:
            if line == none:
                break
            if not met[line] and depth < cells - 1:
                partial += task.odds[line]
            met[line] = True
        total += exp(partial)
    return log(total) + min(-partial, 0.0)


@kernel
def _put(lines: Cells, a: int, b: int) -> None:
    """Take out line a and put it in again at b; (b, a) does the opposite."""
    taken = lines[a]
    for k in range(a, b):
        lines[k] = lines[k + 1]
    for k in range(a, b, -1):
        lines[k] = lines[k - 1]
    lines[b] = taken


@kernel
def best_order(task: Task, steps: int, order: Cells, state: RngState) -> float:
    """An order of the cells with few partial squares, by annealing the order of the lines: its difficulty."""
    lines = np.arange(task.members.shape[0]).astype(np.int32)
    shuffle_short(lines, state)
    fill_order(task, lines, order)
    now = difficulty(task, order)
    least, best = now, order.copy()
    for step in range(steps):
        heat = HOTTEST * (COLDEST / HOTTEST) ** (step / steps)
        a, b = below(state, lines.shape[0]), below(state, lines.shape[0])
        _put(lines, a, b)
        fill_order(task, lines, order)
        then = difficulty(task, order)
        if then > now and uniform(state) >= exp((now - then) / heat):
            _put(lines, b, a)
            continue
        now = then
        if now < least:
            least = now
            best[:] = order
    order[:] = best
    return least
