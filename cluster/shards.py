"""The shards of an archive as Ray actors. Lives in the bridge; messages are bytes, which are passed on unopened.

A lost shard gets a new actor, which knows nothing: the driver tells it what the run knew at its last commit. All
islands are told whom they send their parts to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from cluster.capacity import ISLAND, Room
from cluster.housing import Housing
from cluster.seats import ShardAnswer, kill, reason_of
from islands.errors import ClusterError

READY = 60.0  # seconds for a shard to start
PLACE = 30.0  # ... and for one that takes the place of a lost one, before another node is tried


@dataclass(eq=False)
class ShardSeat:
    """A shard's place in the cluster."""

    shard: int
    spec: bytes
    node: str = ""
    actor: Any = None
    found: Any = None  # reference to the Where of a new actor, until it has been read
    since: float = 0.0  # when the actor was made, or has started
    calls: list[tuple[int, Any, float]] = field(default_factory=list)  # token, future, and when it was asked
    token: int = -1  # of the last request
    hangs: int = 0
    gone: int = -1  # requests with this token or a lower one were for an actor that was replaced


class ShardActors:
    """One actor per shard. `later` is called when one has answered, in a thread of Ray; `introduce` when one is new."""

    def __init__(
        self,
        housing: Housing,
        patience: float,
        later: Callable[[ShardSeat], None],
        introduce: Callable[[], None],
    ) -> None:
        self._housing, self._patience, self._later, self._introduce = housing, patience, later, introduce
        self._seats: list[ShardSeat] = []

    def start(self, specs: Sequence[bytes], rooms: Sequence[Room], *, beside: int) -> None:
        """Make the shards, spread over the nodes, before the islands, of which there are `beside`. ClusterError if
        there is no memory for them, or one does not start."""
        import ray

        fitting = self._housing.nodes.fitting()
        if specs and fitting < beside + len(specs):
            raise ClusterError(
                f"`shards={len(specs)}`: the free memory suffices for {fitting} islands and shards of "
                f"{ISLAND >> 20} MB, and there are {beside} islands. Use fewer `shards`, `shards=0`, or more machines."
            )
        self._seats = [ShardSeat(number, spec) for number, spec in enumerate(specs)]
        for seat in self._seats:
            self._move_in(seat, rooms)
        for seat in self._seats:
            if not ray.wait([seat.found], timeout=READY)[0]:
                raise ClusterError(
                    f"shard {seat.shard} of {len(self._seats)} did not start within {READY:.0f} s on "
                    f"{self._housing.nodes.name(seat.node)}. Use fewer `shards`, or `shards=0`, or add machines."
                )
            if strange := self._settle(seat):
                raise ClusterError(f"shard {seat.shard}: {strange}.")

    def warm(self) -> list[Any]:
        """Let them load what they need; references to wait for."""
        return [seat.actor.warm.remote() for seat in self._seats]

    def _move_in(self, seat: ShardSeat, rooms: Sequence[Room]) -> None:
        """Give a shard a new actor, on the node with the fewest shards for its CPUs."""
        kill(seat.actor)
        hosted = [other.node for other in self._seats if other is not seat]
        if rooms:
            crowds = {room.node: (hosted.count(room.node) + 1) / max(room.cpus, 0.01) for room in rooms}
            seat.node = min(crowds, key=lambda node: (crowds[node], node))
        seat.actor = self._housing.shard(seat.shard, seat.spec, seat.node)
        seat.found, seat.since, seat.calls = seat.actor.where.remote(), time.monotonic(), []
        self._housing.shards = [other.actor for other in self._seats]

    def _settle(self, seat: ShardSeat) -> str:
        """An actor has started: why it must not stay there, empty if it may."""
        import ray

        found, seat.found, seat.since = seat.found, None, time.monotonic()
        try:
            return self._housing.strange(ray.get(found))
        except ray.exceptions.RayTaskError as error:
            return reason_of(error)

    def ask(self, shard: int, token: int, message: bytes) -> None:
        """Pass a packed request on. One for a lost actor is dropped."""
        seat = self._seats[shard]
        if token <= seat.gone:
            return
        future = seat.actor.answer.remote(message, token).future()
        seat.token = token
        seat.calls.append((token, future, time.monotonic()))
        future.add_done_callback(lambda _: self._later(seat))

    def answer(self, seat: ShardSeat) -> ShardAnswer | None:
        """The next answer of a shard, in whichever order it gives them; None if it was passed on before."""
        import ray

        done = next((call for call in seat.calls if call[1].done()), None)
        if done is None:
            return None
        try:
            body: bytes = done[1].result()
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, MemoryError):
                raise
            return self._loss(seat, "out of memory")
        except ray.exceptions.RayError as error:
            return self._loss(seat, reason_of(error))
        seat.calls.remove(done)
        seat.hangs = 0
        return ShardAnswer(seat.shard, done[0], body)

    def look(self, now: float) -> ShardAnswer | None:
        """Find a shard that hangs: it does not start, or a request waits for longer than an epoch may take."""
        import ray

        for seat in self._seats:
            if seat.found is not None and ray.wait([seat.found], timeout=0)[0]:
                with suppress(ray.exceptions.RayActorError):  # lost again: the answer to a request says so
                    if strange := self._settle(seat):
                        self._housing.nodes.refuse(seat.node, strange)
                        return self._loss(seat, strange)
            since = [max(asked, seat.since) for _, future, asked in seat.calls if not future.done()]
            waits = now - min(since, default=now)
            limit = self._patience if seat.found is None else max(PLACE, self._patience)
            if waits > limit * 2**seat.hangs:
                seat.hangs += 1  # if it is only slow, the next attempt has twice the time
                return self._loss(seat, f"no answer for {waits:.0f} s")
        return None

    def stop(self) -> None:
        for seat in self._seats:
            kill(seat.actor)
        self._seats = []

    def _loss(self, seat: ShardSeat, reason: str) -> ShardAnswer:
        now, seat.gone = time.monotonic(), seat.token
        self._housing.suspect(seat.node, now)
        self._housing.nodes.look()
        self._move_in(seat, self._housing.sound_rooms(now) or self._housing.nodes.rooms())
        self._introduce()
        return ShardAnswer(seat.shard, seat.token, None, reason)
