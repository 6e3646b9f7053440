"""All-interval series: the numbers 0 to n - 1 in a row, so that no two steps from one to the next are equally long.

    0 7 1 6 2 5 3 4

Composers wrote such rows of twelve tones (Berg's Lyric Suite, 1926); CSPLib has it as problem 7. One series is easy
to write down, as above; finding others is a benchmark of local search. Of order 8 there are 40, of order 12 there are
1,328 (OEIS A006967). A series read backwards is another one, and so is one with every number subtracted from n - 1:
these count as one here, 10 of order 8.

    islands run examples/all_interval.py --size 20
    islands run examples/all_interval.py --size 8 --solutions 10
    islands run examples/all_interval.py --size 10 --exhaustive
"""

import numpy as np
from pydantic import Field

from islands import AllDifferent, Arrangement, Problem, Sum, Wording


class AllInterval(Problem):
    """The numbers 0 to size - 1 in a row, so that no two steps from one to the next are equally long."""

    size: int = Field(12, ge=2, le=200, description="how many numbers")

    def space(self):
        return Arrangement(range(self.size))

    def rules(self, x):
        """The second rule follows from the first: steps that all differ are 1 to size - 1. But it says by how much a
        row is wrong, where the first only counts: order 20 takes some 40 times fewer moves."""
        steps = abs(x[1:] - x[:-1])
        yield AllDifferent(steps)
        yield Sum(steps, self.size * (self.size - 1) // 2)

    def canonical(self, genomes):
        """Of a series, its mirror image and their complements the smallest."""
        images = [genomes, genomes[:, ::-1], self.size - 1 - genomes, self.size - 1 - genomes[:, ::-1]]
        smallest = [min(rows) for rows in np.stack(images, axis=1).tolist()]
        return np.array(smallest, np.int32).reshape(genomes.shape)

    def show(self, genome):
        """The numbers, and below them the steps."""
        width = len(str(self.size)) + 1
        numbers = "".join(f"{number:>{width}}" for number in genome.tolist())
        steps = "".join(f"{step:>{width}}" for step in np.abs(np.diff(genome)).tolist())
        return f"{numbers}\n{' ' * (width // 2)}{steps}"

    def wording(self):
        return Wording(word="row")
