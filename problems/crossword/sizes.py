"""How large a grid must be, found out by trying."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from islands.kernels.rng import Rng
from problems.crossword.aims import AIMS, ERROR
from problems.crossword.fast import Fast
from problems.crossword.placement import Words

WALKS = 6


def smallest_grid(words: Sequence[str], most: int) -> int | None:
    """The smallest grid that a few walks laid all words on; None where they did not even on the largest.

    The first has the largest grid and makes its box small and square; each that lays all words leaves less to the next.
    """
    found, grid = None, most
    for walk in range(WALKS):
        numbers = Words.of(words, grid)
        search = Fast(numbers, AIMS["square"])
        genomes, costs = search.settle(1, Rng(walk)), np.zeros(1, np.int64)
        search.improve(genomes, costs, Rng(walk), {"rounds": np.full(1, 99)})
        if costs[0] < ERROR:
            rows, columns, across, _ = (values[0] for values in numbers.places(genomes))
            down, right = np.where(across, 1, numbers.lengths), np.where(across, numbers.lengths, 1)
            found = max(int((rows + down).max() - rows.min()), int((columns + right).max() - columns.min()))
            grid = found - 1
            if grid < max(map(len, words)):
                break
    return found
