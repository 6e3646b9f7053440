"""The recipes of a puzzle that names none of its own, from its space and its costs alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from islands.operators import arrange, choose, select, survive
from islands.operators.moves import moves_of
from islands.operators.recipe import Crossover, GiveUp, Improve, Mutate, Recall, Recipe
from islands.operators.space import Arrangement, Choices, Costs, Genomes, Space
from islands.operators.speculate import speculations
from islands.operators.stroll import strolls
from islands.operators.walkers import recalling

STROLLED = 256  # evaluations of a walker in one generation
FLOCK = 8  # walkers, where all of them are judged in one call
STALE = 500  # generations without a lower cost after which a search for the best gives up
EPOCH = 50  # generations: about half a second with a cost of some ten microseconds


def recipes_for(
    space: Space,
    costs: Callable[[Genomes], Costs],
    cost: Callable[[Genomes], int] | None = None,
    target: int = 0,
    optimising: bool = False,
) -> dict[str, Recipe]:
    """`fast`, the default: walkers that anneal. `classic`: a textbook genetic algorithm.

    `costs` are those of a population. `cost` is that of one genome; None, if the other is the quicker way to it. A cost
    of `target` is what is searched for; where it is not known, a recipe for `optimising` gives up at some time.
    """
    recall = recalling(space, len(moves_of(space)))
    if cost is None:
        fast = walkers(speculations(space, costs, STROLLED, target), recall, FLOCK, EPOCH)
    else:
        fast = walkers(strolls(space, cost, costs, STROLLED, target), recall, 1, EPOCH)
    recipes = {"fast": fast, "classic": classic(space)}
    return {name: replace(one, give_up=GiveUp(stale=STALE)) for name, one in recipes.items()} if optimising else recipes


def crosses(space: Space) -> bool:
    """Whether crossover is the better search for the best: measured on knapsacks, for choices of two alone."""
    return isinstance(space, Choices) and bool((space.options <= 2).all())


def walkers(improve: Improve, recall: Recall, population: int, epoch: int) -> Recipe:
    """Every individual on its own."""
    return Recipe(
        purpose="walkers that anneal: the better search for most puzzles",
        population=population,
        epoch=epoch,
        select=select.everyone(),
        improve=improve,
        recall=recall,
        survive=survive.children(),
    )


def classic(space: Space) -> Recipe:
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
