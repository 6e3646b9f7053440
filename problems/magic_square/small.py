"""Every square of a small order or with few free cells, by a plain depth-first search.

Cell by cell, in an order in which lines fill early; the last free cell of a line holds what the others leave. Opposite
cells that must sum alike are lines of two cells. Without given cells one of the 8 images is searched for: Frenicle's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.operators.space import Genomes
from problems.magic_square.kinds import PAIRED, Kind, directions, opposite

Numbers = NDArray[np.int64]

CAPACITY = 10_000  # squares of one task; where there are more they are searched for again


class Plan(NamedTuple):
    """A search as arrays for kernels."""

    values: Numbers  # the numbers of the free cells, ascending, (free,)
    cells: Numbers  # the free cells in the order they are filled, (free,)
    closes: Numbers  # a line that is full with this cell, or -1, (free,)
    through: Numbers  # the lines through each cell, (cells, 5) padded with `lines`
    targets: Numbers  # what each line sums to, (lines + 1,)
    above: Numbers  # a cell, filled before, whose number must be smaller than the one of this cell; -1 = none, (cells,)
    under: Numbers  # ... must be greater, (cells,)


def make_plan(kind: Kind, n: int, numbers: Sequence[int], magic: int, fixed: Mapping[int, int]) -> Plan:
    """The search for all squares of a kind with these numbers; with given cells every image counts."""
    lines = [(line, magic) for way in directions(kind, n) for line in way]
    if kind in PAIRED:
        mirrored = opposite(n)
        lines += [([cell, mirrored[cell]], 2 * magic // n) for cell in range(n * n // 2)]
        lines += [([n * n // 2], magic // n)] if n % 2 else []
    through = np.full((n * n, 5), len(lines))
    for cell in range(n * n):
        mine = [k for k, (line, _) in enumerate(lines) if cell in line]
        through[cell, : len(mine)] = mine
    open_cells = [{cell for cell in line if cell not in fixed} for line, _ in lines]
    targets = [target - sum(fixed.get(cell, 0) for cell in line) for line, target in lines]
    cells: list[int] = []
    closes: list[int] = []
    while any(open_cells) or len(cells) + len(fixed) < n * n:
        nearest = min((k for k, cells_left in enumerate(open_cells) if cells_left), key=lambda k: len(open_cells[k]))
        cell = min(open_cells[nearest], key=lambda c: (-sum(c in line for line in open_cells), c))
        if not cells and not fixed:
            cell, nearest = 0, 0
        closes.append(nearest if open_cells[nearest] == {cell} else -1)
        cells.append(cell)
        for line in open_cells:
            line.discard(cell)
    above, under = np.full(n * n, -1), np.full(n * n, -1)
    for less, more in () if fixed else ((0, n - 1), (0, n * n - n), (0, n * n - 1), (1, n)):
        if cells.index(less) < cells.index(more):
            above[more] = less
        else:
            under[less] = more
    given = set(fixed.values())
    values = sorted(number for number in numbers if number not in given)
    return Plan(
        np.array(values, np.int64), np.array(cells, np.int64), np.array(closes, np.int64), through,
        np.array([*targets, 0], np.int64), above, under,
    )  # fmt: skip


def squares(plan: Plan, n: int, fixed: Mapping[int, int], first: int) -> Genomes:
    """All squares with free number `first` in the first free cell, (squares, n * n)."""
    square = np.zeros(n * n, np.int64)
    square[list(fixed)] = list(fixed.values())
    rows = np.empty((CAPACITY, n * n), np.int32)
    found = _search(plan, n, square, first, rows)
    if found > CAPACITY:
        rows = np.empty((found, n * n), np.int32)
        _search(plan, n, square, first, rows)
    return rows[:found]


@kernel
def _fits(plan: Plan, square: Numbers, cell: int, value: int, sums: Numbers, left: Numbers) -> bool:
    """Whether a cell may hold this value: full lines are right, and the square is the image that is searched for."""
    for k in range(5):
        line = plan.through[cell, k]
        if left[line] == 1 and sums[line] + value != plan.targets[line]:
            return False
    if plan.above[cell] >= 0 and square[plan.above[cell]] > value:
        return False
    return not (plan.under[cell] >= 0 and square[plan.under[cell]] < value)


@kernel
def _put(plan: Plan, cell: int, value: int, sums: Numbers, left: Numbers, sign: int) -> None:
    """Put a value into a cell (sign 1) or take it out again (sign -1)."""
    for k in range(5):
        sums[plan.through[cell, k]] += sign * value
        left[plan.through[cell, k]] -= sign


@kernel
def _next_rank(plan: Plan, square: Numbers, depth: int, rank: int, used: Numbers, sums: Numbers, left: Numbers) -> int:
    """The next rank after `rank` whose number fits here; as many as there are ranks when none does."""
    cell, line, ranks = plan.cells[depth], plan.closes[depth], int(plan.values.shape[0])
    if line >= 0:
        if rank >= 0:
            return ranks
        wanted = plan.targets[line] - sums[line]
        only = int(np.searchsorted(plan.values, wanted))
        if only == ranks or plan.values[only] != wanted or used[only]:
            return ranks
        return only if _fits(plan, square, cell, wanted, sums, left) else ranks
    rank += 1
    while rank < ranks and (used[rank] or not _fits(plan, square, cell, plan.values[rank], sums, left)):
        rank += 1
    return rank


@kernel
def _search(plan: Plan, n: int, square: Numbers, first: int, rows: Genomes) -> int:
    """Depth first; the squares go to `rows` until it is full: how many."""
    ranks, lines = plan.values.shape[0], plan.targets.shape[0]
    chosen, used = np.full(ranks, -1), np.zeros(ranks, np.int64)
    sums, left = np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    for cell in plan.cells:
        for k in range(5):
            left[plan.through[cell, k]] += 1
    left[lines - 1] = 1 << 40  # what rows of `through` are padded with is never full
    found, depth = 0, 0
    while depth >= 0:
        cell, rank = plan.cells[depth], chosen[depth]
        if rank >= 0:
            _put(plan, cell, plan.values[rank], sums, left, -1)
            used[rank] = 0
        if depth == 0:
            rank = first if rank < 0 and _fits(plan, square, cell, plan.values[first], sums, left) else ranks
        else:
            rank = _next_rank(plan, square, depth, rank, used, sums, left)
        if rank == ranks:
            chosen[depth] = -1
            depth -= 1
            continue
        chosen[depth] = rank
        used[rank] = 1
        square[cell] = plan.values[rank]
        _put(plan, cell, plan.values[rank], sums, left, 1)
        if depth + 1 < ranks:
            depth += 1
            continue
        if found < rows.shape[0]:
            for k in range(n * n):
                rows[found, k] = square[k]
        found += 1
    return found
