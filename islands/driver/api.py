"""Start a run, resume a run: the same call underneath, for Python and for the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.backends import check_address, elsewhere, environment_address
from islands.errors import ClusterError, unknown
from islands.kernels.rng import Rng
from islands.model.capabilities import Census
from islands.model.island import Island
from islands.model.job import ALL, Job, Stop
from islands.model.loading import load
from islands.model.messages import Event
from islands.model.migration import MigrationPlan
from islands.model.problem import puzzle_name
from islands.operators.estimate import Estimate
from islands.store.disk import Disk
from islands.store.naming import check_name, new_directory
from islands.store.run import Run
from islands.store.trust import check_trust
from islands.store.upgrade import made_ours

Watch = Callable[[Archipelago], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Outcome:
    """How a run stands after it stopped."""

    reason: str
    found: int
    asked: int | None  # ALL = all there are
    exist: int | None  # how many there are, where mathematics or an exhausted search knows
    estimate: Estimate | None = None  # ... and what walks estimate
    census: Census | None = None  # what the puzzle counts beside the solutions

    @property
    def complete(self) -> bool:
        return self.found == self.exist

    @property
    def exit_code(self) -> int:
        """0 found what was asked for, 1 ended without it, 130 interrupted."""
        if self.reason == "interrupted":
            return 130
        satisfied = self.found > 0 and (self.complete or self.reason != "exhausted")
        if self.estimate is not None:
            satisfied = True
        if self.census is not None:
            satisfied = self.census.satisfied and self.reason == "exhausted"
        if self.asked is not None:
            satisfied = self.found >= self.asked or (self.asked == ALL and self.complete and self.found > 0)
        return 0 if satisfied else 1


def solve(
    puzzle: str,
    *,
    out: str | Path = "runs",
    name: str | None = None,
    listen: Callable[[Event], None] | None = None,
    **options: Any,
) -> Run:
    """Evolve a puzzle and return its run; iterate the run for the solutions.

    `options` are the puzzle's parameters and all options of `islands run`, with underscores: size=6, solutions=100,
    seconds=60, islands=4, recipe="fast:3,classic:1", seed=7, topology="ring", migrants=2, backend="inline" ...
    """
    run = create(make_job(puzzle, options), out, name)
    conduct(run, listen=listen, new=True)
    return run


def resume(
    reference: str | Path = "last",
    *,
    out: str | Path = "runs",
    trust: bool = False,
    listen: Callable[[Event], None] | None = None,
    **stop: Any,
) -> Run:
    """Go on with a run, with its own stop rule or a new one: solutions=, seconds=, generations=.

    A puzzle that somebody else wrote is executed only with `trust`.
    """
    run = Run.open(reference, out, trust=trust)
    new_stop(run, stop)
    address = environment_address(run.job.backend) or run.job.address
    run.job = run.job.model_copy(update={"address": address})
    conduct(run, listen=listen)
    return run


def new_stop(run: Run, stop: dict[str, Any]) -> None:
    """Change the stop rule, if any is given; not under the hands of somebody who is writing the run."""
    given = {name: value for name, value in stop.items() if value is not None}
    if given:
        check_trust(run)
        with _writing(run):
            run.change_stop(Stop.checked({**given, "exhaustive": run.job.stop.exhaustive}, options=True))


def make_job(puzzle: str, options: dict[str, Any], base: dict[str, Any] | None = None) -> Job:
    """Sort flat options into a job; what no job knows is a parameter of the puzzle. `base` is a job file's content."""
    given = {name: value for name, value in options.items() if value is not None}
    base = base or {}
    stop = {name: given.pop(name) for name in Stop.model_fields if name in given}
    plan = {name: given.pop(name) for name in MigrationPlan.model_fields if name in given}
    own = {name: given.pop(name) for name in Job.model_fields if name in given}
    _check_names(puzzle, given)
    data = {**base, **own, "puzzle": puzzle, "parameters": {**base.get("parameters", {}), **given}}
    if stop:
        data["stop"] = stop
    if plan:
        data["migration"] = {**base.get("migration", {}), **plan}
    return Job.checked(data, options=True)


def _check_names(puzzle: str, given: Iterable[str]) -> None:
    """UsageError where a name is neither a parameter of the puzzle nor an option of a run."""
    kind = load(puzzle)
    options = (*Job.model_fields, *Stop.model_fields, *MigrationPlan.model_fields)
    for name in given:
        if name not in kind.model_fields:
            raise unknown(f"option of {puzzle_name(kind)}", name, kind.model_fields, options)


def create(job: Job, out: str | Path = "runs", name: str | None = None) -> Run:
    """Check a job and make its run directory; a UsageError leaves nothing behind."""
    check_name(name)
    job = prepared(job)
    return Run.create(Disk(new_directory(Path(out), job.title, name)), job)


def prepared(job: Job, usual_islands: int | None = None) -> Job:
    """A job settled and tried out as far as that can be done before it is a run."""
    address = environment_address(job.backend) if job.address is None else job.address
    job = job.model_copy(update={"address": address}).settled(usual_islands)
    check_address(job.address, job.backend)
    Island(job.specs()[0]).probe(Rng(job.seed))
    return job


def conduct(
    run: Run, *, listen: Callable[[Event], None] | None = None, watch: Watch | None = None, new: bool = False
) -> Outcome:
    """Evolve a run from where it stands until it stops. `watch` is entered with the archipelago while it lives.

    The directory of a `new` run to which a cluster is refused, before its first report, is removed.
    """
    check_trust(run)
    with _writing(run):
        archipelago = Archipelago(run, Inline(), elsewhere=elsewhere(run), listen=listen)
        try:
            with watch(archipelago) if watch is not None else nullcontext():
                reason = archipelago.conduct()
        except ClusterError:
            if new and not archipelago.reported:
                run.discard()
            raise
        if archipelago.recovery.goes_on:
            run.tolerant()
        end = archipelago.look()
        counted = end.counted if reason == "solutions" else run.manifest().counted  # what is saved
    return outcome(run, reason, counted, end.swept and end.swept[0])


def outcome(run: Run, reason: str, counted: int = 0, swept: int | None = None) -> Outcome:
    """What a person wants to know at the end; `swept` tasks of an exhaustive run are done."""
    found, problem = len(run) + counted, run.job.problem
    known = problem.known_total()
    exist = found if reason == "exhausted" and known is None else known
    parts = (part.genome.astype(np.int32, copy=False) for part in run.rows())
    sweeping = None if swept is None else problem.sweeping()
    census = sweeping.census(parts, swept) if sweeping and sweeping.census and swept is not None else None
    return Outcome(reason, found, run.job.stop.solutions, exist, run.estimate(), census)


@contextmanager
def _writing(run: Run) -> Iterator[None]:
    run.disk.lock()
    try:
        made_ours(run)
        yield
    finally:
        run.disk.unlock()
