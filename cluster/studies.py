"""The runs of a study as tasks of a Ray cluster, one each. This process stands in the place of the workers of a study.

It talks to the study like a worker (`islands/studies/worker.py`), takes as many runs at a time as keep the cluster
busy, and ends when the study does: Ray then ends its tasks. A task whose machine is lost is tried again by Ray, and
what Ray gives up is handed back, to be tried once more.
"""

from __future__ import annotations

import os
import pickle
import signal
from contextlib import suppress
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from cluster import address as addresses
from cluster.actors import Where, where
from islands.errors import ClusterError

if TYPE_CHECKING:
    from islands.studies.plan import Plan

AHEAD = 2  # tasks for each CPU: the next one waits where the last one ends
LOOK = 0.1  # seconds between two looks at what the study says
RETRIES = 2  # by Ray itself, of a task whose worker is lost

PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from cluster.studies import main; main(*sys.argv[2:])"


def program(address: str) -> tuple[str, list[str]]:
    """What a study starts in place of workers. UsageError or ClusterError where there is no such cluster."""
    addresses.check(address)
    return PROGRAM, [address]


def main(descriptor: str, address: str) -> None:
    """Serve the study at the other end of the socket until it closes it or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_inheritable(int(descriptor), False)
    connection = Connection(int(descriptor))
    with suppress(EOFError, OSError):  # nobody waits for a result any more
        try:
            _serve(connection, address)
        except ClusterError as error:
            connection.send(("refused", str(error)))
    os._exit(0)  # what Ray does at an orderly end could hang


def _serve(connection: Connection, address: str) -> None:
    from cluster.connection import join

    join(address)
    import ray

    live = ray.remote(num_cpus=1, max_retries=RETRIES)(lived_there)
    shared, own = None, pickle.dumps(where())
    connection.send(("ready", AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))))
    doing: dict[Any, tuple[str, str, int]] = {}
    while True:
        while connection.poll(0 if doing else None):
            message = connection.recv()
            if isinstance(message, bytes):
                shared = ray.put(message)
            else:
                doing[live.remote(shared, message, own)] = message
        done, _ = ray.wait(list(doing), num_returns=1, timeout=LOOK)
        for reference in done:
            task = doing.pop(reference)
            try:
                connection.send(("done", task, ray.get(reference)))
            except ray.exceptions.RayError as error:
                connection.send(("lost", task, _reason(error)))


def _reason(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def lived_there(plan: bytes, task: tuple[str, str, int], own: bytes) -> str:
    """One run, on whatever machine Ray has chosen; the Trial as JSON. A machine with other code lives none."""
    from islands.studies.trial import Trial
    from islands.studies.worker import Task, lived

    other = _other_code(own)
    if other:
        arm, instance, seed = task
        return Trial(arm=arm, instance=instance, seed=seed, reason="failed", error=other).model_dump_json()
    return lived(_plan(plan), Task(*task)).model_dump_json()


@lru_cache(1)
def _plan(packed: bytes) -> Plan:
    from islands.studies.plan import Plan

    return Plan.model_validate_json(packed)


@lru_cache(1)
def _other_code(packed: bytes) -> str:
    """Why this machine would give other results; empty if it would not."""
    from cluster.probe import facts

    own: Where = pickle.loads(packed)
    there = facts()
    reason = own.runs_other_code(there) or own.has_other_versions(there)
    return f"the machine {there['host']} of the cluster cannot live runs of this study: {reason}." if reason else ""
