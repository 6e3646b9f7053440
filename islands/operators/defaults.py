"""The recipes of a puzzle that names none of its own, from its space and its costs alone."""

from __future__ import annotations

from collections.abc import Callable

from islands.operators import arrange, choose, select, survive
from islands.operators.recipe import Crossover, Improve, Mutate, Recipe
from islands.operators.space import Arrangement, Costs, Genomes, Space
from islands.operators.stroll import strolls

WALKED = 256  # evaluations of a walker in one generation


def recipes_for(space: Space, cost: Callable[[Genomes], int], costs: Callable[[Genomes], Costs]) -> dict[str, Recipe]:
    """`fast`, the default: walkers that anneal. `classic`: a textbook genetic algorithm.

    `cost` is that of one genome, `costs` are those of a population. The numbers suit a cost written in plain Python,
    some ten microseconds a candidate.
    """
    return {"fast": _walkers(strolls(space, cost, costs, WALKED)), "classic": _classic(space)}


def _walkers(improve: Improve) -> Recipe:
    """Every individual on its own."""
    return Recipe(
        purpose="a walker that anneals: the better search for most puzzles",
        population=1,
        epoch=50,
        select=select.everyone(),
        improve=improve,
        survive=survive.children(),
    )


def _classic(space: Space) -> Recipe:
    """Half of the population mates, a fifth lives on, and nobody is there twice."""
    crossover, mutate = _operators(space)
    return Recipe(
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
    )


def _operators(space: Space) -> tuple[Crossover, Mutate]:
    """The crossover and the mutation of a space: both keep values in their places."""
    if isinstance(space, Arrangement):
        return arrange.cycle(space), arrange.swap(space)
    return choose.uniform_mix(), choose.reset(space)
