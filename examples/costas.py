"""Costas arrays: n dots, one in every row and column, so that no two of the arrows between two dots are equal.

John P. Costas needed them for sonar (1965): shifted against itself, such a pattern meets itself in at most one dot.
Constructions by Welch and by Golomb give arrays for many orders; for 32 and 33 nobody knows one. All arrays up to
order 29 were listed by computer (Drakakis and others, 2011). There are 40 of order 5, 4,368 of order 11, 21,104 of
order 16 (the most) and only 164 of order 29 (OEIS A008404). Rotations and reflections count as one here: 6 of order
5.

    islands run examples/costas.py --size 14
    islands run examples/costas.py --size 6 --solutions all      # 17 of 17: complete
    islands run examples/costas.py --size 8 --exhaustive
    islands export last -o arrays.svg
"""

import numpy as np
from pydantic import Field

from islands import AllDifferent, Arrangement, Problem, Wording
from islands.writing.svg import grid_picture

TOTALS = {1: 1, 2: 1, 3: 1, 4: 2, 5: 6, 6: 17, 7: 30, 8: 60, 9: 100, 10: 277, 11: 555, 12: 990}  # OEIS A001441


class Costas(Problem):
    """Dots, one in every row and column, so that no two of the arrows between two dots are equal."""

    size: int = Field(10, ge=1, le=50, description="the number of rows and columns")

    def space(self):
        return Arrangement(range(self.size))  # the row of the dot in each column

    def rules(self, x):
        for step in range(1, self.size):  # arrows that go so many columns to the right rise differently
            yield AllDifferent(x[step:] - x[:-step])

    def canonical(self, genomes):
        """The smallest of the eight images."""
        turned = np.argsort(genomes, axis=1).astype(np.int32)  # mirrored at the diagonal: rows become columns
        images = [flipped for one in (genomes, turned) for flipped in (one, one[:, ::-1])]
        images += [self.size - 1 - image for image in images]
        smallest = [min(rows) for rows in np.stack(images, axis=1).tolist()]
        return np.array(smallest, np.int32).reshape(genomes.shape)

    def known_total(self):
        return TOTALS.get(self.size)

    def cells(self, genome, empty):
        """The rows from the top down, as texts."""
        return [["●" if genome[c] == r else empty for c in range(self.size)] for r in reversed(range(self.size))]

    def show(self, genome):
        return "\n".join(" ".join(row) for row in self.cells(genome, "·"))

    def svg(self, genome):
        return grid_picture(self.cells(genome, ""))

    def wording(self):
        return Wording(word="array")
