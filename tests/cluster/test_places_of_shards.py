"""Shards that are lost, late or on the wrong node, without a Ray: its calls are answered when the test says so."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from cluster import shards
from cluster.capacity import Room
from cluster.shards import ShardActors, ShardSeat
from islands.errors import ClusterError

PATIENCE = 5.0


class Died(Exception):
    """What Ray says of an actor that is dead."""


class Failed(Exception):
    """What Ray says of a call that failed."""


class Call:
    """A reference and its future."""

    def __init__(self) -> None:
        self.done: Future[Any] = Future()

    def future(self) -> Future[Any]:
        return self.done


class Actor:
    """Remembers what was asked of it."""

    def __init__(self) -> None:
        self.started, self.asked = Call(), list[Call]()
        self.where = SimpleNamespace(remote=lambda: self.started)
        self.answer = SimpleNamespace(remote=self._ask)

    def _ask(self, message: bytes, token: int) -> Call:
        self.asked.append(Call())
        return self.asked[-1]


class World:
    """Two nodes, a clock, and the actors made so far."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.made, self.refused, self.strange_answer = 0.0, list[Actor](), list[str](), ""
        self.rooms = [Room("a", 1, 1), Room("b", 1, 1)]
        self.nodes = SimpleNamespace(look=lambda: None, rooms=lambda: self.rooms, refuse=self._refuse, name=str)
        self.shards: list[Any] = []
        exceptions = SimpleNamespace(RayError=Died, RayActorError=Died, RayTaskError=Failed)
        ray = SimpleNamespace(
            wait=lambda calls, timeout: ([call for call in calls if call.done.done()], []),
            get=lambda call: call.done.result(), kill=lambda actor: None, exceptions=exceptions,
        )  # fmt: skip
        monkeypatch.setitem(sys.modules, "ray", ray)
        monkeypatch.setattr(shards, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(shards, "PLACE", 30.0)
        monkeypatch.setattr(shards, "reason_of", str)
        self.actors = ShardActors(self, PATIENCE, lambda seat: None, lambda: None)  # type: ignore[arg-type]
        self.seat = ShardSeat(0, b"")
        self.actors._seats = [self.seat]
        self.actors._move_in(self.seat, self.rooms)

    def shard(self, number: int, spec: bytes, node: str) -> Actor:
        self.made.append(Actor())
        return self.made[-1]

    def strange(self, home: str) -> str:
        return self.strange_answer

    def suspect(self, node: str, now: float) -> None:
        self.suspected = node

    def sound_rooms(self, now: float) -> list[Room]:
        return [room for room in self.rooms if room.node != self.suspected]

    def _refuse(self, node: str, reason: str) -> None:
        self.refused.append(node)

    def after(self, seconds: float) -> str:
        """What is told of the shard this much later; empty: it is as it should be."""
        self.now += seconds
        told = self.actors.look(self.now)
        return "" if told is None else told.reason


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_shards_without_memory_are_refused_before_any_starts(world: World) -> None:
    world.nodes.fitting = lambda: 5
    made = len(world.made)
    with pytest.raises(ClusterError, match="free memory suffices for 5 islands and shards of 256 MB, and there are 3"):
        world.actors.start([b""] * 3, world.rooms, beside=3)
    assert len(world.made) == made


def test_a_shard_that_starts_has_more_time_than_a_request(world: World) -> None:
    world.actors.ask(0, 1, b"")
    assert world.after(29.0) == ""
    world.made[0].started.done.set_result("a")
    assert world.after(0.0) == ""
    assert world.after(PATIENCE - 0.1) == ""  # its time begins with it
    assert world.after(0.2) == "no answer for 5 s"


def test_one_that_does_not_start_is_tried_on_another_node_and_then_has_twice_the_time(world: World) -> None:
    world.actors.ask(0, 1, b"")
    assert world.seat.node == "a"
    assert world.after(31.0) == "no answer for 31 s"
    assert world.seat.node == "b"
    world.actors.ask(0, 2, b"")
    assert world.after(59.0) == ""
    assert world.after(2.0) == "no answer for 61 s"


def test_an_answer_gives_back_the_usual_patience(world: World) -> None:
    world.seat.hangs = 3
    world.actors.ask(0, 1, b"")
    world.made[0].asked[0].done.set_result(b"counts")
    assert world.actors.answer(world.seat) == shards.ShardAnswer(0, 1, b"counts")
    assert world.seat.hangs == 0


def test_one_that_comes_back_where_other_code_runs_moves_on(world: World) -> None:
    world.strange_answer = "another product"
    world.made[0].started.done.set_result("a")
    assert world.after(1.0) == "another product"
    assert (world.refused, world.seat.node) == (["a"], "b")


def test_one_that_dies_while_it_starts_is_told_by_its_requests(world: World) -> None:
    world.actors.ask(0, 1, b"")
    world.made[0].started.done.set_exception(Died("dead"))
    assert world.after(1.0) == ""
    world.made[0].asked[0].done.set_exception(Died("dead"))
    told = world.actors.answer(world.seat)
    assert told is not None
    assert (told.body, told.reason) == (None, "dead")
