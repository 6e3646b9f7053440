"""Elite death to the generation (row 004-7 of the seed documents)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import digits

from islands import Run, resume, solve
from islands.model import elite_watch
from islands.model.elite_watch import EliteWatch
from islands.model.messages import News


def keys(*numbers: int) -> np.ndarray:
    return np.array([[number, 7] for number in numbers], np.uint64).reshape(-1, 2)


def deaths(watch: EliteWatch, generations: range) -> list[int]:
    return [generation for generation in generations if watch.dies(generation)]


def test_after_n_generations_without_a_new_solution_the_elite_dies_in_the_next() -> None:
    """The elite of generation 0 lives through 10 generations; the new one, of generation 11, through 10 more."""
    assert deaths(EliteWatch(10), range(1, 40)) == [11, 22, 33]


def test_a_solution_that_the_island_never_found_before_counts_at_once() -> None:
    watch = EliteWatch(10)
    assert deaths(watch, range(1, 6)) == []
    watch.found(keys(1), 5)
    assert deaths(watch, range(6, 17)) == [16]


def test_a_solution_that_the_island_has_found_before_does_not_count() -> None:
    watch = EliteWatch(10)
    watch.found(keys(1, 2), 1)
    watch.found(keys(2), 8)
    assert deaths(watch, range(9, 15)) == [12]


def test_what_another_island_had_found_counts_until_that_is_known() -> None:
    watch = EliteWatch(10)
    watch.found(keys(1), 5)
    watch.hear(News(fruitful=0, until=4))
    assert deaths(watch, range(6, 13)) == []
    watch.hear(News(fruitful=0, until=8))
    assert deaths(watch, range(13, 15)) == [13]


def test_what_the_archipelago_calls_new_counts_from_its_generation() -> None:
    watch = EliteWatch(10)
    watch.found(keys(1), 5)
    watch.hear(News(fruitful=5, until=8))
    assert deaths(watch, range(9, 17)) == [16]


def test_beyond_what_it_can_remember_an_island_waits_for_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elite_watch, "LARGEST", 2)
    watch = EliteWatch(10)
    watch.found(keys(1, 2, 3), 1)
    watch.found(keys(1), 5)
    assert len(watch.state()["elite.known"]) == 2
    assert deaths(watch, range(6, 17)) == [16]


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=40), st.integers(1, 6))
def test_a_watch_that_is_restored_goes_on_as_if_nothing_had_been(life: list[tuple[int, bool]], period: int) -> None:
    one, other = EliteWatch(period), EliteWatch(period)
    for generation, (number, moved) in enumerate(life, 1):
        if moved:
            state, other = other.state(), EliteWatch(period)
            other.restore(state, generation - 1)
        assert other.dies(generation) == one.dies(generation)
        for watch in (one, other):
            watch.found(keys(number), generation)
        assert all(np.array_equal(other.state()[name], array) for name, array in one.state().items())


def test_a_state_of_an_older_version_begins_the_count() -> None:
    watch = EliteWatch(10)
    watch.restore({}, 500)
    assert deaths(watch, range(501, 530)) == [511, 522]


def died(run: Run) -> list[tuple[int, int]]:
    """(island, generation) of every elite death."""
    events = run.events()
    return [(event["island"], event["generation"]) for event in events if event["event"] == "elite-death"]


def square(out: Path, **options: Any) -> Run:
    """A square that the classic recipe does not find in so few generations."""
    options = {"islands": 1, "population": 20, "elite": 5, "elite_death": 10, **options}
    return solve("magic-square", size=9, recipe="classic", backend="inline", out=out, **options)


def test_the_first_death_comes_in_generation_11_for_a_period_of_10(tmp_path: Path) -> None:
    run = square(tmp_path, generations=50)
    assert died(run)[:4] == [(0, 11), (0, 22), (0, 33), (0, 44)]
    counters = run.manifest().counters
    assert counters is not None
    assert counters.status[0].elite_deaths == len(died(run))


@pytest.mark.parametrize("every", [1, 3, 10, 40])
def test_deaths_do_not_depend_on_the_length_of_epochs(tmp_path: Path, every: int) -> None:
    run = square(tmp_path, generations=40, migrate_every=every)
    assert [generation for _, generation in died(run)][:3] == [11, 22, 33]


def test_every_island_has_its_own_count(tmp_path: Path) -> None:
    run = square(tmp_path, generations=30, islands=3)
    early = [death for death in died(run) if death[1] <= 30]
    assert sorted(early) == [(0, 11), (0, 22), (1, 11), (1, 22), (2, 11), (2, 22)]


def test_a_resumed_run_counts_on(tmp_path: Path) -> None:
    whole = square(tmp_path / "whole", generations=50)
    parts = square(tmp_path / "parts", generations=5)
    for generations in (14, 30, 50):
        parts = resume(parts.path, generations=generations)
    assert set(died(parts)) == set(died(whole))


def test_deaths_of_a_run_that_finds_solutions_are_periods_after_its_last_new_one(tmp_path: Path) -> None:
    """One island, small enough to know everything: each death is exactly one period after a new solution or a death."""
    run = digits(tmp_path, islands=1, generations=300, length=6, solutions="all")
    period = run.job.recipes()[0].elite_death
    last, expected = 0, []
    born = {solution.generation for solution in run}
    for generation in range(1, 301):
        if generation - 1 - last >= period:
            expected.append(generation)
            last = generation
        last = generation if generation in born else last
    assert [generation for _, generation in died(run)][: len(expected)] == expected[: len(died(run))]
    assert len(expected) > 5
