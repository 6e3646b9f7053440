"""Knight's tour: a knight visits every square of a board once and jumps back to where it began.

Al-Adli wrote such tours down around 840, Euler studied them in 1759. A board of 6 by 6 has 9,862 closed tours, one of
8 by 8 has 13,267,364,410,532 (McKay, 1997; OEIS A001230), one with an odd number of squares none. Open tours of 5 by
5: 864. Where a tour begins and in which direction it goes does not matter. Warnsdorff's rule (1823) and
divide-and-conquer write down one tour of a board of any size; this is a search that can find all of them.

    islands run examples/knights_tour.py --size 6
    islands run examples/knights_tour.py --size 6 --solutions 20
    islands run examples/knights_tour.py --size 5 --open
    islands run examples/knights_tour.py --size 8             # a second of search, or some
    islands export last -o tours.svg
"""

import numpy as np
from pydantic import Field, model_validator

from islands import Arrangement, Equal, Problem, Wording, lookup
from islands.writing.svg import FRAME, INK, TINT, document


class KnightsTour(Problem):
    """Move a knight over all squares of a board, each once, and back to the first."""

    size: int = Field(6, ge=3, le=20, description="the number of rows and columns")
    open: bool = Field(False, description="it may end anywhere")

    @model_validator(mode="after")
    def _possible(self):
        if not self.open and (self.size % 2 or self.size < 6):
            raise ValueError("no closed tour exists: expected a board of 6, 8, 10 ... squares a side, or an open tour")
        if self.size < 5:
            raise ValueError("no tour exists: expected a board of at least 5 squares a side")
        return self

    def space(self):
        """The squares in the order of the tour. A knight changes colour with every move: squares of the colour of the
        corner stand in even places, the others in odd ones. A closed tour begins in the corner."""
        squares = np.arange(self.size**2)
        colours, values = sum(np.divmod(squares, self.size)) % 2, squares.copy()
        values[::2], values[1::2] = squares[colours == 0], squares[colours == 1]
        return Arrangement(values, [-1 if place == 0 and not self.open else place % 2 for place in squares.tolist()])

    def rules(self, x):
        rows, columns = np.divmod(np.arange(self.size**2), self.size)
        jumps = abs(rows[:, None] - rows) * abs(columns[:, None] - columns)  # 2 = 1 * 2 is a knight's move
        for here, there in zip(x, [*x[1:], *x[: not self.open]], strict=False):
            yield Equal(lookup(jumps != 2, here, there), 0)

    def canonical(self, genomes):
        """Of the two directions the one that is smaller where they first differ. An open tour of an even board ends on
        the other colour: only one of its directions is in the space."""
        if self.open and self.size % 2 == 0:
            return genomes
        other = genomes[:, ::-1] if self.open else np.roll(genomes[:, ::-1], 1, axis=1)
        smaller = [min(rows) for rows in np.stack([genomes, other], axis=1).tolist()]
        return np.array(smaller, np.int32).reshape(genomes.shape)

    def show(self, genome):
        """On every square when it is visited."""
        times = np.argsort(genome).reshape(self.size, self.size) + 1
        return "\n".join(" ".join(f"{time:>3}" for time in row) for row in times.tolist())

    def svg(self, genome):
        side = 40 * self.size
        places = [(40 * (square % self.size) + 24, 40 * (square // self.size) + 24) for square in genome.tolist()]
        dark = [(i, j) for i in range(self.size) for j in range(self.size) if (i + j) % 2]
        path = "L".join(f"{x} {y}" for x, y in places)
        return document(side + 8, side + 8, [
            *(f'<rect x="{40 * j + 4}" y="{40 * i + 4}" width="40" height="40" fill="{TINT}"/>' for i, j in dark),
            f'<path d="M{path}{"" if self.open else "Z"}" stroke="{INK}" stroke-width="2" fill="none"/>',
            *(f'<circle cx="{x}" cy="{y}" r="4" fill="{INK}"/>' for x, y in places),
            f'<rect x="4" y="4" width="{side}" height="{side}" stroke="{FRAME}" fill="none"/>',
        ])  # fmt: skip

    def wording(self):
        return Wording(word="tour")
