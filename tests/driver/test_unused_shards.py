"""Shards that somebody asked for and that cannot help: a sentence says so."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from small_runs import DIGITS

from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.backends import check_shards, elsewhere
from islands.errors import UsageError


def test_a_run_that_ends_before_it_is_on_ray_says_that_it_had_no_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("islands.driver.backends.cpus", lambda: 4)
    run = create(make_job(DIGITS, {"islands": 2, "solutions": 3, "shards": 2, "length": 9}), tmp_path)
    Archipelago(run, Inline(), elsewhere=elsewhere(run)).conduct()
    [told] = [event for event in run.events() if event["event"] == "no-shards"]
    assert told["reason"] == "the run has ended before its islands lived on Ray"


def test_a_run_that_was_on_ray_without_them_gives_another_reason(tmp_path: Path) -> None:
    run = create(make_job(DIGITS, {"islands": 2, "solutions": 3, "shards": 2, "length": 9, "backend": "ray"}), tmp_path)
    keeper = Archipelago(run, Inline(), elsewhere=elsewhere(run)).keeper
    keeper._placement = SimpleNamespace(has_elsewhere=True, remote=object())  # type: ignore[assignment]
    [told] = keeper.unused()
    assert told["reason"] == "the run has ended while what is on disk was still being found again"


def test_more_shards_than_the_run_keeps_solutions_are_refused() -> None:
    job = make_job(DIGITS, {"islands": 4, "solutions": 3, "length": 9})
    check_shards(job.model_copy(update={"shards": 3}))
    with pytest.raises(UsageError, match="`shards=5`: the run keeps 3 solutions at the most"):
        check_shards(job.model_copy(update={"shards": 5}))
    one = make_job(DIGITS, {"islands": 4, "solutions": 1, "length": 9, "shards": 2})
    with pytest.raises(UsageError, match="the run keeps 1 solution at the most"):
        check_shards(one)


@pytest.mark.parametrize("name", ["islands", "shards"])
def test_what_is_no_number_is_told_of_auto(name: str) -> None:
    with pytest.raises(UsageError, match=f"`{name}='abc'`: expected a whole number, or auto"):
        make_job(DIGITS, {name: "abc"})
