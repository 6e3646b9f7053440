"""Universes: a backend with virtual time and a disk in memory that misbehave as one seed tells them to.

Messages are late, reordered, doubled and lost; islands, nodes, whole backends and the driver die at any step, starts
included; writes fail or tear. Half of the disks are object storage, where they also fail after they were done, or are
done after they failed.
After everything, a universe must hold exactly the solutions of the quiet one. A failing seed replays exactly.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from random import Random
from typing import Any

from simulated_backends import Distant, Simulated
from simulated_disks import Memory, MemoryDisk, MemoryStore, StoreDisk
from simulated_faults import Clock, Crash, Faults
from simulated_ray import OnRay

from islands.clock.coordinator import Coordinator
from islands.driver.archipelago import Archipelago
from islands.driver.placement import Elsewhere
from islands.errors import ClusterError, Damaged, DiskError
from islands.model.checkpoint import END, END_COSTS, Checkpoint
from islands.model.job import Job
from islands.model.stop import Stop
from islands.shards.messages import spec_of
from islands.store.files import EVENTS, JOB, MANIFEST
from islands.store.run import Run


@dataclass(frozen=True)
class End:
    """How a universe ended: its solutions in order, and everything else that lived at its last checkpoint.

    The quiet universe tells that of every epoch: others were saved at other ones.
    """

    rows: list[tuple[str, int, int, int]]
    counted: int
    lives: dict[int, str]  # by epoch

    def matches(self, quiet: End) -> bool:
        same = self.rows == quiet.rows and self.counted == quiet.counted
        return same and self.lives.items() <= quiet.lives.items()


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


def superfluous(disk: MemoryDisk, run: Run) -> list[str]:
    """The files of a run that has ended which are no part of it."""
    lasting = {JOB, "problem.py", EVENTS, MANIFEST, *run.manifest().names}
    return sorted(name for name in disk.files if name not in lasting and not name.startswith("trace/0"))


def life(checkpoint: Checkpoint | None) -> dict[int, str]:
    """A digest of a checkpoint by its epoch: populations, memories, mail, counters.

    Without the nearest candidates of a run that has ended: one that first was asked for less still has those of that
    end if it ends again before another checkpoint.
    """
    if checkpoint is None:
        return {}
    counters = checkpoint.counters.model_dump(mode="json")
    for status in counters["status"]:
        status["seconds"] = 0.0
    digest = hashlib.sha256(json.dumps(counters, sort_keys=True).encode())
    for name in sorted(set(checkpoint.arrays) - {END, END_COSTS}):
        digest.update(name.encode() + checkpoint.arrays[name].tobytes())
    return {checkpoint.counters.epoch: digest.hexdigest()}


def live(job: Job, faults: Faults) -> End:
    """Run one universe to its end, with as many resumes as it takes."""
    memory: MemoryDisk | MemoryStore = MemoryStore(faults) if faults.store else MemoryDisk(faults)
    reported: list[tuple[str, int, int, int]] = []
    for _ in range(80):
        memory.dead = False
        disk = StoreDisk(memory) if isinstance(memory, MemoryStore) else memory
        try:
            run = Run(disk) if "job.json" in memory.files else Run.create(disk, _shorter(job, faults))
            lives = conduct(run, faults, memory)
            if isinstance(disk, MemoryDisk):
                assert superfluous(disk, run) == [], "files are left that do not count"
            if run.job.stop == job.stop:
                return End(rows(run), run.manifest().counted, life(run.checkpoint()) | lives)
            run.change_stop(job.stop)
        except (Crash, DiskError, ClusterError):
            memory.dead = False
            faults.lose_backend *= 0.5
            faults.fail_write *= 0.5  # somebody makes room, little by little
            faults.fail_store *= 0.5
        if "job.json" in memory.files:
            with faults.calm():
                there, lost = readable(Run(disk))
            if lost:
                known = {row[0] for row in reported}
                assert job.race or {row[0] for row in there} <= known, "damage has become a solution"
                continue
            assert job.race or there[: len(reported)] == reported, "a reported solution is gone or changed"
            assert {row[0] for row in reported} <= {row[0] for row in there}, "a reported solution is gone"
            reported = there
            if faults.strike(faults.damage):
                memory.damage()
                reported = [] if job.race else reported  # a race finds others again
    raise AssertionError("this universe never ends")


def conduct(run: Run, faults: Faults, memory: Memory) -> dict[int, str]:
    """Live until the driver dies or the run ends. What lived at each checkpoint, if nothing goes wrong."""
    clock = memory.clock = Clock()
    elsewhere = None
    if faults.strike(0.6 if faults.busy else 0):
        kind = OnRay if faults.on_ray else Distant
        count = 0 if run.job.race else faults.random.choice(faults.shards)
        shards = [spec_of(run.job, number, count) for number in range(count)]
        elsewhere = Elsewhere(lambda: kind(faults, memory, clock, shards), required=faults.strike(0.5))
    here = Simulated(faults, memory, clock)
    archipelago = Archipelago(run, here, clock=clock, elsewhere=elsewhere, listen=_Promise(run))
    archipelago.writer.seal = faults.seal
    archipelago.keeper.many = 0 if faults.patient else archipelago.keeper.many
    run.large = faults.large
    if faults.sparse:
        archipelago.coordinator.small_snapshot = 300
    lives = {} if faults.busy else _watched(archipelago.coordinator)
    archipelago.conduct()
    return lives


def _watched(coordinator: Coordinator) -> dict[int, str]:
    """Filled with what lives at every checkpoint that is made from now on."""
    lives: dict[int, str] = {}
    remember = coordinator._remember

    def watched() -> None:
        remember()
        lives.update(life(coordinator.checkpoint))

    coordinator._remember = watched  # type: ignore[method-assign]
    return lives


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
