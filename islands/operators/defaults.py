"""The recipes of a puzzle that names none of its own, from its space and its costs alone."""

from __future__ import annotations

from collections.abc import Callable

from islands.operators import arrange, choose, select, survive
from islands.operators.improve import anneal
from islands.operators.recipe import Crossover, Mutate, Recipe
from islands.operators.space import Arrangement, Costs, Genomes, Space


def recipes_for(space: Space, costs: Callable[[Genomes], Costs]) -> dict[str, Recipe]:
    """`fast`, the default: a small population whose children anneal. `classic`: the same without.

    The numbers suit a cost written in plain Python, some ten microseconds a candidate.
    """
    crossover, mutate = _operators(space)
    return {
        "fast": Recipe(
            purpose="children anneal: the better search for most puzzles",
            population=20,
            elite=2,
            elite_death=80,
            epoch=20,
            select=select.tournament(2),
            crossover=crossover,
            mutate=mutate,
            improve=anneal(costs, mutate, rounds=50, temperature=0.5),
            survive=survive.children(),
            duplicates=False,
        ),
        "classic": Recipe(
            purpose="a textbook genetic algorithm, without annealing",
            population=100,
            elite=20,
            elite_death=200,
            epoch=50,
            select=select.mating_pool(),
            crossover=crossover,
            mutation=0.3,
            mutate=mutate,
            survive=survive.children(),
            duplicates=False,
        ),
    }


def _operators(space: Space) -> tuple[Crossover, Mutate]:
    """The crossover and the mutation of a space."""
    if isinstance(space, Arrangement):
        return arrange.order(space), arrange.swap(space)
    return choose.uniform_mix(), choose.reset(space)
