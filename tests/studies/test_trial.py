"""A run of a study is the run that `islands run` makes of the same job, and its length is counted in evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS, digits

from islands.driver.api import make_job
from islands.errors import UsageError
from islands.model.job import Job
from islands.studies.trial import Trial, check_job, conduct_trial, least_work


def job(**options: Any) -> Job:
    return make_job(DIGITS, {"islands": 2, "length": 8, **options}).settled()


def trial(budget: float = 1e9, **options: Any) -> Trial:
    return conduct_trial(job(**options), budget, "evaluations", {"arm": "one"})


def test_it_finds_what_the_run_with_the_same_job_finds(tmp_path: Path) -> None:
    run, found = digits(tmp_path, solutions=40, seed=3), trial(solutions=40, seed=3)
    assert found.solved
    assert found.found >= len(run) == 40
    last = max(solution.generation for solution in run)
    assert found.generations >= last


def test_the_same_seed_has_the_same_length() -> None:
    first, second = (trial(solutions=40, seed=5).model_dump(exclude={"seconds"}) for _ in range(2))
    assert first == second


def test_a_run_without_enough_solutions_within_the_budget_is_censored() -> None:
    whole = trial(solutions=40, seed=3)
    assert whole.length is not None
    short = trial(whole.length - 1, solutions=40, seed=3)
    assert short.length is None
    assert not short.solved
    assert short.spent == whole.length - 1
    assert 0 < short.found < 40


def test_a_budget_of_exactly_its_length_is_enough() -> None:
    whole = trial(solutions=40, seed=3)
    assert whole.length is not None
    assert trial(whole.length, solutions=40, seed=3).length == whole.length


def test_lengths_are_what_all_islands_have_made_side_by_side() -> None:
    found = trial(solutions=1, seed=1)
    assert found.length is not None
    assert found.length % 2 == 0
    assert found.first == found.length == found.lengths[0]
    assert list(found.lengths) == sorted(found.lengths)


def test_all_solutions_are_as_many_as_there_are_known_to_be() -> None:
    found = conduct_trial(job(solutions="all", length=6), 1e9, "evaluations", {"arm": "one"})
    assert found.solved
    assert found.found == 74


def test_seconds_are_a_budget_too() -> None:
    found = conduct_trial(job(solutions=1), 60.0, "seconds", {"arm": "one"})
    assert found.solved
    assert found.length is not None
    assert found.length <= found.seconds


def test_the_lowest_cost_within_the_budget_is_kept() -> None:
    assert trial(solutions=1, seed=1).cost == 0


def test_nothing_can_be_told_before_the_first_population() -> None:
    assert least_work(job(population=50)) == 100


@pytest.mark.parametrize(("options", "name"), [({"race": True}, "race"), ({"exhaustive": True}, "exhaustive")])
def test_jobs_that_cannot_be_compared_are_refused(options: dict[str, Any], name: str) -> None:
    with pytest.raises(UsageError, match=name):
        check_job(make_job(DIGITS, {"islands": 2, **options}))


def test_evaluations_end_a_run_at_the_end_of_an_epoch(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions="all", evaluations="1e4")
    assert run.manifest().stopped == "evaluations"
    assert sum(island.evaluations for island in run.manifest().islands) >= 10_000
