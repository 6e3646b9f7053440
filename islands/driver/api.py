"""Start a run, resume a run: the same call underneath, for Python and for the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.backends import (
    check_address,
    check_shards,
    check_wait,
    elsewhere,
    environment_address,
    shards_of,
    usual_islands,
)
from islands.driver.notebook import NotebookView, shell
from islands.errors import ClusterError, unknown
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.job import Job
from islands.model.loading import load
from islands.model.messages import Event
from islands.model.migration import MigrationPlan
from islands.model.problem import Problem, puzzle_name
from islands.model.stop import Stop
from islands.store.naming import check_name, new_run
from islands.store.outcome import Outcome, outcome
from islands.store.places import runs_at
from islands.store.run import Run
from islands.store.trust import check_trust
from islands.store.upgrade import made_ours

Watch = Callable[[Archipelago], AbstractContextManager[Any]]


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
    run = create(make_job(puzzle, options), out, name, listen)
    _show_and_conduct(run, listen, new=True)
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
    _show_and_conduct(run, listen)
    return run


def _show_and_conduct(run: Run, listen: Callable[[Event], None] | None, *, new: bool = False) -> None:
    """Conduct a run for Python; in a notebook its progress is shown."""
    if shell() is None:
        conduct(run, listen=listen, new=new)
        return
    view = NotebookView(run.job)

    def both(event: Event) -> None:
        view.hear(event)
        if listen is not None:
            listen(event)

    conduct(run, listen=both, watch=lambda archipelago: view.watching(archipelago.look), new=new)


def new_stop(run: Run, stop: dict[str, Any]) -> None:
    """Change the stop rule, if any is given; not under the hands of somebody who is writing the run."""
    given = {name: value for name, value in stop.items() if value is not None}
    if given:
        check_trust(run)
        with _writing(run):
            rule = Stop.checked({**given, "exhaustive": run.job.stop.exhaustive}, options=True)
            run.change_stop(run.job.limited(rule))


def make_job(
    puzzle: str, options: dict[str, Any], base: dict[str, Any] | None = None, *, source: str | None = None
) -> Job:
    """Sort flat options into a job; what no job knows is a parameter of the puzzle. `base` is a job file's content.

    With the `source` of a user's puzzle, its file need not exist.
    """
    given = {name: value for name, value in options.items() if value is not None}
    base = base or {}
    stop = {name: given.pop(name) for name in Stop.model_fields if name in given}
    plan = {name: given.pop(name) for name in MigrationPlan.model_fields if name in given}
    own = {name: given.pop(name) for name in Job.model_fields if name in given}
    _check_names(load(puzzle, source), given)
    data = {**base, **own, "puzzle": puzzle, "parameters": {**base.get("parameters", {}), **given}}
    if stop:
        data["stop"] = stop
    if plan:
        data["migration"] = {**base.get("migration", {}), **plan}
    return Job.checked(data, options=True)


def _check_names(kind: type[Problem], given: Iterable[str]) -> None:
    """UsageError where a name is neither a parameter of the puzzle nor an option of a run."""
    options = (*Job.model_fields, *Stop.model_fields, *MigrationPlan.model_fields)
    for name in given:
        if name not in kind.model_fields and name not in kind.further_fields:
            raise unknown(f"option of {puzzle_name(kind)}", name, kind.model_fields, options)


def create(
    job: Job,
    out: str | Path = "runs",
    name: str | None = None,
    listen: Callable[[Event], None] | None = None,
) -> Run:
    """Check a job and make its run directory; an error leaves nothing behind. `listen` hears what is waited for."""
    check_name(name)
    job = prepared(job, listen)
    disk = new_run(runs_at(out), job.title, name)
    try:
        return Run.create(disk, job)
    finally:
        disk.unlock()


def prepared(job: Job, listen: Callable[[Event], None] | None = None, usual: Callable[[], int] | None = None) -> Job:
    """A job settled and tried out as far as that can be done before it is a run; `usual` says how many islands it has
    if it does not say so itself.
    """
    address = environment_address(job.backend) if job.address is None else job.address
    job = job.model_copy(update={"address": address})
    check_wait(job.wait, address)
    job = job.settled(usual or partial(usual_islands, job, listen))
    check_address(job.address, job.backend)
    check_shards(job)
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
        if reason := shards_of(run)[1]:
            archipelago.tell({"event": "no-shards", "reason": reason})
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


@contextmanager
def _writing(run: Run) -> Iterator[None]:
    run.disk.lock()
    try:
        made_ours(run)
        yield
    finally:
        run.disk.unlock()
