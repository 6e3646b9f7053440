"""The collectors of a run: one on every node where many of its islands live. Lives in the bridge.

Orders for the islands of such a node wait until all that the driver has sent are there, and go out in one message. Of
the reports each call of `take` brings as many as there are; the orders that follow from them go along with the next.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cluster.housing import Housing
from cluster.seats import Answer, Seat, kill, reason_of

PAUSE = 0.02  # seconds after reports in which their collector is not asked for more: the next orders are on their way


@dataclass(eq=False)
class Desk:
    """A collector, as the bridge knows it."""

    node: str
    actor: Any
    orders: list[tuple[int, int, bytes]] = field(default_factory=list)  # to be given: island, token, message
    actors: dict[int, Any] = field(default_factory=dict)  # of islands that are new there
    after: dict[int, list[Any]] = field(default_factory=dict)
    shards: list[Any] | None = None  # which it does not know yet
    given: int = 0  # messages
    seats: dict[int, Seat] = field(default_factory=dict)  # whose orders it has had
    taking: Any = None  # the future of `take`; None: it is not asked
    since: float = 0.0  # when that was asked, or has answered
    lost: bool = False


class Collectors:
    """`later` is called when one has answered, in a thread of Ray."""

    def __init__(self, housing: Housing, crowd: int, patience: float, later: Callable[[Desk], None]) -> None:
        self._housing, self._crowd, self._patience, self._later = housing, crowd, patience, later
        self._desks: dict[str, Desk] = {}  # by node
        self._hangs: dict[str, int] = {}  # in a row, by node

    def give(self, seat: Seat, seats: Sequence[Seat], token: int, message: bytes) -> bool:
        """Let a collector have the order, if this actor's orders go through one: that is decided with the first."""
        if not seat.met:
            seat.met, seat.desk = True, self._desk_for(seat, seats)
            if seat.desk is not None:
                seat.desk.actors[seat.island] = seat.actor
                seat.desk.after[seat.island], seat.after = seat.after, []
                seat.desk.seats[seat.island] = seat
        desk: Desk | None = seat.desk
        if desk is None:
            return False
        desk.orders.append((seat.island, token, message))
        seat.answers.append((token, None))
        return True

    def _desk_for(self, seat: Seat, seats: Sequence[Seat]) -> Desk | None:
        if sum(other.node == seat.node for other in seats) < self._crowd:
            return None
        if seat.node not in self._desks:
            desk = Desk(seat.node, self._housing.collector(seat.node), shards=self._housing.shards)
            self._desks[seat.node] = desk
        return self._desks[seat.node]

    def hand_out(self) -> None:
        """Give the collectors all orders that wait, and ask for reports: in one call, as each costs as much as many
        small reports."""
        for desk in self._desks.values():
            if desk.taking is None:
                if desk.orders or time.monotonic() - desk.since >= PAUSE:
                    self._take(desk)
            elif desk.orders:
                desk.actor.give.options(num_returns=0).remote(*self._orders_of(desk))

    def pause(self, longest: float) -> float:
        """Seconds until `hand_out` has something to do without new orders, at the most `longest`."""
        return min(PAUSE, longest) if any(desk.taking is None for desk in self._desks.values()) else longest

    def _orders_of(self, desk: Desk) -> tuple[Any, ...]:
        """What is given to a collector."""
        given = desk.given, pickle.dumps(desk.orders, protocol=5), desk.actors, desk.after, desk.shards
        desk.given += 1
        desk.orders, desk.actors, desk.after, desk.shards = [], {}, {}, None
        return given

    def introduce(self) -> None:
        """The shards have other actors: told with the next orders, so that nothing overtakes it."""
        for desk in self._desks.values():
            desk.shards = self._housing.shards

    def _take(self, desk: Desk) -> None:
        given = self._orders_of(desk) if desk.orders else ()
        desk.taking, desk.since = desk.actor.take.remote(*given).future(), time.monotonic()
        desk.taking.add_done_callback(lambda _: self._later(desk))

    def answers(self, desk: Desk) -> list[Answer]:
        """What a collector has brought. If it is lost, so are its islands."""
        import ray

        if desk.lost:
            return []
        try:
            brought = pickle.loads(desk.taking.result())
        except ray.exceptions.RayError as error:
            return self._loss(desk, f"the collector of its node: {reason_of(error)}")
        self._hangs.pop(desk.node, None)
        desk.taking, desk.since = None, time.monotonic()
        return [Answer(*answer) for answer in brought]

    def look(self, now: float) -> list[Answer]:
        """The islands of a collector that hangs: it gives a sign of life every second, also without answers.

        One that has answered does not hang, however long nobody here has looked.
        """
        for desk in list(self._desks.values()):
            hangs = self._hangs.get(desk.node, 0)
            waits = desk.taking is not None and not desk.taking.done()
            if waits and now - desk.since > self._patience * 2**hangs:
                self._hangs[desk.node] = hangs + 1  # if its node is only slow, the next one has twice the time
                return self._loss(desk, f"the collector of its node gave no sign of life for {now - desk.since:.0f} s")
        return []

    def _loss(self, desk: Desk, reason: str) -> list[Answer]:
        desk.lost = True
        del self._desks[desk.node]
        kill(desk.actor)
        seats = [seat for seat in desk.seats.values() if seat.desk is desk]
        return [Answer(seat.island, seat.token, None, reason) for seat in seats]

    def stop(self) -> None:
        for desk in self._desks.values():
            kill(desk.actor)
        self._desks = {}
