"""RayActors: a process of its own for every island, on this machine or on a cluster. Lives in the bridge.

Messages are bytes, which are passed on unopened. A lost island gets a *new* actor instead of Ray's restart: an actor
that Ray restarts refuses calls until it is back, and asks for as many CPUs as before. If these have gone with its
machine, it would wait for ever.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from cluster.actors import Where
from cluster.collectors import Collectors, Desk
from cluster.housing import Housing
from cluster.moves import Moves
from cluster.nodes import Nodes
from cluster.seats import Answer, Seat, ShardAnswer, kill, reason_of
from cluster.shards import ShardActors, ShardSeat
from islands.errors import BackendLost, ClusterError

READY = 60.0  # seconds in which no further island gets ready, after which the start has failed
PLACE = 30.0  # seconds that a new actor may wait for a CPU of its own, before it shares one
LOOK = 1.0  # seconds between two searches for islands that are overdue
LOSSES = 8  # of one island during the start, after which that has failed
NEVER = 1 << 31  # islands, on one node


class RayActors:
    """One actor per island, on the Ray that this process has started or joined.

    `run` is its name, for the logs of the actors; `patience` is how many seconds an epoch may take before its island
    counts as hung; from `crowd` islands on a node on they share a collector; `settled` is called whenever an island has
    found its place, `moving` when one begins to move to another node.
    """

    def __init__(
        self,
        own: Where,
        nodes: Nodes,
        *,
        run: str,
        patience: float,
        crowd: int = NEVER,
        settled: Callable[[int, Where], None] = lambda *_: None,
        moving: Callable[[int, str], None] = lambda *_: None,
    ) -> None:
        self._nodes, self._patience = nodes, patience
        self._housing = Housing(own, nodes, run, settled)
        self._moves = Moves(self._housing, moving)
        self._seats: list[Seat] = []
        self._answered: SimpleQueue[Seat | ShardSeat | Desk | None] = SimpleQueue()
        self._looked = 0.0
        self._told: deque[Answer | ShardAnswer] = deque()  # that nobody has received yet
        self.shards = ShardActors(self._housing, patience, self._answer_later, self._introduce)
        self.collectors = Collectors(self._housing, crowd, patience, self._answer_later)

    def start(self, specs: Sequence[tuple[str, bytes]], shards: Sequence[bytes] = ()) -> None:
        """Make the islands of these recipes and packed specs, and the shards of their archive. ClusterError says what
        is missing; BackendLost = it is Ray itself.
        """
        import ray

        try:
            rooms = self._housing.begin(len(specs))
            self.shards.start(shards, rooms, beside=len(specs))
            self._seats = [Seat(island, spec) for island, (_, spec) in enumerate(specs)]
            for seat in self._seats:
                self._housing.move_in(seat, self._seats, rooms)
            self._await_all()
            self._warm_machines([recipe for recipe, _ in specs])
        except ray.exceptions.RayError as error:
            raise BackendLost(f"the islands did not start: {reason_of(error)}.") from error

    def warm(self) -> None:
        """Wait until every island and every shard has its kernels, so that its first report will not be late.

        One that hangs meanwhile is replaced when it is given an order, like one that is lost.
        """
        import ray

        islands = [seat.warmed or seat.actor.warm.remote([seat.spec], seat.after) for seat in self._seats]
        warming = [*islands, *self.shards.warm()]
        while warming:
            done, warming = ray.wait(warming, num_returns=1, timeout=self._patience)
            if not done:
                return
            with suppress(ray.exceptions.RayActorError):  # it is replaced when it is given an order
                ray.get(done[0])

    def send(self, island: int, token: int, message: bytes) -> None:
        """Let an island live an epoch: a packed (order, state). An order for a lost actor is dropped."""
        seat = self._seats[island]
        if token <= seat.gone:
            return
        if not seat.answers:
            seat.since = time.monotonic()
        seat.token = token
        if self.collectors.give(seat, self._seats, token, message):
            return
        future = seat.actor.evolve.remote(message, seat.after).future()
        seat.after = []
        seat.answers.append((token, future))
        future.add_done_callback(lambda _: self._answered.put(seat))  # in a thread of Ray

    def receive(self, timeout: float) -> Answer | ShardAnswer | None:
        """The next answer; None when there is none within `timeout` seconds, or after `wake`."""
        if self._told:
            return self._told.popleft()
        self.collectors.hand_out()
        now = time.monotonic()
        if now - self._looked >= LOOK:
            self._looked = now
            self._hear(self.collectors.look(now))
            told = self._moves.balance(self._seats, now) or self._look(now) or self.shards.look(now)
            if told is not None:
                return told
        try:
            pause = self.collectors.pause(timeout) if timeout else 0.0
            seat = self._answered.get(timeout=pause) if pause else self._answered.get_nowait()
        except Empty:
            return None
        if isinstance(seat, ShardSeat):
            return self.shards.answer(seat)
        if isinstance(seat, Desk):
            self._hear(self.collectors.answers(seat))
            return self._told.popleft() if self._told else None
        return None if seat is None else self._answer(seat)

    def _answer_later(self, seat: ShardSeat | Desk) -> None:
        self._answered.put(seat)

    def _hear(self, answers: Sequence[Answer]) -> None:
        """Take in what a collector has from its islands; without a body: they are lost."""
        for answer in answers:
            seat = self._seats[answer.island]
            if answer.token <= seat.gone:
                continue
            if answer.body is None:
                self._told.append(self._loss(seat, answer.reason))
                continue
            self._told.append(answer)
            self._have_answered(seat)

    def _have_answered(self, seat: Seat) -> None:
        """The oldest order of an island is done; if it is to move, this is the moment."""
        seat.answers.popleft()
        seat.hangs, seat.since = 0, time.monotonic()
        moved = self._moves.take_over(seat)
        if moved is not None:
            self._told.append(moved)

    def _introduce(self) -> None:
        """Tell all islands, and those who collect from them, which actors the shards have now."""
        self.collectors.introduce()
        for actor in [*(seat.actor for seat in self._seats), self._moves.actor]:
            if actor is not None:
                actor.meet.remote(self._housing.shards)

    def wake(self) -> None:
        """Let `receive` return at once. For any thread."""
        self._answered.put(None)

    def stop(self) -> None:
        """End all islands and shards. Not needed where Ray ends with them."""
        self.shards.stop()
        self.collectors.stop()
        for seat in self._seats:
            kill(seat.actor)
        self._seats = []

    # Islands that answer

    def _answer(self, seat: Seat) -> Answer | None:
        """The answer to the oldest order, if it is there: Ray may report two orders as done in the wrong order."""
        import ray

        if seat.desk is not None or not seat.answers or not seat.answers[0][1].done():  # or of a replaced actor
            return None
        token, future = seat.answers[0]
        try:
            body: bytes = future.result()
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, MemoryError):
                raise
            return self._loss(seat, "out of memory")
        except ray.exceptions.RayError as error:
            return self._loss(seat, reason_of(error))
        if len(seat.answers) > 1 and seat.answers[1][1].done():
            self._answered.put(seat)  # again, as it was in vain before
        self._have_answered(seat)
        return Answer(seat.island, token, body)

    # Islands that do not answer

    def _look(self, now: float) -> Answer | None:
        """Find out which new actors have started, which got no CPU, and which islands hang."""
        import ray

        for seat in self._seats:
            if seat.found is not None:
                if ray.wait([seat.found], timeout=0)[0]:
                    seat.since = now
                    try:
                        strange = self._housing.settle(seat, seat.found)
                    except ray.exceptions.RayActorError:  # lost again: the answer to its order says so
                        seat.found = None
                        continue
                    if strange:
                        return self._loss(seat, strange)
                elif now - seat.since > PLACE:
                    return self._loss(seat, "no CPU was free; it now shares one", guest=True)
            elif seat.answers and now - seat.since > self._patience * 2**seat.hangs:
                seat.hangs += 1  # if the epoch is only slow, the next attempt has twice the time
                return self._loss(seat, f"no answer for {now - seat.since:.0f} s")
        return None

    def _loss(self, seat: Seat, reason: str, *, guest: bool = False) -> Answer:
        """Give the island a new actor, which has no state yet. A guest shares a CPU with others."""
        now, seat.gone = time.monotonic(), seat.token
        self._moves.forget(seat)
        self._housing.suspect(seat.node, now)
        self._nodes.look()
        rooms = self._housing.sound_rooms(now) or self._nodes.rooms()
        self._housing.move_in(seat, self._seats, rooms, guest=guest)
        return Answer(seat.island, seat.token, None, reason)

    # The start

    def _await_all(self) -> None:
        """Wait until every actor has started. ClusterError if no further one does so within READY seconds."""
        import ray

        missing = {seat.found: seat for seat in self._seats}
        while missing:
            ready, _ = ray.wait(list(missing), timeout=READY)
            if not ready:
                raise ClusterError(
                    f"{len(missing)} of {len(self._seats)} islands found no place within {READY:.0f} s: each asks for "
                    f"{self._housing.share:g} CPU, and the cluster has "
                    f"{ray.available_resources().get('CPU', 0):g} free of "
                    f"{ray.cluster_resources().get('CPU', 0):g}. Use fewer `islands`, or add machines."
                )
            seat = missing.pop(ready[0])
            try:
                strange = self._housing.settle(seat, ready[0])
            except ray.exceptions.RayActorError:
                seat.losses += 1
                if seat.losses == LOSSES:
                    raise
                strange = ""
            if seat.home is None:
                self._nodes.look()
                rooms = self._nodes.rooms()
                if not rooms:
                    raise ClusterError(f"no node of the cluster can host an island. {strange or 'All are gone'}.")
                self._housing.move_in(seat, self._seats, rooms)
                missing[seat.found] = seat

    def _warm_machines(self, recipes: Sequence[str]) -> None:
        """On each machine one island compiles the kernels; the others wait, and load them from its cache."""
        pairs = list(zip(self._seats, recipes, strict=True))
        for node in {seat.home.node for seat in self._seats if seat.home}:
            first, *others = [(seat, recipe) for seat, recipe in pairs if seat.home and seat.home.node == node]
            if others:
                kinds = {recipe: seat.spec for seat, recipe in (first, *others)}
                first[0].warmed = first[0].actor.warm.remote(list(kinds.values()))
                for seat, _ in others:
                    seat.after = [first[0].warmed]
