"""The helpers and operators of the seed document 000, *Genetic Algorithm to Solve a 4x4 Letter Grid Puzzle*.

1. initial population: each row's missing letters, in random order, in its free cells (a sample of the space)
2. fitness: row, column and sub-grid conflicts; here the cost
3. parents: two different ones, each the best of `tournament_size` random individuals
4. crossover: the rows above a random cut from the one, the rows from it on from the other; one child
5. mutation: each row of the child is rotated to the left or right with a probability of 10 %
6. the best 4 live on; every individual without a conflict is a solution, and the search goes on

The seed's inner loop of the initialisation stands there twice, which is a slip, and its mutation does not use the
initial grid it is given: here only free cells rotate, so that givens stay.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below, uniform
from islands.operators import select, survive
from islands.operators.layout import Numbers
from islands.operators.recipe import Crossover, Mutate, Points, Recipe
from islands.operators.space import Arrangement, Costs, Genomes

Grid = Sequence[Sequence[object]]

NOT_FOUND = "No solution found, reached the max generation"  # the seed's own words


# --- the seed's utility functions ---


def get_column(grid: Grid, column: int) -> list[object]:
    """The values of a column, from the top."""
    return [row[column] for row in grid]


def get_subgrid(grid: Grid, sub_row: int, sub_column: int, box: tuple[int, int] = (2, 2)) -> list[object]:
    """The values of a box, row by row; boxes are counted from 0, in rows of boxes and along them."""
    rows, columns = box
    top, left = sub_row * rows, sub_column * columns
    return [grid[row][column] for row in range(top, top + rows) for column in range(left, left + columns)]


def count_distinct(values: Collection[object]) -> int:
    return len(set(values))


def count_row_conflicts(grid: Grid) -> int:
    return sum(len(grid) - count_distinct(row) for row in grid)


def count_column_conflicts(grid: Grid) -> int:
    return sum(len(grid) - count_distinct(get_column(grid, column)) for column in range(len(grid)))


def count_subgrid_conflicts(grid: Grid, box: tuple[int, int] = (2, 2)) -> int:
    down, across = len(grid) // box[0], len(grid) // box[1]
    boxes = [get_subgrid(grid, i, j, box) for i in range(down) for j in range(across)]
    return sum(len(grid) - count_distinct(values) for values in boxes)


def fitness(grid: Grid, box: tuple[int, int] = (2, 2)) -> int:
    """The seed's fitness of a grid of any values: 0 is a solution, lower is better."""
    return count_row_conflicts(grid) + count_column_conflicts(grid) + count_subgrid_conflicts(grid, box)


# --- the same for populations ---


@kernel
def sweep_conflicts(genomes: Genomes, units: Numbers, costs: Costs) -> None:
    """The seed's fitness: in each of `units` (3 n, n), which are cells, every value that stood there before is one."""
    for row in range(genomes.shape[0]):
        total = 0
        for unit in range(units.shape[0]):
            seen = 0
            for k in range(units.shape[1]):
                bit = 1 << genomes[row, units[unit, k]]
                if seen & bit:
                    total += 1
                seen |= bit
        costs[row] = total


def row_cut(n: int) -> Crossover:
    """The seed's crossover: a cut from 1 to n - 1; rows above it from the first parent, the others from the second."""

    def cross(families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        cut = rng.numpy.integers(1, n, (len(families), 1))
        below_cut: NDArray[np.bool_] = np.arange(n * n) // n >= cut
        return np.where(below_cut, families[:, 1], families[:, 0])[:, None], cut

    return Crossover(cross)


@kernel
def _rotate(genomes: Genomes, cells: Numbers, starts: Numbers, rate: float, state: RngState) -> None:
    for row in range(genomes.shape[0]):
        genome = genomes[row]
        for group in range(starts.shape[0] - 1):
            if uniform(state) >= rate:
                continue
            first, last = starts[group], starts[group + 1] - 1
            if below(state, 2):
                kept = genome[cells[last]]
                for k in range(last, first, -1):
                    genome[cells[k]] = genome[cells[k - 1]]
                genome[cells[first]] = kept
            else:
                kept = genome[cells[first]]
                for k in range(first, last):
                    genome[cells[k]] = genome[cells[k + 1]]
                genome[cells[last]] = kept


def row_rotation(space: Arrangement, rate: float) -> Mutate:
    """The seed's mutation: the free cells of a row move their letters on by one, to the left or right."""

    def mutate(genomes: Genomes, rng: Rng) -> None:
        _rotate(genomes, space.cells, space.starts, rate, rng.state)

    return mutate


def classic(space: Arrangement, n: int, tournament_size: int, rotation: float) -> Recipe:
    """The seed's algorithm."""
    return Recipe(
        purpose="the genetic algorithm of the seed document",
        population=100,
        elite=4,
        epoch=100,
        select=select.tournament(tournament_size),
        crossover=row_cut(n),
        mutate=row_rotation(space, rotation),
        survive=survive.children(),
    )
