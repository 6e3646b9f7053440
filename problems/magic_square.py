"""Magic squares: distinct numbers in arithmetic progression, every row, column and both main diagonals sum alike.

The seed document is 004, *Genetic Magic Square Finder* (Bittencourt, Sehn, Leonhardt 2016); `classic` is its algorithm.

    order        the number of rows, `size`                      2 7 6
    genome       the numbers, row by row: [2,7,6,9,5,1,4,3,8] =  9 5 1
    magic number what every line sums to, M = (n + n^3) / 2      4 3 8
                 for the numbers 1..n^2
    cost         the sum of |M - S| over rows, columns and diagonals with sums S; the seed calls it fitness
    canonical    Frenicle's standard form, one of the 8 rotations and reflections: the top left number is the smallest
                 of the corners, and the number to the right of it is smaller than the one below
"""

from __future__ import annotations

from math import exp
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from islands.operators import arrange, select, survive
from islands.operators.jit import kernel
from islands.operators.layout import SPARSEST
from islands.operators.rng import Rng, RngState, below, uniform
from islands.problem import Problem
from islands.recipe import Improve, Recipe
from islands.space import Arrangement, Costs, Genomes, Memory

LARGEST = 12  # beyond it a random walk no longer is the way
RESTART = 1_000_000  # evaluations without a square, after which a walker starts anew

Sums = NDArray[np.int64]


# --- kernels ---


@kernel
def _line_errors(genome: Genomes, n: int, magic: int, errors: Sums) -> int:
    """errors = sum - magic of the n rows, n columns and 2 diagonals, (2n + 2,). Returns the cost."""
    errors[:] = -magic
    for i in range(n):
        for j in range(n):
            errors[i] += genome[i * n + j]
            errors[n + j] += genome[i * n + j]
        errors[2 * n] += genome[i * n + i]
        errors[2 * n + 1] += genome[i * n + n - 1 - i]
    return np.abs(errors).sum()


@kernel
def _costs(genomes: Genomes, n: int, magic: int, costs: Costs) -> None:
    errors = np.empty(2 * n + 2, np.int64)
    for row in range(genomes.shape[0]):
        costs[row] = _line_errors(genomes[row], n, magic, errors)


@kernel
def _standard_form(genome: Genomes, n: int, image: Genomes) -> None:
    """Frenicle's form: only the corners are compared, then one copy from that corner along the smaller neighbour."""
    last = n - 1
    top = left = 0
    for i in (0, last):
        for j in (0, last):
            if genome[i * n + j] < genome[top * n + left]:
                top, left = i, j
    down, right = (1 if top == 0 else -1), (1 if left == 0 else -1)
    along, across = right, down * n  # steps in the genome for one column and one row of the image
    if genome[top * n + left + across] < genome[top * n + left + along]:
        along, across = across, along
    for i in range(n):
        for j in range(n):
            image[i * n + j] = genome[top * n + left + i * across + j * along]


@kernel
def _standard_forms(genomes: Genomes, n: int, images: Genomes) -> None:
    for row in range(genomes.shape[0]):
        _standard_form(genomes[row], n, images[row])


@kernel
def _moved(error: int, change: int) -> int:
    """By how much the cost of a line grows when its sum changes."""
    return abs(error + change) - abs(error)


@kernel
def _swap_growth(errors: Sums, n: int, cells: tuple[int, int, int, int], change: int) -> int:
    """By how much the cost grows when cell (i, j) gains `change` and cell (k, m) loses it: O(1)."""
    i, j, k, m = cells
    growth = 0
    if i != k:
        growth += _moved(errors[i], change) + _moved(errors[k], -change)
    if j != m:
        growth += _moved(errors[n + j], change) + _moved(errors[n + m], -change)
    main = int(i == j) - int(k == m)
    anti = int(i + j == n - 1) - int(k + m == n - 1)
    if main:
        growth += _moved(errors[2 * n], main * change)
    if anti:
        growth += _moved(errors[2 * n + 1], anti * change)
    return growth


@kernel
def _add(errors: Sums, n: int, i: int, j: int, change: int) -> None:
    """A cell grows by `change`: so do the sums of its lines."""
    errors[i] += change
    errors[n + j] += change
    if i == j:
        errors[2 * n] += change
    if i + j == n - 1:
        errors[2 * n + 1] += change


@kernel
def _walk(genome: Genomes, n: int, errors: Sums, cost: int, steps: int, heat: float, state: RngState) -> tuple[int, int]:
    """At most `steps` Metropolis proposals at constant temperature `heat`, until solved: (cost, proposals)."""
    for step in range(steps):
        i, j, k, m = below(state, n), below(state, n), below(state, n), below(state, n)
        a, b = i * n + j, k * n + m
        change = np.int64(genome[b]) - np.int64(genome[a])
        growth = _swap_growth(errors, n, (i, j, k, m), change)
        if growth <= 0 or (growth < 40 * heat and uniform(state) < exp(-growth / heat)):
            genome[a], genome[b] = genome[b], genome[a]
            _add(errors, n, i, j, change)
            _add(errors, n, k, m, -change)
            cost += growth
            if cost == 0:
                return cost, step + 1
    return cost, steps


@kernel
def _walks(
    genomes: Genomes, n: int, magic: int, costs: Costs, waited: Sums, steps: int, heat: float, state: RngState
) -> int:
    """Every row walks on; one that has waited too long for a square is shuffled first. Returns the evaluations."""
    errors = np.empty(2 * n + 2, np.int64)
    total = 0
    for row in range(genomes.shape[0]):
        if waited[row] >= RESTART:
            waited[row] = 0
            for cell in range(n * n - 1, 0, -1):
                other = below(state, cell + 1)
                genomes[row, cell], genomes[row, other] = genomes[row, other], genomes[row, cell]
        cost = _line_errors(genomes[row], n, magic, errors)
        costs[row], evaluations = _walk(genomes[row], n, errors, cost, steps, heat, state)
        waited[row] = 0 if costs[row] == 0 else waited[row] + evaluations
        total += evaluations
    return total
