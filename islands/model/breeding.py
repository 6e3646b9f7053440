"""How the children of a generation come to be: parents selected and crossed, children mutated, judged and improved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from islands.errors import PuzzleError
from islands.kernels.keys import KeySet, keys_of
from islands.kernels.rng import Rng
from islands.model.findings import check_length
from islands.operators.recipe import Crossover, Points, Recipe
from islands.operators.space import Costs, Genomes, Space

Rows = NDArray[np.int64]

COPY = Crossover(lambda families, _: families, parents=1)  # of a recipe without a crossover
REDRAWS = 20  # rounds of new parents before a place that only duplicates apply for goes to a random newcomer


@dataclass(frozen=True)
class Descent:
    """Where each of n children comes from."""

    parents: Rows  # (n, parents) rows of the population; -1: a random newcomer has none
    points: Points  # (n, points) where its parents were cut; no points where the crossover tells none
    mutated: NDArray[np.bool_]  # (n, length) where mutation changed it

    def __getitem__(self, rows: NDArray[np.bool_]) -> Self:
        return type(self)(*(getattr(self, column.name)[rows] for column in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[Descent]) -> Self:
        return cls(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(cls)))

    def of_newcomers(self, count: int) -> Descent:
        """Of random individuals beside these."""
        parents = np.full((count, self.parents.shape[1]), -1, np.int64)
        points = np.zeros((count, self.points.shape[1]), np.int64)
        return Descent(parents, points, np.zeros((count, self.mutated.shape[1]), np.bool_))


@dataclass(frozen=True)
class Litter:
    """Children with their costs, and where they come from if that is wanted."""

    genomes: Genomes
    costs: Costs
    parents: Rows  # (n, parents) rows of the population; -1: a random newcomer has none
    descent: Descent | None


@dataclass(frozen=True)
class Breeder:
    """One recipe at work on populations."""

    name: str  # of the puzzle and its recipe, for errors
    recipe: Recipe
    space: Space
    judge: Callable[[Genomes], Costs]  # (n, length) -> (n,)
    improve: Callable[[Genomes, Costs, Rng], None]
    tell: bool  # whether it is wanted where children come from

    def settlers(self, rng: Rng) -> Genomes:
        """The first population; without `duplicates` they are made again."""
        settle = self.recipe.settle or self.space.sample
        settlers = settle(self.recipe.population, rng)
        check_length(settlers, self.space)
        taken = KeySet(2 * len(settlers))
        double = ~taken.add(keys_of(settlers)) if not self.recipe.duplicates else np.zeros(len(settlers), np.bool_)
        for _ in range(REDRAWS):
            places = np.flatnonzero(double)
            if not len(places):
                break
            settlers[places] = settle(len(places), rng)
            double[places] = ~taken.add(keys_of(settlers[places]))
        return settlers

    def children(self, genomes: Genomes, costs: Costs, mates: Rows, elite: Rows, births: int, rng: Rng) -> Litter:
        """`births` children of the `mates`; without `duplicates` none is equal to another or to one of the elite."""
        if self.recipe.duplicates:
            return self._family(genomes, costs, mates, births, rng)
        taken = KeySet(2 * self.recipe.population)
        taken.add(keys_of(genomes[elite]))
        litters: list[Litter] = []
        missing = births
        for _ in range(REDRAWS):
            litter = self._family(genomes, costs, mates, missing, rng)
            fresh = taken.add(keys_of(litter.genomes))
            descent = litter.descent[fresh] if litter.descent is not None else None
            litters.append(Litter(litter.genomes[fresh], litter.costs[fresh], litter.parents[fresh], descent))
            missing -= int(fresh.sum())
            if not missing:
                break
        else:
            newcomers, last = self.space.sample(missing, rng), litters[-1].descent
            descent = last.of_newcomers(missing) if last is not None else None
            orphans = np.full((missing, litters[-1].parents.shape[1]), -1, np.int64)
            litters.append(Litter(newcomers, self.judge(newcomers), orphans, descent))
        descents = [litter.descent for litter in litters if litter.descent is not None]
        return Litter(
            np.concatenate([litter.genomes for litter in litters]),
            np.concatenate([litter.costs for litter in litters]),
            np.concatenate([litter.parents for litter in litters]),
            Descent.joined(descents) if descents else None,
        )

    def _family(self, genomes: Genomes, costs: Costs, mates: Rows, births: int, rng: Rng) -> Litter:
        """Select, cross, mutate, judge, improve: exactly `births` children."""
        recipe = self.recipe
        living = genomes.take(mates, axis=0) if recipe.elite else genomes  # without an elite all mate
        crossover = recipe.crossover or COPY
        families = -(-births // crossover.children)
        parents = recipe.select(living, costs[mates], (families, crossover.parents), rng)
        try:
            mating = living.take(parents[:, 0] if crossover is COPY else parents, axis=0)
        except IndexError as error:
            raise self.no_such_row("select", error) from error
        points: Points = np.empty((families, 0), np.int64)
        children = mating
        if crossover is not COPY:
            children, points = crossover.cut(mating, rng)
            children = children.reshape(-1, self.space.length)[:births]
        before = children.copy() if self.tell else children
        if not recipe.mutate_first:
            self.mutate(children, rng)
        whose = np.repeat(np.arange(families), crossover.children)[:births] if crossover.children > 1 else slice(None)
        couples = mates[parents[whose]]
        descent = Descent(couples, points[whose], before != children) if self.tell else None
        born = self.judge(children)
        self.improve(children, born, rng)
        return Litter(children, born, couples, descent)

    def mutate(self, genomes: Genomes, rng: Rng) -> None:
        """The recipe's share of these mutates, in place."""
        recipe = self.recipe
        if recipe.mutate is None:
            return
        if recipe.mutation >= 1:
            recipe.mutate(genomes, rng)
            return
        chosen = np.flatnonzero(rng.numpy.random(len(genomes)) < recipe.mutation)
        changed = genomes[chosen]
        recipe.mutate(changed, rng)
        genomes[chosen] = changed

    def no_such_row(self, operator: str, error: IndexError) -> PuzzleError:
        return PuzzleError(f"{operator} of {self.name} gave the number of a row that does not exist: {error}.")


def joined(old: Genomes, elite: Rows, others: Rows, young: Genomes, chosen: Rows) -> Genomes:
    """The elite, then the chosen of the others and, counted on from them, of the young."""
    genomes = np.empty((len(elite) + len(chosen), old.shape[1]), np.int32)
    # `take` is quicker than an index; with the mode "raise" it goes through a buffer
    old.take(elite, axis=0, out=genomes[: len(elite)], mode="clip")
    rest, new = genomes[len(elite) :], chosen >= len(others)
    if new.all():  # each genome is copied once: it may be large
        young.take(chosen - len(others), axis=0, out=rest, mode="clip")
    else:
        rest[new] = young[chosen[new] - len(others)]
        rest[~new] = old[others[chosen[~new]]]
    return genomes
