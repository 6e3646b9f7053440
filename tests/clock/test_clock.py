"""How long epochs are and when a run stops: pure policy, without an island."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_runs import DIGITS

from islands.clock.stopping import StopRules
from islands.clock.workload import Workload
from islands.driver.api import make_job
from islands.model.island_status import IslandStatus
from islands.model.job import Job
from islands.model.messages import New, Report


def job(**options: Any) -> Job:
    return make_job(DIGITS, {"islands": 2, "length": 6, **options}).settled()


def epochs(**options: Any) -> Workload:
    return Workload(job(**options), job(**options).recipes())


@pytest.mark.parametrize("islands", [1, 2, 3, 40])
def test_every_task_is_dealt_exactly_once(islands: int) -> None:
    work = epochs(exhaustive=True, islands=islands)
    dealt = []
    for epoch in range(100):
        for island in range(islands):
            tasks = work.tasks_of(epoch, island)
            assert bool(tasks) == work.has_work(epoch, island)
            dealt += tasks
    assert dealt == list(range(work.tasks))
    assert work.swept([0] * islands) == 0
    assert work.swept([100] * islands) == work.tasks


@pytest.mark.parametrize("generations", [1, 2, 7, 40, 1000])
@pytest.mark.parametrize("every", [None, 1, 5, 30])
def test_the_last_island_lives_exactly_the_generations_asked_for(generations: int, every: int | None) -> None:
    work = epochs(recipe="fast:1,classic:1", generations=generations, migrate_every=every)
    last = max(epoch for epoch in range(1100) if work.has_work(epoch, 0))
    lived = [[work.generations(epoch, island) for epoch in range(last + 1)] for island in (0, 1)]
    assert min(map(sum, lived)) == generations
    assert min(sum(island[:-1]) for island in lived) < generations


def rules(**options: Any) -> tuple[StopRules, list[IslandStatus]]:
    given = job(**options)
    recipes = [replace(recipe, give_up=replace(recipe.give_up, barren=50)) for recipe in given.recipes()]
    return StopRules(given, recipes), [IslandStatus("fast", generation=100, fruitful=90) for _ in recipes]


def test_an_islands_status_adds_up_what_its_reports_say() -> None:
    report = Report(
        island=0,
        epoch=3,
        generation=40,
        evaluations=900,
        best=7,
        immigrants=2,
        led=1,
        solutions=np.empty((0, 1), np.uint8),
        keys=np.empty((0, 2), np.uint64),
        born=np.empty(0, np.int64),
        deaths=(34, 38),
        stale=5,
        seconds=0.5,
    )
    before = IslandStatus("fast", generation=30, best=6, fruitful=12, immigrants=3, elite_deaths=1, seconds=1.0)
    after = before.after(report, New(0))
    assert (after.epoch, after.generation, after.evaluations, after.best, after.stale) == (4, 40, 900, 6, 5)
    assert (after.immigrants, after.led, after.fruitful, after.elite_deaths, after.seconds) == (5, 1, 12, 3, 1.5)
    found = before.after(report, New(3, 35))
    assert (found.fruitful, found.solutions) == (35, 3)


def test_a_proof_is_a_better_reason_than_a_number() -> None:
    asked, _ = rules(solutions=74)
    assert asked.after_report(73, None) is None
    assert asked.after_report(74, None) == "complete"
    assert asked.after_report(20, 20) == "exhausted"
    assert rules(solutions=20)[0].after_report(20, None) == "solutions"
    assert rules(solutions=20)[0].at_once(20) == "solutions"
    assert rules(exhaustive=True)[0].after_report(74, None) is None


def test_a_run_gives_up_when_all_islands_do() -> None:
    asked, status = rules(solutions=74, stale=30)
    status[0] = replace(status[0], stale=30)
    assert asked.after_epoch(1, status) is None
    status[1] = replace(status[1], stale=31)
    assert asked.after_epoch(1, status) == "stale"


def test_a_run_for_some_is_barren_after_a_while_and_one_for_all_is_not() -> None:
    for options, reason in (({"solutions": 74}, "barren"), ({"solutions": "all", "seconds": 9}, None)):
        asked, status = rules(**options)
        status[0] = replace(status[0], fruitful=50)
        assert asked.after_epoch(1, status) is None
        status[1] = replace(status[1], fruitful=40)
        assert asked.after_epoch(1, status) == reason


def test_epochs_of_many_islands_are_longer_and_the_job_says_so() -> None:
    usual = epochs(elite_death=0).longest
    assert {job(islands=islands).stretch for islands in (1, 2, 64)} == {1}
    assert (job(islands=65).stretch, job(islands=256).stretch, job(islands=256, stretch=3).stretch) == (2, 4, 3)
    assert epochs(islands=256, elite_death=0).longest == 4 * usual
    assert Job.model_validate_json(job(islands=256).model_dump_json()).stretch == 4


def test_epochs_of_an_older_job_stay_as_they_were() -> None:
    older = job(islands=256).model_dump(mode="json")
    del older["stretch"]
    again = Job.model_validate(older)
    assert Workload(again, again.recipes()).longest == epochs().longest


def test_longer_epochs_are_at_most_a_migration_interval_or_the_life_of_an_elite() -> None:
    assert epochs(stretch=50, migrate_every=7, elite_death=0).longest == 7
    assert epochs(stretch=50, elite=2, elite_death=9).longest == 9
