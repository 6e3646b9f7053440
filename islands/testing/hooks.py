"""What vectorised `costs` and declared `rules` bring to a puzzle, or would bring: searches that find nothing, and how
many moves they make in a second of CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from types import new_class
from typing import Any

import numpy as np

from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.problem import Problem, optimising
from islands.operators.defaults import FLOCK, STROLLED
from islands.operators.moves import moves_of
from islands.operators.space import Costs, Genomes, Space
from islands.rules.flat import ranges
from islands.rules.rules import AllDifferent, Less, Rule
from islands.rules.terms import cells
from islands.store.archive import Archive
from islands.testing.candidates import SEED

BRIEF = 0.02  # seconds of an order below which the next one is for twice as many generations
BATCH = 1000  # candidates of which the costs are taken at once
REPEATS = 10**5  # of a call that is measured, at most
FARTHEST = 10**6  # between two values of a space in which rules are forecast: AllDifferent counts each value


@dataclass(frozen=True)
class Batch:
    """What the costs of many candidates at once bring, or would bring."""

    has_costs: bool  # else it is a forecast
    alone: float  # per second, one candidate at a time: costs, or moves of a search that finds nothing
    together: float  # ... many at a time

    @property
    def factor(self) -> float:
        return self.together / self.alone


@dataclass(frozen=True)
class Kernels:
    """What declared rules bring, or would bring: moves per second of a search that finds nothing."""

    has_rules: bool  # else it is a forecast, by one AllDifferent over all cells
    plain: float  # with the cost or costs that the puzzle has, or its rules in plain Python
    ruled: float  # with the kernels of rules

    @property
    def factor(self) -> float:
        return self.ruled / self.plain


def batch_of(problem: Problem, recipe: str, seconds: float) -> Batch | None:
    """What `costs` brings, or what it would bring to this recipe; None where neither can be said."""
    if defines(type(problem), "costs"):
        genomes = problem.space().sample(BATCH, Rng(SEED))
        one = genomes[0].copy()
        alone = 1 / seconds_of(lambda: problem.cost(one), seconds)
        return Batch(True, alone, len(genomes) / seconds_of(lambda: problem.costs(genomes), seconds))
    if not defines(type(problem), "cost") or defines(type(problem), "recipes") or not moves_of(problem.space()):
        return None
    now = _moves(never_solved(problem), seconds / 2, recipe)
    return Batch(False, now, _moves(stand_in(problem.space()), seconds / 2, recipe))


def kernels_of(problem: Problem, seconds: float) -> Kernels | None:
    """What `rules` brings, or what it would bring to the default recipe; None where neither can be said."""
    space = problem.space()
    if defines(type(problem), "recipes") or optimising(problem) or not moves_of(space):
        return None
    now = _moves(never_solved(problem), seconds / 2)
    if problem.declared is not None:
        return Kernels(True, now, _moves(ruled(space, problem.declared.rules), seconds / 2))
    low, high = ranges(space)
    if max(high) - min(low) > FARTHEST:
        return None
    terms = cells(space.length) + np.arange(space.length)
    return Kernels(False, now, _moves(ruled(space, [AllDifferent(terms)]), seconds / 2))


def _moves(problem: Problem, seconds: float, recipe: str = "fast") -> float:
    """Moves of walkers, or children of `classic`, per second, of a puzzle that is never solved."""
    evaluations, generations, spent = search(problem, recipe, seconds)
    in_batches = recipe == "fast" and defines(type(problem), "costs")  # moves among others that are thrown away
    return (generations * STROLLED * FLOCK if in_batches else evaluations) / spent


def ruled(space: Space, rules: Sequence[Rule]) -> Problem:
    """A puzzle over this space with these rules, and one that never holds."""
    return _puzzle(space, rules=lambda _, x: [*rules, Less(1, 0)])


def never_solved(problem: Problem) -> Problem:
    """The same without rules, and every cost is one higher: walkers make moves all the time, and never begin anew."""
    if defines(type(problem), "costs"):
        return _puzzle(problem.space(), costs=lambda _, genomes: problem.costs(genomes) + 1)
    cost = problem.cost

    @wraps(type(problem).cost)
    def higher(_: Problem, genome: Genomes) -> int:
        return cost(genome) + 1

    return _puzzle(problem.space(), cost=higher)


def stand_in(space: Space) -> Problem:
    """A puzzle over this space with costs in NumPy: as many as the values that are there twice after each is moved
    by its place. It is never solved."""

    def costs(_: Problem, genomes: Genomes) -> Costs:
        ordered = np.sort(genomes + np.arange(space.length), axis=1)
        twice: Costs = np.sum(ordered[:, 1:] == ordered[:, :-1], axis=1, dtype=np.int64)
        return np.add(twice, 1)

    return _puzzle(space, costs=costs)


def _puzzle(space: Space, **hooks: Callable[..., Any]) -> Problem:
    """A puzzle without parameters, over a space that is there."""
    body = {"__module__": __name__, "space": lambda _: space, **hooks}
    kind: type[Problem] = new_class("StandIn", (Problem,), exec_body=lambda namespace: namespace.update(body))
    return kind()


def search(
    problem: Problem, recipe: str, seconds: float, begins: Callable[[], None] = lambda: None
) -> tuple[int, int, float]:
    """Search for this long, and verify what is found as a run does: (evaluations, generations, CPU seconds).

    `begins` is called when all kernels are compiled.
    """
    Island.alone(problem, recipe, SEED).evolve(Order(epoch=0, generations=1, snapshot=False))
    begins()
    evaluations = generations = 0
    seed, started = SEED, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        island, archive = Island.alone(problem, recipe, seed), Archive(problem)
        _live(island, archive, seconds - spent)
        evaluations, generations, seed = evaluations + island.evaluations, generations + island.generation, seed + 1
    return evaluations, generations, spent


def _live(island: Island, archive: Archive, seconds: float) -> None:
    """An island lives for this many CPU seconds, or until its recipe gives up."""
    started, epoch, generations = time.process_time(), 0, 1
    while (before := time.process_time()) - started < seconds:
        lived = island.generation
        report = island.evolve(Order(epoch=epoch, generations=generations, snapshot=False))
        archive.add(report.solutions, report.keys, report.born, island=0, epoch=epoch, seconds=0.0, limit=None)
        if island.generation == lived:
            return
        generations *= 1 + (time.process_time() - before < BRIEF)
        epoch += 1


def seconds_of(call: Callable[[], Any], seconds: float) -> float:
    """CPU seconds of one call, the mean of many; the first does not count."""
    call()
    started, calls = time.process_time(), 0
    while (spent := time.process_time() - started) < seconds / 4 and calls < REPEATS:
        call()
        calls += 1
    return spent / calls


def defines(kind: type[Problem], hook: str) -> bool:
    """Whether a puzzle has its own, and not that of every puzzle."""
    return getattr(kind, hook) is not getattr(Problem, hook)
