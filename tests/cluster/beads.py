"""A small test puzzle in plain numpy, slow on demand: beads in three colours, as many of each, none beside its like."""

import os
import time

import numpy as np

from islands import Choices, Problem, Recipe


def better(genomes, costs, shape, rng):
    """The better of two at random."""
    one, other = rng.numpy.integers(0, len(genomes), (2, *shape))
    return np.where(costs[one] <= costs[other], one, other)


def recolour(genomes, rng):
    """One bead of each string takes a random colour."""
    beads = rng.numpy.integers(0, genomes.shape[1], len(genomes))
    genomes[np.arange(len(genomes)), beads] = rng.numpy.integers(0, 3, len(genomes))


def children(candidates, places, rng):
    """The old die."""
    return candidates.living + np.arange(places)


class Beads(Problem):
    length: int = 9
    pause: float = 0.0  # seconds per population; BEADS_PAUSE in the environment has more to say
    broken: bool = False

    def space(self):
        return Choices(self.length, 3)

    def costs(self, genomes):
        time.sleep(float(os.environ.get("BEADS_PAUSE", self.pause)))
        if self.broken and len(genomes) == 21:  # a whole population, and not the sample of a check before the run
            raise ZeroDivisionError("as the test asked for")
        alike = (genomes[:, 1:] == genomes[:, :-1]).sum(axis=1)
        uneven = sum(np.abs((genomes == colour).sum(axis=1) - self.length // 3) for colour in range(3))
        return (alike + uneven).astype(np.int64)

    def verify(self, genome):
        beads = "".join(map(str, genome.tolist()))
        even = all(3 * beads.count(colour) == self.length for colour in "012")
        return even and not any(2 * colour in beads for colour in "012")

    def recipes(self):
        return {"plain": Recipe(select=better, survive=children, mutate=recolour, population=21, epoch=4)}
