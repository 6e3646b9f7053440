"""A puzzle that is optimised, from the command line: the best and since when, on the screen and at the end."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cli_harness import Islands
from rich.console import Console

from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.progress import Progress
from islands.model.island_status import IslandStatus
from islands.store.solutions import cheapest
from islands.terminal.live import Picture
from islands.terminal.plain import PlainView

TOUR = """
import numpy as np
from islands import Arrangement, Problem, Ranking, Wording


class Tour(Problem):
    cities: int = 8
    known: int = 0

    def space(self):
        return Arrangement(range(self.cities))

    def cost(self, tour):
        turn = np.abs(tour - np.roll(tour, 1))
        return int(np.minimum(turn, self.cities - turn).sum())

    def ranking(self):
        return Ranking(optimising=True, target=self.known, cost_text=lambda cost: f"{cost} steps")

    def wording(self):
        return Wording(word="tour")
"""


@pytest.fixture
def tour(tmp_path: Path) -> str:
    file = tmp_path / "tour.py"
    file.write_text(TOUR)
    return str(file)


def test_the_best_is_printed_alone_and_the_end_says_when_it_was_met(islands: Islands, tour: str) -> None:
    said = islands("run", tour, "--islands", "1", "--backend", "inline")
    assert said.code == 0
    assert len(said.out.splitlines()) == 1
    assert re.search(r"best tour: 8 steps, met after [\d.]+ m?s; no island got any better up to [\d.]+ m?s", said.err)
    assert "ranked: islands show" in said.err


def test_a_target_that_is_met_ends_the_run(islands: Islands, tour: str) -> None:
    said = islands("run", tour, "--known", "8", "--islands", "1", "--backend", "inline")
    assert said.code == 0
    assert re.search(r"best tour: 8 steps, met after [\d.]+ m?s; the target is met", said.err)
    assert "target met" in islands("runs").out


def test_several_that_differ(islands: Islands, tour: str) -> None:
    stop = ("--solutions", "3", "--generations", "30")
    said = islands("run", tour, *stop, "--islands", "2", "--backend", "inline", "--json")
    tours = [json.loads(line)["genome"] for line in said.out.splitlines()]
    assert 1 < len(tours) <= 3
    assert len(set(map(tuple, tours))) == len(tours)


def test_both_views_say_the_best_and_when_it_was_met(tmp_path: Path, tour: str) -> None:
    job = make_job(tour, {"islands": 1, "backend": "inline"}).settled()
    begin = Archipelago(create(job, tmp_path / "runs"), Inline()).look()
    moments = [
        replace(begin, seconds=seconds, islands=(IslandStatus("fast", generation=5, best=best),), bettered=met)
        for seconds, best, met in ((1.0, 30, 0.5), (6.0, 12, 4.0), (20.0, 12, 4.0))
    ]
    lines: list[str] = []
    plain, picture = PlainView(job, lines.append, verbose=False), Picture(job)
    looks = iter(moments)
    with plain.watching(lambda: next(looks)):
        plain.hear({"event": "epoch"})
        plain.hear({"event": "epoch"})
    assert "best 12 steps, met after 4.0 s" in lines[-1]
    assert "found" not in lines[-1]
    console = Console(width=120, file=io.StringIO())
    for moment in moments:
        with console.capture() as drawn:
            console.print(picture.draw(moment, 120, 24))
    assert "best 12 steps, met after 4.0 s" in drawn.get()


def test_a_view_tells_what_a_resumed_run_had_met_before(tmp_path: Path, tour: str) -> None:
    job = make_job(tour, {"islands": 1, "backend": "inline"}).settled()
    begin = Archipelago(create(job, tmp_path / "runs"), Inline()).look()
    resumed = replace(begin, seconds=31.0, islands=(IslandStatus("fast", generation=5, best=12),))
    assert Progress(job).found(resumed) == "best 12 steps, met before the run was resumed"
    assert Progress(job).found(begin) == "nothing yet"


def test_the_end_and_the_view_agree_on_when_the_best_was_met(tmp_path: Path, tour: str) -> None:
    job = make_job(tour, {"islands": 2, "backend": "inline", "generations": 60}).settled()
    run = create(job, tmp_path / "runs")
    archipelago = Archipelago(run, Inline())
    archipelago.conduct()
    best = cheapest(run.rows(), job.problem, 1)
    assert archipelago.look().bettered == best.seconds[0]


HEAVY = """
from islands import Choices, Problem, Ranking

class Heavy(Problem):
    instance: int = 1

    def space(self):
        return Choices(8, 3)

    def cost(self, things):
        return int(things.sum()) + 100 * self.instance

    def ranking(self):
        return Ranking(optimising=True, tolerance=50)
"""


def test_what_is_not_tolerated_is_not_called_the_best(tmp_path: Path) -> None:
    file = tmp_path / "heavy.py"
    file.write_text(HEAVY)
    job = make_job(str(file), {"islands": 1, "backend": "inline"}).settled()
    begin = Archipelago(create(job, tmp_path / "runs"), Inline()).look()
    now = replace(begin, islands=(IslandStatus("fast", best=104),), bettered=1.0)
    assert Progress(job).found(now) == "no solution yet, lowest cost 104"


@pytest.mark.slow
def test_a_field_named_instance_is_an_option(islands: Islands, tmp_path: Path) -> None:
    (tmp_path / "heavy.py").write_text(HEAVY)
    said = islands("run", "heavy.py", "--instance", "0", "--generations", "40", "--islands", "1", "--backend", "inline")
    assert said.code == 0
    assert said.out.split() == ["0"] * 8
    assert islands("check", "heavy.py", "--instance", "0").code == 0
