"""Golomb rulers: m marks on a ruler, so that no two pairs of marks are equally far apart.

    0 1 4 9 11

Radio telescopes are placed like that. A ruler is optimal if no shorter one has as many marks: lengths 25, 34, 44, 55,
72 and 85 for 7 to 12 marks (OEIS A003022). From 24 marks on the proofs were made on thousands of machines of
volunteers; the last one, of 28 marks and length 585, took until 2022 (distributed.net, OGR-28). A ruler and its
mirror image count as one: then there are five optimal rulers of 7 marks, and from 12 marks on each is the only one.

    islands run examples/golomb.py --marks 9
    islands run examples/golomb.py --marks 7 --solutions all          # 5 of 5: complete
    islands run examples/golomb.py --marks 6 --length 16 --exhaustive # there is none: the optimum is 17
    islands run examples/golomb.py --marks 10 --length 60             # not optimal, and quicker
    islands export last -o ruler.svg
"""

from itertools import combinations

import numpy as np
from pydantic import Field

from islands import AllDifferent, Choices, Problem, Wording
from islands.writing.svg import INK, document

OPTIMAL = {3: 3, 4: 6, 5: 11, 6: 17, 7: 25, 8: 34, 9: 44, 10: 55, 11: 72, 12: 85, 13: 106, 14: 127, 15: 151, 16: 177}
TOTALS = {3: 1, 4: 1, 5: 2, 6: 4, 7: 5, 8: 1, 9: 1, 10: 1, 11: 2, 12: 1, 13: 1, 14: 1, 15: 1, 16: 1}  # optimal ones


class Golomb(Problem):
    """Marks on a ruler, so that no two pairs of marks are equally far apart."""

    marks: int = Field(7, ge=3, le=16, description="how many marks, those at both ends among them")
    length: int = Field(0, ge=0, le=1000, description="where the last mark is; 0: as short as such a ruler can be")

    @property
    def end(self):
        return self.length or OPTIMAL[self.marks]

    def space(self):
        return Choices(self.marks - 2, max(1, self.end - 1))  # how far each inner mark is from 1

    def rules(self, x):
        marks = [0, *(x + 1), self.end]
        distances = [abs(other - one) for one, other in combinations(marks, 2)]
        yield AllDifferent([0, *distances])  # with the 0, no two marks are at one place

    def canonical(self, genomes):
        """The marks in ascending order; of a ruler and its mirror image the smaller one."""
        ordered = np.sort(genomes, axis=1)
        mirrored = np.sort(self.end - 2 - genomes, axis=1)
        smallest = [min(rows) for rows in np.stack([ordered, mirrored], axis=1).tolist()]
        return np.array(smallest, np.int32).reshape(genomes.shape)

    def known_total(self):
        return TOTALS.get(self.marks) if self.end == OPTIMAL[self.marks] else None

    def ruler(self, genome):
        return [0, *sorted(mark + 1 for mark in genome.tolist()), self.end]

    def show(self, genome):
        return " ".join(map(str, self.ruler(genome)))

    def svg(self, genome):
        step = max(8, 600 // self.end)
        lines = "".join(f"M{20 + step * mark} 16v24" for mark in self.ruler(genome))
        texts = [f'<text x="{20 + step * mark}" y="56">{mark}</text>' for mark in self.ruler(genome)]
        ruler = f'<path d="M20 40h{step * self.end}{lines}" stroke="{INK}" stroke-width="2" fill="none"/>'
        style = f'font-family="sans-serif" font-size="12" text-anchor="middle" fill="{INK}"'
        return document(step * self.end + 40, 66, [ruler, f"<g {style}>", *texts, "</g>"])

    def wording(self):
        return Wording(word="ruler")
