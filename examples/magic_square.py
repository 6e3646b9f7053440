"""Magic squares with declared rules: the numbers 1 to n², and all rows, columns and both diagonals have the same sum.

     2 16 13  3
    11  5  8 10
     7  9 12  6
    14  4  1 15

Rotations and reflections count as one: then there are 1 of order 3, 880 of order 4 (Frénicle, 1693), 275,305,224 of
order 5 (Schroeppel, 1973) and about 1.77e19 of order 6 (Pinn and Wieczerkowski, 1998). The product's own
`magic-square` has kernels for them and is far faster; this file is what ten lines of rules reach.

    islands run examples/magic_square.py --size 8
    islands run examples/magic_square.py --size 3 --exhaustive
    islands run examples/magic_square.py --solutions 100
    islands export last -o squares.svg
"""

import numpy as np
from pydantic import Field

from islands import Arrangement, Problem, Sum, Symmetry, Wording
from islands.writing.svg import grid_picture


class MagicSquare(Problem):
    """Put 1 to size² into a square, so that all rows, columns and both diagonals have the same sum."""

    size: int = Field(4, ge=3, le=40, description="the number of rows and columns")

    def space(self):
        return Arrangement(range(1, self.size**2 + 1))

    def rules(self, x):
        square, total = x.reshape(self.size, self.size), self.size * (self.size**2 + 1) // 2
        for line in (*square, *square.T, np.diag(square), np.diag(square[::-1])):
            yield Sum(line, total)

    def image(self, genomes, number):
        """One of the eight images: turned by 0 to 3 quarters, the last four also mirrored."""
        squares = np.rot90(genomes.reshape(-1, self.size, self.size), number % 4, axes=(1, 2))
        return (squares if number < 4 else squares[:, :, ::-1]).reshape(genomes.shape)

    def symmetry(self):
        return Symmetry(images=8, image=self.image)

    def canonical(self, genomes):
        """The smallest of the eight images."""
        images = np.stack([self.image(genomes, number) for number in range(8)], axis=1)
        return np.array([min(rows) for rows in images.tolist()], np.int32).reshape(genomes.shape)

    def known_total(self):
        return {3: 1, 4: 880, 5: 275_305_224}.get(self.size)

    def show(self, genome):
        width = len(str(self.size**2))
        rows = genome.reshape(self.size, self.size).tolist()
        return "\n".join(" ".join(f"{number:>{width}}" for number in row) for row in rows)

    def svg(self, genome):
        return grid_picture(genome.reshape(self.size, self.size).astype(str).tolist())

    def wording(self):
        return Wording(word="square")
