"""How large a grid must be, found out by trying."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from islands.operators.rng import Rng
from problems.crossword.aims import AIMS, ERROR
from problems.crossword.fast import Fast
from problems.crossword.placement import Words

WALKS = 4  # per grid, of the full length


def smallest_grid(words: Sequence[str], least: int) -> int | None:
    """The smallest grid from `least` to twice that on which a few walks laid all words; None where none did."""
    for grid in range(least, 2 * least + 1):
        numbers = Words.of(words, grid)
        search = Fast(numbers, AIMS["compact"])
        for walk in range(WALKS):
            genomes = search.settle(1, Rng(grid, walk))
            costs = np.zeros(1, np.int64)
            search.improve(genomes, costs, Rng(grid, walk), {"rounds": np.full(1, 99)})
            if costs[0] < ERROR:
                return grid
    return None
