"""The last lines of a run: how it ended, and what to type next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_runs import digits

from islands import Run
from islands.pages.endings import whereabouts
from islands.store.outcome import Outcome


def hints(run: Run, reason: str, *, found: int = 0, asked: int | None = 90, unprinted: int = 0) -> list[str]:
    """What is said after the path of the run, line by line."""
    first, *others = whereabouts(run, Outcome(reason, found, asked, None), unprinted).splitlines()
    return [first.removeprefix(str(run.path)).removeprefix(" · "), *others]


def short(tmp_path: Path, **stop: Any) -> Run:
    return digits(tmp_path, islands=1, **{"solutions": 5, **stop})


def test_success_needs_no_hint(tmp_path: Path) -> None:
    assert hints(short(tmp_path), "solutions", found=90) == [""]


def test_an_interrupted_run_says_how_to_go_on_whether_it_found_something_or_not(tmp_path: Path) -> None:
    run = short(tmp_path)
    assert hints(run, "interrupted")[0].startswith(f"go on: islands resume {run.path}")
    assert hints(run, "interrupted", found=9) == [f"go on: islands resume {run.path}"]
    more, further = hints(run, "interrupted", found=60, unprinted=40)
    assert more == f"40 more: islands show {run.path} --limit 0, or islands export {run.path} -o FILE"
    assert further == f"go on: islands resume {run.path}"


@pytest.mark.parametrize(
    ("stop", "reason", "options"),
    [
        ({"solutions": 90, "seconds": 8.0}, "seconds", "--solutions 90 --seconds 16"),
        ({"solutions": 90, "seconds": 0.3}, "seconds", "--solutions 90 --seconds 1"),
        ({"solutions": 90, "generations": 12}, "generations", "--solutions 90 --generations 24"),
    ],
)
def test_where_the_budget_was_too_short_the_hint_has_twice_of_it(
    tmp_path: Path, stop: dict[str, Any], reason: str, options: str
) -> None:
    run = short(tmp_path)
    run.change_stop(type(run.job.stop)(**stop))
    assert hints(run, reason, found=80) == [f"go on: islands resume {run.path} {options}"]


def test_where_the_pace_says_more_it_has_more(tmp_path: Path) -> None:
    run = short(tmp_path)
    run.change_stop(type(run.job.stop)(solutions=90, seconds=8.0))
    assert hints(run, "seconds", found=9)[0].endswith("--solutions 90 --seconds 96")
