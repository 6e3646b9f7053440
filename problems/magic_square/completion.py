"""Squares with given cells by depth-first search, line after line: what a walk takes long for where few cells are free.

The free cells are filled in one order, each by every number that is left; the last free cell of a line holds what the
others leave. How many partial squares the search meets depends on that order by many powers of ten. With r numbers left
a cell has r choices, and a line that becomes full is right once in about 2.5 standard deviations of its sum: so

    partial squares at a depth / squares = 1 / completions of what is free below it
    completions of k free cells          = k! / product of 2.5 deviations over the lines that become full there

and the order is the better the more free cells the last lines have in common. The order of the lines is annealed to the
fewest partial squares for each square: e^14 to e^17 where half of orders 10 to 16 is given, however many squares there
are. Where they are very many the cells filled first are hardly ever changed, so that the numbers tried must be
balanced: what a line still lacks is near to as many numbers of mean size as it has free cells. Every attempt has an
order, a width of that balance and an order of the numbers of its own, and ends after a fixed number of cells filled.
"""

from __future__ import annotations

from functools import cache
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, kernel, lean_kernel
from islands.kernels.rng import Rng, RngState, below, uniform
from islands.kernels.shuffle import shuffle_short
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.structure import Board, Cells, Numbers, Rows

Reals = NDArray[np.float64]

TURN = 8  # generations of the walk without a square before each attempt at a completion
ATTEMPTS, FILLED = 3, 250_000  # in a turn, with one order of the lines; cells filled in each
STEPS = 2000  # of annealing an order
HOTTEST, COLDEST = 3.0, 0.1  # temperatures of annealing, in logarithms of partial squares
NARROW, WIDE = 1.25, 2.25  # the width of the balance, in standard deviations
FEW = 20  # numbers left, of which no two may sum to what a line of two free cells lacks
HARDEST = 22.0  # logarithm of the partial squares for each square beyond which no attempt is worth its time
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


class Partial(NamedTuple):
    """Where a search stands: the first `depth` numbers stand in the first cells of the order, the others are left."""

    numbers: Cells  # (cells,)
    place: Cells  # of each number among these; -1 of those that do not take part, (greatest + 1,)
    left: Numbers  # cells of each line that are still free, (lines + 1,)
    lacking: Numbers  # what these sum to, (lines + 1,)
    widths: Reals  # how far that may be from as many mean numbers, by how many they are, (longest + 1,)
    leans: Reals  # how much farther for each cell, by what a line lacked at first, (lines + 1,)


@inlined_kernel
def _has_pair(partial: Partial, depth: int, number: int, lacking: int) -> bool:
    """Whether two numbers that are left, without this one, sum to what a line lacks."""
    for spot in range(depth, partial.numbers.shape[0]):
        one = partial.numbers[spot]
        other = lacking - one
        if one >= other or other >= partial.place.shape[0] or partial.place[other] < depth:
            continue
        if number != one and number != other:  # kernels know no `in` of mixed integers
            return True
    return False


@inlined_kernel
def _fits(task: Task, partial: Partial, depth: int, cell: int, number: int, total: int) -> bool:
    """Whether a free cell may hold a number that is left: full lines are right, others can be. What is left then sums
    to `total`.
    """
    none, rest = task.odds.shape[0] - 1, partial.numbers.shape[0] - depth - 1
    for k in range(4):
        line = task.through[cell, k]
        if line == none:
            break
        lacking, left = partial.lacking[line] - number, partial.left[line] - 1
        if left == 0:
            if lacking != 0:
                return False
        elif left == 1:
            if lacking < 0 or lacking >= partial.place.shape[0] or lacking == number:
                return False
            if partial.place[lacking] < depth:
                return False
        elif left == 2 and rest <= FEW:
            if not _has_pair(partial, depth, number, lacking):
                return False
        elif abs(lacking * rest - left * total) > (partial.widths[left] + left * partial.leans[line]) * rest:
            return False
    return True


@inlined_kernel
def _next_spot(task: Task, partial: Partial, depth: int, cell: int, line: int, spot: int, total: int) -> int:
    """Where the next number that fits is among those that are left, after `spot` or, if -1, the first; -1: nowhere."""
    if line >= 0:
        number = partial.lacking[line]
        if spot >= 0 or number < 0 or number >= partial.place.shape[0] or partial.place[number] < depth:
            return -1
        return int(partial.place[number]) if _fits(task, partial, depth, cell, number, total - number) else -1
    for other in range(max(spot + 1, depth), partial.numbers.shape[0]):
        number = partial.numbers[other]
        if _fits(task, partial, depth, cell, number, total - number):
            return other
    return -1


@inlined_kernel
def _swap(task: Task, partial: Partial, depth: int, spot: int, cell: int, sign: int) -> int:
    """Put the number at `spot` into the cell (sign 1), or take it out again (sign -1): what else is left grows by."""
    numbers, place = partial.numbers, partial.place
    number = numbers[spot if sign > 0 else depth]
    numbers[depth], numbers[spot] = numbers[spot], numbers[depth]
    place[numbers[depth]], place[numbers[spot]] = depth, spot
    for k in range(4):
        line = task.through[cell, k]
        partial.left[line] -= sign
        partial.lacking[line] -= sign * number
    return -sign * int(number)


@kernel
def _start(task: Task, width: float, state: RngState) -> Partial:
    """Nothing is filled; the numbers are in random order."""
    numbers, place = task.values.astype(np.int32), np.full(task.values[-1] + 1, -1, np.int32)
    shuffle_short(numbers, state)
    for k in range(numbers.shape[0]):
        place[numbers[k]] = k
    mean, deviation = numbers.mean(), numbers.std()
    widths, leans = np.empty(task.members.shape[1]), np.zeros(task.odds.shape[0])
    for k in range(widths.shape[0]):
        widths[k] = width * deviation * sqrt(k)
    for line in range(leans.shape[0] - 1):
        leans[line] = abs(task.wanted[line] / max(1, task.free[line]) - mean)
    return Partial(numbers, place, task.free.copy(), task.wanted.copy(), widths, leans)


@lean_kernel
def _descend(
    task: Task, partial: Partial, order: Cells, closes: Cells, spots: Cells, total: int, most: int
) -> tuple[bool, int]:
    """Depth first, until all is filled, nothing is left to try or `most` cells were filled: (all is, how many were)."""
    depth, filled = 0, 0
    while 0 <= depth < task.inside and filled < most:
        cell = order[depth]
        if spots[depth] >= 0:
            total += _swap(task, partial, depth, spots[depth], cell, -1)
        spot = _next_spot(task, partial, depth, cell, closes[depth], spots[depth], total)
        spots[depth] = spot
        if spot < 0:
            depth -= 1
            continue
        total += _swap(task, partial, depth, spot, cell, 1)
        filled += 1
        depth += 1
    return depth == task.inside, filled


@kernel
def search(task: Task, order: Cells, width: float, most: int, found: Numbers, state: RngState) -> tuple[bool, int]:
    """Fill `most` cells at most: whether `found` has a number for every free cell now, and how many were filled."""
    partial = _start(task, width, state)
    closes, left = np.full(order.shape[0], -1, np.int32), task.free.copy()
    for depth in range(task.inside):
        for line in task.through[order[depth]]:
            left[line] -= 1
            if left[line] == 0 and closes[depth] < 0:
                closes[depth] = line
    spots = np.full(order.shape[0], -1, np.int32)
    solved, filled = _descend(task, partial, order, closes, spots, int(task.values.sum()), most)
    for depth in range(order.shape[0]):
        found[order[depth]] = partial.numbers[depth]
    return solved, filled


def completing(board: Board, genome: Genomes, walk: Improve) -> Improve:
    """A walk, and after every TURN generations of it in which no square was found attempts at a completion.

    memory["waited"] = (generations since the last square,).
    """

    @cache
    def task() -> Task | None:
        whole = task_of(board, genome)
        if whole is None:
            return None
        hardness = best_order(whole, STEPS, np.empty(len(board.cells), np.int32), Rng(0).state)
        return whole if hardness < HARDEST else None

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        evaluations = walk(genomes, costs, rng, memory)
        waited = memory.get("waited")
        if waited is None or len(waited) != 1:
            waited = memory["waited"] = np.zeros(1, np.int64)
        waited[0] = waited[0] + 1 if costs.all() else 0
        if waited[0] == 0 or waited[0] % TURN or (whole := task()) is None:
            return evaluations
        square, filled = _attempts(whole, rng)
        if square is not None:
            row = memory["rungs"][0]
            unit = (board.values[-1] - board.values[0]) // max(1, whole.values[-1])
            genomes[row, board.cells] = board.values[0] + unit * square
            costs[row] = waited[0] = 0
        return evaluations + filled

    return improve


def _attempts(task: Task, rng: Rng) -> tuple[Numbers | None, int]:
    """(The numbers of the free cells or None, cells filled)."""
    order, found = np.empty(len(task.values), np.int32), np.empty(len(task.values), np.int64)
    best_order(task, STEPS, order, rng.state)
    filled = 0
    for _ in range(ATTEMPTS):
        width = NARROW + (WIDE - NARROW) * uniform(rng.state)
        solved, count = search(task, order, width, FILLED, found, rng.state)
        filled += int(count)
        if solved:
            return found, filled
    return None, filled
