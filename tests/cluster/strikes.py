"""Real faults: processes of a bridge that are killed or stopped at a chosen moment of a run on a Ray of its own."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

import psutil

from cluster.bridge import Bridge
from cluster.processes import session
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline
from islands.driver.placement import Elsewhere
from islands.model.messages import Event
from islands.shards.messages import spec_of
from islands.store.local_disk import LocalDisk
from islands.store.run import Run

PATIENCE = 900.0  # seconds for everything that a run goes through, on a busy machine
AFTER = 12  # reports from Ray after the last strike, with which a run ends


def victims(leader: int, target: str) -> list[psutil.Process]:
    """The processes of a session that a target means."""
    found = []
    for process in session(leader):
        with suppress(psutil.Error):
            name, words = process.name(), " ".join(process.cmdline())
            if target == "bridge":
                match = process.pid == leader
            elif target == "worker":  # the raylet's command line has the name of the worker's script as well
                match = name != "raylet" and ("default_worker.py" in words or words.startswith("ray::I"))
            elif target in ("shard", "collector"):
                match = words.startswith(f"ray::{target[0].upper()}")
            else:
                match = name == target
            if match:
                found.append(process)
    return found


@dataclass
class Struck:
    """A run on Ray in which these targets are struck, one after the other, each at `moment`."""

    run: Run
    moment: str  # start, mid-run, commit
    targets: list[str]
    random: Random
    number: signal.Signals = signal.SIGKILL
    silence: float = 15.0
    shards: int = 0  # of the archive
    bridges: list[Bridge] = field(default_factory=list)
    leaders: list[int] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    doomed: list[Bridge] = field(default_factory=list)  # which have lost more than a worker

    def conduct(self) -> None:
        """See it through until all strikes have come and the islands have reported from Ray again."""
        self.archipelago = Archipelago(
            self.run, Inline(), elsewhere=Elsewhere(self._make, required=True), listen=self._listen
        )
        deadline = threading.Timer(PATIENCE, self.archipelago.interrupt)
        deadline.start()
        try:
            with self._at_commits() if self.moment == "commit" else _nothing():
                self.archipelago.conduct()
        finally:
            deadline.cancel()
            deadline.join()

    def _make(self) -> Bridge:
        self.bridges.append(_Counting(self))
        if self.moment == "start" and self.targets:
            threading.Thread(target=self._strike_at_start, args=(self.bridges[-1],), daemon=True).start()
        return self.bridges[-1]

    def _listen(self, event: Event) -> None:
        self.events.append(event["event"])

    def reported(self, bridge: _Counting) -> None:
        """A report has come from Ray."""
        if self.moment == "mid-run" and self.targets and bridge.reports >= bridge.fate:
            bridge.fate += self.random.randrange(3, 30)
            self.strike(bridge)
        if not self.targets and bridge.reports >= AFTER and bridge not in self.doomed:
            self.archipelago.interrupt()

    def strike(self, bridge: Bridge) -> bool:
        """Strike the next target, if it is there."""
        assert bridge.pid is not None
        found = victims(bridge.pid, self.targets[0]) if bridge not in self.doomed else []
        if found:
            self.struck.append(self.targets.pop(0))
            if self.struck[-1] not in ("worker", "shard"):
                self.doomed.append(bridge)
            with suppress(OSError):
                os.kill(self.random.choice(found).pid, self.number)
        return bool(found)

    def _strike_at_start(self, bridge: Bridge) -> None:
        """Wait until the target is there, and a little more; some targets appear late, when all is ready."""
        delay = self.random.random()
        while bridge.pid is None:
            time.sleep(0.005)
        leader = bridge.pid
        while not victims(leader, self.targets[0]):
            time.sleep(0.02)
        time.sleep(delay)
        if bridge.pid == leader:
            self.strike(bridge)

    @contextmanager
    def _at_commits(self) -> Iterator[None]:
        """Strike when a commit has written its files and not yet its manifest."""
        write: Callable[[LocalDisk, str, bytes], None] = LocalDisk.write

        def struck(disk: LocalDisk, name: str, data: bytes) -> None:
            bridge = self.bridges[-1] if self.bridges else None
            if name.endswith("manifest.json") and self.targets and bridge is not None and bridge.reports > 3:
                self.strike(bridge)
            write(disk, name, data)

        with patch.object(LocalDisk, "write", struck):
            yield


class _Counting(Bridge):
    """A bridge that counts the reports it brings."""

    def __init__(self, struck: Struck) -> None:
        job = struck.run.job
        shards = [spec_of(job, number, struck.shards) for number in range(struck.shards)]
        super().__init__(None, struck.run.disk, silence=struck.silence, shards=shards)
        self.reports, self.fate, self._struck = 0, struck.random.randrange(3, 30), struck

    def start(self, specs: object) -> None:
        super().start(specs)  # type: ignore[arg-type]
        assert self.pid is not None
        self._struck.leaders.append(self.pid)

    def receive(self, timeout: float) -> object:  # type: ignore[override]
        arrival = super().receive(timeout)
        if isinstance(arrival, Arrival) and arrival.report is not None:
            self.reports += 1
            self._struck.reported(self)
        return arrival


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def scratch(driver: int | None = None) -> list[str]:
    """The scratch directories of a driver, which is this process if none is given."""
    return [str(path) for path in Path("/tmp").glob(f"islands-{driver or os.getpid()}-*")]


def until_nothing_is_left(leaders: list[int], driver: int) -> None:
    """Killed processes may need a while to end on a busy machine."""
    for _ in range(600):
        left = left_over(leaders, driver)
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"left over: {left}")


def left_over(leaders: list[int], driver: int | None = None, before: Sequence[str] = ()) -> list[str]:
    """Processes of these sessions, and scratch directories of the driver but for those of `before`.

    Shared memory needs no look: its files have no name any more while it is used, see drivers.lifecycle.
    """
    processes = [str(process) for leader in leaders for process in session(leader)]
    return [*processes, *(path for path in scratch(driver) if path not in before)]
