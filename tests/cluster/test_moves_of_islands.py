"""Moves of islands on a simulated Ray: whatever dies while one is under way, the run finds the same."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from simulated_disks import MemoryDisk
from simulated_faults import Clock, Faults
from simulated_ray import OnRay
from simulation import rows

from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.placement import Elsewhere
from islands.model.job import Job
from islands.store.run import Run

SOURCE = (Path(__file__).parents[1] / "digits.py").read_text()
JOB = Job.checked(
    {"puzzle": "digits.py:Digits", "source": SOURCE, "islands": 3, "seed": 4, "parameters": {"length": 9},
     "stop": {"generations": 60}}
).settled()  # fmt: skip


class Disturbed(OnRay):
    """On one node, which others join; `victim` dies as soon as an island has begun to move."""

    victim = ""
    struck = False

    def receive(self, timeout: float) -> Any:
        world = self._world
        if self._actors is not None and len(world.nodes) < 3 and not world.dead:
            world.join()
        move = self._actors._moves._move if self._actors is not None else None
        if move is not None and self.victim and not self.struck:
            self.struck = True
            old = self._actors._seats[move.island]
            if self.victim.endswith("node"):
                world.end(move.node if self.victim == "new node" else old.node)
            else:
                (move.actor if self.victim == "new actor" else old.actor).kill()
        return super().receive(timeout)


def found(victim: str | None) -> tuple[list[Any], list[str], list[OnRay]]:
    """The solutions, the events and the backends of a run; None = in this process."""
    faults, clock = Faults(Random(1), busy=False), Clock()
    memory = MemoryDisk(faults)
    made: list[OnRay] = []

    def make() -> OnRay:
        made.append(Disturbed(faults, memory, clock))
        made[-1].victim = victim
        return made[-1]

    run = Run.create(memory, JOB)
    elsewhere = None if victim is None else Elsewhere(make, required=True)
    Archipelago(run, Inline(), clock=clock, elsewhere=elsewhere).conduct()
    return rows(run), [event["event"] for event in run.events()], made


@pytest.fixture(scope="module")
def quiet() -> list[Any]:
    return found(None)[0]


def test_islands_move_to_nodes_that_join_and_find_the_same(quiet: list[Any]) -> None:
    rows, events, _ = found("")
    assert "move" in events
    assert "island-lost" not in events
    assert rows == quiet
    assert len(rows) > 20


@pytest.mark.parametrize("victim", ["new actor", "old actor", "new node", "old node"])
def test_what_dies_during_a_move_costs_time_only(victim: str, quiet: list[Any]) -> None:
    rows, events, made = found(victim)
    assert any(backend.struck for backend in made)
    assert ("island-lost" in events) == victim.startswith("old") or victim == "new node"
    assert rows == quiet
