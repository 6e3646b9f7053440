"""One population and how it lives: `evolve(order)` is a pure function of the island's state and the order."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from islands.boundary.guard import blame
from islands.errors import OutOfStep, PuzzleError, unknown
from islands.kernels.keys import KeySet, keys_of
from islands.kernels.numba_internals import compile_time
from islands.kernels.rng import Rng
from islands.model import migration
from islands.model.elite_watch import EliteWatch
from islands.model.findings import Findings, check_length
from islands.model.loading import build
from islands.model.messages import IslandSpec, Order, Report, State
from islands.model.problem import Problem, puzzle_name, tolerance
from islands.model.trace import TraceLog
from islands.operators.recipe import Candidates, Crossover, Recipe
from islands.operators.space import Costs, Genomes, Memory

Rows = NDArray[np.int64]

NEVER = 1 << 62  # a cost that everything is below
COPY = Crossover(lambda families, _: families, parents=1)  # of a recipe without a crossover
REDRAWS = 20  # rounds of new parents before a place that only duplicates apply for goes to a random newcomer


class Island:
    """A population of one puzzle under one recipe. The puzzle is made from the spec unless it is given."""

    def __init__(self, spec: IslandSpec, problem: Problem | None = None) -> None:
        self.spec = spec
        self.problem = build(spec.puzzle, spec.source, spec.parameters) if problem is None else problem
        self.space, self.tolerance = self.problem.space(), tolerance(self.problem)
        recipes = self.problem.recipes()
        if spec.recipe not in recipes:
            raise unknown("recipe", spec.recipe, recipes)
        self.recipe: Recipe = recipes[spec.recipe].adjusted(**spec.numbers)
        self._begin()

    @classmethod
    def alone(cls, problem: Problem, recipe: str, seed: int = 1, **numbers: Any) -> Self:
        """An island outside any run; `numbers` override the recipe's."""
        return cls(
            IslandSpec(
                index=0,
                seed=seed,
                puzzle=puzzle_name(type(problem)),
                source=None,
                parameters=problem.model_dump(),
                recipe=recipe,
                numbers=numbers,
            ),
            problem,
        )

    def _begin(self) -> None:
        """Nobody lives here yet; the first epoch settles it."""
        self.epoch = self.generation = self.evaluations = 0
        self.genomes: Genomes = np.empty((0, self.space.length), np.int32)
        self.costs: Costs = np.empty(0, np.int64)
        self.lowest, self.lowered = NEVER, 0  # the lowest cost ever, and the generation that reached it
        self.watch = EliteWatch(self.recipe.elite_death) if self.recipe.elite_death else None
        self.memory: Memory = {}

    def evolve(self, order: Order) -> Report:
        """Apply the order, live one epoch, report. PuzzleError when the puzzle's own code fails."""
        steps = self.steps(order)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                report: Report = end.value
                return report

    def steps(self, order: Order) -> Generator[None, None, Report]:
        """`evolve`, with a pause after every generation or task: whoever shares a process can stop in between."""
        if order.epoch != self.epoch:
            raise OutOfStep(f"island {self.spec.index} is at epoch {self.epoch}, the order is for {order.epoch}.")
        started = time.perf_counter()
        with self._blame(), compile_time() as compiling:
            report = yield from self._sweep(order) if order.tasks else self._live(order)
        self.epoch += 1
        return Report(
            island=self.spec.index,
            epoch=order.epoch,
            generation=self.generation,
            evaluations=self.evaluations,
            snapshot=self.state() if order.snapshot else None,
            seconds=max(0.0, time.perf_counter() - started - compiling()),
            **report,
        )

    def probe(self, rng: Rng) -> None:
        """Judge one random candidate, so that a broken puzzle is known before a run begins."""
        with self._blame():
            self._costs(self.space.sample(1, rng))

    def _blame(self) -> AbstractContextManager[None]:
        """Operators are the puzzle's code as well as its hooks are."""
        kind = type(self.problem)
        return blame(kind.__name__, kind.__module__)

    def _no_such_row(self, operator: str, error: IndexError) -> PuzzleError:
        name = f"{type(self.problem).__name__}: {operator} of the recipe {self.spec.recipe}"
        return PuzzleError(f"{name} gave the number of a row that does not exist: {error}.")

    def state(self) -> State:
        """Everything that decides the future, as arrays."""
        for name, array in self.memory.items():
            if not isinstance(name, str) or not isinstance(array, np.ndarray) or array.dtype.hasobject:
                raise PuzzleError(
                    f"{type(self.problem).__name__}: the recipe {self.spec.recipe} keeps {name!r} in the memory of an "
                    f"island, of type {type(array).__name__}. It is saved with the run: use arrays of numbers, by name."
                )
        clock = np.array([self.epoch, self.generation, self.evaluations, self.lowest, self.lowered], np.int64)
        memory = {f"memory.{name}": array.copy() for name, array in self.memory.items()}
        watch = self.watch.state() if self.watch is not None else {}
        return {"clock": clock, "genomes": self.genomes.copy(), "costs": self.costs.copy(), **watch, **memory}

    def restore(self, state: State) -> None:
        """Continue from a `state()`; an empty one is the beginning."""
        if not state:
            self._begin()
            return
        self.epoch, self.generation, self.evaluations, self.lowest, self.lowered = map(int, state["clock"])
        self.genomes, self.costs = state["genomes"].copy(), state["costs"].copy()
        if self.watch is not None:
            self.watch.restore(state, self.generation)
        self.memory = {
            name.removeprefix("memory."): array.copy() for name, array in state.items() if name.startswith("memory.")
        }

    def _sweep(self, order: Order) -> Generator[None, None, dict[str, Any]]:
        """The tasks of an exhaustive run."""
        sweeping = self.problem.sweeping()
        if sweeping is None:
            raise PuzzleError(f"{type(self.problem).__name__} cannot be searched exhaustively: sweeping() is None.")
        found = Findings(self.space)
        counted = 0
        for task in order.tasks:
            result = sweeping.sweep(task)
            if isinstance(result, int | np.integer):
                counted += int(result)
            else:
                found.add(self.problem.canonical(result), task)
            yield
        return {"best": None, "immigrants": 0, "counted": counted, **found.columns()}

    def _live(self, order: Order) -> Generator[None, None, dict[str, Any]]:
        """Immigrants settle, generations pass, emigrants are chosen."""
        spec, recipe = self.spec, self.recipe
        rng = Rng(spec.seed, spec.index, order.epoch)
        found = Findings(self.space)
        if self.watch is not None:
            self.watch.hear(order.news)
        trace = TraceLog(spec.trace, self.tolerance) if spec.trace != "none" else None
        if not len(self.genomes):
            self.genomes = self._settlers(rng)
            self.costs = self._costs(self.genomes)
            self._collect(found, self.genomes, self.costs, rng)
            self._compare(self.costs)
        settled = migration.Settled(0, 0)
        if order.immigrants is not None and len(order.immigrants):
            arrivals = np.ascontiguousarray(order.immigrants, np.int32)
            settled = migration.settle(self.genomes, self.costs, arrivals, self._costs(arrivals), spec.replace, rng)
        if recipe.exchange is not None:
            for arrays in order.shared:
                recipe.exchange.absorb(self.memory, arrays)
        for _ in range(order.generations):
            if 0 < recipe.give_up.stale <= self._stale:
                break
            self._generation(rng, found, trace)
            yield
        report: dict[str, Any] = {"best": int(self.costs.min()), "average": float(self.costs.mean())}
        report["stale"] = self._stale
        report["deaths"] = tuple(self.watch.deaths) if self.watch is not None else ()
        report["total"] = recipe.total(self.memory) if recipe.total is not None else None
        if order.emigrants and not recipe.forget:
            report["emigrants"] = migration.emigrants(self.genomes, self.costs, order.emigrants, spec.leave, rng)
            report["shared"] = recipe.exchange.share(self.memory) if recipe.exchange is not None else {}
        if recipe.estimate is not None and "tally" in self.memory:
            report["tally"] = self.memory["tally"].copy()
        if recipe.forget:
            self.genomes, self.costs = self.genomes[:0].copy(), self.costs[:0]
        report |= {"immigrants": settled.stayed, "led": settled.led}
        return {**report, "trace": trace.packed() if trace else b"", **found.columns()}

    @property
    def _stale(self) -> int:
        """Generations since the lowest cost became lower."""
        return self.generation - self.lowered

    def _compare(self, costs: Costs) -> None:
        """Note whether the lowest cost became lower."""
        lowest = int(costs.min())
        if lowest < self.lowest:
            self.lowest, self.lowered = lowest, self.generation

    def _settlers(self, rng: Rng) -> Genomes:
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

    def _generation(self, rng: Rng, found: Findings, trace: TraceLog | None) -> None:
        """Elite and survivors form the next generation. A dead elite neither mates nor lives on."""
        recipe = self.recipe
        self.generation += 1
        ranking = np.argsort(self.costs, kind="stable") if recipe.elite else np.arange(len(self.costs))
        mates, elite, others = ranking, ranking[: recipe.elite], ranking[recipe.elite :]
        if self.watch is not None and self.watch.dies(self.generation):
            mates, elite = others, elite[:0]
        if recipe.mutate_first:
            self._mutate_living(others, rng, found, trace)
        places = recipe.population - len(elite)
        children, costs = self._breed(mates, elite, recipe.births or places, rng, trace)
        self._collect(found, children, costs, rng)
        self._compare(costs)
        candidates = Candidates(
            np.concatenate((self.costs[others], costs)),
            len(others),
            lambda: np.concatenate((self.genomes[others], children)),
        )
        chosen = recipe.survive(candidates, places, rng)
        try:
            self.costs = np.concatenate((self.costs[elite], candidates.costs[chosen]))
        except IndexError as error:
            raise self._no_such_row("survive", error) from error
        self.genomes = _joined(self.genomes, elite, others, children, chosen)
        if trace is not None:
            trace.generation(self.generation, self.genomes, self.costs, elite, others, chosen)

    def _mutate_living(self, rows: Rows, rng: Rng, found: Findings, trace: TraceLog | None) -> None:
        """These of the population mutate and are judged anew."""
        mutants = self.genomes.take(rows, axis=0)
        self._mutate(mutants, rng)
        costs = self._costs(mutants)
        self._collect(found, mutants, costs, rng)
        self._compare(costs)
        if trace is not None:
            trace.mutants(rows, self.genomes[rows] != mutants)
        self.genomes[rows], self.costs[rows] = mutants, costs

    def _breed(self, mates: Rows, elite: Rows, births: int, rng: Rng, trace: TraceLog | None) -> tuple[Genomes, Costs]:
        """`births` children; without `duplicates` none is equal to another child or to one of the elite."""
        if self.recipe.duplicates:
            return self._family(mates, births, rng, trace)
        taken = KeySet(2 * self.recipe.population)
        taken.add(keys_of(self.genomes[elite]))
        litters: list[tuple[Genomes, Costs]] = []
        missing = births
        for _ in range(REDRAWS):
            children, costs = self._family(mates, missing, rng, trace)
            fresh = taken.add(keys_of(children))
            if trace is not None:
                trace.refuse(~fresh)
            litters.append((children[fresh], costs[fresh]))
            missing -= int(fresh.sum())
            if not missing:
                break
        else:
            newcomers = self.space.sample(missing, rng)
            litters.append((newcomers, self._costs(newcomers)))
            if trace is not None:
                trace.newcomers(missing)
        return np.concatenate([litter[0] for litter in litters]), np.concatenate([litter[1] for litter in litters])

    def _family(self, mates: Rows, births: int, rng: Rng, trace: TraceLog | None) -> tuple[Genomes, Costs]:
        """Select, cross, mutate, judge, improve: exactly `births` children."""
        recipe = self.recipe
        living = self.genomes.take(mates, axis=0) if recipe.elite else self.genomes  # without an elite all mate
        crossover = recipe.crossover or COPY
        families = -(-births // crossover.children)
        parents = recipe.select(living, self.costs[mates], (families, crossover.parents), rng)
        try:
            mating = living.take(parents[:, 0] if crossover is COPY else parents, axis=0)
        except IndexError as error:
            raise self._no_such_row("select", error) from error
        children = mating if crossover is COPY else crossover(mating, rng).reshape(-1, self.space.length)[:births]
        before = children.copy() if trace is not None else None
        if not recipe.mutate_first:
            self._mutate(children, rng)
        if trace is not None and before is not None:
            trace.born(np.repeat(mates[parents], crossover.children, axis=0)[:births], before != children)
        costs = self._costs(children)
        if recipe.improve is not None:
            self.evaluations += recipe.improve(children, costs, rng, self.memory)
        return children, costs

    def _mutate(self, genomes: Genomes, rng: Rng) -> None:
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

    def _collect(self, found: Findings, genomes: Genomes, costs: Costs, rng: Rng) -> None:
        """Note the solved ones, and what a harvest finds near them."""
        solved = genomes[costs <= self.tolerance]
        if not len(solved):
            return
        keys = [found.add(self.problem.canonical(solved), self.generation)]
        if self.recipe.harvest is not None:
            nearby = self.recipe.harvest(solved, rng, self.memory)
            keys.append(found.add(self.problem.canonical(nearby), self.generation))
        if self.watch is not None:
            self.watch.found(np.concatenate(keys), self.generation)

    def _costs(self, genomes: Genomes) -> Costs:
        """The puzzle's costs, (n,); the boundary checks them."""
        self.evaluations += len(genomes)
        return self.problem.costs(genomes).astype(np.int64, copy=False)


def _joined(old: Genomes, elite: Rows, others: Rows, young: Genomes, chosen: Rows) -> Genomes:
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
