"""Quasigroup with holes: a Latin square from which numbers were taken; fill it in again.

Every number stands once in each row and column. Gomes and Selman (1997) made it a benchmark between order and chance:
it is hardest where some 42% of the cells are holes, and few squares fit. The squares are made by Jacobson and
Matthews' Markov chain (1996), after n³ steps, the holes are random cells; `--number` says which of them, so that
there is always a solution.

    islands run examples/quasigroup.py
    islands run examples/quasigroup.py --size 15 --holes 95 --number 3
    islands run examples/quasigroup.py --size 8 --holes 30 --exhaustive    # how many squares fit
    islands export last -o square.svg
"""

from functools import cached_property

import numpy as np
from pydantic import Field, model_validator

from islands import AllDifferent, Arrangement, Problem, Wording
from islands.writing.svg import grid_picture


def random_square(n, rng):
    """A random Latin square, (n, n): each step changes the square a little and keeps it Latin, or nearly so."""
    cube = np.zeros((n, n, n), int)  # 1 where row, column and number meet, else 0; for a moment there may be a -1
    rows, columns = np.indices((n, n))
    cube[rows, columns, (rows + columns) % n] = 1
    steps, proper = 0, True
    while steps < n**3 or not proper:
        if proper:  # a cell that is to get another number
            i, j, k = rng.integers(n, size=3)
            if cube[i, j, k]:
                continue
        else:
            i, j, k = np.argwhere(cube < 0)[0]
        a = rng.choice(np.flatnonzero(cube[:, j, k] == 1))
        b = rng.choice(np.flatnonzero(cube[i, :, k] == 1))
        c = rng.choice(np.flatnonzero(cube[i, j, :] == 1))
        for place, change in (((i, j, k), 1), ((i, b, c), 1), ((a, j, c), 1), ((a, b, k), 1)):
            cube[place] += change
        for place in ((a, j, k), (i, b, k), (i, j, c), (a, b, c)):
            cube[place] -= 1
        steps, proper = steps + 1, cube[a, b, c] >= 0
    return np.argmax(cube, axis=2)


class Quasigroup(Problem):
    """Fill in the holes of a Latin square: every number once in each row and column."""

    size: int = Field(10, ge=2, le=33, description="the number of rows and columns")
    holes: int = Field(42, ge=1, description="how many cells are empty")
    number: int = Field(1, ge=0, description="which of the random squares")

    @model_validator(mode="after")
    def _fits(self):
        if self.holes > self.size**2:
            raise ValueError(f"{self.holes} holes in {self.size**2} cells: expected at most as many holes as cells")
        return self

    @cached_property
    def made(self):
        """A Latin square and where its holes are, (size, size) each."""
        rng = np.random.default_rng([self.size, self.holes, self.number])
        holes = np.zeros(self.size**2, bool)
        holes[rng.permutation(self.size**2)[: self.holes]] = True
        return random_square(self.size, rng), holes.reshape(self.size, self.size)

    def space(self):
        """The numbers that are missing in a row change places in its holes; all others stay."""
        square, holes = self.made
        rows = np.indices(square.shape)[0]
        return Arrangement(square.ravel(), np.where(holes, rows, -1).ravel())

    def rules(self, x):
        for column in x.reshape(self.size, self.size).T:
            yield AllDifferent(column)

    def show(self, genome):
        rows = genome.reshape(self.size, self.size).tolist()
        return "\n".join(" ".join(f"{number + 1:>2}" for number in row) for row in rows)

    def svg(self, genome):
        given = {(int(i), int(j)) for i, j in np.argwhere(~self.made[1])}
        texts = (genome.reshape(self.size, self.size) + 1).astype(str).tolist()
        return grid_picture(texts, tinted=given, strong=given)

    def wording(self):
        return Wording(word="square")
