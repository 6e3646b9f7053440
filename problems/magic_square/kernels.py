"""The cost and the canonical form of squares, over whole batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.operators.jit import kernel
from islands.space import Costs, Genomes

Sums = NDArray[np.int64]


@kernel
def line_errors(genome: Genomes, n: int, magic: int, errors: Sums) -> int:
    """errors = sum - magic of the n rows, n columns and 2 diagonals, (2n + 2,). Returns the cost."""
    errors[:] = -magic
    columns = errors[n : 2 * n]
    for i in range(n):
        line = genome[i * n : i * n + n]
        total = 0
        for j in range(n):
            total += int(line[j])  # 64 bits, without the compiler too
            columns[j] += line[j]
        errors[i] += total
        errors[2 * n] += line[i]
        errors[2 * n + 1] += line[n - 1 - i]
    cost = 0
    for k in range(2 * n + 2):
        cost += abs(errors[k])
    return cost


@kernel
def sweep_costs(genomes: Genomes, n: int, magic: int, costs: Costs) -> None:
    errors = np.empty(2 * n + 2, np.int64)
    for row in range(genomes.shape[0]):
        costs[row] = line_errors(genomes[row], n, magic, errors)


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
