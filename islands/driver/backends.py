"""Where a run's islands live: the one place where a backend is chosen.

`cluster` is looked up by name and only when it is needed: this package does not depend on Ray.
"""

from __future__ import annotations

import os
from importlib import import_module

from islands.driver.backend import Remote
from islands.driver.placement import Elsewhere
from islands.errors import UsageError
from islands.model.job import cpus
from islands.store.run import Run


def check_address(address: str | None, backend: str) -> None:
    """UsageError where the address is malformed or not used, ClusterError where nothing answers."""
    if address is None:
        return
    if backend == "inline":
        raise UsageError(f"`address={address}` joins a Ray cluster, which `backend=inline` does not use. Drop one.")
    import_module("cluster.address").check(address)


def environment_address(backend: str) -> str | None:
    """The cluster that RAY_ADDRESS names, which counts as `address`; None where the islands do not go to any."""
    named = os.environ.get("RAY_ADDRESS", "")
    return None if backend == "inline" or named in ("", "local") else named


def elsewhere(run: Run) -> Elsewhere | None:
    """Where the islands of a run live besides this process: at once if the job says so, or when it turns out long."""
    job = run.job

    def bridge() -> Remote:
        made: Remote = import_module("cluster.bridge").Bridge(address=job.address, home=run.path)
        return made

    if job.backend == "ray" or (job.backend == "auto" and job.address):
        return Elsewhere(bridge, required=True)
    wants_cores = job.backend == "auto" and (job.islands or 1) > 1 and cpus() > 1
    return Elsewhere(bridge) if wants_cores else None
