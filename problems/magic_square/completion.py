"""Squares with given cells by depth-first search, line after line: what a walk takes long for where few cells are free.

The free cells are filled in an order in which few partial squares are met (`filling`), each by every number that is
left; the last free cell of a line holds what the others leave. Where there are very many squares the cells filled first
are hardly ever changed, so that the numbers tried must be balanced: what a line still lacks is near to as many numbers
of mean size as it has free cells. Every attempt has an order of the numbers and a width of that balance of its own, and
ends after a fixed number of cells filled; no attempt knows of another.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from islands.kernels.jit import inlined_kernel, kernel, lean_kernel
from islands.kernels.rng import Rng, RngState, uniform
from islands.kernels.shuffle import shuffle_short
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.filling import Reals, Task, best_order, task_of
from problems.magic_square.structure import Board, Cells, Numbers

TURN = 8  # generations of the walk without a square before each attempt at a completion
ATTEMPTS, FILLED = 3, 250_000  # in a turn, with one order of the cells; cells filled in each
STEPS = 2000  # of annealing an order
NARROW, WIDE = 1.25, 2.25  # the width of the balance, in standard deviations
FEW = 20  # numbers left, of which no two may sum to what a line of two free cells lacks
HARDEST = 19.0  # logarithm of the partial squares for each square beyond which no attempt is worth its time


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
        order, rng = np.empty(len(board.cells), np.int32), Rng(0)
        if best_order(whole, STEPS, order, rng.state) >= HARDEST:
            return None
        search(whole, order, WIDE, 0, np.empty(len(order), np.int64), rng.state)  # compiled before time counts
        return whole

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        whole, evaluations = task(), walk(genomes, costs, rng, memory)
        waited = memory.get("waited")
        if waited is None or len(waited) != 1:
            waited = memory["waited"] = np.zeros(1, np.int64)
        waited[0] = waited[0] + 1 if costs.all() else 0
        if waited[0] == 0 or waited[0] % TURN or whole is None:
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
