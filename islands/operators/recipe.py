"""How one generation is made, as data. `classic` and `fast` are two values of the same type."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.boundary import checks
from islands.boundary.guard import check_values, guard_functions
from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.operators.estimate import Estimate, Tally
from islands.operators.space import Costs, Genomes, Memory

Indices = NDArray[np.int64]

Select = Callable[[Genomes, Costs, tuple[int, int], Rng], Indices]
"""(population, costs, (families, parents), rng) -> (families, parents) rows of the population that mate."""

Points = NDArray[np.int64]
"""Where each family was cut, (families, points); what a point means is the crossover's affair."""

Cross = Callable[[Genomes, Rng], Genomes | tuple[Genomes, Points]]
"""(families, parents, length) -> (families, children, length), or these and the points at which families were cut."""

Mutate = Callable[[Genomes, Rng], None]
"""Changes every row of an (n, length) batch in place."""

Improve = Callable[[Genomes, Costs, Rng, Memory], int]
"""The memetic step: betters rows and their costs in place and returns how many candidates it evaluated."""

Prepare = Callable[[Memory], Generator[None, None, int]]
"""Long work before a generation, which it leaves in the memory: it pauses often, and a run that is told to stop ends it
in a pause. Returns how many candidates it evaluated."""

Harvest = Callable[[Genomes, Rng, Memory], Genomes]
"""Solved rows -> further solutions nearby."""

Settle = Callable[[int, Rng], Genomes]
"""(number, rng) -> that number of genomes, the first population."""

Survive = Callable[["Candidates", int, Rng], Indices]
"""(candidates, places, rng) -> rows of the candidates that live on, at most `places`, in the order in which they will
stand in the population; a row that is named several times lives on as several copies."""

Share = Callable[[Memory], dict[str, NDArray[Any]]]
"""What emigrants take along of the island's memory: small arrays by name."""

Absorb = Callable[[Memory, dict[str, NDArray[Any]]], None]
"""Puts what immigrants brought along into the island's memory."""

Total = Callable[[Memory], int | None]
"""How many solutions exist, once the island has found all of them itself; None before."""

Recall = Callable[[Memory, Genomes], None]
"""(a memory from a file, the population) -> ValueError where no island of this recipe could remember that."""

Estimator = Callable[[list[Tally]], Estimate | None]
"""The tallies of all islands -> how many solutions there are, as far as their walks tell."""


@dataclass(frozen=True)
class Candidates:
    """Who may live on: first the living that are not of the elite, then the children, `count` in all."""

    costs: Costs  # (count,)
    living: int  # how many of them are the living
    genomes: Callable[[], Genomes]  # (count, length), joined when asked for: most survivals need the costs alone


@dataclass(frozen=True)
class Crossover:
    """How parents become children, and how many of each a family has."""

    cross: Cross
    parents: int = 2
    children: int = 1

    def __post_init__(self) -> None:
        check_values(self, {"parents": checks.whole(1), "children": checks.whole(1)})
        guard_functions(self, {"cross": checks.children(self.children)})

    def __call__(self, families: Genomes, rng: Rng) -> Genomes:
        """(families, parents, length) -> (families, children, length)."""
        return self.cut(families, rng)[0]

    def cut(self, families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        """The children, and the points at which each family was cut: none where `cross` does not tell."""
        crossed = self.cross(families, rng)
        return crossed if isinstance(crossed, tuple) else (crossed, np.empty((len(families), 0), np.int64))


@dataclass(frozen=True)
class Exchange:
    """What migrates beside genomes: `share` takes small arrays from a memory, `absorb` puts them into another."""

    share: Share
    absorb: Absorb
    check: Callable[[dict[str, NDArray[Any]]], None] | None = None  # ValueError where a file has what nobody shares

    def __post_init__(self) -> None:
        guard_functions(self, {"share": checks.named(checks.array, "texts and arrays"), "absorb": None})


@dataclass(frozen=True)
class GiveUp:
    """When to stop trying, in generations without success; 0 = never."""

    stale: int = 0  # an island: without a lower cost
    barren: int = 0  # a run for a number of solutions: without a new one

    def __post_init__(self) -> None:
        check_values(self, {"stale": checks.whole(0), "barren": checks.whole(0)})


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to breed. Operators are batch functions; the numbers can be overridden by a job."""

    purpose: str = ""  # what it is for, in a few words
    select: Select
    survive: Survive
    population: int = 100
    multiple: int = 1  # a population that somebody asks for is made a multiple of it, for families of so many
    elite: int = 0  # how many of the best live on unchanged
    elite_death: int = 0  # generations without a new solution after which the elite dies; 0 = never
    epoch: int = 100  # generations between two reports: fixed work, about 0.3-1 s
    give_up: GiveUp = GiveUp()
    settle: Settle | None = None  # the first population; None: random
    crossover: Crossover | None = None  # None: a child is a copy of its one parent
    births: int | None = None  # children of a generation; None: one for each place that the elite leaves
    mutation: float = 1.0  # share of the children that mutate
    mutate: Mutate | None = None
    mutate_first: bool = False  # True: not the children mutate, but before they mate the living outside the elite
    prepare: Prepare | None = None
    improve: Improve | None = None
    harvest: Harvest | None = None
    duplicates: bool = True  # False: refuse a child that already is in the next generation
    exchange: Exchange | None = None  # what else migrates
    recall: Recall | None = None  # checks a memory that comes from a file; None where no kernel gets it
    forget: bool = False  # the population dies with its epoch: no large genome is sent, kept or migrates
    travel: bool = True  # False: nobody migrates unless a topology is asked for; a study showed that it costs
    total: Total | None = None  # the proof of a search that has seen everything
    estimate: Estimator | None = None  # each individual is a walk that fills a row of memory["tally"]; nobody migrates

    def __post_init__(self) -> None:
        check_values(self, VALUES)
        guard_functions(self, FUNCTIONS)

    def adjusted(self, **numbers: Any) -> Recipe:
        """This recipe with some numbers replaced; None keeps the recipe's own. Raises UsageError where they clash."""
        given = {name: value for name, value in numbers.items() if value is not None}
        if given.get("elite") == 0:
            given.setdefault("elite_death", 0)  # no elite, no elite death
        if "population" in given:
            given["population"] = -(-given["population"] // self.multiple) * self.multiple
        if "stale" in given:
            given["give_up"] = replace(self.give_up, stale=given.pop("stale"))
        recipe = replace(self, **given)
        recipe._check()
        return recipe

    def _check(self) -> None:
        """UsageError where the numbers clash."""
        if self.elite >= self.population:
            raise UsageError(
                f"`elite={self.elite}` must be below `population={self.population}`: "
                "a full elite leaves no place for children."
            )
        if self.elite_death and not self.elite:
            raise UsageError(f"`elite_death={self.elite_death}` needs an elite: add for instance `elite=1`.")


VALUES = {
    "purpose": checks.text,
    "population": checks.whole(1),
    "multiple": checks.whole(1),
    "elite": checks.whole(0),
    "elite_death": checks.whole(0),
    "epoch": checks.whole(1),
    "give_up": checks.instance_of(GiveUp),
    "crossover": checks.instance_of(Crossover, none=True),
    "births": checks.optional(checks.whole(1)),
    "mutation": checks.share,
    "mutate_first": checks.truth,
    "duplicates": checks.truth,
    "exchange": checks.instance_of(Exchange, none=True),
    "recall": checks.optional(checks.function),  # unguarded: its ValueError says that a file is damaged
    "forget": checks.truth,
    "travel": checks.truth,
}
"""What the fields of a Recipe may be; the others are functions."""

FUNCTIONS = {
    "select": checks.parents,
    "survive": checks.survivors,
    "settle": checks.settlers,
    "mutate": checks.nothing,
    "prepare": checks.instance_of(Generator),
    "improve": checks.whole(0),
    "harvest": checks.more,
    "total": checks.whole_or_none,
    "estimate": checks.instance_of(Estimate, none=True),
}
"""What they may return."""
