"""A process that lives runs of a study, one after the other: kernels and puzzles stay warm. Talks over a socket.

| message | from | |
|---|---|---|
| bytes | parent | the plan as JSON, first of all, and whenever there is another one |
| (arm, instance, seed) | parent | live this run |
| ("ready", slots) | worker | how many runs it takes at a time |
| ("done", run, result) | worker | the Trial as JSON |
| ("lost", run, reason) | worker | it must be lived again; only where runs are lived elsewhere |
| ("refused", reason) | worker | it cannot begin, and another one could not either |
"""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from typing import NamedTuple

from islands.errors import IslandsError
from islands.studies.plan import Plan
from islands.studies.trial import Trial, conduct_trial


class Task(NamedTuple):
    """Which run of a study."""

    arm: str
    instance: str
    seed: int


def lived(plan: Plan, task: Task) -> Trial:
    """One run of a study; where the puzzle's code fails in it, a result that says so."""
    parent = os.getppid()
    name = {"arm": task.arm, "instance": task.instance}
    try:
        job = plan.job_of(*task)
        return conduct_trial(job, plan.budget, plan.unit, name, lambda: os.getppid() == parent)
    except IslandsError as error:
        return Trial(**name, seed=task.seed, reason="failed", error=str(error))
    except Exception as error:
        return Trial(**name, seed=task.seed, reason="failed", error=f"unexpected {type(error).__name__}: {error}")


def main(descriptor: str) -> None:
    """Serve the parent at the other end of the socket until it closes it or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    os.set_inheritable(int(descriptor), False)
    connection = Connection(int(descriptor))
    try:
        connection.send(("ready", 1))
        plan: Plan | None = None
        while True:
            message = connection.recv()
            if isinstance(message, bytes):
                plan = Plan.model_validate_json(message)
            elif plan is not None:
                connection.send(("done", message, lived(plan, Task(*message)).model_dump_json()))
    except (EOFError, OSError):  # nobody waits for a result any more
        return
