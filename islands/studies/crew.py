"""Who lives the runs of a study: processes of this machine, or one that hands them to a Ray cluster.

A worker may be killed at any time: what it was at is lived again, by another. Results come in any order, and nothing
depends on it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path

import islands
from islands.errors import ClusterError, IslandsError
from islands.studies.plan import Plan
from islands.studies.trial import Trial
from islands.studies.worker import Task

LOSSES = 3  # of the same run, after which it counts as failed
FRUITLESS = 3  # workers in a row that end before they live a run
PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from islands.studies.worker import main; main(*sys.argv[2:])"


class Worker:
    """One process and its end of a socket."""

    def __init__(self, program: str, words: list[str], plan: bytes) -> None:
        ours, theirs = socket.socketpair()
        root = str(Path(islands.__file__).parents[1])
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", program, root, str(theirs.fileno()), *words],
                stdin=subprocess.DEVNULL, stdout=2, pass_fds=(theirs.fileno(),), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise IslandsError(f"a worker of the study cannot be started: {error.strerror}.") from error
        finally:
            theirs.close()
        self.connection = Connection(ours.detach())
        self.slots = 0  # until it is ready
        self.doing: set[Task] = set()
        self.learn(plan)

    def learn(self, plan: bytes) -> None:
        """The tasks from now on are of this plan."""
        with suppress(OSError):  # it is gone: `Crew` will see that
            self.connection.send(plan)

    def give(self, task: Task) -> None:
        self.doing.add(task)
        with suppress(OSError):  # it is gone: `Crew` will see that
            self.connection.send(tuple(task))

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


class Crew:
    """As many workers as asked for, which share the tasks; `address` of a Ray cluster: one, which hands them on."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        self._plan, self._todo = b"", deque[Task]()
        self._program, self._words = PROGRAM, list[str]()
        if address is not None:
            workers, (self._program, self._words) = 1, import_module("cluster.studies").program(address)
        self._most = max(1, workers)
        self._wanted = 0
        self._workers: list[Worker] = []
        self._losses: Counter[Task] = Counter()
        self._fruitless = 0
        self.replaced = 0  # workers that were lost

    def assign(self, plan: Plan, tasks: list[Task]) -> None:
        """These tasks of a plan are to do; nothing else is under way."""
        self._plan, self._todo = plan.model_dump_json().encode(), deque(tasks)
        self._wanted = max(len(self._workers), min(self._most, len(tasks)))
        for worker in self._workers:
            worker.learn(self._plan)

    @property
    def busy(self) -> bool:
        return bool(self._todo) or any(worker.doing for worker in self._workers)

    def drop(self, arm: str) -> None:
        """Leave out what is still to do in an arm."""
        self._todo = deque(task for task in self._todo if task.arm != arm)

    def results(self, timeout: float) -> Iterator[Trial]:
        """What arrives within `timeout` seconds; workers that are idle or missing are seen to."""
        while len(self._workers) < self._wanted and self.busy:
            self._workers.append(Worker(self._program, self._words, self._plan))
        self._hand_out()
        ready = wait([worker.connection for worker in self._workers], timeout)
        for worker in [worker for worker in self._workers if worker.connection in ready]:
            yield from self._hear(worker)
        self._hand_out()

    def stop(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []

    def _hand_out(self) -> None:
        for worker in self._workers:
            while self._todo and len(worker.doing) < worker.slots:
                worker.give(self._todo.popleft())

    def _hear(self, worker: Worker) -> Iterator[Trial]:
        try:
            kind, *rest = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._bury(worker)
            return
        if kind == "ready":
            worker.slots = rest[0]
        elif kind == "refused":
            raise ClusterError(rest[0])
        else:
            task = Task(*rest[0])
            worker.doing.discard(task)
            self._fruitless = 0
            if kind == "done":
                yield Trial.model_validate_json(rest[1])
            else:
                yield from self._lose(task, rest[1])

    def _bury(self, worker: Worker) -> Iterator[Trial]:
        self._workers.remove(worker)
        worker.end()
        self.replaced += 1
        self._fruitless += 1
        reason = f"its process ended with {worker.process.returncode}"
        if not worker.doing and self._fruitless >= FRUITLESS:
            raise IslandsError(f"workers of the study end before they begin: {reason}.")
        for task in sorted(worker.doing):
            yield from self._lose(task, reason)

    def _lose(self, task: Task, reason: str) -> Iterator[Trial]:
        """Live it again, unless it was lost too often."""
        self._losses[task] += 1
        if self._losses[task] < LOSSES:
            self._todo.appendleft(task)
            return
        error = f"the run was lost {LOSSES} times ({reason}). Is memory short?"
        yield Trial(arm=task.arm, instance=task.instance, seed=task.seed, reason="failed", error=error)
