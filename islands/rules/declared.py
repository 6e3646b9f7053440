"""The declared rules of a puzzle, and all that follows: a cost, a verdict, recipes, tasks of an exact solver."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from islands.operators.defaults import STALE, classic, walkers
from islands.operators.recipe import GiveUp, Recipe
from islands.operators.space import Costs, Genomes, Space
from islands.operators.walkers import recalling
from islands.rules.exact import Exact, available
from islands.rules.flat import Flat, flatten
from islands.rules.focus import focused, kinds
from islands.rules.kernels import costs_of
from islands.rules.rules import Rule

WALKED = 20_000  # evaluations of a walker in one generation: some milliseconds
EPOCH = 100  # generations


class Declared:
    """The rules of a puzzle with its parameters."""

    def __init__(self, rules: Iterable[Rule], space: Space) -> None:
        self.rules, self.space = list(rules), space

    @cached_property
    def flat(self) -> Flat:
        """The rules as arrays for kernels."""
        return flatten(self.rules, self.space)

    def cost(self, genome: Genomes) -> int:
        """The cost of one genome, rule by rule in plain Python."""
        numbers = genome.tolist()
        return sum(rule.cost(numbers) for rule in self.rules)

    def costs(self, genomes: Genomes) -> Costs:
        """The costs of a population, by kernels."""
        costs = np.empty(len(genomes), np.int64)
        costs_of(np.ascontiguousarray(genomes, np.int32), self.flat, costs)
        return costs

    def hold(self, genome: Genomes, tolerance: int = 0) -> bool:
        """Whether all rules hold, in plain Python, or miss by no more than is tolerated: nothing of it is shared with
        the search."""
        if tolerance:
            return self.cost(genome) <= tolerance
        numbers = genome.tolist()
        return all(rule.holds(numbers) for rule in self.rules)

    def recipes(
        self, canonical: Callable[[Genomes], Genomes], target: int = 0, optimising: bool = False, tolerance: int = 0
    ) -> dict[str, Recipe]:
        """`fast`, the default: walkers that mend what is wrong. `classic`. `exact`, where its solver is installed and
        nothing is tolerated: it knows only what is right."""
        improve = focused(self.space, self.flat, WALKED, target)
        fast = walkers(improve, recalling(self.space, kinds(self.space)), 1, EPOCH)
        recipes = {"fast": fast, "classic": classic(self.space)}
        if optimising:
            return {name: replace(one, give_up=GiveUp(stale=STALE)) for name, one in recipes.items()}
        if tolerance or self.exact is None:
            return recipes
        return {**recipes, "exact": self.exact.recipe(canonical)}

    @cached_property
    def exact(self) -> Exact | None:
        """The rules for an exact solver; None where it is not installed."""
        return Exact(self.rules, self.space) if available() else None
