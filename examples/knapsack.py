"""Knapsack: choose things of the greatest value that are not too heavy together.

One of Karp's 21 problems (1972). Dynamic programming over all weights solves it exactly where weights are small, as
here, and Pisinger's `combo` (1999) solves nearly everything else: take them for real knapsacks. This file shows a
puzzle that is optimised and has a rule that must hold: what is too heavy costs more than `tolerance`, so that it is
no solution.

    islands run examples/knapsack.py
    islands run examples/knapsack.py --things 100 --number 3 --seconds 5
    islands show last --best 3
"""

from functools import cached_property

import numpy as np
from pydantic import Field

from islands import Choices, Problem, Ranking, Wording


class Knapsack(Problem):
    """Pack things of the greatest value; half of the weight of all of them can be carried."""

    things: int = Field(50, ge=1, le=1000, description="how many things there are to choose from")
    number: int = Field(1, ge=0, description="which of the random collections")

    @cached_property
    def stock(self):
        """The weight and the value of each thing, (2, things): heavy things are worth more, by and large."""
        rng = np.random.default_rng([self.things, self.number])
        weights = rng.integers(10, 101, self.things)
        return np.stack([weights, weights + rng.integers(-9, 10, self.things)])

    @property
    def capacity(self):
        return int(self.stock[0].sum()) // 2

    @property
    def worth(self):
        return int(self.stock[1].sum())

    def space(self):
        return Choices(self.things, 2)  # 1: it is packed

    def costs(self, genomes):
        """The value of all that is left behind; more than that of everything, where the rest is too heavy."""
        weights, values = self.stock @ genomes.T
        excess = np.maximum(weights - self.capacity, 0)
        return np.where(excess > 0, self.worth + excess, self.worth - values)

    def verify(self, genome):
        """It can be carried."""
        packed = [thing for thing, chosen in enumerate(genome.tolist()) if chosen]
        return sum(self.stock[0].tolist()[thing] for thing in packed) <= self.capacity

    def ranking(self):
        return Ranking(optimising=True, tolerance=self.worth, cost_text=lambda cost: f"worth {self.worth - cost:,}")

    def show(self, genome):
        weights, values = (self.stock @ genome).tolist()
        packed = " ".join(str(thing) for thing in np.flatnonzero(genome).tolist())
        return f"{packed}\nweight {weights:,} of {self.capacity:,}, value {values:,} of {self.worth:,}"

    def wording(self):
        return Wording(word="load")
