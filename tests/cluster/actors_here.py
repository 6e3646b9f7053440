"""RayActors as a backend in this process, without a bridge: for tests of the actors alone."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from cluster.actors import Where, pack, where
from cluster.launch import RayActors
from cluster.nodes import Nodes
from islands.driver.backend import Arrival
from islands.errors import IslandsError
from islands.model.messages import IslandSpec, Order, State


class ActorsHere:
    """On the Ray that this process has started."""

    depth = 2

    def __init__(self, own: Where | None = None, **options: Any) -> None:
        self.homes: dict[int, Where] = {}
        own = own or where()
        self.nodes = Nodes(own, trusted=True)
        self.actors = RayActors(
            own, self.nodes, run="here", **{"patience": 600.0, **options}, settled=self.homes.__setitem__
        )

    def start(self, specs: Sequence[IslandSpec]) -> None:
        self.nodes.survey()
        self.actors.start([(spec.recipe, pack(spec)) for spec in specs])

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        self.actors.send(island, token, pack((order, state)))

    def receive(self, timeout: float) -> Arrival | None:
        answer = self.actors.receive(timeout)
        if answer is None:
            return None
        report = None if answer.body is None else pickle.loads(answer.body)
        if isinstance(report, IslandsError):
            raise report
        return Arrival(answer.island, answer.token, report, answer.reason, moved=answer.moved)

    def stop(self) -> None:
        self.actors.stop()
