"""The Ray actor that collects what the islands of one node say: reports for the bridge, parts for the shards.

A message of Ray costs both of its ends several times what a small report costs the driver. So where many islands live
on a node, the bridge sends their orders in one message, and gets their reports in one. A collector keeps nothing: when
it is lost, its islands are, and are replayed.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from cluster.journal import Journal
from cluster.seats import Answer, reason_of

CALLS = 4  # at a time: one waits for answers, one brings orders
BEAT = 1.0  # seconds after which a collector answers that there is nothing
SHARE = 0.5  # of the time that an answer usually takes, for which a report waits for that of the slowest island
LONGEST = 0.1  # seconds that it waits at the most
FULL = 4 << 20  # bytes of reports that need not wait for others: they bring states

_Open = deque[tuple[int, Any, float]]  # token, future and time of an actor's orders


class CollectorActor:
    """Its methods are called in several threads."""

    def __init__(self, run: str) -> None:
        self._actors: dict[int, Any] = {}
        self._open: dict[int, _Open] = {}
        self._shards: Sequence[Any] = ()
        self._early: dict[int, tuple[Any, ...]] = {}  # calls of `give` that have overtaken others
        self._given = 0
        self._answers: list[Answer] = []
        self._size = 0  # of these, in bytes
        self._behind = 0  # open orders of the slowest island, before any of these
        self._parts: list[list[bytes]] = []  # for each shard
        self._usual = 0.0  # seconds that an answer takes
        self._changed = threading.Condition()
        self._journal = Journal(sys.stderr, run, host=os.uname().nodename, process=os.getpid())
        self._journal.write("collector-started")

    def give(
        self,
        number: int,
        orders: bytes,
        actors: dict[int, Any],
        after: dict[int, Sequence[Any]],
        shards: Sequence[Any] | None,
    ) -> None:
        """Pass on packed orders: (island, token, message). Islands that are new have their actors in `actors`, and what
        their first epoch waits for in `after`; `shards` are actors, if they are others than before."""
        with self._changed:
            self._early[number] = (orders, actors, after, shards)
            while self._given in self._early:  # Ray may let calls overtake each other
                self._pass_on(*self._early.pop(self._given))
                self._given += 1

    def _pass_on(
        self, orders: bytes, actors: dict[int, Any], after: dict[int, Sequence[Any]], shards: Sequence[Any] | None
    ) -> None:
        if shards is not None:
            self._shards, self._parts = shards, [[] for _ in shards]
        for island, actor in actors.items():
            self._actors[island], self._open[island] = actor, deque()
        for island, token, message in pickle.loads(orders):
            future = self._actors[island].evolve_with_parts.remote(message, after.pop(island, ())).future()
            queue = self._open[island]
            queue.append((token, future, time.monotonic()))
            self._behind = max(self._behind, len(queue))
            future.add_done_callback(lambda _, island=island, queue=queue: self._done(island, queue))

    def _done(self, island: int, queue: _Open) -> None:
        """Take in the answers of an island, the oldest first. In a thread of Ray."""
        with self._changed:
            while queue and queue[0][1].done():
                token, future, since = queue.popleft()
                self._usual += 0.1 * (time.monotonic() - since - self._usual)
                self._answers.append(self._answer(island, token, future))
                self._size += len(self._answers[-1].body or b"")
            if self._is_enough() or len(self._answers) == 1:
                self._changed.notify_all()

    def _answer(self, island: int, token: int, future: Any) -> Answer:
        import ray

        try:
            body, parts = future.result()
        except ray.exceptions.RayTaskError as error:
            lack = isinstance(error.cause, MemoryError)
            return Answer(island, token, None, "out of memory" if lack else reason_of(error))
        except ray.exceptions.RayError as error:
            return Answer(island, token, None, reason_of(error))
        for shard, part in enumerate(parts[: len(self._parts)]):
            self._parts[shard].append(part)
        return Answer(island, token, body)

    def take(self, *given: Any) -> bytes:
        """Packed answers: island, token, body, reason. Waits for some; and a little for the slowest island, as
        nothing is decided before all have reported. What is to be given before travels with the question."""
        if given:
            self.give(*given)
        with self._changed:
            self._changed.wait_for(lambda: self._answers, BEAT)
            self._changed.wait_for(self._is_enough, min(LONGEST, SHARE * self._usual))
            answers, self._answers, self._size = self._answers, [], 0
            self._behind = self._most
            parts, self._parts = self._parts, [[] for _ in self._parts]
            shards = self._shards
        for shard, some in zip(shards, parts, strict=True):
            if some:
                shard.put_all.options(num_returns=0).remote(some)
        return pickle.dumps([tuple(answer) for answer in answers], protocol=5)

    def _is_enough(self) -> bool:
        """Whether there is much, or the slowest island has answered: who has most orders open is furthest behind."""
        return self._size >= FULL or self._most < self._behind

    @property
    def _most(self) -> int:
        return max(map(len, self._open.values()), default=0)
