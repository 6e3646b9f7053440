"""Backends in virtual time: messages are late, reordered, doubled and lost; islands, nodes and all of it may die."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence

from remembered import Remembered
from simulated_disks import Memory
from simulated_faults import Clock, Crash, Faults
from simulated_shards import Delivery, SimulatedShards

from islands.driver.backend import Arrival, Told
from islands.driver.snapshot import Snapshot
from islands.errors import BackendLost, ClusterError, OutOfStep
from islands.model.island import Island
from islands.model.messages import Event, IslandSpec, Order, Report, State
from islands.shards.messages import Request, ShardSpec

MOST = 4  # answers of an island that are lost in a row: after eight a run gives up, as it should


class Simulated:
    """Islands on nodes of two, in virtual time."""

    def __init__(self, faults: Faults, memory: Memory, clock: Clock | None = None) -> None:
        self.faults, self.memory, self.clock = faults, memory, clock or Clock()
        self._specs: list[IslandSpec] = []
        self._make: type[Island] | type[Remembered] = Remembered if faults.remember else Island
        self._islands: list[Island | Remembered] = []
        self._post: list[tuple[float, int, Arrival | Told | Delivery]] = []
        self._sent = 0
        self._silent = Counter[int]()  # answers of each island that were lost in a row
        self.depth = faults.depth
        self._busy: set[tuple[int, int, int]] = set()  # island, token, epoch
        self._last: dict[int, float] = {}  # when the last answer of each island arrives

    def start(self, specs: Sequence[IslandSpec]) -> None:
        self._specs = list(specs)
        self._islands = [self._make(spec) for spec in specs]
        self._post = []
        self._busy.clear()

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        under_way = sum(one[:2] == (island, token) for one in self._busy)
        assert under_way < self.depth, "one order too many for a busy island"
        self._busy.add((island, token, order.epoch))
        if state is not None:
            self._islands[island].restore(state)
        try:
            report = self._islands[island].evolve(order)
            arrival = Arrival(island, token, self._share_out(report) if order.shards else report)
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
        elif self.faults.strike(self.faults.move_island):
            self.kill(island)
            self._later(Arrival(island, token, None, place="another node:1", moved=True))
        elif self.faults.strike(self.faults.lose_report) and self._silent[island] < MOST:
            self._silent[island] += 1
            self._post = [entry for entry in self._post if entry[2] is not arrival]
            heapq.heapify(self._post)
            self._later(Arrival(island, token, None, "no answer"), 5.0)
        else:
            self._silent[island] = 0

    def kill(self, island: int) -> None:
        """Put an empty island in its place, without a word: its next order tells."""
        self._islands[island] = self._make(self._specs[island])

    def _share_out(self, report: Report) -> Report:
        raise AssertionError("there are no shards here")

    @property
    def waiting(self) -> int:
        """What has arrived by now, in this universe."""
        return sum(due[0] <= self.clock.now for due in self._post)

    def receive(self, timeout: float) -> Arrival | Told | None:
        """The next arrival; what is on its way to shards is none."""
        deadline = self.clock.now + timeout
        while isinstance(arrival := self._next(max(0.0, deadline - self.clock.now)), Delivery):
            self._deliver(arrival)
        return arrival

    def _deliver(self, delivery: Delivery) -> None:
        raise AssertionError("there are no shards here")

    def _next(self, timeout: float) -> Arrival | Told | Delivery | None:
        if self.faults.kill():
            self.memory.dead = True
            raise Crash
        if not self._post or self._post[0][0] > self.clock.now + timeout:
            self.clock.now += timeout
            return None
        when, _, arrival = heapq.heappop(self._post)
        self.clock.now = max(self.clock.now, when)
        if isinstance(arrival, Arrival) and arrival.report is not None:
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
    """The same outside this process: its start takes a while, may fail, and all of it may be lost at any step. Shards
    of the archive may live there, too.
    """

    def __init__(
        self, faults: Faults, memory: Memory, clock: Clock | None = None, shards: Sequence[ShardSpec] = ()
    ) -> None:
        super().__init__(faults, memory, clock)
        self._begins = 0.0
        self._is_over = False
        self.shards = len(shards)
        self._hosted = SimulatedShards(shards, faults, memory, self._bring)

    def _bring(self, message: Told | Delivery) -> None:
        self._sent += 1
        heapq.heappush(self._post, (self._soonest() + self.faults.random.random(), self._sent, message))

    def ask(self, shard: int, token: int, request: Request) -> None:
        assert not self._is_over, "asked when it was lost"
        self._hosted.ask(shard, token, request)

    def stop(self) -> None:
        self._is_over = True
        super().stop()

    def _share_out(self, report: Report) -> Report:
        return self._hosted.share_out(report)

    def _deliver(self, delivery: Delivery) -> None:
        self._hosted.deliver(delivery)

    def start(self, specs: Sequence[IslandSpec]) -> None:
        super().start(specs)
        self.events: list[Event] = [{"event": "node-left-out", "node": "simulated", "reason": "it has no numba"}]
        self._begins = self.clock.now + 8 * self.faults.random.random()

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        counts = [
            (told.evaluations, told.found, told.migrations, told.elite_deaths, told.lost) for told in (before, now)
        ]
        assert all(old <= new for old, new in zip(*counts, strict=True)), f"counts became smaller: {counts}"

    def ready(self) -> bool:
        self._strike()
        return self.clock.now >= self._begins

    def receive(self, timeout: float) -> Arrival | Told | None:
        self._strike()
        return super().receive(timeout)

    def _strike(self) -> None:
        if self.faults.strike(self.faults.lose_backend):
            raise self.faults.random.choice((BackendLost, BackendLost, ClusterError))("lost in this universe")

    def _soonest(self) -> float:
        return max(self.clock.now, self._begins)
