"""Collectors: what many islands of a node say travels in few messages, and nothing else changes."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import drivers
import numpy as np
import psutil
import pytest
from actors_here import ActorsHere

from cluster.collector_actor import CollectorActor
from cluster.collectors import Collectors
from cluster.frames import BridgeEnd, DriverEnd, Frame, Kind
from cluster.seats import Seat
from cluster.wire import SMALL, pack
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.placement import Elsewhere
from islands.model.island import Island
from islands.model.messages import Order, State
from islands.shards.messages import spec_of
from islands.store.run import Run
from islands.testing import sample
from islands.testing.contract import differing

CROWD = 2


class TestWire:
    def test_what_is_packed_is_the_same_when_it_is_opened(self) -> None:
        order = Order(epoch=0, generations=2, emigrants=3, immigrants=np.arange(4, dtype=np.int32).reshape(1, 4))
        report = Island.alone(sample.Necklace(), "breed").evolve(Order(epoch=0, generations=2, emigrants=3))
        again, state = pickle.loads(pack((order, {"large": np.zeros(SMALL), "none": np.zeros((0, 3), np.uint8)})))
        assert isinstance(again, Order)
        assert not differing(again, order)
        assert {name: array.shape for name, array in state.items()} == {"large": (SMALL,), "none": (0, 3)}
        assert not differing(pickle.loads(pack(report)), report)

    def test_arrays_arrive_writable(self) -> None:
        for array in (np.arange(6)[::2], np.zeros((3, 2), np.uint64), np.zeros(SMALL), np.array(5)):
            again = pickle.loads(pack(array))
            assert again.flags.writeable
            assert (again.dtype, again.tolist()) == (array.dtype, array.tolist())


class TestBatches:
    def test_gathered_frames_arrive_together(self) -> None:
        ours, theirs = socket.socketpair()
        driver, bridge = DriverEnd(ours), BridgeEnd(theirs)
        for island in range(3):
            driver.gather(Frame(Kind.ORDER, island, 7, b"x" * island))
        driver.send()
        driver.put(Frame(Kind.NUMBERS, body=b"numbers"))
        driver.gather(Frame(Kind.ASK, 1, 2, b"alone"))
        driver.send()
        driver.send()  # nothing is left
        driver.close()
        batches = [[(frame.kind, frame.island, frame.body) for frame in batch] for batch in bridge.batches()]
        orders = [(Kind.ORDER, 0, b""), (Kind.ORDER, 1, b"x"), (Kind.ORDER, 2, b"xx")]
        theirs.close()
        assert batches == [orders, [(Kind.NUMBERS, 0, b"numbers")], [(Kind.ASK, 1, b"alone")]]


class Handle:
    """An island's or a shard's actor whose answers a test gives."""

    def __init__(self) -> None:
        self.orders: list[tuple[Any, Future[Any]]] = []
        self.parts: list[list[bytes]] = []

    @property
    def evolve_with_parts(self) -> SimpleNamespace:
        return SimpleNamespace(remote=self._evolve)

    @property
    def put_all(self) -> SimpleNamespace:
        return SimpleNamespace(options=lambda num_returns: SimpleNamespace(remote=self.parts.append))

    def _evolve(self, message: bytes, after: Any) -> SimpleNamespace:
        self.orders.append((message, Future()))
        return SimpleNamespace(future=lambda: self.orders[-1][1])


class TestCollector:
    def test_orders_that_overtake_each_other_are_passed_on_in_their_order(self) -> None:
        collector, island = CollectorActor("run"), Handle()
        collector.give(1, pickle.dumps([(4, 0, b"second")]), {}, {}, None)
        assert island.orders == []
        collector.give(0, pickle.dumps([(4, 0, b"first")]), {4: island}, {}, None)
        assert [message for message, _ in island.orders] == [b"first", b"second"]

    def test_answers_come_in_the_order_of_the_orders_and_together(self) -> None:
        collector, islands = CollectorActor("run"), [Handle(), Handle()]
        orders = [(0, 5, b"a"), (1, 6, b"b"), (0, 5, b"c")]
        collector.give(0, pickle.dumps(orders), dict(enumerate(islands)), {}, None)
        islands[0].orders[1][1].set_result((b"C", []))  # the later order is done first
        islands[1].orders[0][1].set_result((b"B", []))
        islands[0].orders[0][1].set_result((b"A", []))
        answers = pickle.loads(collector.take())
        assert [answer[:3] for answer in answers] == [(1, 6, b"B"), (0, 5, b"A"), (0, 5, b"C")]

    def test_reports_wait_for_the_slowest_island_and_no_longer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("cluster.collector_actor.LONGEST", 1000.0)
        monkeypatch.setattr("cluster.collector_actor.SHARE", 1e12)
        collector, islands = CollectorActor("run"), [Handle(), Handle()]
        orders = [(0, 1, b""), (1, 1, b""), (0, 1, b"next"), (1, 1, b"next")]
        collector.give(0, pickle.dumps(orders), dict(enumerate(islands)), {}, None)
        with ThreadPoolExecutor() as threads:
            taking = threads.submit(collector.take)
            islands[0].orders[0][1].set_result((b"A", []))
            islands[0].orders[1][1].set_result((b"A2", []))
            islands[1].orders[0][1].set_result((b"B", []))
            assert [answer[2] for answer in pickle.loads(taking.result(60))] == [b"A", b"A2", b"B"]
            islands[1].orders[1][1].set_result((b"B2", []))  # the other one is done, and is not waited for
            assert [answer[2] for answer in pickle.loads(collector.take())] == [b"B2"]

    def test_parts_of_many_islands_are_one_message_for_a_shard(self) -> None:
        collector, islands, shards = CollectorActor("run"), [Handle(), Handle()], [Handle(), Handle()]
        orders = [(0, 1, b""), (1, 1, b"")]
        collector.give(0, pickle.dumps(orders), dict(enumerate(islands)), {}, shards)
        islands[0].orders[0][1].set_result((b"", [b"p", b"q"]))
        islands[1].orders[0][1].set_result((b"", [b"r", b"s"]))
        collector.take()
        assert [shard.parts for shard in shards] == [[[b"p", b"r"]], [[b"q", b"s"]]]


class TestDesk:
    """What the bridge thinks of a collector, whose answers a test gives, by a clock of our own."""

    @pytest.fixture
    def taking(self) -> Future[bytes]:
        return Future()

    @pytest.fixture
    def desks(self, taking: Future[bytes], monkeypatch: pytest.MonkeyPatch) -> Collectors:
        monkeypatch.setattr("cluster.collectors.kill", lambda _: None)  # Ray would start one to ask it
        take = SimpleNamespace(remote=lambda *given: SimpleNamespace(future=lambda: taking))
        housing = SimpleNamespace(collector=lambda _: SimpleNamespace(take=take), shards=[])
        desks = Collectors(housing, crowd=1, patience=15.0, later=lambda _: None)
        seat = Seat(0, b"", node="here")
        assert desks.give(seat, [seat], 7, b"order")
        desks.hand_out()
        return desks

    def test_one_that_gives_no_sign_of_life_is_lost_with_its_islands(self, desks: Collectors) -> None:
        now = time.monotonic()
        assert desks.look(now + 14) == []
        ((island, _, body, reason, _),) = desks.look(now + 16)
        assert (island, body) == (0, None)
        assert "no sign of life for 16 s" in reason

    def test_orders_travel_with_the_question_for_reports(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A call of Ray costs as much as many reports: where the last question is answered, orders need none of their
        own; while one is open, they do not wait for its answer."""
        calls: list[tuple[str, list[Any]]] = []
        taking: list[Future[bytes]] = []

        def take(*given: Any) -> SimpleNamespace:
            calls.append(("take", pickle.loads(given[1]) if given else []))
            taking.append(Future())
            return SimpleNamespace(future=lambda: taking[-1])

        give = SimpleNamespace(remote=lambda *given: calls.append(("give", pickle.loads(given[1]))))
        actor = SimpleNamespace(
            take=SimpleNamespace(remote=take), give=SimpleNamespace(options=lambda num_returns: give)
        )
        answered: list[Any] = []
        housing: Any = SimpleNamespace(collector=lambda _: actor, shards=[])
        desks = Collectors(housing, crowd=1, patience=15.0, later=answered.append)
        monkeypatch.setattr("cluster.collectors.PAUSE", 1000.0)
        seat = Seat(0, b"", node="here")
        for token, order in enumerate((b"a", b"b")):
            desks.give(seat, [seat], token, order)
            desks.hand_out()
        taking[0].set_result(pickle.dumps([(0, 0, b"A", "")]))
        assert [answer.body for answer in desks.answers(answered.pop())] == [b"A"]
        desks.hand_out()  # without orders it waits for them
        desks.give(seat, [seat], 2, b"c")
        desks.hand_out()
        assert calls == [("take", [(0, 0, b"a")]), ("give", [(0, 1, b"b")]), ("take", [(0, 2, b"c")])]

    def test_one_that_has_answered_while_nobody_looked_does_not_hang(
        self, desks: Collectors, taking: Future[bytes]
    ) -> None:
        taking.set_result(pickle.dumps([]))
        assert desks.look(time.monotonic() + 100) == []


class Struck(ActorsHere):
    """Kills the collector with the order number `count`."""

    def __init__(self, run: Run, shards: int = 0, count: int = 1 << 30) -> None:
        super().__init__(specs=[spec_of(run.job, number, shards) for number in range(shards)], crowd=CROWD)
        self.count, self.killed = count, 0

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        super().send(island, token, order, state)
        self.count -= 1
        if self.count <= 0 and not self.killed:  # as soon as there is one
            for process in collectors_here():
                os.kill(process.pid, signal.SIGKILL)
                self.killed += 1


def collectors_here() -> list[psutil.Process]:
    found = []
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended, and nobody has asked for its exit code
            found += [one] if " ".join(one.cmdline()).startswith("ray::C") else []
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("ray_here")
class TestOnRay:
    @pytest.mark.parametrize("shards", [0, 2])
    def test_islands_with_a_collector_find_the_same(self, tmp_path: Path, shards: int) -> None:
        run = drivers.beads(tmp_path, generations=40, islands=3)
        place = Struck(run, shards)
        try:
            archipelago = Archipelago(run, Inline(), elsewhere=Elsewhere(lambda: place, required=True))
            archipelago.conduct()
            assert len(collectors_here()) == 1
        finally:
            place.stop()
        assert archipelago.coordinator.lost == 0
        assert drivers.ids(run) == drivers.quiet(tmp_path, generations=40, islands=3)

    def test_a_killed_collector_costs_time_only(self, tmp_path: Path) -> None:
        run = drivers.beads(tmp_path, pause=0.01, islands=3)
        place = Struck(run, count=30)
        try:
            archipelago = Archipelago(run, Inline(), elsewhere=Elsewhere(lambda: place, required=True))
            archipelago.conduct()
        finally:
            place.stop()
        assert place.killed == 1
        lost = [event["reason"] for event in run.events() if event["event"] == "island-lost"]
        assert lost
        assert all("the collector of its node" in reason for reason in lost)
        assert drivers.ids(run) == drivers.quiet(tmp_path, islands=3)
