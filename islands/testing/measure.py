"""How fast a puzzle is searched, and where the time goes. Speed is in CPU time: a busy machine changes little."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import new_class
from typing import Any

import numpy as np

from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.problem import Problem
from islands.operators.defaults import FLOCK, STROLLED
from islands.operators.moves import moves_of
from islands.operators.space import Costs, Genomes, Space
from islands.store.archive import Archive
from islands.testing.candidates import SEED

BRIEF = 0.02  # seconds of an order below which the next one is for twice as many generations
BATCH = 1000  # candidates of which the costs are taken at once
REPEATS = 10**5  # of a call that is measured, at most

PARTS = {
    "space": "space", "cost": "cost", "costs": "cost", "canonical": "canonical", "verify": "verify",
    "verified": "verify",
}  # fmt: skip
"""The hooks that are timed, and what they are called."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Part:
    """What one kind of a puzzle's code took; code of another kind that it called is not counted."""

    name: str
    calls: int  # candidates, where a call is for many of them
    seconds: float


@dataclass(frozen=True)
class Speed:
    """How fast a recipe searches a puzzle on one core."""

    recipe: str
    evaluations: float  # per second
    parts: tuple[Part, ...]  # of a search in which they were timed ...
    seconds: float  # ... and which took this long, both in CPU time
    batch: Batch | None

    @property
    def rest(self) -> float:
        """Seconds of the timed search that were no part of the puzzle: moves, decisions, the engine."""
        return max(0.0, self.seconds - sum(part.seconds for part in self.parts))


@dataclass(frozen=True)
class Batch:
    """What the costs of many candidates at once bring, or would bring."""

    has_costs: bool  # else it is a forecast
    alone: float  # per second, one candidate at a time: costs, or moves of a search that finds nothing
    together: float  # ... many at a time

    @property
    def factor(self) -> float:
        return self.together / self.alone


class Stopwatch:
    """The own time of parts that call each other, by the clock on the wall: asking for CPU time takes too long."""

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        self._clock = clock
        self._open: list[tuple[str, list[float]]] = []  # the parts under way, each with the time of those inside
        self.start()

    def start(self) -> None:
        """Forget what was measured until now."""
        self.started = self._clock()
        self.calls: dict[str, int] = dict.fromkeys(PARTS.values(), 0)
        self.seconds: dict[str, float] = dict.fromkeys(PARTS.values(), 0.0)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self.started

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, whose time is taken; its last argument may be an array of many candidates."""

        @wraps(function)
        def call(*arguments: Any) -> Any:
            last = arguments[-1]
            inside, started = [0.0], self._clock()
            self._open.append((part, inside))
            try:
                return function(*arguments)
            finally:
                took = self._clock() - started
                self._open.pop()
                self.seconds[part] += took - inside[0]
                if self._open:
                    self._open[-1][1][0] += took
                if all(name != part for name, _ in self._open):  # costs that call cost count once
                    self.calls[part] += len(last) if isinstance(last, np.ndarray) and last.ndim == 2 else 1

        return call

    def watching(self, problem: Problem) -> Problem:
        """The same puzzle; the time of all hooks that it defines is taken."""
        kind = type(problem)
        hooks = {name: getattr(kind, name) for name in PARTS if _defines(kind, name)}
        body = {name: self.timed(PARTS[name], hook) for name, hook in hooks.items()} | {"__module__": kind.__module__}
        watched: type[Problem] = new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(body))
        # nothing is validated a second time, and nothing that is cached in the original keeps its untimed hooks
        fields = {name: getattr(problem, name) for name in kind.model_fields}
        return watched.model_construct(problem.model_fields_set, **fields)

    def parts(self, scale: float = 1.0) -> tuple[Part, ...]:
        """Those that were called, the longest first; their seconds times `scale`."""
        called = ((name, calls) for name, calls in self.calls.items() if calls)
        parts = (Part(name, calls, self.seconds[name] * scale) for name, calls in called)
        return tuple(sorted(parts, key=lambda part: -part.seconds))


def measure(problem: Problem, seconds: float) -> Speed | None:
    """The speed of the puzzle's first recipe, by searches of this many seconds; None if it is only swept."""
    sweeping = problem.sweeping()
    if sweeping is not None and sweeping.only:
        return None
    recipe = next(iter(problem.recipes()))
    evaluations, _, spent = _search(problem, recipe, seconds)
    rate, watch = evaluations / spent, Stopwatch()
    *_, spent = _search(watch.watching(problem), recipe, seconds, watch.start)
    parts = watch.parts(spent / watch.elapsed)
    return Speed(recipe, rate, parts, spent, _batch(problem, seconds))


def _batch(problem: Problem, seconds: float) -> Batch | None:
    """What `costs` brings, or what it would bring to the default recipe; None where neither can be said."""
    if _defines(type(problem), "costs"):
        genomes = problem.space().sample(BATCH, Rng(SEED))
        one = genomes[0].copy()
        alone = 1 / _seconds_of(lambda: problem.cost(one), seconds)
        return Batch(True, alone, len(genomes) / _seconds_of(lambda: problem.costs(genomes), seconds))
    if not _defines(type(problem), "cost") or _defines(type(problem), "recipes") or not moves_of(problem.space()):
        return None
    evaluations, _, alone = _search(never_solved(problem), "fast", seconds / 2)
    _, generations, together = _search(stand_in(problem.space()), "fast", seconds / 2)
    return Batch(False, evaluations / alone, generations * STROLLED * FLOCK / together)


def never_solved(problem: Problem) -> Problem:
    """A puzzle whose every cost is one higher: its walkers make moves all the time, and never begin anew."""
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


def _search(
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


def _seconds_of(call: Callable[[], Any], seconds: float) -> float:
    """CPU seconds of one call, the mean of many; the first does not count."""
    call()
    started, calls = time.process_time(), 0
    while (spent := time.process_time() - started) < seconds / 4 and calls < REPEATS:
        call()
        calls += 1
    return spent / calls


def _defines(kind: type[Problem], hook: str) -> bool:
    """Whether a puzzle has its own, and not that of every puzzle."""
    return getattr(kind, hook) is not getattr(Problem, hook)
