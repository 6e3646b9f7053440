"""The operators of the seed document 002, *Sudoku Löser basierend auf einem genetischen Algorithmus*.

Every box holds each value once from the start and for ever; rows and columns are what evolves. A cell has a collision
if its value stands in its row again, and one if it stands in its column again; the sum over all cells is the cost. (The
document calls it fitness.)

A generation: everyone mutates; neighbours cross, each once; the best 20% of the mutated and of their children fill the
population in turn. The document names the parts and leaves open how they are put together. Of the readings tried, this
one, which is that of the document's public program, fits its table on its own puzzles (docs/puzzles/sudoku.md).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below, uniform
from islands.operators.layout import Numbers
from islands.operators.recipe import Candidates, Crossover, Mutate
from islands.operators.space import Arrangement, Costs, Genomes
from islands.operators.survive import Punish

CROWDED = 0.5  # share of the free cells; an individual that shares more of them with the others is punished


# --- cost ---


@kernel
def _count(genome: Numbers, n: int, rows: Numbers, columns: Numbers) -> None:
    """How often each value stands in each row and column: rows[row * (n + 1) + value]."""
    rows[:] = 0
    columns[:] = 0
    for cell in range(n * n):
        rows[cell // n * (n + 1) + genome[cell]] += 1
        columns[cell % n * (n + 1) + genome[cell]] += 1


@kernel
def _collisions(genome: Numbers, n: int, rows: Numbers, columns: Numbers, cells: Numbers) -> None:
    """The seed's fitness of each cell: 0, 1 or 2 collisions, with its row and with its column."""
    _count(genome, n, rows, columns)
    for cell in range(n * n):
        value = genome[cell]
        cells[cell] = (rows[cell // n * (n + 1) + value] > 1) + (columns[cell % n * (n + 1) + value] > 1)


@kernel
def sweep_collisions(genomes: Genomes, n: int, collisions: Genomes) -> None:
    """The same for a population, (k, n * n)."""
    rows, columns = np.empty(n * (n + 1), np.int32), np.empty(n * (n + 1), np.int32)
    for row in range(genomes.shape[0]):
        _collisions(genomes[row], n, rows, columns, collisions[row])


@kernel
def sweep_costs(genomes: Genomes, n: int, costs: Costs) -> None:
    """The seed's fitness of each grid: the collisions of its cells, summed."""
    rows, columns = np.empty(n * (n + 1), np.int32), np.empty(n * (n + 1), np.int32)
    for row in range(genomes.shape[0]):
        _count(genomes[row], n, rows, columns)
        total = 0
        for k in range(rows.shape[0]):
            total += rows[k] * (rows[k] > 1) + columns[k] * (columns[k] > 1)
        costs[row] = total


# --- initialisation ---


@kernel
def _smart_one(genome: Numbers, n: int, upright: int, cells: Numbers, starts: Numbers, used: Numbers) -> None:
    """Deal each box's values again, avoiding what its row (or, upright, its column) has already."""
    for group in range(starts.shape[0] - 1):
        own = cells[starts[group] : starts[group + 1]]
        pool = genome[own]
        left = own.shape[0]
        waiting = np.empty(own.shape[0], np.int32)
        stuck = 0
        for k in range(own.shape[0]):
            line = (own[k] % n if upright else own[k] // n) * (n + 1)
            pick = -1
            for j in range(left):
                if not used[line + pool[j]]:
                    pick = j
                    break
            if pick < 0:
                waiting[stuck] = own[k]
                stuck += 1
                continue
            genome[own[k]] = pool[pick]
            used[line + pool[pick]] = 1
            left -= 1
            pool[pick] = pool[left]
        for k in range(stuck):  # the pool is in random order
            genome[waiting[k]] = pool[k]
            used[(waiting[k] % n if upright else waiting[k] // n) * (n + 1) + pool[k]] = 1


@kernel
def _smart(genomes: Genomes, n: int, cells: Numbers, starts: Numbers, fixed: Numbers, state: RngState) -> None:
    used = np.empty(n * (n + 1), np.int32)
    for row in range(genomes.shape[0]):
        upright = below(state, 2)
        used[:] = 0
        for cell in fixed:
            used[(cell % n if upright else cell // n) * (n + 1) + genomes[row, cell]] = 1
        _smart_one(genomes[row], n, upright, cells, starts, used)


def smart_start(space: Arrangement, n: int) -> Callable[[int, Rng], Genomes]:
    """The seed's smart initialisation: horizontally or vertically, by lot, collisions are avoided where a look through
    the values left finds one; the few other cells are only right for their box."""
    fixed = np.flatnonzero(space.groups < 0).astype(np.int32)

    def settle(count: int, rng: Rng) -> Genomes:
        genomes = space.sample(count, rng)
        _smart(genomes, n, space.cells, space.starts, fixed, rng.state)
        return genomes

    return settle


# --- crossover ---


def _segments(bands: int, n: int, box_rows: int) -> tuple[slice, slice, slice]:
    """Top, middle and bottom block rows as cells; of three bands one each."""
    low = max(1, round(bands / 3))
    high = max(low + 1, bands - low)
    cuts = [0, low, high, bands]
    first, middle, last = (slice(a * box_rows * n, b * box_rows * n) for a, b in pairwise(cuts))
    return first, middle, last


def two_point(box_rows: int, box_columns: int) -> Crossover:
    """The seed's Crossover(2): two parents exchange the middle block rows; two children."""
    _, middle, _ = _segments(box_columns, box_rows * box_columns, box_rows)

    def cross(families: Genomes, rng: Rng) -> Genomes:
        children = families[:, :2].copy()
        children[:, 0, middle], children[:, 1, middle] = families[:, 1, middle], families[:, 0, middle]
        return children

    return Crossover(cross, parents=2, children=2)


def diagonal(box_rows: int, box_columns: int) -> Crossover:
    """The seed's Crossover(3): three parents, three children; child i has top, middle and bottom of parents i, i + 1
    and i + 2."""
    segments = _segments(box_columns, box_rows * box_columns, box_rows)

    def cross(families: Genomes, rng: Rng) -> Genomes:
        children = np.empty_like(families)
        for child in range(3):
            for k, segment in enumerate(segments):
                children[:, child, segment] = families[:, (child + k) % 3, segment]
        return children

    return Crossover(cross, parents=3, children=3)


# --- mutation ---


@kernel
def _mutate(genomes: Genomes, n: int, cells: Numbers, starts: Numbers, above: int, state: RngState) -> None:
    """Swap the cells in trouble, and now and then one at peace, in random pairs within each box."""
    rows, columns = np.empty(n * (n + 1), np.int32), np.empty(n * (n + 1), np.int32)
    collisions, swaps = np.empty(n * n, np.int32), np.empty(n, np.int32)
    for row in range(genomes.shape[0]):
        genome = genomes[row]
        _collisions(genome, n, rows, columns, collisions)
        for group in range(starts.shape[0] - 1):
            count = 0
            for slot in range(starts[group], starts[group + 1]):
                if collisions[cells[slot]] > above or uniform(state) * n < 1:
                    swaps[count] = cells[slot]
                    count += 1
            for last in range(count - 1, 0, -1):
                other = below(state, last + 1)
                swaps[last], swaps[other] = swaps[other], swaps[last]
            for k in range(0, count - 1, 2):  # an odd one stays where it is
                a, b = swaps[k], swaps[k + 1]
                genome[a], genome[b] = genome[b], genome[a]


def conflict_swaps(space: Arrangement, n: int, above: int = 0) -> Mutate:
    """The seed's mutation: free cells with more collisions than `above`, and others with probability 1/n (1/9 in the
    seed), are shuffled and swapped in pairs. Pairs share a box, so that boxes stay right.

    The document says "fitness > 1", its program `> 0`; only the program's fits the document's table.
    """

    def mutate(genomes: Genomes, rng: Rng) -> None:
        _mutate(genomes, n, space.cells, space.starts, above, rng.state)

    return mutate


# --- selection ---


def punish_same(space: Arrangement, n: int) -> Punish:
    """The seed's punish_same: for the choice of survivors, whoever agrees with the others in more than half of the free
    cells, on average, costs one more for each cell beyond."""

    def punish(candidates: Candidates) -> Costs:
        genomes = candidates.genomes()
        alike = np.zeros(len(genomes))
        for cell in space.cells.tolist():
            values = genomes[:, cell]
            alike += np.bincount(values, minlength=n + 1)[values] - 1
        beyond = alike / max(1, len(genomes) - 1) - CROWDED * len(space.cells)
        return candidates.costs + np.maximum(beyond, 0).astype(np.int64)

    return punish
