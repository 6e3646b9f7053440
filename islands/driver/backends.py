"""Where a run's islands live: the one place where a backend is chosen.

`cluster` is looked up by name and only when it is needed: this package does not depend on Ray.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from islands.driver.backend import Backend, Inline
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


def choose(run: Run) -> tuple[Backend, Callable[[], Backend] | None]:
    """Where the islands live now, and where they move when the job turns out to be long."""
    job = run.job

    def on_ray() -> Backend:
        backend: Backend = import_module("cluster.launch").RayActors(address=job.address, home=run.path)
        return backend

    if job.backend == "ray" or (job.backend == "auto" and job.address):
        return on_ray(), None
    wants_cores = job.backend == "auto" and (job.islands or 1) > 1 and cpus() > 1
    return Inline(), on_ray if wants_cores else None
