"""Moves of islands to other nodes: the new actor gets warm while the old one goes on, and takes over at the end of an
epoch. The driver then replays the island there, as after a loss.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cluster.actors import Where
from cluster.capacity import next_move
from cluster.housing import Housing
from cluster.seats import Answer, Seat, kill

WARM = 120.0  # seconds for a new actor to get ready, after which the move is given up
PAUSE = 30.0  # seconds before another move after one in vain
AGAIN = 2.0  # seconds between two looks whether somebody should move


@dataclass(eq=False)
class Move:
    """One move under way."""

    island: int
    node: str  # Ray's id of the machine to which it moves
    actor: Any
    spec: bytes
    begun: float
    found: Any = None  # reference to the Where of the new actor
    warmed: Any = None  # reference to its warm-up

    def __post_init__(self) -> None:
        self.found = self.actor.where.remote()
        self.warmed = self.actor.warm.remote([self.spec])

    def is_over(self) -> bool:
        """Whether the new actor is warm, or has failed, or takes too long."""
        import ray

        return bool(ray.wait([self.warmed], timeout=0)[0]) or time.monotonic() - self.begun > WARM

    def home(self) -> Where | None:
        """Where the new actor lives, once it is warm; None if it failed."""
        import ray

        try:
            ray.get(self.warmed, timeout=0)
            found: Where = ray.get(self.found, timeout=0)
        except (ray.exceptions.RayError, ray.exceptions.GetTimeoutError):
            return None
        return found


class Moves:
    """Who moves where, one at a time: the others go on. `begun` is called when an island begins to move to a node."""

    def __init__(self, housing: Housing, begun: Callable[[int, str], None] = lambda *_: None) -> None:
        self._housing, self._begun = housing, begun
        self._move: Move | None = None  # under way
        self._not_before = 0.0  # the next one

    def balance(self, seats: Sequence[Seat], now: float) -> Answer | None:
        """Begin a move if some node hosts fewer islands than it should, or see how one fares: it may be over."""
        if self._move is not None:
            seat = seats[self._move.island]
            if not seat.answers or now - self._move.begun > PAUSE:  # it waits for others, or its epochs are long
                return self.take_over(seat)
            return None
        if now >= self._not_before and all(seat.found is None for seat in seats):
            self._begin(seats, now)
        return None

    def _begin(self, seats: Sequence[Seat], now: float) -> None:
        housing = self._housing
        housing.nodes.look()
        rooms = housing.sound_rooms(now)
        hosted = Counter(seat.node for seat in seats)
        nodes = next_move(rooms, hosted)
        if nodes is None:
            self._not_before = now + AGAIN
            return
        source, target = nodes
        seat = next(seat for seat in reversed(seats) if seat.node == source)
        room = next(room for room in rooms if room.node == target)
        actor = housing.actor(seat, target, housing.held(room, hosted[target]))
        self._move = Move(seat.island, target, actor, seat.spec, now)
        self._begun(seat.island, housing.nodes.name(target))

    def take_over(self, seat: Seat) -> Answer | None:
        """At the end of an epoch: if the new actor of this island is ready, let it take the old one's place."""
        move = self._move
        if move is None or move.island != seat.island or not move.is_over():
            return None
        self._move, home = None, move.home()
        strange = "it failed" if home is None else self._housing.strange(home)
        if home is None or strange:
            kill(move.actor)
            self._not_before = time.monotonic() + PAUSE
            return None
        kill(seat.actor)
        seat.actor, seat.node, seat.gone = move.actor, move.node, seat.token
        seat.found, seat.warmed, seat.after = None, None, []
        seat.answers.clear()
        seat.desk, seat.met = None, False
        self._housing.welcome(seat, home)
        return Answer(seat.island, seat.token, None, moved=True)

    @property
    def actor(self) -> Any:
        """The new actor of the move under way; None: there is none."""
        return None if self._move is None else self._move.actor

    def forget(self, seat: Seat) -> None:
        """The island was lost meanwhile, and gets a new actor in any case."""
        if self._move is not None and self._move.island == seat.island:
            kill(self._move.actor)
            self._move = None
