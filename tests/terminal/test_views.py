"""What is drawn while a run is under way, and the words around it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from islands.driver.api import make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.snapshot import Snapshot
from islands.model.capabilities import Census
from islands.model.island_status import IslandStatus
from islands.model.title import title
from islands.pages.endings import headline
from islands.pages.news import sentence
from islands.store.local_disk import LocalDisk
from islands.store.outcome import Outcome
from islands.store.run import Run
from islands.terminal.live import LiveView, Picture, Rates
from islands.terminal.plain import PlainView
from islands.terminal.watched_run import OutputOptions, WatchedRun
from islands.writing.words import compact, duration, many, number


def archipelago(folder: Path, **options: Any) -> Archipelago:
    """One that has run to its end."""
    job = make_job("magic-square", {"size": 4, "islands": 2, "backend": "inline", **options}).settled()
    whole = Archipelago(Run.create(LocalDisk(folder), job), Inline())
    whole.conduct()
    return whole


def drawn(picture: Picture, now: Snapshot, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=False)
    with console.capture() as captured:
        console.print(picture.draw(now, width, height))
    return captured.get().splitlines()


class TestNumbers:
    def test_are_grouped(self) -> None:
        assert number(275_305_224) == "275,305,224"
        assert many(1, "square") == "1 square"
        assert many(2_000, "square") == "2,000 squares"

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0, "0"),
            (950, "950"),
            (999.6, "1.0 k"),
            (9_960, "10 k"),
            (18_400, "18 k"),
            (1_840_000, "1.8 M"),
            (4e15, "4000 T"),
        ],
    )
    def test_rates_are_short(self, value: float, text: str) -> None:
        assert compact(value) == text

    @pytest.mark.parametrize(
        ("seconds", "text"),
        [(0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min")],
    )
    def test_durations(self, seconds: float, text: str) -> None:
        assert duration(seconds) == text

    def test_rates_are_taken_over_a_few_seconds(self) -> None:
        rates, before = Rates(), IslandStatus("fast")
        rates.take(0.0, [before])
        assert rates.take(2.0, [replace(before, generation=100, evaluations=5_000)]) == [(50, 2_500)]


class TestSummary:
    @pytest.fixture
    def run(self, tmp_path: Path) -> Run:
        return archipelago(tmp_path, generations=1, solutions=5).run

    @pytest.mark.parametrize(
        ("outcome", "words"),
        [
            (Outcome("complete", 880, 880, 880), "880 of 880: complete"),
            (Outcome("complete", 1, 2, 1), "1 of 1: complete; no more exist"),
            (Outcome("exhausted", 0, None, 0), "0 of 0: complete"),
            (Outcome("solutions", 20, 20, 880), "found 20 squares in"),
            (Outcome("seconds", 3, 20, 880), "stopped after "),
            (Outcome("seconds", 3, None, None), "with 3 squares"),
            (Outcome("generations", 0, 5, None), "no square found in 1 generation ("),
            (Outcome("interrupted", 2, 5, None), "interrupted after"),
        ],
    )
    def test_says_how_it_ended(self, run: Run, outcome: Outcome, words: str) -> None:
        assert words in headline(run, outcome)

    def test_title_leaves_out_what_is_usual(self) -> None:
        assert title(make_job("magic-square", {"size": 5, "start": 3}).settled()) == "magic-square size=5 start=3"
        assert title(make_job("magic-square", {}).settled()) == "magic-square size=4"


class TestPicture:
    @pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
    @pytest.mark.parametrize("islands", [1, 2, 64])
    def test_fits_any_terminal(self, tmp_path: Path, width: int, islands: int) -> None:
        whole = archipelago(tmp_path, islands=islands, solutions=3)
        picture = Picture(whole.run.job)
        lines = drawn(picture, whole.look(), width, 24)
        assert max(map(len, lines)) <= width
        assert len(lines) <= 24

    def test_shows_islands_totals_and_the_newest_solution(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, solutions=10, recipe="fast:2")
        view = LiveView(whole.run.job, Console(file=io.StringIO()), verbose=False)
        with view.watching(whole.look):
            view.hear({"event": "checkpoint", "epoch": 1, "total": 10})
        text = "\n".join(drawn(view.picture, whole.look(), 120, 30))
        for words in ("magic-square size=4", "seed 1", "2 islands", "10 of 10 found, 880 exist", "migration", "newest"):
            assert words in text
        newest = whole.coordinator.archive.newest
        assert newest is not None
        assert whole.run.job.problem.show(newest).splitlines()[0] in text

    def test_many_islands_are_summed_up(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, islands=64, solutions=3)
        lines = drawn(Picture(whole.run.job), whole.look(), 100, 24)
        assert any("and 53 more" in line for line in lines)
        assert lines[-1].split()[0] == "all"

    def test_says_what_is_not_saved_yet(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, solutions=10)
        half = replace(whole.look(), saved=4)
        assert "(4 saved)" in "\n".join(drawn(Picture(whole.run.job), half, 100, 24))

    def test_lost_islands_are_told(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, solutions=2)
        unlucky = replace(whole.look(), lost=3)
        assert "3 islands lost and restored" in "\n".join(drawn(Picture(whole.run.job), unlucky, 100, 24))

    @pytest.mark.parametrize("width", [60, 120])
    def test_nodes_are_shown_where_there_are_several(self, tmp_path: Path, width: int) -> None:
        whole = archipelago(tmp_path, solutions=2)
        far = replace(whole.look(), where="on Ray", places=("a:1", "a-node-with-a-long-name.example.org:2"))
        lines = drawn(Picture(whole.run.job), far, width, 24)
        assert "2 islands on Ray, 2 nodes" in " ".join(lines)
        assert all(len(line) <= width for line in lines)
        assert [line.split()[:2] for line in lines if line.lstrip().startswith(("0 ", "1 "))] == [
            ["0", "a"],
            ["1", "a-node-with-a-lon…"],
        ]
        one = replace(far, places=("a:1", "a:2"))
        assert "node" not in "".join(drawn(Picture(whole.run.job), one, width, 24))

    def test_a_live_session_ends_with_the_solutions(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("islands.terminal.live.DELAY", 0.0)
        monkeypatch.setattr("islands.terminal.live.INTERVAL", 0.001)
        screen, stdout = io.StringIO(), io.StringIO()
        job = make_job("magic-square", {"size": 4, "islands": 2, "backend": "inline", "solutions": 300}).settled()
        session = WatchedRun(Run.create(LocalDisk(tmp_path), job), OutputOptions(stdout, json=True))
        console = Console(file=screen, force_terminal=True, width=100, height=30)
        session.view = LiveView(job, console, verbose=False)
        assert session.conduct() == 0
        assert len(stdout.getvalue().splitlines()) == 300
        assert "island" in screen.getvalue()

    def test_a_live_session_without_success_leaves_what_it_knows(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = {"size": 9, "recipe": "classic", "islands": 2, "backend": "inline", "generations": 30, "seed": 4}
        job = make_job("magic-square", options).settled()
        session = WatchedRun(Run.create(LocalDisk(tmp_path), job), OutputOptions(io.StringIO()))
        session.view = LiveView(job, Console(file=io.StringIO(), force_terminal=True), verbose=False)
        assert session.conduct() == 1
        said = capsys.readouterr().err
        assert said.startswith("magic-square size=9 · 2 islands · recipe classic · seed 4\n\nisland  recipe")
        assert said.index("the nearest candidate") < said.index("no square found") < said.index("Try --recipe fast")


class TestPlain:
    def test_a_line_for_what_matters(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, solutions=2)
        job = whole.run.job
        assert sentence({"event": "hand-over"}, job, False) == "starting Ray …"
        ready = sentence({"event": "ray-ready", "took": 6.125}, job, False)
        assert "on Ray after 6.1 s: 2 islands on" in (ready or "")
        gone = sentence({"event": "ray-lost", "reason": "Ray's raylet ended."}, job, False)
        assert "Ray's raylet ended. The islands are in this process" in (gone or "")
        lost = {"event": "island-lost", "island": 1, "reason": "killed"}
        assert "island 1 was lost (killed)" in (sentence(lost, job, False) or "")
        assert "island 1 on a was lost (killed)" in (sentence({**lost, "place": "a:7"}, job, False) or "")
        death = {"event": "elite-death", "island": 1, "epoch": 3, "generation": 11}
        assert sentence(death, job, False) is None
        assert sentence(death, job, True) == "island 1: elite death in generation 11"

    @pytest.mark.parametrize("shards", [0, 2])
    def test_a_run_that_goes_back_says_that_what_it_no_longer_shows_comes_again(
        self, tmp_path: Path, shards: int
    ) -> None:
        """It may have shown more: what was found after its checkpoint."""
        job = archipelago(tmp_path, solutions=2).run.job
        said = sentence({"event": "shards", "shards": shards, "total": 612_806}, job, False) or ""
        assert said.endswith("the run goes on from its checkpoint, with 612,806 found, and finds the others again")
        assert "goes on" not in (sentence({"event": "shards", "shards": shards, "total": 0}, job, False) or "")

    def test_places_are_worth_a_line_where_there_are_several_nodes(self, tmp_path: Path) -> None:
        job = archipelago(tmp_path, solutions=2).run.job
        placed = {"event": "placed", "places": {"0": "a:7", "1": "b:7"}}
        assert sentence(placed, job, False) == "the islands live on 2 nodes: 1 on a, 1 on b"
        assert sentence({"event": "placed", "places": {"0": "a:7", "1": "a:8"}}, job, False) is None
        assert sentence({"event": "placed", "places": {"1": "c:7"}}, job, False) is None
        slow = {"event": "slow", "island": 1, "place": "b:7", "times": 4.0}
        assert "island 1 on b takes 4 times as long as the others, and they wait" in (sentence(slow, job, False) or "")
        move = {"event": "move", "island": 1, "from": "a:7", "to": "b:8"}
        assert sentence(move, job, False) == "island 1 moves from a to b"
        out = {"event": "node-left-out", "node": "c", "reason": "it has numpy 1.0"}
        assert sentence(out, job, False) == "node c hosts no island: it has numpy 1.0"
        waiting = {"event": "waiting", "reason": "none is free (`wait=10m`).", "limit": 600.0}
        assert sentence(waiting, job, False) == "waiting up to 10 min 0 s, Ctrl-C leaves: none is free (--wait 10m)."
        racing = job.model_copy(update={"race": True})
        assert sentence(slow, racing, False) == "island 1 on b takes 4 times as long as the others"

    def test_a_status_line_every_ten_seconds(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, solutions=2)
        lines: list[str] = []
        view = PlainView(whole.run.job, lines.append, verbose=False)
        now = replace(whole.look(), seconds=0.0)
        with view.watching(lambda: now):
            for second in range(35):
                now = replace(now, seconds=second)
                view.hear({"event": "epoch"})
        assert len(lines) == 1 + 3
        assert "2 of 2 found, 880 exist" in lines[-1]


def test_a_reader_who_has_gone_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    job = make_job("magic-square", {"size": 5, "islands": 1, "backend": "inline", "seconds": 60}).settled()
    session = WatchedRun(Run.create(LocalDisk(tmp_path), job), OutputOptions(Closed(), json=True))
    assert session.conduct() == 130
    assert len(session.run) > 0


class TestExhaustive:
    def test_the_screen_says_how_many_tasks_are_done(self, tmp_path: Path) -> None:
        whole = archipelago(tmp_path, exhaustive=True, size=3)
        assert whole.look().swept == (9, 9)
        lines = drawn(Picture(whole.run.job), whole.look(), 100, 30)
        assert "1 found, 1 exist, 9 of 9 tasks done" in lines[1]
        assert "━" in lines[2]

    @pytest.mark.parametrize(
        ("found", "words"),
        [(0, "no square exists"), (1, "unique: the only square there is"), (3, "exactly 3 squares, all found")],
    )
    def test_a_search_that_is_through_is_a_proof(self, tmp_path: Path, found: int, words: str) -> None:
        run = archipelago(tmp_path, size=9, recipe="classic", generations=1).run
        outcome = Outcome("exhausted", found, 1, found)
        assert words in headline(run, outcome)
        assert outcome.exit_code == (0 if found else 1)

    def test_a_census_decides_the_exit_code(self) -> None:
        for satisfied, reason, code in ((True, "exhausted", 0), (False, "exhausted", 1), (True, "seconds", 1)):
            assert Outcome(reason, 3, None, 3, census=Census({"puzzles": 3}, satisfied)).exit_code == code
