"""When a run ends, as far as reports of its islands decide it; time and Ctrl-C are outside the clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from islands.model.island_status import IslandStatus
from islands.model.job import Job
from islands.model.problem import optimising, target
from islands.operators.recipe import Recipe


class Owed(NamedTuple):
    """How far a damaged run had come: solutions kept, solutions found, kept or counted, and epochs."""

    kept: int
    found: int
    epoch: int


class StopRules:
    """The stop rule of a job and those of its recipes. Each method gives the reason to stop, or None."""

    def __init__(self, job: Job, recipes: Sequence[Recipe]) -> None:
        self._number = job.stop.number
        self._usual = _usual_generations(job)
        self._total = job.problem.known_total()
        self._evaluations = job.stop.evaluations
        self._sweeps = job.stop.exhaustive
        self._target = target(job.problem) if optimising(job.problem) else None
        self._stale = [recipe.give_up.stale for recipe in recipes]
        self._barren = [recipe.give_up.barren for recipe in recipes]
        self.owed: Owed | None = None  # a damaged run does not give up before it has it

    @property
    def limit(self) -> int | None:
        """How many solutions are kept; None: all, and where they differ in merit the best are the answer."""
        return None if self._usual or self._number is None else max(self._number, self.owed.kept if self.owed else 0)

    def after_report(self, found: int, total: int | None, best: int | None = None) -> str | None:
        """Why the run ends after a report: `found` solutions, of `total` that an island knows of; its `best` cost."""
        if self._target is not None and best is not None and best <= self._target:
            return "target"
        if total is not None and found >= total:
            return "exhausted"
        if self._total is not None and found >= self._total and not self._sweeps:  # a sweep goes on: that proves it
            return "complete"
        return "solutions" if self.limit is not None and found >= self.limit else None

    def after_epoch(self, found: int, status: Sequence[IslandStatus]) -> str | None:
        """Why the run ends with `found` solutions, where every island is at the end of the same epoch."""
        if self.owed is not None and (found < self.owed.found or min(one.epoch for one in status) < self.owed.epoch):
            return None
        if all(0 < limit <= one.stale for limit, one in zip(self._stale, status, strict=True)):
            return "stale"
        if self._evaluations is not None and sum(one.evaluations for one in status) >= self._evaluations:
            return "evaluations"
        if self._number is None:
            return None
        if self._usual and found >= self._number and min(one.generation for one in status) >= self._usual:
            return "solutions"
        pairs = zip(self._barren, status, strict=True)
        return "barren" if all(0 < limit <= one.generation - one.fruitful for limit, one in pairs) else None

    def at_once(self, found: int) -> str | None:
        """Why a resumed run ends before it goes on: `found` solutions are on disk."""
        if self.owed is not None:
            return None
        complete = found == self._total and not self._sweeps
        return "solutions" if complete or (self.limit is not None and found >= self.limit) else None


def _usual_generations(job: Job) -> int:
    """The work that a run for N solutions does in any case, where they differ in merit: what it does without the N.

    0 where it would end with a solution.
    """
    if job.stop.solutions is None or job.problem.ranking() is None:
        return 0
    usual = job.problem.usual_stop(job.recipe)
    return 0 if "solutions" in usual else int(usual.get("generations", 0))
