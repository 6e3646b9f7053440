"""Pandiagonal squares of orders 9, 15, 21 ...: m x m tables of 3 x 3 numbers that are sums of two parts.

Cells that are a multiple of m = n / 3 rows and columns apart form a table: row i = m * u + r and column j = m * v + s
are place (u, v) of table (r, s). If every table is additive, number = x(u) + y(v), each of its 6 diagonals has the same
sum; if all tables sum alike, all broken diagonals of the square do.

Number h * n + l of 0..n^2 - 1 is put together from two magic rectangles of 3 x m numbers 0..n - 1 (rows sum alike,
columns sum alike): x takes h from a column of the first, y takes l from a column of the second. Which columns table
(r, s) takes is a bijection of tables that makes rows and columns of the square right. The rectangles are searched for,
everything else is chosen at random.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.boards import make_board
from problems.magic_square.walk import WalkOptions, metropolis

HEAT = 0.7
STEPS = 10_000

Table = NDArray[np.int64]


def additive_tables(size: int, start: int, step: int) -> Improve:
    """Every row becomes a new pandiagonal square with numbers in arithmetic progression."""
    n, m = size, size // 3
    lines = [[list(range(k * m, k * m + m)) for k in range(3)], [list(range(k, n, m)) for k in range(m)]]
    sums = [m * (n - 1) // 2] * 3 + [3 * (n - 1) // 2] * m
    search = metropolis(
        make_board(lines, sums, np.arange(n), np.arange(n), n), WalkOptions(HEAT, int(0.5 * 2**32), 2), STEPS
    )

    def rectangle(rng: Rng) -> tuple[Table, int]:
        genomes, costs = rng.numpy.permutation(n)[None].astype(np.int32), np.ones(1, np.int64)
        evaluations = 0
        memory: Memory = {}
        while costs[0]:
            evaluations += search(genomes, costs, rng, memory)
        return genomes[0].reshape(3, m).astype(np.int64), evaluations

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        total = 0
        for genome in genomes:
            (high, tries), (low, more) = rectangle(rng), rectangle(rng)
            genome[:] = start + step * _square(high, low, n, rng.numpy)
            total += tries + more
        costs[:] = 0
        return total

    return improve


def _square(high: Table, low: Table, n: int, random: np.random.Generator) -> Table:
    """The square of two magic rectangles, (n * n,) with the numbers 0..n^2 - 1."""
    m = n // 3
    while True:
        e, f = random.integers(0, m, 2).tolist()
        if gcd(e * f - 1, m) == 1:  # so that (r, s) -> (s + e r, r + f s) is a bijection
            break
    u, r = np.divmod(np.arange(n)[:, None], m)
    v, s = np.divmod(np.arange(n)[None], m)
    first, second = random.permutation(m), random.permutation(m)
    orders = random.permuted(np.tile(np.arange(3), (2, m, 1)), axis=2)  # of the parts, for every r and for every s
    number: Table = n * high[orders[0, r, u], first[(s + e * r) % m]] + low[orders[1, s, v], second[(r + f * s) % m]]
    turned: Table = np.roll(number, tuple(random.integers(0, n, 2).tolist()), (0, 1))
    return turned.ravel()
