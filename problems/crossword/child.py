"""The crossover: a child of two layouts. A layout is places (n, 3): row, column and way of each word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from problems.crossword.board import COLUMN, OFF, ROW, WAY, Table
from problems.crossword.placement import Words

Order = NDArray[np.int64]


def child(mother: Table, father: Table, words: Words, rng: Rng) -> Table:
    """A half or more of the mother that hangs together, and the father's other words around it, in the grid.

    The father is moved, and turned if need be, so that a word both have lies where the mother has it. Words that do
    not go together are the walk's matter: it begins with what is legal.
    """
    laid = np.flatnonzero(mother[:, WAY] != OFF)
    both = laid[father[laid, WAY] != OFF]
    if not len(both):
        return _within(mother, laid, words)
    word = int(rng.numpy.choice(both))
    if mother[word, WAY] != father[word, WAY]:
        turned = np.where(father[:, WAY] == OFF, OFF, 1 - father[:, WAY])
        father = np.stack((father[:, COLUMN], father[:, ROW], turned), axis=1)
    near = _nearest(mother, word, words, rng)
    part = near[: len(near) - int(rng.numpy.integers(len(near) // 2 + 1))]
    mixed = father.copy()
    mixed[:, :WAY] += mother[word, :WAY] - father[word, :WAY]
    mixed[part] = mother[part]
    return _within(mixed, part, words)


def _nearest(layout: Table, word: int, words: Words, rng: Rng) -> Order:
    """The words that hang together with one, in the order of how many crossings lead there."""
    (rows, columns, ways), n, lengths = layout.T, len(layout), words.lengths
    right, down = columns[None, :] - columns[:, None], rows[:, None] - rows[None, :]  # from a word across to one down
    crossed = (right >= 0) & (right < lengths[:, None]) & (down >= 0) & (down < lengths[None, :])
    crossed &= (ways[:, None] == 0) & (ways[None, :] == 1)
    crossed |= crossed.T
    steps, front, step = np.full(n, n), np.arange(n) == word, 0
    while front.any():
        steps[front] = step
        step += 1
        front = crossed[front].any(axis=0) & (steps == n)
    order = np.lexsort((rng.numpy.random(n), steps))
    return np.asarray(order[: int((steps < n).sum())])


def _within(layout: Table, part: Order, words: Words) -> Table:
    """The layout with a part of it in the middle of the grid; words that reach beyond the grid are left out."""
    if not len(part):
        return layout
    begins, down = layout[:, :WAY], layout[:, WAY] == 1
    ends = begins + 1
    ends[down, ROW] += words.lengths[down] - 1
    ends[~down, COLUMN] += words.lengths[~down] - 1
    shift = (words.grid - begins[part].min(axis=0) - ends[part].max(axis=0)) // 2
    beyond = (begins + shift < 0).any(axis=1) | (ends + shift > words.grid).any(axis=1)
    return np.column_stack((begins + shift, np.where(beyond, OFF, layout[:, WAY])))
