"""Balanced incomplete block designs: v points in b blocks of k, so that any two points meet in exactly λ blocks.

Every point is in r blocks; v r = b k and λ (v - 1) = r (k - 1). With 7 points in 7 blocks of 3 it is the Fano plane.
R. A. Fisher and Frank Yates planned experiments with them (1936), Fisher proved that b is at least v (1940). Whether
one exists is open for many numbers; (22, 33, 12, 8, 4) was proved impossible by computer in 2007. Which block is
first does not matter here; the names of the points still make many designs of one: 30 Fano planes.

    islands run examples/bibd.py
    islands run examples/bibd.py --points 13 --size 4 --together 1
    islands run examples/bibd.py --solutions all                  # 30 of 30: complete
    islands export last -o design.svg
"""

from itertools import combinations

import numpy as np
from pydantic import Field, model_validator

from islands import Arrangement, Problem, Sum, Wording, lookup
from islands.writing.svg import grid_picture


class Bibd(Problem):
    """Put points into blocks of the same size, so that any two points meet equally often."""

    points: int = Field(7, ge=3, le=100, description="how many points there are")
    size: int = Field(3, ge=2, le=99, description="points in a block")
    together: int = Field(1, ge=1, le=100, description="in how many blocks any two points meet")

    @model_validator(mode="after")
    def _whole(self):
        pairs, rest = self.points - 1, self.size - 1
        if self.size >= self.points or self.together * pairs % rest or self.points * self.repeats % self.size:
            raise ValueError(
                f"{self.points} points in blocks of {self.size} cannot meet {self.together} times each: expected a "
                f"block that is smaller, and whole numbers of blocks in all and for every point"
            )
        return self

    @property
    def repeats(self):
        """In how many blocks every point is."""
        return self.together * (self.points - 1) // (self.size - 1)

    @property
    def blocks(self):
        return self.points * self.repeats // self.size

    def space(self):
        """A row for each point: 1 where it is in a block. The ones of a row change places."""
        row = [1] * self.repeats + [0] * (self.blocks - self.repeats)
        return Arrangement(row * self.points, np.repeat(np.arange(self.points), self.blocks))

    def rules(self, x):
        rows = x.reshape(self.points, self.blocks)
        for column in rows.T:
            yield Sum(column, self.size)
        for one, other in combinations(rows, 2):
            yield Sum([lookup([[0, 0], [0, 1]], a, b) for a, b in zip(one, other, strict=True)], self.together)

    def canonical(self, genomes):
        """The blocks in ascending order."""
        columns = genomes.reshape(-1, self.points, self.blocks).swapaxes(1, 2).tolist()
        ordered = np.array([sorted(design, reverse=True) for design in columns], np.int32)
        return ordered.reshape(-1, self.blocks, self.points).swapaxes(1, 2).reshape(genomes.shape)

    def known_total(self):
        return {(7, 3, 1): 30}.get((self.points, self.size, self.together))

    def show(self, genome):
        columns = genome.reshape(self.points, self.blocks).T
        return "  ".join("-".join(str(point + 1) for point in np.flatnonzero(block).tolist()) for block in columns)

    def svg(self, genome):
        rows = genome.reshape(self.points, self.blocks).tolist()
        return grid_picture([["●" if inside else "" for inside in row] for row in rows])

    def wording(self):
        return Wording(word="design")
