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
from islands.model.island_status import IslandStatus
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
        replace(begin, seconds=seconds, islands=(IslandStatus("fast", generation=5, best=best),))
        for seconds, best in ((1.0, 30), (4.0, 12), (20.0, 12))
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
