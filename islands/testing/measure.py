"""How fast a puzzle is searched, and where the time goes. Speed is in CPU time: a busy machine changes little."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import new_class
from typing import Any

import numpy as np

from islands.model.problem import Problem, for_classic
from islands.testing.hooks import Batch, Kernels, batch_of, defines, kernels_of, search

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
    kernels: Kernels | None

    @property
    def rest(self) -> float:
        """Seconds of the timed search that were no part of the puzzle: moves, decisions, the engine."""
        return max(0.0, self.seconds - sum(part.seconds for part in self.parts))


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
        hooks = {name: getattr(kind, name) for name in PARTS if defines(kind, name)}
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


def usual_recipe(problem: Problem) -> str:
    """The recipe of a run for which nobody names one, nor when it ends."""
    stop = problem.usual_stop(None) or {"solutions": 1}
    return problem.recipe_for(stop.get("solutions"), None)[0] if for_classic(problem) is None else "classic"


def measure(problem: Problem, seconds: float) -> Speed | None:
    """The speed of the recipe that a run gets, by searches of this many seconds; None if it is only swept."""
    sweeping = problem.sweeping()
    if sweeping is not None and sweeping.only:
        return None
    recipe = usual_recipe(problem)
    evaluations, _, spent = search(problem, recipe, seconds)
    rate, watch = evaluations / spent, Stopwatch()
    *_, spent = search(watch.watching(problem), recipe, seconds, watch.start)
    parts = watch.parts(spent / watch.elapsed)
    return Speed(recipe, rate, parts, spent, batch_of(problem, recipe, seconds), kernels_of(problem, seconds))
