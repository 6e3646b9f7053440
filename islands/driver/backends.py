"""Where a run's islands live: the one place where a backend is chosen.

`cluster` is looked up by name and only when it is needed: this package does not depend on Ray.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from islands.driver.backend import Remote
from islands.driver.placement import Elsewhere
from islands.errors import UsageError
from islands.model.entries import AS_NEEDED, MOST_ISLANDS, MOST_SHARDS
from islands.model.job import Job, cpus
from islands.model.messages import Event
from islands.shards.messages import spec_of
from islands.store.run import Run
from islands.writing.words import many

MANY_ISLANDS = 16  # from which on a cluster's archive is in shards, if nobody says otherwise
MANY_SOLUTIONS = 10_000_000  # ... and that are asked for


def check_address(address: str | None, backend: str) -> None:
    """UsageError where the address is malformed or not used, ClusterError where nothing answers."""
    if address is None:
        return
    if backend == "inline":
        raise UsageError(f"`address={address}` joins a Ray cluster, which `backend=inline` does not use. Drop one.")
    import_module("cluster.address").check(address)


def check_wait(wait: float | None, address: str | None) -> None:
    """UsageError where there is nothing to wait for."""
    if wait is not None and address is None:
        raise UsageError("`wait` is for a busy cluster, and there is none: give its `address`, or drop `wait`.")


def environment_address(backend: str) -> str | None:
    """The cluster that RAY_ADDRESS names, which counts as `address`; None where the islands do not go to any."""
    named = os.environ.get("RAY_ADDRESS", "")
    return None if backend == "inline" or named in ("", "local") else named


def usual_islands(job: Job, listen: Callable[[Event], None] | None) -> int:
    """How many islands a job gets that does not say it: one per CPU, of the cluster if it names one. `listen` hears
    what is waited for.
    """
    if job.address is None:
        return cpus()
    check_address(job.address, job.backend)
    room: int = import_module("cluster.bridge").room_on(job.address, job.wait or 0.0, listen or (lambda _: None))
    return min(room, MOST_ISLANDS)


def shards_of(run: Run) -> tuple[int, str]:
    """In how many shards the archive of a run is, where its islands live on Ray; and why that is 0, if somebody asked
    for more.
    """
    job, asked = run.job, run.job.shards
    wanted = job.stop.number or 0
    if asked == AS_NEEDED:
        worth = job.address is not None and (job.islands or 1) >= MANY_ISLANDS and wanted >= MANY_SOLUTIONS
        asked = min((job.islands or 1) // 2, MOST_SHARDS) if worth and not job.race and not run.is_large else 0
        return asked, ""
    if asked and job.race:
        return 0, "shards consume what islands find in one order, and a race has none"
    if asked and run.is_large:
        return 0, "genomes above 1 MB are files of their own, which the driver writes"
    if asked and _everywhere(job) is None:
        return 0, "all islands live in this process; `backend=ray` lets them live on Ray"
    return asked, ""


def check_shards(job: Job) -> None:
    """UsageError where there are more shards than would ever have something to do."""
    most = max(4, 4 * (job.islands or 1))
    if job.shards > most:
        raise UsageError(
            f"`shards={job.shards}`: {job.islands} islands keep {most} shards busy at the most. A good number is one "
            "for every two islands; `shards=auto` chooses it."
        )
    known = [] if job.shards <= 0 else [job.stop.number, job.problem.known_total()]
    enough = min((number for number in known if number is not None), default=job.shards)
    if job.shards > max(1, enough):
        raise UsageError(
            f"`shards={job.shards}`: the run keeps {many(enough, 'solution')} at the most, which cannot fill them. "
            "Leave `shards` out."
        )


def _everywhere(job: Job) -> bool | None:
    """Whether the islands must live on Ray; None where they never do."""
    if job.backend == "ray" or (job.backend == "auto" and job.address):
        return True
    wants_cores = job.backend == "auto" and (job.islands or 1) > 1 and cpus() > 1
    return False if wants_cores else None


def elsewhere(run: Run) -> Elsewhere | None:
    """Where the islands of a run live besides this process: at once if the job says so, or when it turns out long."""
    job = run.job
    check_shards(job)

    def bridge() -> Remote:
        kind = import_module("cluster.bridge").Bridge
        count, _ = shards_of(run)
        shards = [spec_of(job, number, count) for number in range(count)]
        wait = job.wait or 0.0
        made: Remote = kind(address=job.address, home=run.disk, wait=wait, patience=job.patience, shards=shards)
        return made

    required = _everywhere(job)
    return None if required is None else Elsewhere(bridge, required=required)
