"""RayActors: a process of its own for every island, on this machine or on a cluster. Lives in the bridge.

Messages are bytes, which are passed on unopened. A lost island gets a *new* actor instead of Ray's restart: an actor
that Ray restarts refuses calls until it is back, and asks for as many CPUs as before. If these have gone with its
machine, it would wait for ever.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from cluster.actors import IslandActor, Where
from cluster.capacity import fair_share, free_cpus, machine_cpus
from islands.errors import BackendLost, ClusterError

READY = 60.0  # seconds in which no further island gets ready, after which the start has failed
PLACE = 30.0  # seconds that a new actor may wait for a CPU of its own, before it shares one
LOOK = 1.0  # seconds between two searches for islands that are overdue
LOSSES = 8  # of one island during the start, after which that has failed


class Answer(NamedTuple):
    """What an island answered to an order; or, without a body, the reason why it is gone. It comes back empty."""

    island: int
    token: int
    body: bytes | None
    reason: str = ""


@dataclass(eq=False)
class Seat:
    """One island's place in the cluster."""

    island: int
    spec: bytes
    actor: Any
    found: Any = None  # reference to the Where of a new actor, until it has been read
    home: Where | None = None
    warmed: Any = None  # reference to its warm-up
    after: list[Any] = field(default_factory=list)  # reference to another's warm-up, for which its first epoch waits
    answers: deque[tuple[int, Any]] = field(default_factory=deque)  # token and future of the orders it has
    token: int = -1  # of the last order
    gone: int = -1  # orders with this token or a lower one were for an actor that was replaced
    since: float = 0.0  # when the epoch, or the wait for a CPU, began
    hangs: int = 0
    losses: int = 0  # during the start


class RayActors:
    """One actor per island, on the Ray that this process has started or joined.

    `patience` is how many seconds an epoch may take before its island counts as hung; `settled` is called whenever an
    island has found its place.
    """

    def __init__(self, own: Where, *, patience: float, settled: Callable[[int, Where], None] = lambda *_: None) -> None:
        self._own, self._patience, self._settled = own, patience, settled
        self._seats: list[Seat] = []
        self._answered: SimpleQueue[Seat | None] = SimpleQueue()
        self._share = 1.0
        self._looked = 0.0

    def start(self, specs: Sequence[tuple[str, bytes]], *, enough: bool) -> None:
        """Make the islands of these recipes and packed specs. ClusterError says what is missing; BackendLost = it is
        Ray itself. `enough` = it is known that there is a CPU for each.
        """
        import ray

        count = len(specs)
        try:
            self._share = 1.0 if enough else fair_share(machine_cpus(), free_cpus(count), count)
            for island, (_, spec) in enumerate(specs):
                self._seats.append(Seat(island, spec, self._actor(spec, self._share)))
            for seat in self._seats:
                seat.found = seat.actor.where.remote()
            self._await_all()
            self._warm_machines([recipe for recipe, _ in specs])
        except ray.exceptions.RayError as error:
            raise BackendLost(f"the islands did not start: {_reason(error)}.") from error

    def warm(self) -> None:
        """Wait until every island has its kernels, so that its first report will not be late."""
        import ray

        warming = [seat.warmed or seat.actor.warm.remote([seat.spec], seat.after) for seat in self._seats]
        while warming:
            done, warming = ray.wait(warming, num_returns=1)
            with suppress(ray.exceptions.RayActorError):  # it is replaced when it is given an order
                ray.get(done[0])

    def send(self, island: int, token: int, message: bytes) -> None:
        """Let an island live an epoch: a packed (order, state). An order for a lost actor is dropped."""
        seat = self._seats[island]
        if token <= seat.gone:
            return
        if not seat.answers:
            seat.since = time.monotonic()
        future = seat.actor.evolve.remote(message, seat.after).future()
        seat.token, seat.after = token, []
        seat.answers.append((token, future))
        future.add_done_callback(lambda _: self._answered.put(seat))  # in a thread of Ray

    def receive(self, timeout: float) -> Answer | None:
        """The next answer; None when there is none within `timeout` seconds, or after `wake`."""
        now = time.monotonic()
        if now - self._looked >= LOOK:
            self._looked = now
            overdue = self._look(now)
            if overdue is not None:
                return overdue
        try:
            seat = self._answered.get(timeout=timeout) if timeout else self._answered.get_nowait()
        except Empty:
            return None
        return None if seat is None else self._answer(seat)

    def wake(self) -> None:
        """Let `receive` return at once. For any thread."""
        self._answered.put(None)

    def stop(self) -> None:
        """End all islands. Not needed where Ray ends with them."""
        for seat in self._seats:
            _kill(seat.actor)
        self._seats = []

    # Islands that answer

    def _answer(self, seat: Seat) -> Answer | None:
        """The answer to the oldest order, if it is there: Ray may report two orders as done in the wrong order."""
        import ray

        if not seat.answers or not seat.answers[0][1].done():
            return None
        token, future = seat.answers[0]
        try:
            body: bytes = future.result()
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, MemoryError):
                raise
            return self._loss(seat, "out of memory")
        except ray.exceptions.RayError as error:
            return self._loss(seat, _reason(error))
        seat.answers.popleft()
        seat.hangs, seat.since = 0, time.monotonic()
        if seat.answers and seat.answers[0][1].done():
            self._answered.put(seat)  # again, as it was in vain before
        return Answer(seat.island, token, body)

    # Islands that do not answer

    def _look(self, now: float) -> Answer | None:
        """Find out which new actors have started, which got no CPU, and which islands hang."""
        import ray

        for seat in self._seats:
            if seat.found is not None:
                if ray.wait([seat.found], timeout=0)[0]:
                    with suppress(ray.exceptions.RayActorError):  # lost again: the answer to its order says so
                        self._settle(seat, ray.get(seat.found))
                    seat.found, seat.since = None, now
                elif now - seat.since > PLACE:
                    return self._loss(seat, "no CPU was free; it now shares one", guest=True)
            elif seat.answers and now - seat.since > self._patience * 2**seat.hangs:
                seat.hangs += 1  # if the epoch is only slow, the next attempt has twice the time
                return self._loss(seat, f"no answer for {now - seat.since:.0f} s")
        return None

    def _fits(self) -> bool:
        """Whether there are still CPUs for all islands; some may have gone with a machine."""
        return sum(math.floor(machine / self._share + 1e-6) for machine in machine_cpus()) >= len(self._seats)

    def _loss(self, seat: Seat, reason: str, *, guest: bool = False) -> Answer:
        """Give the island a new actor, which has no state yet. A guest shares a CPU with others."""
        seat.gone = seat.token
        self._move_in(seat, 0.0 if guest or not self._fits() else self._share)
        return Answer(seat.island, seat.token, None, reason)

    def _move_in(self, seat: Seat, share: float) -> None:
        _kill(seat.actor)
        seat.actor = self._actor(seat.spec, share)
        seat.found, seat.home, seat.warmed, seat.after = seat.actor.where.remote(), None, None, []
        seat.answers.clear()
        seat.since = time.monotonic()

    # The start

    def _actor(self, spec: bytes, share: float) -> Any:
        import ray

        options = {"num_cpus": share, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        return ray.remote(**options)(IslandActor).remote(spec)

    def _settle(self, seat: Seat, home: Where) -> None:
        home.check(self._own)
        seat.home = home
        self._settled(seat.island, home)

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
                    f"{ray.cluster_resources().get('CPU', 0):g}. Use fewer `islands`, or add machines."
                )
            seat = missing.pop(ready[0])
            try:
                self._settle(seat, ray.get(ready[0]))
                seat.found = None
            except ray.exceptions.RayTaskError as error:
                raise ClusterError(
                    f"a machine of the cluster cannot run islands: {type(error.cause).__name__}: {error.cause}. "
                    "Run `pip install puzzle-islands` (this version) on every node."
                ) from error
            except ray.exceptions.RayActorError:
                seat.losses += 1
                if seat.losses == LOSSES:
                    raise
                self._move_in(seat, self._share)
                missing[seat.found] = seat

    def _warm_machines(self, recipes: Sequence[str]) -> None:
        """On each machine one island compiles the kernels; the others wait, and load them from its cache."""
        pairs = list(zip(self._seats, recipes, strict=True))
        for node in {seat.home.node for seat in self._seats if seat.home}:
            first, *others = [(seat, recipe) for seat, recipe in pairs if seat.home and seat.home.node == node]
            if others:
                kinds = {recipe: seat.spec for seat, recipe in (first, *others)}
                first[0].warmed = first[0].actor.warm.remote(list(kinds.values()))
                for seat, _ in others:
                    seat.after = [first[0].warmed]


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
