"""Universes: a backend with virtual time and a disk in memory that misbehave as one seed tells them to.

Messages are late, reordered, doubled and lost; islands, nodes, whole backends and the driver die at any step, starts
included; writes fail or tear.
After everything, a universe must hold exactly the solutions of the quiet one. A failing seed replays exactly.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival
from islands.driver.placement import Elsewhere
from islands.errors import BackendLost, ClusterError, Damaged, DiskError, OutOfStep
from islands.model.island import Island
from islands.model.job import Job, Stop
from islands.model.messages import IslandSpec, Order, State
from islands.store.disk import Disk
from islands.store.run import Run


class Crash(BaseException):
    """The driver's process ends here, as by kill -9: no handler may do anything useful."""


@dataclass
class Faults:
    """How likely each misfortune is, per opportunity, and the source of all chance."""

    random: Random
    kill_island: float = 0.0
    kill_node: float = 0.0
    lose_report: float = 0.0
    double_report: float = 0.0
    kill_driver: float = 0.0
    fail_write: float = 0.0
    lose_backend: float = 0.0
    driver_lives: int = 4
    busy: bool = True  # also resumes with other stop rules, and hand-overs
    seal: int = 250_000  # rows of a full segment
    large: int = 1 << 20  # bytes; a genome with more is a file of its own
    sparse: bool = False  # snapshots every few epochs only, as with a large memory
    depth: int = 1  # orders an island may have
    damage: float = 0.0  # of files, whenever the driver is dead

    @classmethod
    def of(cls, seed: int) -> Faults:
        random = Random(seed)

        def rate(most: float) -> float:
            return random.choice((0.0, random.random() * most))

        return cls(
            random,
            rate(0.25),
            rate(0.1),
            rate(0.2),
            rate(0.4),
            rate(0.1),
            rate(0.15),
            rate(0.1),
            seal=random.choice((5, 250_000)),
            sparse=random.random() < 0.4,
            large=random.choice((0, 1 << 20)),
            depth=random.choice((1, 2, 3)),
        )

    def strike(self, rate: float) -> bool:
        return rate > 0 and self.random.random() < rate

    def kill(self) -> bool:
        """Whether the driver dies here; it has a few lives, so that every universe ends."""
        if self.driver_lives > 0 and self.strike(self.kill_driver):
            self.driver_lives -= 1
            return True
        return False


class MemoryDisk(Disk):
    """A disk that keeps what was renamed into place, may tear appends, and dies with its driver."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(Path("universe"))
        self.files: dict[str, bytes] = {}
        self.faults = faults
        self.dead = False

    def _touch(self) -> None:
        if self.dead:
            raise Crash

    def _die(self) -> None:
        self.dead = True
        raise Crash

    def read(self, name: str) -> bytes:
        self._touch()
        if name not in self.files:
            raise FileNotFoundError(name)
        return self.files[name]

    def write(self, name: str, data: bytes | memoryview) -> None:
        self._touch()
        if self.faults.kill():
            self._die()  # before the rename: the old file stands
        if self.faults.strike(self.faults.fail_write):
            raise DiskError("no space left in this universe")
        self.files[name] = bytes(data)
        if self.faults.kill():
            self._die()

    def append(self, name: str, data: bytes) -> None:
        self._touch()
        if self.faults.kill():
            self.files[name] = self.files.get(name, b"") + data[: self.faults.random.randrange(len(data) + 1)]
            self._die()
        if self.faults.strike(self.faults.fail_write):
            raise DiskError("no space left in this universe")
        self.files[name] = self.files.get(name, b"") + data

    def remove(self, name: str) -> None:
        self._touch()
        if self.faults.kill():
            self._die()
        self.files.pop(name, None)

    def names(self, folder: str) -> list[str]:
        self._touch()
        return sorted(name for name in self.files if name.startswith(folder + "/"))

    def size(self, name: str) -> int:
        return len(self.files[name])

    def lock(self) -> None:
        pass

    def damage(self) -> None:
        """Some files that the manifest names are not what was written."""
        random, lasting = self.faults.random, {"job.json", "problem.py", "events.jsonl", "checkpoint/manifest.json"}
        for name in sorted(set(self.files) - lasting):
            if random.random() < 0.4:
                data = bytearray(self.files.pop(name))
                kind = random.choice(("gone", "torn", "flipped"))
                if kind == "flipped":
                    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
                if kind != "gone":
                    self.files[name] = bytes(data[: random.randrange(len(data))] if kind == "torn" else data)


@dataclass
class Clock:
    """Virtual time."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Simulated:
    """Islands on nodes of two, in virtual time."""

    def __init__(self, faults: Faults, disk: MemoryDisk, clock: Clock | None = None) -> None:
        self.faults, self.disk, self.clock = faults, disk, clock or Clock()
        self._specs: list[IslandSpec] = []
        self._islands: list[Island] = []
        self._post: list[tuple[float, int, Arrival]] = []
        self._sent = 0
        self.depth = faults.depth
        self._busy: set[tuple[int, int, int]] = set()  # island, token, epoch
        self._last: dict[int, float] = {}  # when the last answer of each island arrives

    def start(self, specs: Sequence[IslandSpec]) -> None:
        self._specs = list(specs)
        self._islands = [Island(spec) for spec in specs]
        self._post = []
        self._busy.clear()

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        under_way = sum(one[:2] == (island, token) for one in self._busy)
        assert under_way < self.depth, "one order too many for a busy island"
        self._busy.add((island, token, order.epoch))
        if state is not None:
            self._islands[island].restore(state)
        try:
            arrival = Arrival(island, token, self._islands[island].evolve(order))
        except OutOfStep as error:
            arrival = Arrival(island, token, None, str(error))
        self._later(arrival)
        if self.faults.strike(self.faults.double_report):
            self._later(arrival)
        if self.faults.strike(self.faults.kill_node):
            node = island // 2 * 2
            for neighbour in range(node, min(node + 2, len(self._islands))):
                self.kill(neighbour)
        if self.faults.strike(self.faults.kill_island):
            self.kill(island)
            self._later(Arrival(island, token, None, "killed"))
        elif self.faults.strike(self.faults.lose_report):
            self._post = [entry for entry in self._post if entry[2] is not arrival]
            heapq.heapify(self._post)
            self._later(Arrival(island, token, None, "no answer"), 5.0)

    def kill(self, island: int) -> None:
        """Put an empty island in its place, without a word: its next order tells."""
        self._islands[island] = Island(self._specs[island])

    def receive(self, timeout: float) -> Arrival | None:
        if self.faults.kill():
            self.disk.dead = True
            raise Crash
        if not self._post or self._post[0][0] > self.clock.now + timeout:
            self.clock.now += timeout
            return None
        when, _, arrival = heapq.heappop(self._post)
        self.clock.now = max(self.clock.now, when)
        if arrival.report is not None:
            self._busy.discard((arrival.island, arrival.token, arrival.report.epoch))
        return arrival

    def stop(self) -> None:
        self._post = []

    def _later(self, arrival: Arrival, delay: float = 0.0) -> None:
        self._sent += 1
        when = max(self._soonest() + delay + self.faults.random.random(), self._last.get(arrival.island, 0.0))
        self._last[arrival.island] = when
        heapq.heappush(self._post, (when, self._sent, arrival))

    def _soonest(self) -> float:
        return self.clock.now


class Distant(Simulated):
    """The same outside this process: its start takes a while, may fail, and all of it may be lost at any step."""

    def start(self, specs: Sequence[IslandSpec]) -> None:
        super().start(specs)
        self._begins = self.clock.now + 8 * self.faults.random.random()

    def ready(self) -> bool:
        self._strike()
        return self.clock.now >= self._begins

    def receive(self, timeout: float) -> Arrival | None:
        self._strike()
        return super().receive(timeout)

    def _strike(self) -> None:
        if self.faults.strike(self.faults.lose_backend):
            raise self.faults.random.choice((BackendLost, BackendLost, ClusterError))("lost in this universe")

    def _soonest(self) -> float:
        return max(self.clock.now, self._begins)


@dataclass(frozen=True)
class End:
    """How a universe ended: its solutions in order and, where snapshots are dense, everything else that lives."""

    rows: list[tuple[str, int, int, int]]
    counted: int
    life: str | None

    def matches(self, other: End) -> bool:
        same = self.rows == other.rows and self.counted == other.counted
        return same and (None in (self.life, other.life) or self.life == other.life)


def rows(run: Run) -> list[tuple[str, int, int, int]]:
    """What must be the same in every universe."""
    return [(solution.id, solution.island, solution.epoch, solution.generation) for solution in run]


def readable(run: Run) -> tuple[list[tuple[str, int, int, int]], bool]:
    """The rows that can be read, and whether others cannot."""
    found: list[tuple[str, int, int, int]] = []
    try:
        for solution in run:
            found.append((solution.id, solution.island, solution.epoch, solution.generation))
    except Damaged:
        return found, True
    return found, False


def life(run: Run) -> str | None:
    """A digest of the last checkpoint: populations, memories, mail, counters."""
    checkpoint = run.checkpoint()
    if checkpoint is None:
        return None
    counters = checkpoint.counters.model_dump(mode="json")
    for status in counters["status"]:
        status["seconds"] = 0.0
    digest = hashlib.sha256(json.dumps(counters, sort_keys=True).encode())
    for name in sorted(checkpoint.arrays):
        digest.update(name.encode() + checkpoint.arrays[name].tobytes())
    return digest.hexdigest()


def live(job: Job, faults: Faults) -> End:
    """Run one universe to its end, with as many resumes as it takes."""
    disk = MemoryDisk(faults)
    reported: list[tuple[str, int, int, int]] = []
    for _ in range(80):
        disk.dead = False
        try:
            run = Run(disk) if "job.json" in disk.files else Run.create(disk, _shorter(job, faults))
            conduct(run, faults, disk)
            if run.job.stop == job.stop:
                return End(rows(run), run.manifest().counted, None if faults.sparse else life(run))
            run.change_stop(job.stop)
        except (Crash, DiskError, ClusterError):
            disk.dead = False
            disk.faults.lose_backend *= 0.5
            disk.faults.fail_write *= 0.5  # somebody makes room, little by little
        if "job.json" in disk.files:
            there, lost = readable(Run(disk))
            if lost:
                known = {row[0] for row in reported}
                assert job.race or {row[0] for row in there} <= known, "damage has become a solution"
                continue
            assert job.race or there[: len(reported)] == reported, "a reported solution is gone or changed"
            assert {row[0] for row in reported} <= {row[0] for row in there}, "a reported solution is gone"
            reported = there
            if faults.strike(faults.damage):
                disk.damage()
                reported = [] if job.race else reported  # a race finds others again
    raise AssertionError("this universe never ends")


def conduct(run: Run, faults: Faults, disk: MemoryDisk) -> None:
    clock = Clock()
    elsewhere = None
    if faults.strike(0.6 if faults.busy else 0):
        elsewhere = Elsewhere(lambda: Distant(faults, disk, clock), required=faults.strike(0.5))
    here = Simulated(faults, disk, clock)
    archipelago = Archipelago(run, here, clock=clock, elsewhere=elsewhere, listen=_Promise(run))
    archipelago.writer.seal = faults.seal
    run.large = faults.large
    if faults.sparse:
        archipelago.coordinator.small_snapshot = 300
    archipelago.conduct()


class _Promise:
    """A run never reports fewer solutions than before."""

    def __init__(self, run: Run) -> None:
        self.total = len(run)

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] == "recovery":
            self.total = 0  # of what is found again
        if event["event"] == "checkpoint":
            assert event["total"] >= self.total, "a reported solution is gone"
            self.total = event["total"]


def _shorter(job: Job, faults: Faults) -> Job:
    """Some universes first ask for less, and then go on with the job's own stop rule."""
    stop = job.stop
    if not faults.busy or stop.exhaustive or faults.random.random() < 0.6:
        return job
    less = {name: faults.random.randint(1, value) for name, value in stop.model_dump().items() if value}
    return job.model_copy(update={"stop": Stop.model_validate(less)})


def quiet(job: Job) -> End:
    """The universe in which nothing goes wrong."""
    return live(job, Faults(Random(0), busy=False))
