"""Every universe, whatever goes wrong in it, ends with the solutions of the quiet one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from remembered import remembered_formats
from simulated_disks import MemoryDisk
from simulated_faults import Faults
from simulation import conduct, live, quiet

from islands.model.job import Job
from islands.store.run import Run

SOURCE = (Path(__file__).parents[1] / "digits.py").read_text()

JOBS: list[dict[str, Any]] = [
    {"islands": 3, "stop": {"solutions": 20}},
    {"islands": 2, "stop": {"generations": 17}, "parameters": {"length": 4},
     "migration": {"topology": "star", "schedule": "adaptive"}},
    {"islands": 4, "stop": {"solutions": 25}, "migration": {"topology": "torus", "leave": "different"}},
    {"recipe": "fast:2,classic:1", "stop": {"solutions": 18}, "migration": {"topology": "random", "lag": 2}},
    {"islands": 3, "stop": {"solutions": 20}, "migration": {"lag": 0, "replace": "similar", "migrate_every": 5}},
    {"islands": 2, "stop": {"exhaustive": True}},
    {"islands": 2, "stop": {"solutions": 30}, "trace": "details"},
    {"recipe": "forgetful:2,fast:1", "stop": {"solutions": 30}},
    {"islands": 2, "stale": 7, "stop": {"generations": 200}},
    {"islands": 3, "stop": {"exhaustive": True}, "parameters": {"count": True}},
]  # fmt: skip
BATCHES = 30
FIRST = 60  # universes that are run without -m slow


@pytest.fixture(autouse=True)
def _move(monkeypatch: pytest.MonkeyPatch, _stay_here: None) -> None:
    """Here time is virtual: islands move after some reports, and nothing depends on how busy this machine is."""
    monkeypatch.setattr("islands.driver.archipelago.HAND_OVER", 2.0)
    monkeypatch.setattr("islands.model.island.time", SimpleNamespace(perf_counter=lambda: 0.0))


@cache
def job(number: int) -> Job:
    return Job.checked({"puzzle": "digits.py:Digits", "source": SOURCE, "seed": number, **JOBS[number]}).settled()


@cache
def expected(number: int) -> Any:
    return quiet(job(number))


@pytest.mark.parametrize("number", range(len(JOBS)))
def test_the_quiet_universe_finds_what_is_asked_for(number: int) -> None:
    asked, ids = job(number).stop.solutions, [row[0] for row in expected(number).rows]
    if asked is not None:
        assert len(ids) == min(asked, 74)
    assert len(set(ids)) == len(ids)
    assert len(ids) + expected(number).counted > 0


@pytest.mark.parametrize("large", [0, 1 << 20])
def test_a_universe_can_have_sealed_segments_and_large_genomes(large: int) -> None:
    faults = Faults(Random(0), busy=False, seal=5, large=large)
    run = Run.create(MemoryDisk(faults), job(0))
    conduct(run, faults, run.disk)
    assert run.manifest().sealed
    assert len(run.manifest().large) == (0 if large else 20)


def test_a_counting_universe_counts_all() -> None:
    assert expected(len(JOBS) - 1).counted == 74


def test_some_universes_remember_what_was_encoded_as_the_slow_ones_do() -> None:
    with remembered_formats():
        compare(range(FIRST, FIRST + 8), remember=True)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_universe_ends_like_the_quiet_one(batch: int) -> None:
    compare(range(batch, FIRST, BATCHES))


@pytest.mark.slow
@pytest.mark.timeout(3600)  # of 100,000 universes, on a busy machine
@pytest.mark.parametrize("batch", range(BATCHES))
def test_so_does_every_further_universe(batch: int, request: pytest.FixtureRequest) -> None:
    with remembered_formats():
        compare(range(FIRST + batch, int(request.config.getoption("--universes")), BATCHES), remember=True)


def compare(seeds: Iterable[int], damage: float = 0.0, *, remember: bool = False) -> None:
    for seed in seeds:
        number = seed % len(JOBS)
        faults = Faults.of(seed)
        faults.damage, faults.remember = damage, remember
        assert live(job(number), faults).matches(expected(number)), f"universe {seed} differs"


@pytest.mark.parametrize("batch", range(4))
def test_so_does_one_whose_files_are_damaged(batch: int) -> None:
    compare(range(batch, 32, 4), damage=0.8)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_so_does_every_further_one_whose_files_are_damaged(batch: int) -> None:
    compare(range(32 + batch, 600, BATCHES), damage=0.8)


@pytest.mark.slow
@pytest.mark.parametrize("stop", [{"solutions": 30}, {"exhaustive": True}])
def test_a_damaged_race_finds_what_is_missing_again(stop: dict[str, Any]) -> None:
    race = Job.checked({"puzzle": "digits.py:Digits", "source": SOURCE, "islands": 3, "race": True,
                        "stop": stop}).settled()  # fmt: skip
    for seed in range(40):
        faults = Faults.of(seed)
        faults.damage = 0.8
        ids = [row[0] for row in live(race, faults).rows]
        assert len(set(ids)) == len(ids) == (30 if "solutions" in stop else 74)


@pytest.mark.parametrize("islands", [1, 3, pytest.param(40, marks=pytest.mark.slow)])
def test_a_race_counts_nothing_twice_either(islands: int) -> None:
    """There are 27 tasks: some of 40 islands have nothing to do."""
    for race in (True, False):
        counting = Job.checked({"puzzle": "digits.py:Digits", "source": SOURCE, "islands": islands, "race": race,
                                "stop": {"exhaustive": True}, "parameters": {"count": True}}).settled()  # fmt: skip
        for seed in range(20):
            assert live(counting, Faults.of(seed)).counted == 74


@pytest.mark.slow
def test_a_race_loses_and_doubles_nothing_either() -> None:
    race = Job.checked({"puzzle": "digits.py:Digits", "source": SOURCE, "islands": 3, "race": True,
                        "stop": {"solutions": 30}}).settled()  # fmt: skip
    for seed in range(60):
        ids = [row[0] for row in live(race, Faults.of(seed)).rows]
        assert len(set(ids)) == len(ids) == 30
