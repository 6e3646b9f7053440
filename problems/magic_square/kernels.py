"""The cost and the canonical form of squares, over whole batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.operators.space import Costs, Genomes

Sums = NDArray[np.int64]


@kernel
def line_errors(genome: Genomes, n: int, magic: int, diagonals: int, errors: Sums) -> int:
    """errors = sum - magic of n rows, n columns, and diagonals: none, the 2 main ones or the 2n broken ones, (4n,).

    Returns the cost.
    """
    errors[:] = -magic
    columns = errors[n : 2 * n]
    for i in range(n):
        line = genome[i * n : i * n + n]
        total = 0
        for j in range(n):
            total += int(line[j])  # 64 bits, without the compiler too
            columns[j] += line[j]
        errors[i] += total
        if diagonals == 1:
            errors[2 * n] += line[i]
            errors[2 * n + 1] += line[n - 1 - i]
        elif diagonals == 2:
            for j in range(n):
                errors[2 * n + (j - i) % n] += line[j]
                errors[3 * n + (j + i) % n] += line[j]
    cost = 0
    for k in range(2 * n + (0, 2, 2 * n)[diagonals]):
        cost += abs(errors[k])
    return cost


@kernel
def _pair_errors(genome: Genomes, n: int, ends: int) -> int:
    """How far the sums of opposite cells are from `ends`, together."""
    cost, last = 0, n * n - 1
    for cell in range(n * n // 2 + n % 2):
        cost += abs(int(genome[cell]) + int(genome[last - cell]) - ends)
    return cost


@kernel
def sweep_costs(genomes: Genomes, n: int, magic: int, diagonals: int, paired: bool, costs: Costs) -> None:
    errors = np.empty(4 * n, np.int64)
    for row in range(genomes.shape[0]):
        costs[row] = line_errors(genomes[row], n, magic, diagonals, errors)
        if paired:
            costs[row] += _pair_errors(genomes[row], n, 2 * magic // n)


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
def standard_forms(genomes: Genomes, n: int, images: Genomes) -> None:
    for row in range(genomes.shape[0]):
        _standard_form(genomes[row], n, images[row])
