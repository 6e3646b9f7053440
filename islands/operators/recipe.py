"""How one generation is made, as data. `classic` and `fast` are two values of the same type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.operators.space import Costs, Genomes, Memory

Indices = NDArray[np.int64]

Select = Callable[[Genomes, Costs, tuple[int, int], Rng], Indices]
"""(population, costs, (families, parents), rng) -> (families, parents) rows of the population that mate."""

Crossover = Callable[[Genomes, Rng], Genomes]
"""(families, parents, length) -> (families, children, length)."""

Mutate = Callable[[Genomes, Rng], None]
"""Changes every row of an (n, length) batch in place."""

Improve = Callable[[Genomes, Costs, Rng, Memory], int]
"""The memetic step: betters rows and their costs in place and returns how many candidates it evaluated."""

Harvest = Callable[[Genomes, Rng, Memory], Genomes]
"""Solved rows -> further solutions nearby."""

Settle = Callable[[int, Rng], Genomes]
"""So many genomes of a first population."""

Survive = Callable[[Costs, Costs, int, Rng], tuple[Indices, Indices]]
"""(costs of the living, costs of the children, places, rng) -> rows of the living and of the children that live on."""

Share = Callable[[Memory], dict[str, NDArray[Any]]]
"""What emigrants take along of the island's memory: small arrays by name."""

Absorb = Callable[[Memory, dict[str, NDArray[Any]]], None]
"""Puts what immigrants brought along into the island's memory."""

Total = Callable[[Memory], int | None]
"""How many solutions exist, once the island has found all of them itself; None before."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to breed. Operators are batch functions; the numbers can be overridden by a job."""

    select: Select
    survive: Survive
    population: int = 100
    elite: int = 0  # the best so many live on unchanged
    stale: int = 0  # an island gives up after so many generations without a lower cost; 0 = never
    barren: int = 0  # a run for N solutions gives up after so many generations without a new one; 0 = never
    patience: int = 0  # elite death after so many generations without a new solution; 0 = never
    epoch: int = 100  # generations between two reports: fixed work, about 0.3-1 s
    parents: int = 2  # of a family
    children: int = 1  # of a family, as the crossover makes them
    settle: Settle | None = None  # the first population; None: random
    crossover: Crossover | None = None  # None: a child is a copy of its first parent
    mutation: float = 1.0  # share of the children that mutate
    mutate: Mutate | None = None
    improve: Improve | None = None
    harvest: Harvest | None = None
    distinct: bool = False  # refuse a child that already is in the next generation
    estimates: bool = False  # each individual is a walk for itself; memory["tally"] has what they saw, nobody migrates
    forget: bool = False  # the population dies with its epoch: no large genome is sent, kept or migrates
    share: Share | None = None  # what else migrates: memory -> small arrays
    absorb: Absorb | None = None  # ... and arrays -> memory
    total: Total | None = None  # the proof of a search that is through
    not_found: str = ""  # what to say when the generations are over without a solution; empty: the usual words

    def adjusted(self, **numbers: Any) -> Recipe:
        """This recipe with some numbers replaced; None keeps the recipe's own. Raises UsageError where they clash."""
        given = {name: value for name, value in numbers.items() if value is not None}
        if given.get("elite") == 0:
            given.setdefault("patience", 0)  # no elite, no elite death
        recipe = replace(self, **given)
        if recipe.population < 1:
            raise UsageError(f"--population {recipe.population} is too small: at least 1.")
        if not 0 <= recipe.elite < recipe.population:
            raise UsageError(
                f"--elite {recipe.elite} must be at least 0 and below --population {recipe.population}: "
                "a full elite leaves no room for children."
            )
        if recipe.patience and not recipe.elite:
            raise UsageError(f"--elite-death {recipe.patience} needs an elite: add for instance --elite 1.")
        if recipe.stale < 0:
            raise UsageError(f"--stale {recipe.stale} must be 0 (never give up) or more.")
        if recipe.patience < 0 or recipe.epoch < 1 or not 0 <= recipe.mutation <= 1:
            raise UsageError(
                f"elite death {recipe.patience} must be 0 or more, an epoch {recipe.epoch} at least 1 generation, "
                f"mutation {recipe.mutation} between 0 and 1."
            )
        return recipe
