"""Recipe `fast`: a genome is a phase, the value each cell would rather have; decoding it is a search with propagation.

What an island learns on the way (weights, clauses, where the search stands) is its memory.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators import select, survive
from islands.operators.recall import expect, expect_only
from islands.operators.recipe import Exchange, Recall, Recipe
from islands.operators.space import Genomes, Memory
from problems.sudoku import store
from problems.sudoku.decode import Decoder
from problems.sudoku.groups import all_groups
from problems.sudoku.propagate import CHANGING
from problems.sudoku.recall import check_board
from problems.sudoku.search import COUNTERS, DONE, FOUND, depth_first

LARGEST_SEARCH = 16  # up to it a depth-first search is quickest, and quickest to compile


def fast(box_rows: int, box_columns: int, givens: NDArray[np.int32]) -> Recipe:
    """Search with propagation; givens (n * n,) row by row, 0 = free."""
    recipe = Recipe(
        purpose="search with propagation; it ends with a proof that no more solutions exist",
        population=8,
        epoch=8,
        select=select.everyone(),
        survive=survive.children(),
        total=total,
    )
    if box_rows * box_columns <= LARGEST_SEARCH:
        return replace(
            recipe, improve=depth_first(box_rows, box_columns, givens), recall=recalling(box_rows, box_columns)
        )
    decoder = Decoder(box_rows, box_columns, givens)
    exchange = Exchange(store.share, decoder.absorb, decoder.check)
    return replace(recipe, population=4, epoch=2, improve=decoder.improve, exchange=exchange, recall=decoder.recall)


def recalling(box_rows: int, box_columns: int) -> Recall:
    """The check of what a depth-first search remembers."""
    groups, cells = all_groups(box_rows, box_columns), (box_rows * box_columns) ** 2

    def recall(memory: Memory, genomes: Genomes) -> None:
        if memory:
            expect_only(memory, *CHANGING, "levels", "counters", "weights")
            check_board(memory, groups, cells, COUNTERS)
            expect(memory, "weights", np.float32, (len(groups.starts),), 1)

    return recall


def solutions(
    box_rows: int, box_columns: int, givens: NDArray[np.int32], limit: int, seed: int
) -> tuple[Genomes, bool]:
    """Up to `limit` distinct solutions, (k, n * n), and whether these are proved to be all."""
    improve = fast(box_rows, box_columns, givens).improve
    assert improve is not None
    rng, memory = Rng(seed), Memory()
    n = box_rows * box_columns
    found: list[Genomes] = [np.empty((0, n * n), np.int32)]
    count = 0
    while count < limit and total(memory) is None:
        genomes = np.tile(np.arange(1, n + 1, dtype=np.int32), (min(limit - count, 256), n))
        costs = np.ones(len(genomes), np.int64)
        genomes[0] = rng.numpy.integers(1, n + 1, n * n)
        improve(genomes, costs, rng, memory)
        new = int(memory["counters"][FOUND]) - count
        found.append(genomes[:new])
        count += new
    return np.concatenate(found), total(memory) == count


def total(memory: Memory) -> int | None:
    """How many solutions exist, once the search is through; None before."""
    return int(memory["counters"][FOUND]) if "counters" in memory and memory["counters"][DONE] else None
