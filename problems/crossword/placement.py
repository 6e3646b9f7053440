"""Words as numbers, and genomes: the number of each word's placement.

A word of `length` letters has `half = grid * (grid - length + 1)` placements across, numbered row by row, then as many
down, numbered column by column: exchanging rows and columns adds or takes away `half`. The number 2 * half = left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Choices, Genomes

Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Words:
    """A word list for kernels: letters (n, longest) as numbers from 1, 0 behind a word's end; lengths (n,)."""

    grid: int
    letters: Numbers
    lengths: Numbers

    @classmethod
    def of(cls, words: Sequence[str], grid: int) -> Self:
        alphabet = {letter: number for number, letter in enumerate(sorted(set("".join(words))), 1)}
        letters = np.zeros((len(words), max(map(len, words))), np.int32)
        for row, word in enumerate(words):
            letters[row, : len(word)] = [alphabet[letter] for letter in word]
        return cls(grid, letters, np.array([len(word) for word in words], np.int32))

    @property
    def halves(self) -> Numbers:
        """Placements across of each word, and as many down, (n,)."""
        return (self.grid * (self.grid - self.lengths + 1)).astype(np.int32)

    def space(self) -> Choices:
        return Choices(len(self.lengths), 2 * self.halves + 1)

    def places(self, genomes: Genomes) -> tuple[Numbers, Numbers, NDArray[np.bool_], NDArray[np.bool_]]:
        """Row, column, whether across and whether left out of each word, all of the genomes' shape."""
        halves, steps = self.halves, self.grid - self.lengths + 1
        across, out = genomes < halves, genomes == 2 * halves
        line, place = np.divmod(np.where(across, genomes, genomes - halves), steps)
        return np.where(across, line, place), np.where(across, place, line), across, out

    def genomes(self, rows: Numbers, columns: Numbers, across: NDArray[np.bool_], out: NDArray[np.bool_]) -> Genomes:
        """The inverse of `places`."""
        halves, steps = self.halves, self.grid - self.lengths + 1
        codes = np.where(across, rows * steps + columns, halves + columns * steps + rows)
        return np.where(out, 2 * halves, codes).astype(np.int32)

    def transposed(self, genomes: Genomes) -> Genomes:
        """Rows for columns: of every genome, those across are down."""
        halves = self.halves
        return np.where(genomes == 2 * halves, genomes, (genomes + halves) % (2 * halves)).astype(np.int32)

    def canonical(self, genomes: Genomes) -> Genomes:
        """Shifted to the origin, and whichever of it and its transposition has the smaller first difference."""
        rows, columns, across, out = self.places(genomes)
        big = np.int32(self.grid)
        rows = rows - np.where(out, big, rows).min(axis=1, keepdims=True)
        columns = columns - np.where(out, big, columns).min(axis=1, keepdims=True)
        one = self.genomes(rows, columns, across, out)
        other = self.transposed(one)
        differ = one != other
        first = np.argmax(differ, axis=1)[:, None]
        smaller = np.take_along_axis(one, first, axis=1) <= np.take_along_axis(other, first, axis=1)
        return np.where(smaller, one, other)

    def alike(self, one: Genomes, others: Genomes) -> NDArray[np.float64]:
        """The share of the words that lie in each of (n, length) genomes as in the one: after it was moved, and turned
        over the diagonal, so that as many as possible do, (n,)."""
        turned = self.transposed(others)
        most = np.maximum(self._moved_onto(one, others), self._moved_onto(one, turned))
        return np.asarray(most / len(self.lengths))

    def _moved_onto(self, one: Genomes, others: Genomes) -> NDArray[np.int64]:
        """How many words a move of the whole layout brings to their places in the others, (n,)."""
        rows, columns, across, out = self.places(one)
        their_rows, their_columns, their_across, their_out = self.places(others)
        moves = (their_rows - rows).astype(np.int64) * 4 * self.grid + (their_columns - columns)
        never = 10**9 + np.arange(len(self.lengths))  # of a word that no move brings there: like no other
        moves = np.sort(np.where((their_across == across) & ~(out | their_out), moves, never), axis=1)
        run = most = (moves[:, 0] < never[0]).astype(np.int64)
        for k in range(1, moves.shape[1]):
            run = np.where(moves[:, k] == moves[:, k - 1], run + 1, moves[:, k] < never[0])
            most = np.maximum(most, run)
        return np.asarray(most, np.int64)
