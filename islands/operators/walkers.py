"""Walkers: individuals that anneal for as long as the run lasts, each on its own.

A row of the population is the best that its walker has met since its last solution: that is what is reported and what
migrates. Where the walkers stand, and their clocks, are in the island's memory. A row that somebody else has written,
such as an immigrant, is where its walker goes on unless it is worse than what the walker has met itself; the walker
keeps its temperature. After a solution a walker goes on from a random genome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators.cooling import FIELDS, HOT, restart
from islands.operators.recall import expect, expect_genomes, expect_only
from islands.operators.recipe import Improve, Recall
from islands.operators.space import Costs, Genomes, Memory, Space

PREFIX = "walkers."  # of the names in the island's memory
FADE = 0.9995  # of what is known about the moves, with every move
CURIOUS = 0.15  # share of the moves that are chosen without regard to their success


@dataclass(frozen=True)
class Walkers:
    """All walkers of an island, as rows of arrays; what changes in them changes in the island."""

    best: Genomes  # (walkers, length), the population
    best_costs: Costs
    here: Genomes  # (walkers, length), where they stand
    here_costs: Costs
    clocks: NDArray[np.float64]  # (walkers, cooling.FIELDS), zeros before the first step
    success: NDArray[np.float64]  # (walkers, moves, 2): changes of the cost that were accepted, and uses, both fading


Walk = Callable[[Walkers, Rng], int]
"""All walkers go on, each until it is solved or its steps are made; returns the evaluations."""


def walking(space: Space, costs: Callable[[Genomes], Costs], walk: Walk, moves: int, solved: int) -> Improve:
    """The memetic step of a population of walkers that choose among `moves`; a cost up to `solved` ends a walk."""

    def improve(genomes: Genomes, best_costs: Costs, rng: Rng, memory: Memory) -> int:
        if len(memory.get(PREFIX + "clocks", ())) != len(genomes):
            _settle(memory, genomes, best_costs, moves)
        names = ("here", "here_costs", "clocks", "success")
        walkers = Walkers(genomes, best_costs, *(memory[PREFIX + name] for name in names))
        if not moves:
            return 0
        _take_in(walkers, memory[PREFIX + "best"], memory[PREFIX + "best_costs"])
        begun = _leave_solved(walkers, space, costs, solved, rng)
        evaluations = begun + walk(walkers, rng)
        memory[PREFIX + "best"][:], memory[PREFIX + "best_costs"][:] = genomes, best_costs
        return evaluations

    return improve


def recalling(space: Space, moves: int) -> Recall:
    """The check of what walkers remember."""

    def recall(memory: Memory, genomes: Genomes) -> None:
        if not memory:
            return
        count = len(genomes)
        own = {name.removeprefix(PREFIX): array for name, array in memory.items()}
        expect_only(own, "here", "best", "here_costs", "best_costs", "clocks", "success")
        for name in ("here", "best"):
            expect_genomes(own, name, count, space)
            expect(own, f"{name}_costs", np.int64, (count,))
        expect(own, "clocks", np.float64, (count, FIELDS))
        if not (expect(own, "success", np.float64, (count, moves, 2), 0)[:, :, 1] > 0).all():
            raise ValueError("a move was never made")

    return recall


def preference(success: NDArray[np.float64]) -> list[float]:
    """With which probability each move is chosen, added up without the last: by its share of accepted changes."""
    rates = (success[:, 0] / success[:, 1]).tolist()
    even, total = CURIOUS / len(rates), sum(rates)
    return list(accumulate(even + (1 - CURIOUS) * rate / total for rate in rates))[:-1]


def _settle(memory: Memory, genomes: Genomes, costs: Costs, moves: int) -> None:
    """Walkers stand where their population is."""
    memory |= {PREFIX + name: genomes.copy() for name in ("here", "best")}
    memory |= {PREFIX + name: costs.copy() for name in ("here_costs", "best_costs")}
    memory[PREFIX + "clocks"] = np.zeros((len(genomes), FIELDS))
    memory[PREFIX + "success"] = np.ones((len(genomes), moves, 2))


def _take_in(walkers: Walkers, own: Genomes, own_costs: Costs) -> None:
    """Rows that are not the walker's own: the walker goes on from there unless it is worse, else it is put back.

    One that is as good is taken, too: a search that has one fault left meets nothing better than its solution.
    """
    for row in np.flatnonzero((walkers.best != own).any(axis=1)):
        if walkers.best_costs[row] <= own_costs[row]:
            walkers.here[row], walkers.here_costs[row] = walkers.best[row], walkers.best_costs[row]
        else:
            walkers.best[row], walkers.best_costs[row] = own[row], own_costs[row]


def _leave_solved(walkers: Walkers, space: Space, costs: Callable[[Genomes], Costs], solved: int, rng: Rng) -> int:
    """Those whose best was a solution stand at random genomes; returns how many there were."""
    rows = np.flatnonzero(walkers.best_costs <= solved)
    if not len(rows):
        return 0
    walkers.here[rows] = walkers.best[rows] = space.sample(len(rows), rng)
    walkers.here_costs[rows] = walkers.best_costs[rows] = costs(walkers.here[rows])
    for row in rows:
        if walkers.clocks[row, HOT]:
            restart(walkers.clocks[row], float(walkers.here_costs[row]))
    return len(rows)
