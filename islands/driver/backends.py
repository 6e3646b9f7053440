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
from islands.model.job import MOST_ISLANDS, Job, cpus
from islands.model.messages import Event
from islands.store.run import Run


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


def elsewhere(run: Run) -> Elsewhere | None:
    """Where the islands of a run live besides this process: at once if the job says so, or when it turns out long."""
    job = run.job

    def bridge() -> Remote:
        kind = import_module("cluster.bridge").Bridge
        made: Remote = kind(address=job.address, home=run.disk, wait=job.wait or 0.0, patience=job.patience)
        return made

    if job.backend == "ray" or (job.backend == "auto" and job.address):
        return Elsewhere(bridge, required=True)
    wants_cores = job.backend == "auto" and (job.islands or 1) > 1 and cpus() > 1
    return Elsewhere(bridge) if wants_cores else None
