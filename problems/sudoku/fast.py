"""Recipe `fast`: a genome is a phase, the value each cell would rather have; decoding it is a search with propagation.

What an island learns on the way (weights, where the search stands) is its memory.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from islands.operators import select, survive
from islands.operators.rng import Rng
from islands.recipe import Improve, Recipe
from islands.space import Genomes, Memory
from problems.sudoku.search import DONE, depth_first


def fast(box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> Recipe:
    """Search with propagation; givens (n * n,) row by row, 0 = free."""
    return Recipe(
        population=8,
        epoch=16,
        select=select.everyone(),
        parents=1,
        improve=_decoder(box_rows, box_columns, givens),
        survive=survive.children(),
    )


def solutions(
    box_rows: int,
    box_columns: int,
    givens: NDArray[np.int32],
    limit: int,
    seed: int,
    seconds: float | None = None,
) -> tuple[Genomes, bool]:
    """Up to `limit` distinct solutions, (k, n * n), and whether these are proved to be all."""
    improve = _decoder(box_rows, box_columns, givens)
    rng, memory = Rng(seed), Memory()
    n = box_rows * box_columns
    found: list[Genomes] = [np.empty((0, n * n), np.int32)]
    count = 0
    end = None if seconds is None else time.monotonic() + seconds
    while count < limit and not exhausted(memory) and (end is None or time.monotonic() < end):
        genomes = np.tile(np.arange(1, n + 1, dtype=np.int32), (min(limit - count, 256), n))
        costs = np.ones(len(genomes), np.int64)
        genomes[0] = rng.numpy.integers(1, n + 1, n * n)
        improve(genomes, costs, rng, memory)
        found.append(genomes[costs == 0])
        count += len(found[-1])
    return np.concatenate(found), exhausted(memory)


def exhausted(memory: Memory) -> bool:
    """Whether the search is through: there are no solutions but those it has found."""
    return bool(memory) and bool(memory["counters"][DONE])


def _decoder(box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> Improve:
    return depth_first(box_rows, box_columns, givens)
