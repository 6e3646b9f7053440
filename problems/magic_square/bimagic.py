"""Bimagic squares of order 8: the numbers 0..63 are the vectors of F2^6.

If every two of the 6 coordinates take all four values equally often on a set of 8 vectors, the set has the sum and the
sum of squares of a bimagic line. The 3-dimensional subspaces of this sort are those whose 6 coordinates are different
and not zero, as functions on the subspace: 6 of the 7 there are. Rows are the cosets of one such subspace V, columns
the cosets of another, W, that meets V in 0 only: row w and column v share the number v + w.

Then two transversals (one cell per row and column) with both sums right are put on the diagonals, as in `harvest`: the
second is the first followed by an involution of the rows without fixed points.
"""

from __future__ import annotations

import numpy as np

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.recipe import Harvest, Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.harvest import expanded, involutions, m_transforms
from problems.magic_square.structure import Numbers

N = 8
SUM, SQUARES = 252, 10_668  # of a line, with the numbers 0..63
TRIES = 4_000  # transpositions before other random subspaces are taken


@kernel
def _subspace(vectors: Numbers, state: RngState) -> None:
    """A random 3-dimensional subspace of the right sort, (8,): vector x has coordinate k = parity of x & code[k]."""
    codes = np.arange(1, 8)
    for k in range(6):
        other = k + below(state, 7 - k)
        codes[k], codes[other] = codes[other], codes[k]
    for x in range(8):
        vectors[x] = 0
        for k in range(6):
            common = x & codes[k]
            vectors[x] |= ((common ^ (common >> 1) ^ (common >> 2)) & 1) << k


@kernel
def _meet(one: Numbers, two: Numbers) -> bool:
    """Whether two subspaces share more than 0, which is vector 0 of each."""
    for x in range(1, 8):
        for y in range(1, 8):
            if one[x] == two[y]:
                return True
    return False


@kernel
def _sums(rows: Numbers, columns: Numbers, places: Numbers, turned: Numbers) -> tuple[int, int]:
    """Sum and sum of squares of the cells (turned[k], places[k])."""
    total = squares = 0
    for k in range(N):
        number = rows[turned[k]] ^ columns[places[k]]
        total += number
        squares += number * number
    return total, squares


@kernel
def _complete(rows: Numbers, columns: Numbers, places: Numbers, orders: Numbers, state: RngState) -> int:
    """Which pairing of the rows makes the other diagonal right, from a random one on; -1 for none."""
    mirrored = np.empty(N, np.int64)
    first = below(state, orders.shape[0])
    for k in range(orders.shape[0]):
        number = int(first + k) % orders.shape[0]
        order = orders[number]
        for m in range(N):
            mirrored[order[m]] = order[N - 1 - m]
        total, squares = _sums(rows, columns, places, mirrored)
        if total == SUM and squares == SQUARES:
            return int(number)
    return -1


@kernel
def _draw(square: Genomes, orders: Numbers, state: RngState) -> int:
    """Write a random bimagic square of 0..63; how many transversals were tried."""
    rows, columns, places, same = np.empty(N, np.int64), np.empty(N, np.int64), np.arange(N), np.arange(N)
    pairs = np.arange(N // 2)
    tried = 0
    while True:
        _subspace(rows, state)
        _subspace(columns, state)
        if _meet(rows, columns):
            continue
        for _ in range(TRIES):
            i, j = below(state, N), below(state, N)
            places[i], places[j] = places[j], places[i]
            tried += 1
            total, squares = _sums(rows, columns, places, same)
            if total != SUM or squares != SQUARES:
                continue
            number = _complete(rows, columns, places, orders, state)
            if number < 0:
                continue
            for k in range(N // 2):  # the pairs in any order, each either way round
                other = k + below(state, N // 2 - k)
                pairs[k], pairs[other] = pairs[other], pairs[k]
            order = np.empty(N, np.int64)
            for k in range(N // 2):
                turn = below(state, 2)
                order[k + (N - 1 - 2 * k) * turn] = orders[number, pairs[k]]
                order[N - 1 - k - (N - 1 - 2 * k) * turn] = orders[number, N - 1 - pairs[k]]
            for i in range(N):
                for j in range(N):
                    square[i * N + j] = rows[order[i]] ^ columns[places[order[j]]]
            return tried


def cosets(start: int, step: int) -> Improve:
    """Every row becomes a new bimagic square with numbers in arithmetic progression."""

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        total = 0
        for genome in genomes:
            total += int(_draw(genome, involutions(N), rng.state))
            genome[:] = start + step * genome
        costs[:] = 0
        return total

    return improve


def all_images(ends: int) -> Harvest:
    """The 192 images of each square under the M-transforms, and their complements."""
    maps = m_transforms(N)

    def more(solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
        return expanded(np.concatenate((solved, ends - solved)), maps)

    return more
