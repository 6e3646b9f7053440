"""One population and how it lives: `evolve(order)` is a pure function of the island's state and the order."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Self

import numpy as np

from islands.boundary.guard import blame
from islands.errors import OutOfStep, PuzzleError, unknown
from islands.kernels.keys import Keys
from islands.kernels.numba_internals import compile_time
from islands.kernels.rng import Rng
from islands.model import migration
from islands.model.ancestry import Ancestry, Kin
from islands.model.breeding import Breeder, Descent, Rows, joined
from islands.model.declaring import check_unchanged, compare_costs
from islands.model.elite_watch import EliteWatch
from islands.model.findings import Findings
from islands.model.loading import build
from islands.model.messages import IslandSpec, Order, Report, State
from islands.model.origin import Origin
from islands.model.problem import Problem, optimising, puzzle_name, target, tolerance
from islands.model.trace import TraceLog
from islands.model.vitals import vitals
from islands.operators.recipe import Candidates, Recipe
from islands.operators.space import Costs, Genomes, Memory

NEVER = 1 << 62  # a cost that everything is below
PROBED = 20  # random candidates for which rules and a cost are compared
AT_ONCE = 4096  # tasks of an exhaustive run that are swept in one call, where the puzzle can
LONGEST_ORIGIN = 10_000  # numbers of a genome; of longer ones no parents are kept

OriginOf = Callable[[int], Origin]
"""The row of a genome -> where it comes from."""

AncestryOf = Callable[[Rows], Ancestry | None]
"""Rows of genomes -> where their ancestors lived, if that is kept."""


class Island:
    """A population of one puzzle under one recipe. The puzzle is made from the spec unless it is given."""

    def __init__(self, spec: IslandSpec, problem: Problem | None = None) -> None:
        self.spec = spec
        self.problem = build(spec.puzzle, spec.source, spec.parameters) if problem is None else problem
        self.space, self.tolerance = self.problem.space(), tolerance(self.problem)
        self.optimising = optimising(self.problem)  # only what is better than all before is kept
        self.target = target(self.problem) if self.optimising else -1  # with this cost there is nothing left to do
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
        self.kin = Kin(self.spec.index, kept=self.spec.kin and not self.recipe.forget)
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
        """`evolve`, with a pause at least after every generation or task: whoever shares a process can stop there."""
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
        """Judge random candidates, so that a broken puzzle is known before a run begins."""
        with self._blame():
            self._costs(self.space.sample(1, rng))
            candidates = self.space.sample(PROBED, rng)
            check_unchanged(self.problem, candidates)
            compare_costs(self.problem, candidates)

    def _blame(self) -> AbstractContextManager[None]:
        """Operators are the puzzle's code as well as its hooks are."""
        kind = type(self.problem)
        return blame(kind.__name__, kind.__module__)

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
        rest = {**(self.watch.state() if self.watch is not None else {}), **self.kin.state(), **memory}
        return {"clock": clock, "genomes": self.genomes.copy(), "costs": self.costs.copy(), **rest}

    def restore(self, state: State) -> None:
        """Continue from a `state()`; an empty one is the beginning."""
        if not state:
            self._begin()
            return
        self.epoch, self.generation, self.evaluations, self.lowest, self.lowered = map(int, state["clock"])
        self.genomes, self.costs = state["genomes"].copy(), state["costs"].copy()
        if self.watch is not None:
            self.watch.restore(state, self.generation)
        self.kin.restore(state)
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
        for tasks in _at_once(order.tasks, 1 if sweeping.sweep_many is None else AT_ONCE):
            if sweeping.sweep_many is not None:
                born, genomes = sweeping.sweep_many(tasks)
                found.add(self.problem.canonical(genomes), born)
                yield
                continue
            result = sweeping.sweep(tasks[0])
            if isinstance(result, Generator):
                result = yield from result
            if isinstance(result, int | np.integer):
                counted += int(result)
            else:
                found.add(self.problem.canonical(result), tasks[0])
            yield
        return {"best": None, "immigrants": 0, "counted": counted, **found.columns()}

    def _live(self, order: Order) -> Generator[None, None, dict[str, Any]]:
        """Immigrants settle, generations pass, emigrants are chosen."""
        spec, recipe = self.spec, self.recipe
        rng = Rng(spec.seed, spec.index, order.epoch)
        found = Findings(self.space, tells=spec.trace != "none" and self.space.length <= LONGEST_ORIGIN)
        if self.watch is not None:
            self.watch.hear(order.news)
        trace = self._log()
        breeder = Breeder(
            f"the recipe {spec.recipe} of {type(self.problem).__name__}",
            recipe,
            self.space,
            self._costs,
            self._improve,
            tell=found.tells or trace is not None,
        )
        if not len(self.genomes):
            self.genomes = breeder.settlers(rng)
            self.costs = self._costs(self.genomes)
            self.kin.settle(len(self.genomes))
            self._collect(found, self.genomes, self.costs, rng, lambda _: Origin(kind="settler"), self.kin.of)
        report = self._receive(order, rng)
        if recipe.exchange is not None:
            for arrays in order.shared:
                recipe.exchange.absorb(self.memory, arrays)
        for _ in range(order.generations):
            if 0 < recipe.give_up.stale <= self._stale or self.lowest <= self.target:
                break
            if recipe.prepare is not None:
                self.evaluations += yield from recipe.prepare(self.memory)
            self._generation(breeder, rng, found, trace)
            yield
        ranking = cache(lambda: np.argsort(self.costs, kind="stable"))
        report |= {**vitals(self.genomes, self.costs), "stale": self._stale}
        report["foreign"] = self.kin.foreign(ranking, recipe.elite)
        if self.watch is not None:
            report |= {"deaths": tuple(self.watch.deaths), "regained": tuple(self.watch.regained)}
        report["total"] = recipe.total(self.memory) if recipe.total is not None else None
        if order.emigrants and not recipe.forget:
            rows = migration.emigrants(self.genomes, ranking, order.emigrants, spec.leave, rng)
            report |= {"emigrants": self.genomes[rows], "emigrated": self.kin.of(rows)}
            report["shared"] = recipe.exchange.share(self.memory) if recipe.exchange is not None else {}
        if recipe.estimate is not None and "tally" in self.memory:
            report["tally"] = self.memory["tally"].copy()
        if recipe.forget:
            self.genomes, self.costs = self.genomes[:0].copy(), self.costs[:0]
        return {**report, "trace": trace.packed() if trace else b"", **found.columns()}

    def _receive(self, order: Order, rng: Rng) -> dict[str, Any]:
        """Immigrants settle; what became of them, for the report."""
        if order.immigrants is None or not len(order.immigrants):
            return {"immigrants": 0}
        arrivals = np.ascontiguousarray(order.immigrants, np.int32)
        costs = self._costs(arrivals)
        settled = migration.settle(self.genomes, self.costs, arrivals, costs, self.spec.replace, rng)
        self.kin.arrive(settled.places, order.ancestry)
        return {
            "immigrants": sum(place >= 0 for place in settled.places),
            "led": sum(settled.led),
            "crossings": tuple(settled.crossings(order.senders, costs)) if order.senders is not None else (),
        }

    def _log(self) -> TraceLog | None:
        """The log of an epoch, if one is wanted."""
        if self.spec.trace not in ("details", "population"):
            return None
        return TraceLog(self.spec.trace, self.tolerance, self.problem.wording().cell_costs)

    @property
    def _stale(self) -> int:
        """Generations since the lowest cost became lower."""
        return self.generation - self.lowered

    def _generation(self, breeder: Breeder, rng: Rng, found: Findings, trace: TraceLog | None) -> None:
        """Elite and survivors form the next generation. A dead elite neither mates nor lives on."""
        recipe = self.recipe
        self.generation += 1
        ranking = np.argsort(self.costs, kind="stable") if recipe.elite else np.arange(len(self.costs))
        mates, elite, others = ranking, ranking[: recipe.elite], ranking[recipe.elite :]
        if self.watch is not None and self.watch.dies(self.generation):
            mates, elite = others, elite[:0]
            self.watch.mourn(int(self.costs.min()))
        if recipe.mutate_first:
            self._mutate_living(others, breeder, rng, found, trace)
        places = recipe.population - len(elite)
        young = breeder.children(self.genomes, self.costs, mates, elite, recipe.births or places, rng)
        descent, parents = young.descent, young.parents
        origin = self._origins_of_children(descent, elite)
        self._collect(found, young.genomes, young.costs, rng, origin, lambda rows: self.kin.of_children(parents, rows))
        candidates = Candidates(
            np.concatenate((self.costs[others], young.costs)),
            len(others),
            lambda: np.concatenate((self.genomes[others], young.genomes)),
        )
        chosen = recipe.survive(candidates, places, rng)
        try:
            self.costs = np.concatenate((self.costs[elite], candidates.costs[chosen]))
        except IndexError as error:
            raise breeder.no_such_row("survive", error) from error
        self.genomes = joined(self.genomes, elite, others, young.genomes, chosen)
        self.kin.pass_on(parents, elite, others, chosen)
        if self.watch is not None:
            self.watch.live(self.generation, int(self.costs.min()))
        if trace is not None and descent is not None:
            trace.generation(self.generation, self.genomes, self.costs, elite, others, chosen, descent)

    def _mutate_living(self, rows: Rows, breeder: Breeder, rng: Rng, found: Findings, trace: TraceLog | None) -> None:
        """These of the population mutate and are judged anew."""
        former, known = self.genomes.take(rows, axis=0), self.costs[rows]
        mutants = former.copy()
        breeder.mutate(mutants, rng)
        costs = self._costs(mutants)
        self._collect(
            found,
            mutants,
            costs,
            rng,
            lambda row: Origin.of_mutant(former[row], int(known[row]), mutants[row]),
            lambda mutated: self.kin.of(rows[mutated]),
        )
        if trace is not None:
            trace.mutants(rows, former != mutants)
        self.genomes[rows], self.costs[rows] = mutants, costs

    def _origins_of_children(self, descent: Descent | None, elite: Rows) -> OriginOf | None:
        """The origin of each child of this generation, while its parents still live."""
        if descent is None:
            return None
        improved = self.recipe.improve is not None
        return lambda row: Origin.of_child(row, descent, self.genomes, self.costs, elite, improved)

    def _collect(
        self,
        found: Findings,
        genomes: Genomes,
        costs: Costs,
        rng: Rng,
        origin: OriginOf | None,
        ancestry: AncestryOf,
    ) -> None:
        """Note the lowest cost, the solved ones with their origins, and what a harvest finds near them."""
        lowest, better = int(costs.min()), False
        if lowest < self.lowest:
            self.lowest, self.lowered, better = lowest, self.generation, True
        rows = np.flatnonzero(costs <= self.tolerance)
        if self.optimising:
            rows = rows[costs[rows] == lowest][:1] if better else rows[:0]
        if not len(rows):
            return
        solved, masks = genomes[rows], ancestry(rows)
        keys = [self._found(found, solved, masks, None if origin is None else lambda row: origin(int(rows[row])))]
        if self.recipe.harvest is not None:
            nearby = self.recipe.harvest(solved, rng, self.memory)
            masks = None if masks is None else np.bitwise_or.reduce(masks, keepdims=True)
            keys.append(self._found(found, nearby, masks, lambda _: Origin(kind="harvested")))
        if self.watch is not None:
            self.watch.found(np.concatenate(keys), self.generation)

    def _found(self, found: Findings, genomes: Genomes, masks: Ancestry | None, origin: OriginOf | None) -> Keys:
        """Note solutions in their canonical form; the keys of those that are new in this epoch."""
        canonical = self.problem.canonical(genomes)
        if origin is None:
            return found.add(canonical, self.generation, masks)
        return found.add(
            canonical, self.generation, masks, lambda row: origin(row).found_as(genomes[row], canonical[row]).text()
        )

    def _improve(self, genomes: Genomes, costs: Costs, rng: Rng) -> None:
        """The recipe's memetic step, if it has one."""
        if self.recipe.improve is not None:
            self.evaluations += self.recipe.improve(genomes, costs, rng, self.memory)

    def _costs(self, genomes: Genomes) -> Costs:
        """The puzzle's costs, (n,); the boundary checks them."""
        self.evaluations += len(genomes)
        return self.problem.costs(genomes).astype(np.int64, copy=False)


def _at_once(tasks: range, many: int) -> Iterator[range]:
    """The tasks, at most `many` at a time."""
    return (tasks[start : start + many] for start in range(0, len(tasks), many))
