"""The shortest tour: through all cities, each once, and back. (The travelling salesman.)

The best known puzzle of optimisation. The optimum of 85,900 places on a chip was proved by Concorde in 2006
(Applegate, Bixby, Chvátal, Cook), and LKH (Helsgaun) comes within a thousandth of it for millions: take them for real
tours. This file shows how a puzzle says what is good rather than what is right. Random cities in a square of side L
have a shortest tour of about 0.7124 sqrt(cities) L (Beardwood, Halton and Hammersley, 1959; the constant by Johnson
and McGeoch, 1996).

    islands run examples/tour.py --seconds 5
    islands run examples/tour.py --cities 12 --solutions 3     # the best three
    islands show last --best 1
    islands export last --best 1 -o tour.svg
"""

from functools import cached_property

import numpy as np
from pydantic import Field

from islands import Arrangement, Problem, Ranking, Wording
from islands.writing.svg import INK, document

SIDE = 1000  # of the square in which the cities lie


class Tour(Problem):
    """Find the shortest way through random cities and back."""

    cities: int = Field(50, ge=4, le=1000, description="how many cities")
    number: int = Field(1, ge=0, description="which of the random maps")
    known: int = Field(0, ge=0, description="the length of the best tour where it is known: a run ends with it")

    @cached_property
    def places(self):
        return np.random.default_rng([self.cities, self.number]).integers(0, SIDE, (self.cities, 2))

    @cached_property
    def distances(self):
        """From every city to every other one, rounded, (cities, cities)."""
        steps = self.places[:, None] - self.places
        return np.rint(np.hypot(steps[..., 0], steps[..., 1])).astype(np.int64)

    def space(self):
        return Arrangement(range(self.cities))  # the order in which they are visited

    def costs(self, genomes):
        return self.distances[genomes, np.roll(genomes, 1, axis=1)].sum(axis=1)

    def ranking(self):
        return Ranking(optimising=True, target=self.known, alike=self.alike)

    def alike(self, genome, others):
        """How many of the steps of a tour each of the others makes, too."""
        steps = {frozenset(step) for step in zip(genome.tolist(), np.roll(genome, 1).tolist(), strict=True)}
        tours = [zip(other.tolist(), np.roll(other, 1).tolist(), strict=True) for other in others]
        return np.array([np.mean([frozenset(step) in steps for step in tour]) for tour in tours]).reshape(len(others))

    def canonical(self, genomes):
        """From city 0 on, first to the smaller of its two neighbours."""
        starts = np.argmin(genomes, axis=1)[:, None]
        places = np.arange(self.cities)
        there = np.take_along_axis(genomes, (starts + places) % self.cities, axis=1)
        back = np.take_along_axis(genomes, (starts - places) % self.cities, axis=1)
        return np.where(there[:, 1:2] <= back[:, 1:2], there, back)

    def svg(self, genome):
        points = [(round(x * 0.4) + 12, round(y * 0.4) + 12) for x, y in self.places[genome]]
        path = "L".join(f"{x} {y}" for x, y in points)
        way = f'<path d="M{path}Z" stroke="{INK}" stroke-width="1.5" fill="none"/>'
        dots = [f'<circle cx="{x}" cy="{y}" r="4" fill="{INK}"/>' for x, y in points]
        return document(424, 424, [way, *dots])

    def wording(self):
        return Wording(word="tour")
