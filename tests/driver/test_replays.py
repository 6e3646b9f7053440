"""Islands elsewhere send their states when they are needed: reports stay small, and replays short."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from simulated_backends import Clock, Distant
from simulated_disks import MemoryDisk
from simulated_faults import Faults
from small_runs import DIGITS, digits, ids

from islands.driver import replays
from islands.driver.api import make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival
from islands.driver.placement import Elsewhere
from islands.store.run import Run

EPOCH = 1.0  # seconds that an epoch takes at the most in a simulated backend


class Watched(Distant):
    """Notes of every report whether it has a state, and how long a replay would take at worst."""

    def __init__(self, universe: Universe) -> None:
        super().__init__(universe.faults, universe.disk, universe.clock)
        self.universe = universe
        self.states: list[tuple[int, bool]] = []  # epoch, and whether a state came with it
        self.since = dict.fromkeys(range(2), self.clock.now)
        self.longest = 0.0

    def receive(self, timeout: float) -> Arrival | None:
        arrival = super().receive(timeout)
        if arrival is not None and arrival.report is not None:
            told = arrival.report.snapshot is not None
            self.states.append((arrival.report.epoch, told))
            self.longest = max(self.longest, self.clock.now - max(self.since[arrival.island], self._begins))
            if told:
                self.since[arrival.island] = self.clock.now
        return arrival


class Universe:
    """Two islands that live elsewhere from the beginning; nothing goes wrong."""

    def __init__(self, **stop: Any) -> None:
        self.faults, self.clock = Faults(Random(1), busy=False, depth=2), Clock()
        self.disk = MemoryDisk(self.faults)
        self.run = Run.create(self.disk, make_job(DIGITS, {"islands": 2, "length": 9, **stop}).settled())
        self.distant = Watched(self)
        elsewhere = Elsewhere(lambda: self.distant, required=True)
        self.archipelago = Archipelago(self.run, Distant(self.faults, self.disk), clock=self.clock, elsewhere=elsewhere)

    def conduct(self) -> list[str]:
        self.archipelago.conduct()
        return ids(self.run)


def test_few_reports_have_a_state_and_the_solutions_are_the_same(tmp_path: Path) -> None:
    universe = Universe(generations=400)
    assert universe.conduct() == ids(digits(tmp_path, solutions=None, generations=400, length=9))
    with_state = sum(told for _, told in universe.distant.states)
    assert 0 < with_state < len(universe.distant.states) / 2


def test_no_island_has_longer_to_live_again_than_the_limit_and_the_epochs_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 100.0)  # commits ask for states as well
    universe = Universe(generations=400)
    universe.conduct()
    under_way = (universe.archipelago.coordinator.plan.lag + universe.distant.depth + 1) * EPOCH
    assert replays.REPLAY < universe.distant.longest < replays.REPLAY + under_way


@pytest.mark.parametrize(("generations", "cut"), [(101, 0), (100, 1)])
def test_the_last_whole_epoch_has_a_state_so_that_a_longer_run_goes_on_from_there(generations: int, cut: int) -> None:
    universe = Universe(generations=generations)
    universe.conduct()
    last = max(epoch for epoch, _ in universe.distant.states)
    assert [told for epoch, told in universe.distant.states if epoch == last] == [True, True]
    checkpoint = universe.run.checkpoint()
    assert checkpoint is not None
    assert checkpoint.counters.epoch == last + 1 - cut


def test_a_run_whose_time_is_nearly_over_may_end_with_any_report() -> None:
    universe = Universe(seconds=20)
    universe.conduct()
    checkpoint = universe.run.checkpoint()
    assert checkpoint is not None
    assert checkpoint.counters.epoch == universe.archipelago.coordinator.epoch


def test_states_of_one_epoch_make_a_checkpoint() -> None:
    universe = Universe(generations=200)
    universe.conduct()
    asked = [epoch for epoch, told in universe.distant.states if told]
    assert all(asked.count(epoch) == 2 for epoch in asked)


@pytest.mark.parametrize("seconds", [9, *(pytest.param(seconds, marks=pytest.mark.slow) for seconds in (5, 14))])
def test_a_run_that_is_resumed_lives_a_little_again_and_finds_the_same(seconds: float) -> None:
    """Interrupted where the last checkpoint is some epochs old."""
    universe, whole = Universe(generations=400), Universe(generations=400)
    begun = universe.distant.receive

    def receive(timeout: float) -> Arrival | None:
        if universe.clock.now > seconds:
            universe.archipelago.interrupt()
        return begun(timeout)

    universe.distant.receive = receive  # type: ignore[method-assign]
    universe.conduct()
    assert universe.run.manifest().stopped == "interrupted"
    clock = Clock()
    again = Archipelago(universe.run, Distant(universe.faults, universe.disk, clock), clock=clock)
    again.conduct()
    assert ids(universe.run) == whole.conduct()
