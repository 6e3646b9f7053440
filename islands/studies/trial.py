"""One run of a study: the islands and the clock of any run, in this process, without a directory.

Its trajectory is that of `islands run` with the same job. Islands count as working side by side at the same pace: when
one of them has made v evaluations, each has made v, or all that it ever made if that is less. The length of a run is
what all of them have made when one finds a solution, to the generation: a generation's solutions count at its end. All
islands live the epoch of a solution to its end, so that the first one is known whichever island reports first.
"""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, Field

from islands.clock.coordinator import Coordinator
from islands.errors import UsageError
from islands.kernels.numba_internals import compile_time
from islands.model.entries import ALL
from islands.model.island import Island
from islands.model.job import Job
from islands.model.messages import Order, Report
from islands.model.problem import optimising, target
from islands.operators.space import Genomes
from islands.store.archive import Archive

KEPT = 100  # run lengths of further solutions that are kept; of more, evenly spread ones

Unit = Literal["evaluations", "seconds"]


class Trial(BaseModel, frozen=True, extra="forbid"):
    """What came of one run."""

    arm: str
    seed: int
    instance: str = ""
    solved: bool = False  # as many solutions as asked for, within the budget
    length: Annotated[float, Field(ge=0)] | None = None  # what it took; None: censored
    first: Annotated[float, Field(ge=0)] | None = None  # what the first solution took
    spent: Annotated[float, Field(ge=0)] = 0.0  # of the budget: the length, or all that was done in vain
    found: int = 0  # distinct solutions within the budget
    lengths: tuple[float, ...] = ()  # what these took, KEPT of them at the most
    cost: int | None = None  # the lowest within the budget
    generations: int = 0
    migrations: int = 0  # letters with emigrants
    immigrants: int | None = None  # who settled anywhere
    evaluations: int = 0  # all that were made, the rest of the last epoch included
    seconds: float = 0.0  # of this process, the compilation of kernels left out
    reason: str = ""  # why it ended
    error: str = ""  # what the puzzle's code did wrong, where it failed


class _Pace:
    """What one island has done after each generation, in the unit of the budget."""

    def __init__(self, island: Island, unit: Unit) -> None:
        self.island, self._unit = island, unit
        self.seconds = 0.0
        self.after: dict[int, float] = {}
        self.lowered: list[tuple[float, int]] = []  # when the lowest cost became lower, and what it was then

    @property
    def done(self) -> float:
        return float(self.island.evaluations) if self._unit == "evaluations" else self.seconds

    def live(self, order: Order) -> Report:
        """An epoch."""
        steps, island = self.island.steps(order), self.island
        if not self.after and self._unit == "evaluations":
            self.after[0] = float(island.recipe.population)
        with compile_time() as compiling:
            while True:
                began, compiled = time.process_time(), compiling()
                try:
                    next(steps)
                except StopIteration as end:
                    report: Report = end.value
                    return report
                finally:
                    self.seconds += max(0.0, time.process_time() - began - (compiling() - compiled))
                    self.after[island.generation] = self.done
                    self.after.setdefault(0, self.done)
                    if not self.lowered or island.lowest < self.lowered[-1][1]:
                        self.lowered.append((self.done, island.lowest))


class _Tally:
    """The distinct solutions of a run in the order of what they took."""

    def __init__(self, job: Job, budget: float) -> None:
        self.problem, self.budget = job.problem, budget
        self.asked = asked(job)
        self._target = target(self.problem) if optimising(self.problem) else None
        self._known: set[bytes] = set()
        self.lengths: list[float] = []

    def take(self, report: Report, pace: _Pace, total: Callable[[float], float]) -> None:
        """The solutions of a report that lie within the budget and are good enough."""
        for key, born, genome in zip(report.keys, report.born.tolist(), report.solutions, strict=True):
            name, length = key.tobytes(), total(pace.after[born])
            if name in self._known or length > self.budget or not self._is_enough(genome.astype(np.int32)):
                continue
            self._known.add(name)
            insort(self.lengths, length)

    def _is_enough(self, genome: Genomes) -> bool:
        """Whether a solution counts: where they differ in merit, only one that reaches the puzzle's target."""
        return self._target is None or self.problem.cost(genome) <= self._target

    @property
    def length(self) -> float | None:
        """What as many solutions as asked for took; None: there are fewer, or no number was asked for."""
        if self.asked is None or len(self.lengths) < self.asked:
            return None
        return self.lengths[self.asked - 1]


def conduct_trial(
    job: Job, budget: float, unit: Unit, name: dict[str, str], goes_on: Callable[[], bool] = lambda: True
) -> Trial:
    """Live a settled job until it has found what it asks for or the budget is spent.

    `goes_on` is asked after every epoch: once it says False, nobody wants the result any more.
    """
    problem = job.problem
    paces = [_Pace(Island(spec, problem), unit) for spec in job.specs()]
    coordinator = Coordinator(job, Archive(problem))
    tally = _Tally(job, budget)

    def total(value: float) -> float:
        return sum(min(value, pace.done) for pace in paces)

    while coordinator.stopped is None and tally.length is None and goes_on():
        if sum(pace.done for pace in paces) >= budget:
            coordinator.stop(unit)
            break
        orders = [coordinator.order(number) for number in range(len(paces))]
        reports = [pace.live(order) for pace, order in zip(paces, orders, strict=True) if order is not None]
        if not reports:
            coordinator.stop("exhausted")
        for report in reports:
            if coordinator.stopped is None:
                coordinator.accept(report, 0.0)  # which verifies its solutions
            else:
                Archive(problem).check(report.solutions)
            tally.take(report, paces[report.island], total)
    return _result(job, name, coordinator, paces, tally, total)


def _result(
    job: Job,
    name: dict[str, str],
    coordinator: Coordinator,
    paces: list[_Pace],
    tally: _Tally,
    total: Callable[[float], float],
) -> Trial:
    done = sum(pace.done for pace in paces)
    length = tally.length
    lowest = [cost for pace in paces for when, cost in pace.lowered if total(when) <= tally.budget]
    kept = tally.lengths
    if len(kept) > KEPT:
        kept = [kept[round(place)] for place in np.linspace(0, len(kept) - 1, KEPT)]
    return Trial(
        **name,
        seed=job.seed,
        solved=length is not None or (tally.asked is None and bool(tally.lengths)),
        length=length,
        first=tally.lengths[0] if tally.lengths else None,
        spent=min(done, tally.budget) if length is None else length,
        found=len(tally.lengths),
        lengths=tuple(kept),
        cost=min(lowest, default=None),
        generations=max(pace.island.generation for pace in paces),
        migrations=coordinator.migrations,
        immigrants=sum(status.immigrants for status in coordinator.status),
        evaluations=sum(pace.island.evaluations for pace in paces),
        seconds=round(sum(pace.seconds for pace in paces), 6),
        reason="solutions" if length is not None else coordinator.stopped or "abandoned",
    )


def asked(job: Job) -> int | None:
    """How many solutions end a run; None: the whole budget is spent."""
    return job.problem.known_total() if job.stop.solutions == ALL else job.stop.number


def least_work(job: Job) -> int:
    """Evaluations before which no run of this job can tell anything: its first population."""
    recipes = job.recipes()
    return sum(recipe.population for recipe in recipes)


def check_job(job: Job) -> None:
    """UsageError where the runs of a job cannot be compared."""
    if job.stop.exhaustive:
        raise UsageError("`exhaustive=True` searches the whole space once: there is nothing to compare. Drop it.")
    if job.race:
        raise UsageError("`race=True` is not repeatable, and a study is. Drop it.")
    if any(recipe.estimate for recipe in job.recipes()):
        raise UsageError(f"recipe {job.recipe} estimates a number; a study compares searches. Choose another.")
