"""Found per second and the time left, as the views tell them."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from small_runs import DIGITS

from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.progress import Outlook, Progress
from islands.driver.snapshot import Snapshot
from islands.model.island_status import IslandStatus
from islands.model.job import Job
from islands.terminal.live import Picture
from islands.terminal.plain import PlainView
from islands.writing.words import frequency


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A run in which nothing has happened yet."""
    return Archipelago(create(job(), tmp_path_factory.mktemp("begin")), Inline()).look()


def job(**stop: Any) -> Job:
    return make_job(DIGITS, {"islands": 1, "length": 12, "backend": "inline", **(stop or {"solutions": 5})}).settled()


def outlook(begin: Snapshot, stop: dict[str, Any], *moments: tuple[float, int]) -> Outlook:
    """After a run of digits was seen at these seconds with so many solutions."""
    progress = Progress(job(**stop))
    looks = [progress.take(replace(begin, seconds=seconds, kept=kept)) for seconds, kept in ((0.0, 0), *moments)]
    return looks[-1]


def test_found_per_second_and_the_time_until_all_asked_for_are_found(begin: Snapshot) -> None:
    now = outlook(begin, {"solutions": 1000}, (1.0, 100), (2.0, 200))
    assert (now.rate, now.share, now.left) == (100, 0.2, 8)
    assert now.words() == ["100/s", "8.0 s left"]


def test_the_rate_is_of_the_last_seconds(begin: Snapshot) -> None:
    fast_then_slow = [(float(second), 1000 + 10 * second) for second in range(1, 61)]
    assert outlook(begin, {"solutions": 9000}, *fast_then_slow).rate == pytest.approx(10)


def test_what_is_found_rarely_has_a_rate_too(begin: Snapshot) -> None:
    once_a_minute = [(60.0 * minute, minute) for minute in range(1, 31)]
    now = outlook(begin, {"solutions": 50}, *once_a_minute)
    assert now.words() == ["1.0/min", "20 min 0 s left"]


@pytest.mark.parametrize("stop", [{"solutions": 1}, {"solutions": 90}])
def test_while_nothing_is_found_nothing_is_said(begin: Snapshot, stop: dict[str, Any]) -> None:
    assert outlook(begin, stop, (7.0, 0)).words() == []


def test_nothing_is_forecast_where_nothing_came_for_long(begin: Snapshot) -> None:
    steadily = [(float(second), 10 * second) for second in range(1, 10)]
    assert outlook(begin, {"solutions": 100}, *steadily, (9.4, 90)).left is not None
    perhaps_all = outlook(begin, {"solutions": 100}, *steadily, (9.4, 90), (30.0, 90))
    assert perhaps_all.left is None
    assert outlook(begin, {"solutions": 100, "seconds": 40}, *steadily, (30.0, 90)).left == 10


def test_the_first_of_several_limits_counts(begin: Snapshot) -> None:
    assert outlook(begin, {"solutions": 1000, "seconds": 6}, (2.0, 200)).left == 4
    assert outlook(begin, {"solutions": 300, "seconds": 60}, (2.0, 200)).left == 1
    assert outlook(begin, {"seconds": 8}, (2.0, 200)).words() == ["100/s", "6.0 s left"]


def test_generations_and_tasks_take_as_long_as_they_took(begin: Snapshot) -> None:
    lived = replace(begin, seconds=10.0, islands=(IslandStatus("fast", generation=25),))
    assert Progress(job(generations=100)).take(lived).left == 30
    swept = replace(begin, seconds=10.0, swept=(9, 27))
    assert Progress(job(exhaustive=True)).take(swept).left == pytest.approx(20)


def test_a_run_that_is_over_has_no_time_left(begin: Snapshot) -> None:
    assert outlook(begin, {"seconds": 8}, (9.0, 200)).left == 0
    assert outlook(begin, {"seconds": 8}, (9.0, 200)).share == 1


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1_840_000, "1.8 M/s"), (125, "125/s"), (9.97, "10/s"), (0.4, "0.4/s"), (0.05, "3.0/min"), (0.001, "3.6/h")],
)
def test_rare_things_are_told_by_the_minute_or_the_hour(rate: float, text: str) -> None:
    assert frequency(rate) == text


def test_both_views_say_it(begin: Snapshot) -> None:
    asked = job(solutions=1000)
    moments = [replace(begin, seconds=seconds, kept=kept) for seconds, kept in ((0.0, 0), (20.0, 200))]
    lines: list[str] = []
    plain, picture = PlainView(asked, lines.append, verbose=False), Picture(asked)
    looks = iter(moments)
    with plain.watching(lambda: next(looks)):
        plain.hear({"event": "epoch"})
    assert lines[-1].endswith("200 of 1,000 found · 10/s · 1 min 20 s left")
    console = Console(width=120, file=io.StringIO())
    for moment in moments:
        with console.capture() as drawn:
            console.print(picture.draw(moment, 120, 24))
    assert "200 of 1,000 found (0 saved) · 10/s · 1 min 20 s left · 0 migrations" in drawn.get()
