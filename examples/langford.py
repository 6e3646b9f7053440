"""Langford pairs: the numbers 1 to n, each twice in a row of 2n cells, with exactly k numbers between the two k.

    4 1 3 1 2 4 3 2

C. Dudley Langford watched his son pile up coloured blocks (Mathematical Gazette, 1958). There is such a row exactly
if n is a multiple of 4 or one less (Davies, 1959). A row and its mirror image count as one: 26 for n = 7, 150 for n =
8, 108,144 for n = 12 (OEIS A014552); the largest count known is that of n = 28.

    islands run examples/langford.py --pairs 24
    islands run examples/langford.py --solutions all          # 26 of 26: complete
    islands run examples/langford.py --pairs 8 --exhaustive   # proved by CP-SAT
    islands export last -o rows.svg

A number is described by the cell of its first copy, so that the distances are right by themselves.
docs/choosing-a-space.md has the other way, too, and measures both.
"""

import numpy as np
from pydantic import Field, field_validator

from islands import AllDifferent, Choices, Problem, Symmetry, Wording
from islands.writing.svg import grid_picture

TOTALS = {3: 1, 4: 1, 7: 26, 8: 150, 11: 17_792, 12: 108_144, 15: 39_809_640, 16: 326_721_800}


class Langford(Problem):
    """Put each of the numbers 1 to n twice into a row, with exactly k numbers between the two k."""

    pairs: int = Field(7, ge=3, le=200, description="how many numbers: 3, 4, 7, 8, 11, 12 ...")

    @field_validator("pairs")
    @classmethod
    def _possible(cls, pairs):
        if pairs % 4 in (1, 2):
            raise ValueError("no such row exists: expected a multiple of 4, or one less than that")
        return pairs

    def space(self):
        return Choices(
            self.pairs, [2 * self.pairs - k - 1 for k in range(1, self.pairs + 1)]
        )  # the cell of the first k

    def rules(self, x):
        seconds = x + np.arange(2, self.pairs + 2)
        yield AllDifferent([*x, *seconds])  # no two numbers in the same cell

    def mirrored(self, genomes, number):
        """Image `number` of each row: 0 is the row itself, 1 its mirror image."""
        last = 2 * self.pairs - 2 - np.arange(1, self.pairs + 1, dtype=np.int32)
        return last - genomes if number else genomes

    def symmetry(self):
        return Symmetry(images=2, image=self.mirrored)

    def canonical(self, genomes):
        """Of a row and its mirror image the one that is smaller where they first differ."""
        mirrored = self.mirrored(genomes, 1)
        first = np.argmax(genomes != mirrored, axis=1)[:, None]
        smaller = np.take_along_axis(genomes, first, axis=1) <= np.take_along_axis(mirrored, first, axis=1)
        return np.where(smaller, genomes, mirrored)

    def known_total(self):
        return TOTALS.get(self.pairs)

    def row(self, genome):
        """The numbers as they stand in the cells, as texts."""
        cells = ["."] * (2 * self.pairs)
        for k, first in enumerate(genome.tolist(), start=1):
            cells[first] = cells[first + k + 1] = str(k)
        return cells

    def show(self, genome):
        return " ".join(self.row(genome))

    def svg(self, genome):
        return grid_picture([self.row(genome)])

    def wording(self):
        return Wording(word="row")
