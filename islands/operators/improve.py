"""A memetic step for any puzzle: annealing with the puzzle's own costs and a mutation, no compiled code needed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from islands.kernels.rng import Rng
from islands.operators.recipe import Improve, Mutate
from islands.operators.space import Costs, Genomes, Memory


def anneal(costs: Callable[[Genomes], Costs], mutate: Mutate, rounds: int, temperature: float) -> Improve:
    """`rounds` Metropolis proposals for every row at once; a solved row stays as it is.

    A proposal is a mutated copy. It replaces the row if it is no worse, else with probability exp(-worse/temperature);
    temperature 0 only ever accepts what is no worse.
    """
    if rounds < 1 or temperature < 0:
        raise ValueError(
            f"anneal needs at least 1 round and a temperature of 0 or more, not {rounds} and {temperature}"
        )

    def improve(genomes: Genomes, current: Costs, rng: Rng, memory: Memory) -> int:
        evaluations = 0
        for _ in range(rounds):
            rows = np.flatnonzero(current > 0)
            if not rows.size:
                break
            proposals = genomes[rows]
            mutate(proposals, rng)
            proposed = costs(proposals)
            evaluations += len(rows)
            worse = np.maximum(proposed - current[rows], 0)
            chance = np.exp(-worse / temperature) if temperature else worse == 0
            taken = rng.numpy.random(len(rows)) < chance
            genomes[rows[taken]], current[rows[taken]] = proposals[taken], proposed[taken]
        return evaluations

    return improve
