"""Magic hexagon: consecutive numbers in the cells of a hexagon, so that all rows in three directions have the same sum.

       3 17 18
     19  7  1 11
   16  2  5  6  9
     12  4  8 14
      10 13 15

With the numbers 1 to 19 this is the only one, of any order, up to rotations and reflections: Ernst von Haselberg
found it in 1887, Clifford Adams in 1957, after 47 years, and Charles Trigg proved in 1964 that no other order has
one. With numbers that begin elsewhere there are more: of order 4 from 3 on (sum 111), of order 5 from 6 on (sum 244;
Arsen Zahray), of order 7 from 2 on (sum 635, 2006).

    islands run examples/magic_hexagon.py --solutions all           # 1 of 1: complete
    islands run examples/magic_hexagon.py --order 4 --start 3
    islands export last -o hexagon.svg
"""

from math import cos, pi, sin, sqrt

import numpy as np
from pydantic import Field, model_validator

from islands import Arrangement, Problem, Sum, Symmetry, Wording
from islands.writing.svg import INK, TINT, document


class MagicHexagon(Problem):
    """Put consecutive numbers into a hexagon, so that all rows in three directions have the same sum."""

    order: int = Field(3, ge=2, le=8, description="cells on a side")
    start: int = Field(1, ge=-1000, le=1000, description="the smallest number")

    @model_validator(mode="after")
    def _whole(self):
        if sum(self.numbers) % (2 * self.order - 1):
            raise ValueError(f"numbers from {self.start} on cannot give {2 * self.order - 1} rows the same whole sum")
        return self

    @property
    def cells(self):
        """The places (a, b, c) with a + b + c = 0, row by row; each of the three is the same along a row."""
        reach = range(1 - self.order, self.order)
        return [(a, b, -a - b) for a in reach for b in reach if -a - b in reach]

    @property
    def numbers(self):
        return range(self.start, self.start + len(self.cells))

    def space(self):
        return Arrangement(self.numbers)

    def rules(self, x):
        rows = 2 * self.order - 1
        for direction in range(3):
            for row in range(1 - self.order, self.order):
                line = [x[i] for i, cell in enumerate(self.cells) if cell[direction] == row]
                yield Sum(line, sum(self.numbers) // rows)

    def image(self, genomes, number):
        """One of twelve images: the three directions change places, and the last six are seen through the centre."""
        order = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)][number % 6]
        places = {cell: i for i, cell in enumerate(self.cells)}
        sign = 1 if number < 6 else -1
        return genomes[:, [places[tuple(sign * cell[i] for i in order)] for cell in self.cells]]

    def symmetry(self):
        return Symmetry(images=12, image=self.image)

    def canonical(self, genomes):
        """The smallest of the twelve images."""
        images = np.stack([self.image(genomes, number) for number in range(12)], axis=1)
        return np.array([min(rows) for rows in images.tolist()], np.int32).reshape(genomes.shape)

    def known_total(self):
        return 1 if (self.order, self.start) == (3, 1) else None

    def show(self, genome):
        rows, width = {}, len(str(max(abs(number) for number in self.numbers))) + 1
        for (a, _, _), number in zip(self.cells, genome.tolist(), strict=True):
            rows[a] = rows.get(a, " " * (abs(a) * (width + 1) // 2)) + f"{number:>{width}} "
        return "\n".join(row.rstrip() for row in rows.values())

    def svg(self, genome):
        corners = [(24 * sin(pi * i / 3), 24 * cos(pi * i / 3)) for i in range(6)]
        middle, body = 24 * sqrt(3) * (self.order - 0.5) + 6, []
        for (a, b, c), number in zip(self.cells, genome.tolist(), strict=True):
            x, y = middle + 12 * sqrt(3) * (b - c), middle + 36 * a
            outline = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
            body.append(f'<polygon points="{outline}" fill="{TINT}" stroke="{INK}"/>')
            body.append(f'<text x="{x:.1f}" y="{y + 6:.1f}">{number}</text>')
        style = f'font-family="sans-serif" font-size="16" text-anchor="middle" fill="{INK}"'
        return document(round(2 * middle), round(2 * middle), [f"<g {style}>", *body, "</g>"])

    def wording(self):
        return Wording(word="hexagon")
