"""The puzzle with which backends are tested: it needs no compiler, uses every part of a state, and fails on demand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from islands import Choices, Problem, Recipe, Rng
from islands.operators.recipe import Candidates, Indices
from islands.operators.space import Costs, Genomes, Memory


class Necklace(Problem):
    """Beads in three colours on a string, none beside another of its colour."""

    beads: int = 8
    fails: bool = False  # with a population

    def space(self) -> Choices:
        return Choices(self.beads, 3)

    def costs(self, genomes: Genomes) -> Costs:
        if self.fails and len(genomes) > 1:
            raise ZeroDivisionError("as the contract asked for")
        costs: Costs = np.sum(genomes[:, 1:] == genomes[:, :-1], axis=1, dtype=np.int64)
        return costs

    def verify(self, genome: Genomes) -> bool:
        colours = "".join(map(str, genome.tolist()))
        return not any(2 * colour in colours for colour in "012")

    def recipes(self) -> dict[str, Recipe]:
        breed = Recipe(select=better, survive=children, mutate=paint, improve=count, population=20, elite=2, epoch=3)
        return {"breed": replace(breed, elite_death=3)}


def better(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
    """The better of two random rows."""
    one, other = rng.numpy.integers(0, len(genomes), (2, *shape))
    rows: Indices = np.where(costs[one] <= costs[other], one, other)
    return rows


def paint(genomes: Genomes, rng: Rng) -> None:
    """One bead of each string takes a random colour."""
    beads = rng.numpy.integers(0, genomes.shape[1], len(genomes))
    genomes[np.arange(len(genomes)), beads] = rng.numpy.integers(0, 3, len(genomes))


def count(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
    """Improves nothing, and remembers how often it was called: evaluations tell whether the memory was restored."""
    memory["calls"] = memory.get("calls", np.zeros(1, np.int64)) + 1
    return int(memory["calls"][0])


def children(candidates: Candidates, places: int, rng: Rng) -> Indices:
    """The old die."""
    return candidates.living + np.arange(places)
