"""The contract of a backend: backends keep it, and every check can fail and says what to do.

Its runs on Ray are in tests/cluster, those of the backend in CONTRIBUTING.md in tests/test_docs.py.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from simulated_backends import Simulated
from simulated_disks import MemoryDisk
from simulated_faults import Faults

from islands.driver.backend import Arrival, Backend, Inline
from islands.errors import PuzzleError
from islands.model.messages import IslandSpec, Order, State
from islands.testing import BackendContract, Check


class TestInline(BackendContract):
    def backend(self) -> Backend:
        return Inline()


class TestSimulated(BackendContract):
    """The simulated backend on a quiet day; depth is the number of orders that an island has."""

    @pytest.fixture(autouse=True, params=[1, 2, 3])
    def _depth(self, request: pytest.FixtureRequest) -> None:
        self.faults = Faults(Random(0), depth=request.param)

    def backend(self) -> Backend:
        return Simulated(self.faults, MemoryDisk(self.faults))

    def lose(self, backend: Backend, island: int) -> bool:
        assert isinstance(backend, Simulated)
        backend.kill(island)
        return True


# Backends with a fault


class OtherToken(Inline):
    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        super().send(island, token + 1, order, state)


class Twice(Inline):
    def __init__(self) -> None:
        super().__init__()
        self.last: Arrival | None = None

    def receive(self, timeout: float) -> Arrival | None:
        again, self.last = self.last, None
        if again is None:
            self.last = super().receive(timeout)
        return again or self.last


class Never(Inline):
    def receive(self, timeout: float) -> Arrival | None:
        return None


class Deep(Inline):
    """Two orders at a time, and the younger one is answered first."""

    depth = 2

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Arrival] = []

    def receive(self, timeout: float) -> Arrival | None:
        while (arrival := super().receive(timeout)) is not None:
            self.waiting.append(arrival)
        return self.waiting.pop() if self.waiting else None


class Depthless(Inline):
    depth = 0


class OtherSeed(Inline):
    def start(self, specs: Sequence[IslandSpec]) -> None:
        super().start([replace(spec, seed=spec.seed + 1) for spec in specs])


class Borders(Inline):
    """No immigrant comes in."""

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        super().send(island, token, replace(order, immigrants=None), state)


class ReadOnly(Inline):
    def receive(self, timeout: float) -> Arrival | None:
        arrival = super().receive(timeout)
        if arrival is not None and arrival.report is not None and arrival.report.emigrants is not None:
            arrival.report.emigrants.flags.writeable = False
        return arrival


class Eager(Inline):
    def receive(self, timeout: float) -> Arrival | None:
        return super().receive(timeout) or Arrival(0, 0, None, "bored")


class Stateless(Inline):
    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        super().send(island, token, order, None if state else state)


class Continuing(Inline):
    """An island that has lived is never begun anew."""

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        super().send(island, token, order, state or None)


class Swallowing(Inline):
    def receive(self, timeout: float) -> Arrival | None:
        try:
            return super().receive(timeout)
        except PuzzleError:
            return None


class Blaming(Inline):
    def receive(self, timeout: float) -> Arrival | None:
        try:
            return super().receive(timeout)
        except PuzzleError:
            raise PuzzleError("something went wrong") from None


class Hushing(Simulated):
    """A loss is not told."""

    def __init__(self) -> None:
        faults = Faults(Random(0))
        super().__init__(faults, MemoryDisk(faults))

    def receive(self, timeout: float) -> Arrival | None:
        arrival = super().receive(timeout)
        return arrival if arrival is None or arrival.report is not None else None


class Mute(Hushing):
    """A loss is told without a reason."""

    def receive(self, timeout: float) -> Arrival | None:
        arrival = Simulated.receive(self, timeout)
        return None if arrival is None else arrival._replace(reason="")


class Lasting(Inline):
    """Something goes on after the end."""

    over = threading.Event()

    def start(self, specs: Sequence[IslandSpec]) -> None:
        super().start(specs)
        threading.Thread(target=self.over.wait, name="lasting").start()


class Fragile(Inline):
    """It can be stopped once, after a start."""

    def start(self, specs: Sequence[IslandSpec]) -> None:
        super().start(specs)
        self.started = True

    def stop(self) -> None:
        super().stop()
        del self.started


FAULTS: list[tuple[str, type[Backend], str]] = [
    ("every_order_is_answered_once_with_its_token", OtherToken, "came with token 4; .* Return the token of the order"),
    (
        "every_order_is_answered_once_with_its_token",
        Twice,
        "gave more answers than it had orders. Answer every order once",
    ),
    ("every_order_is_answered_once_with_its_token", Never, "nothing arrived within 0.3 s .* Answer every order"),
    (
        "orders_of_an_island_are_answered_in_order",
        Deep,
        r"answered the epochs \[1, 2, 3, 0\] in this order. With depth 2",
    ),
    ("orders_of_an_island_are_answered_in_order", Depthless, "depth must be a whole number from 1 on, not 0"),
    (
        "reports_are_those_of_inline",
        OtherSeed,
        "island 0, epoch 0: the report differs from that of Inline in .*emigrants",
    ),
    ("reports_are_those_of_inline", Borders, "island 0, epoch 1: the report differs .* in .*immigrants"),
    ("arrays_arrive_writable", ReadOnly, "read-only: emigrants. Copy them on arrival"),
    ("nothing_is_received_before_an_order", Eager, "before any order was sent. Return None"),
    ("an_island_continues_from_a_state", Stateless, "at epoch 0, the order is for 2. .*Restore the state"),
    ("an_island_continues_from_a_state", Continuing, "at epoch 4, the order is for 0. .*{} means the beginning"),
    ("an_error_of_the_puzzle_is_raised", Swallowing, "no PuzzleError came. Raise it in receive"),
    ("an_error_of_the_puzzle_is_raised", Blaming, "receive gave 'something went wrong'. Raise the island's own error"),
    ("a_lost_island_is_told_and_can_be_replayed", Hushing, "nothing arrived .* or tell that its island was lost"),
    ("a_lost_island_is_told_and_can_be_replayed", Mute, r"Tell it by an Arrival\(island, token, None, reason\)"),
    ("stop_leaves_nothing", Lasting, r"after stop there still are <Thread\(lasting.* End every thread and process"),
    ("stop_may_come_twice_and_before_start", Fragile, "stop called before start raised AttributeError"),
    ("a_run_is_the_same_run", Borders, "The same seed must give the same run on every backend"),
]


def checks(kind: type[Backend]) -> dict[str, Check]:
    class Tested(BackendContract):
        patience = 0.3

        def backend(self) -> Backend:
            return kind()

        def lose(self, backend: Backend, island: int) -> bool:
            if isinstance(backend, Simulated):
                backend.kill(island)
            return isinstance(backend, Simulated)

    return {check.name: check for check in Tested().checks()}


@pytest.mark.parametrize(("name", "kind", "told"), FAULTS, ids=[fault[1].__name__ for fault in FAULTS])
def test_a_faulty_backend_fails_its_check(name: str, kind: type[Backend], told: str) -> None:
    Lasting.over.clear()
    try:
        wrong = checks(kind)[name].run()
    finally:
        Lasting.over.set()
    assert wrong is not None
    assert re.search(told, wrong), wrong


def test_every_check_has_a_backend_that_fails_it() -> None:
    assert {name for name, _, _ in FAULTS} == set(checks(Inline))


def test_every_check_says_what_it_checks() -> None:
    assert all(check.meaning.endswith(".") for check in checks(Inline).values())
