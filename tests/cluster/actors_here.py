"""RayActors as a backend in this process, without a bridge: for tests of the actors alone."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from cluster.actors import Where, where
from cluster.launch import RayActors
from cluster.nodes import Nodes
from cluster.seats import ShardAnswer
from cluster.wire import pack
from islands.driver.backend import Arrival, Told
from islands.driver.snapshot import Snapshot
from islands.errors import IslandsError
from islands.model.messages import Event, IslandSpec, Order, State
from islands.shards.messages import Request, ShardSpec


class ActorsHere:
    """On the Ray that this process has started."""

    depth, waiting = 2, 0

    def __init__(self, own: Where | None = None, specs: Sequence[ShardSpec] = (), **options: Any) -> None:
        self.shards, self._shards = len(specs), specs
        self.events: list[Event] = []
        self.homes: dict[int, Where] = {}
        own = own or where()
        self.nodes = Nodes(own, trusted=True)
        self.actors = RayActors(
            own, self.nodes, run="here", **{"patience": 600.0, **options}, settled=self.homes.__setitem__
        )

    def start(self, specs: Sequence[IslandSpec]) -> None:
        self.nodes.survey(patient=False)
        self.actors.start([(spec.recipe, pack(spec)) for spec in specs], [pack(spec) for spec in self._shards])

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        self.actors.send(island, token, pack((order, state)))

    def ask(self, shard: int, token: int, request: Request) -> None:
        self.actors.shards.ask(shard, token, pack(request))

    def ready(self) -> bool:
        return True

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        pass

    def receive(self, timeout: float) -> Arrival | Told | None:
        answer = self.actors.receive(timeout)
        if answer is None:
            return None
        if isinstance(answer, ShardAnswer):
            told = None if answer.body is None else pickle.loads(answer.body)
            if isinstance(told, IslandsError):
                raise told
            return Told(answer.shard, answer.token, told, answer.reason)
        report = None if answer.body is None else pickle.loads(answer.body)
        if isinstance(report, IslandsError):
            raise report
        return Arrival(answer.island, answer.token, report, answer.reason, moved=answer.moved)

    def stop(self) -> None:
        self.actors.stop()
