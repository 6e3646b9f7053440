"""RayActors: the backend that gives every island a process of its own, on this machine or on a cluster.

A lost island gets a *new* actor instead of Ray's restart: an actor that Ray restarts refuses calls until it is back,
and asks for as many CPUs as before. If these have gone with its machine, it would wait for ever.
"""

from __future__ import annotations

import math
import pickle
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cluster import actors
from cluster.actors import IslandActor, Where, pack
from cluster.capacity import fair_share, free_cpus, machine_cpus
from cluster.connection import Connection, connect
from islands.driver.backend import Arrival
from islands.errors import ClusterError, IslandsError
from islands.model.job import cpus
from islands.model.messages import IslandSpec, Order, State

READY = 60.0  # seconds in which no further island gets ready, after which the start has failed
PLACE = 30.0  # seconds that a new actor may wait for a CPU of its own, before it shares one
LOOK = 1.0  # seconds between two searches for islands that are overdue


@dataclass
class Seat:
    """One island's place in the cluster."""

    spec: bytes
    actor: Any
    found: Any = None  # reference to the Where of a new actor, until it has been read
    home: Where | None = None
    after: list[Any] = field(default_factory=list)  # reference to the warm-up that its first epoch waits for
    answers: deque[Any] = field(default_factory=deque)  # references to the epoch under way and those after it
    token: int = 0
    since: float = 0.0  # when the epoch, or the wait for a CPU, began
    hangs: int = 0


class RayActors:
    """One actor per island. `patience` is how many seconds an epoch may take before its island counts as hung."""

    depth = 2  # an island has its next order while the driver is busy with its report

    def __init__(self, address: str | None, home: Path, *, patience: float = 600.0) -> None:
        self._address, self._home, self._patience = address, home, patience
        self._connection: Connection | None = None
        self._seats: list[Seat] = []
        self._waiting: dict[Any, int] = {}  # reference to the next answer of an island -> island, the oldest first
        self._share = 1.0
        self._looked = 0.0
        self._lost = False

    @property
    def homes(self) -> list[Where | None]:
        """Where each island lives; None for one whose new actor has not started yet."""
        return [seat.home for seat in self._seats]

    def start(self, specs: Sequence[IslandSpec]) -> None:
        """Start or join Ray and make the islands. ClusterError says what is missing."""
        connection = self._connection = connect(self._address, min(len(specs), cpus()))
        import ray  # after connect, which says what to do if Ray is not installed

        try:
            count = len(specs)
            fits = connection.local and count <= cpus()
            self._share = 1.0 if fits else fair_share(machine_cpus(), free_cpus(count), count)
            for spec in specs:
                packed = pack(spec)
                self._seats.append(Seat(packed, self._actor(packed, self._share)))
            for seat in self._seats:
                seat.found = seat.actor.where.remote()
            self._await_all()
            self._warm(specs)
        except ray.exceptions.RayError as error:
            self.stop()
            raise ClusterError(f"the islands did not start: {_reason(error)}.") from error
        except BaseException:
            self.stop()
            raise

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        seat = self._seats[island]
        seat.token = token
        seat.answers.append(seat.actor.evolve.remote(pack((order, state)), seat.after))
        seat.after = []
        if len(seat.answers) == 1:
            self._expect(island)

    def _expect(self, island: int) -> None:
        """Include the island's next answer in those that `receive` waits for."""
        seat = self._seats[island]
        seat.since = time.monotonic()
        self._waiting[seat.answers[0]] = island

    def receive(self, timeout: float) -> Arrival | None:
        import ray

        now = time.monotonic()
        if now - self._looked >= LOOK:
            self._looked = now
            overdue = self._look(now)
            if overdue is not None:
                return overdue
        if not self._waiting:
            return None
        ready, _ = ray.wait(list(self._waiting), num_returns=1, timeout=timeout)
        return self._answer(self._waiting[ready[0]]) if ready else None

    def stop(self) -> None:
        """End the islands, and Ray if it was started here."""
        connection, seats = self._connection, self._seats
        self._seats, self._waiting = [], {}
        if connection is None:
            return
        if not connection.local:
            for seat in seats:
                _kill(seat.actor)
        connection.close(keep=self._home / "ray-logs" if self._lost else None)
        self._connection = None

    # Islands that answer

    def _answer(self, island: int) -> Arrival:
        import ray

        seat = self._seats[island]
        try:
            result = pickle.loads(ray.get(seat.answers[0]))
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, MemoryError):
                raise
            return self._loss(island, "out of memory")
        except ray.exceptions.RayError as error:
            return self._loss(island, _reason(error))
        seat.hangs = 0
        del self._waiting[seat.answers.popleft()]
        if seat.answers:
            self._expect(island)
        if isinstance(result, IslandsError):
            raise result
        place = f"{seat.home.host}:{seat.home.pid}" if seat.home else ""
        return Arrival(island, seat.token, result, place=place)

    # Islands that do not answer

    def _look(self, now: float) -> Arrival | None:
        """Find out which new actors have started, which got no CPU, and which islands hang."""
        import ray

        for island, seat in enumerate(self._seats):
            if seat.found is not None:
                if ray.wait([seat.found], timeout=0)[0]:
                    with suppress(ray.exceptions.RayActorError):  # lost again: the answer to its order says so
                        seat.home = _checked(ray.get(seat.found))
                    seat.found, seat.since = None, now
                elif now - seat.since > PLACE:
                    return self._loss(island, "no CPU was free; it now shares one", guest=True)
            elif seat.answers and now - seat.since > self._patience * 2**seat.hangs:
                seat.hangs += 1  # if the epoch is only slow, the next attempt has twice the time
                return self._loss(island, f"no answer for {now - seat.since:.0f} s")
        return None

    def _fits(self) -> bool:
        """Whether there are still CPUs for all islands; some may have gone with a machine."""
        return sum(math.floor(machine / self._share + 1e-6) for machine in machine_cpus()) >= len(self._seats)

    def _loss(self, island: int, reason: str, *, guest: bool = False) -> Arrival:
        """Give the island a new actor, which has no state yet. A guest shares a CPU with others."""
        seat = self._seats[island]
        self._lost = True
        if seat.answers:
            self._waiting.pop(seat.answers[0], None)
        self._move_in(seat, 0.0 if guest or not self._fits() else self._share)
        return Arrival(island, seat.token, None, reason)

    def _move_in(self, seat: Seat, share: float) -> None:
        _kill(seat.actor)
        seat.actor = self._actor(seat.spec, share)
        seat.found, seat.home, seat.after = seat.actor.where.remote(), None, []
        seat.answers.clear()
        seat.since = time.monotonic()

    # The start

    def _actor(self, spec: bytes, share: float) -> Any:
        import ray

        options = {"num_cpus": share, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        return ray.remote(**options)(IslandActor).remote(spec)

    def _await_all(self) -> None:
        """Wait until every actor has started. ClusterError if no further one does so within READY seconds."""
        import ray

        missing = {seat.found: seat for seat in self._seats}
        while missing:
            ready, _ = ray.wait(list(missing), timeout=READY)
            if not ready:
                raise ClusterError(
                    f"{len(missing)} of {len(self._seats)} islands found no place within {READY:.0f} s: each asks for "
                    f"{self._share:g} CPU, and the cluster has {ray.available_resources().get('CPU', 0):g} free of "
                    f"{ray.cluster_resources().get('CPU', 0):g}. Use fewer --islands, or add machines."
                )
            seat = missing.pop(ready[0])
            try:
                seat.home = _checked(ray.get(ready[0]))
            except ray.exceptions.RayTaskError as error:
                raise ClusterError(
                    f"a machine of the cluster cannot run islands: {type(error.cause).__name__}: {error.cause}. "
                    "Run `pip install puzzle-islands` (this version) on every node."
                ) from error
            seat.found = None

    def _warm(self, specs: Sequence[IslandSpec]) -> None:
        """On each machine one island compiles the kernels; the others wait, and load them from its cache."""
        pairs = list(zip(self._seats, specs, strict=True))
        for node in {seat.home.node for seat in self._seats if seat.home}:
            first, *others = [(seat, spec) for seat, spec in pairs if seat.home and seat.home.node == node]
            if others:
                kinds = {spec.recipe: seat.spec for seat, spec in (first, *others)}
                warmed = first[0].actor.warm.remote(list(kinds.values()))
                for seat, _ in others:
                    seat.after = [warmed]


@cache
def _own() -> Where:
    return actors.where()


def _checked(home: Where) -> Where:
    """`home`, if it runs the same code as this process; otherwise results would differ from machine to machine."""
    ours = _own()
    if home.code == ours.code or (home.host, home.files) == (ours.host, ours.files):
        return home
    if home.version != ours.version:
        raise ClusterError(
            f"{home.host} has puzzle-islands {home.version}, this is {ours.version}. Run "
            f"`pip install puzzle-islands=={ours.version}` on every node."
        )
    strange = [name for name in ours.files if home.files[name] != ours.files[name]] or list(ours.files)
    raise ClusterError(
        f"{home.host} runs other code than this process, though both are version {ours.version}: "
        + ", ".join(f"{name} comes from {home.files[name]} instead of {ours.files[name]}" for name in strange)
        + ". Rename a file or directory that shadows it, or install the same version on every node."
    )


def _kill(actor: Any) -> None:
    import ray

    with suppress(Exception):
        ray.kill(actor)


def _reason(error: Exception) -> str:
    """Why Ray lost an island, in one line."""
    import ray

    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return "out of memory"
    if isinstance(error, ray.exceptions.RayActorError | ray.exceptions.WorkerCrashedError):
        return "its process or its machine died"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
