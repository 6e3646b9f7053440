"""Ray for the islands of one run, which is started for it or joined. Only the bridge calls this, once in its life.

A local Ray belongs to one run. It listens on the loopback interface only, asks for a token that is never written to the
disk, and keeps its files in a directory that only the owner can read. Most of this are environment variables that Ray
reads when it is imported: they are set before.
"""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path
from typing import Any

import islands
from cluster import ray_internals
from cluster.address import dial, is_loopback_only, resolve, token_mode
from islands.errors import BackendLost, ClusterError

STORE = 200 << 20  # bytes of shared memory: reports are small, and a container has little
INLINE = "Use `backend=inline` to run without Ray (on one core)."


def start(scratch: Path, cpus: int) -> None:
    """Start a Ray for this process alone, with `cpus` CPUs and its files in `scratch`. BackendLost if it failed."""
    os.environ.update(
        {
            "NUMBA_NUM_THREADS": "1",
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
            ray_internals.INTERFACES: "0",
            **ray_internals.INLINED,
        }
    )
    ray = _import()
    try:
        with ray_internals.no_helpers():
            ray.init(
                "local",
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=STORE,
                job_config=ray_internals.job_config(Path(islands.__file__).parents[1]),
                log_to_driver=False,
                logging_level=logging.ERROR,
                **ray_internals.local_options(scratch),
            )
    except Exception as error:
        raise BackendLost(f"Ray did not start on this machine: {_first_line(error)} {INLINE}") from error


def join(address: str) -> tuple[str, int]:
    """Join a cluster that somebody else started; returns the host and the port of its head.

    What Ray prints when it cannot join is in the log of this process, and `address.refusal` reads it there.
    """
    host, port = resolve(address)
    dial(host, port, address)
    loopback = is_loopback_only(host, port)
    os.environ.update({"RAY_USAGE_STATS_ENABLED": "0", ray_internals.INTERFACES: "0" if loopback else "1"})
    os.environ.update(token_mode())
    ray = _import()
    try:
        ray.init(
            f"{host}:{port}",
            job_config=ray_internals.job_config(None),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:
        raise ClusterError(f"`address={address}`: {_first_line(error)}") from error
    return host, port


def _import() -> Any:
    try:
        import ray
    except ImportError as error:
        cure = f"Install it with `pip install 'ray{ray_internals.TESTED}'`."
        raise ClusterError(f"Ray cannot be imported: {error}. {cure} {INLINE}") from error
    ray_internals.check()
    return ray


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".") + "."
