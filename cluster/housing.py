"""Housing: gives islands their actors, on which node and with which share of a CPU, if that runs the right code."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from cluster.actors import IslandActor, Where
from cluster.capacity import Room, best_node, fair_share
from cluster.collector_actor import CALLS, CollectorActor
from cluster.nodes import Nodes
from cluster.seats import Seat, kill, reason_of
from cluster.shard_actor import TALKS, ShardActor

FREE = 3.0  # seconds until Ray has noticed that CPUs were given back
SUSPECT = 20.0  # seconds after a loss in which its machine may be dead without Ray knowing it


class Housing:
    """The nodes, as far as islands of one run live there. `settled` is called whenever one has found its place."""

    def __init__(self, own: Where, nodes: Nodes, run: str, settled: Callable[[int, Where], None]) -> None:
        self._own, self.nodes, self._run, self._settled = own, nodes, run, settled
        self.share = 1.0  # of a CPU, for each island
        self.shards: list[Any] = []  # actors of the archive's shards, to which islands send what they find
        self._suspects: dict[str, float] = {}  # node -> when it lost an island

    def begin(self, wanted: int) -> list[Room]:
        """What the nodes offer for this many islands, and the share that each of them gets."""
        rooms = self._rooms(wanted)
        self.share = fair_share(rooms, wanted)
        return rooms

    def _rooms(self, wanted: int) -> list[Room]:
        """If there are fewer free CPUs than `wanted`, wait a little: Ray notices late."""
        deadline = time.monotonic() + FREE
        while True:
            rooms = self.nodes.rooms()
            enough = min(wanted, sum(room.cpus for room in rooms))
            if sum(room.free for room in rooms) >= enough or time.monotonic() > deadline:
                return rooms
            time.sleep(0.1)

    def suspect(self, node: str, now: float) -> None:
        """An island was lost there."""
        self._suspects[node] = now

    def sound_rooms(self, now: float) -> list[Room]:
        """What the nodes offer that have not lost an island a moment ago."""
        return [room for room in self.nodes.rooms() if now - self._suspects.get(room.node, -SUSPECT) >= SUSPECT]

    def actor(self, seat: Seat, node: str, share: float) -> Any:
        """A new actor for this island."""
        import ray

        options = self.nodes.actor_options(node, share)
        actor = ray.remote(**options)(IslandActor).remote(seat.spec, self._run, seat.island)
        if self.shards:
            actor.meet.remote(self.shards)
        return actor

    def shard(self, number: int, spec: bytes, node: str) -> Any:
        """A new actor for a shard of the archive. It holds no CPU: it is busy while islands wait, and the reverse."""
        import ray

        options = {**self.nodes.actor_options(node, 0.0), "max_concurrency": TALKS}
        return ray.remote(**options)(ShardActor).remote(spec, self._run, number)

    def collector(self, node: str) -> Any:
        """A new collector on this node. It holds no CPU, as it has work while islands wait for their orders."""
        import ray

        options = {**self.nodes.actor_options(node, 0.0), "max_concurrency": CALLS}
        return ray.remote(**options)(CollectorActor).remote(self._run)

    def move_in(self, seat: Seat, seats: Sequence[Seat], rooms: Sequence[Room], *, guest: bool = False) -> None:
        """Give the island a new actor on the best of these nodes. Without any it stays where it was: Ray will tell."""
        kill(seat.actor)
        hosted = Counter(other.node for other in seats if other is not seat and other.node)
        seat.node = best_node(rooms, hosted) if rooms else seat.node
        room = next((room for room in rooms if room.node == seat.node), None)
        share = 0.0 if guest or room is None else self.held(room, hosted[seat.node])
        seat.actor = self.actor(seat, seat.node, share)
        seat.found, seat.home, seat.warmed, seat.after = seat.actor.where.remote(), None, None, []
        seat.answers.clear()
        seat.desk, seat.met = None, False
        seat.since = time.monotonic()

    def held(self, room: Room, hosted: int) -> float:
        """The share of a CPU that a new actor holds there. Where islands of another job have the CPUs, it is a guest:
        the system gives every island the same time.
        """
        own = self.share * (hosted + 1)
        fits = own <= (room.free if room.others else room.usable) + 1e-6
        return self.share if fits else 0.0

    def settle(self, seat: Seat, found: Any) -> str:
        """An actor has started, as its Where in `found` says. If it runs other code than was promised, its node is left
        out from now on, and the reason returned.
        """
        import ray

        try:
            home: Where = ray.get(found)
        except ray.exceptions.RayTaskError as error:
            strange = reason_of(error)
        else:
            strange = self.strange(home)
        seat.found = None
        if strange:
            self.nodes.refuse(seat.node, strange)
            return strange
        self.welcome(seat, home)
        return ""

    def strange(self, home: Where) -> str:
        """Why results could differ there; empty if they could not."""
        there = {**asdict(home), "fault": ""}
        return self._own.runs_other_code(there) or self._own.has_other_versions(there)

    def welcome(self, seat: Seat, home: Where) -> None:
        """The island lives there from now on."""
        seat.home = replace(home, host=self.nodes.name(seat.node))
        self._settled(seat.island, seat.home)
