"""An ending that teaches: how the islands fared, the nearest candidate, advice that follows from the facts."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Islands
from rich.console import Console
from small_runs import change_manifest, digits

from islands import Run, solve
from islands.driver.api import create, make_job
from islands.model.island_status import IslandStatus
from islands.model.problem import Problem
from islands.pages.advice import advice, further_work, statuses
from islands.pages.endings import nearest, whereabouts
from islands.store.outcome import Outcome, outcome
from islands.terminal.summary import closing, islands_table
from problems.magic_square import MagicSquare

CLASSIC = ("--recipe", "classic", "--islands", "1")
ONES = """
import numpy as np
from dataclasses import replace
from islands import Choices, Problem, Recipe
from islands.operators import select, survive

class Ones(Problem):
    length: int = 60
    goal: int = 60
    least: int = 0  # that any candidate costs

    def space(self):
        return Choices(self.length, 2)

    def cost(self, genome):
        return max(self.least, abs(self.goal - int(genome.sum())))

    def recipes(self):
        twins = Recipe(
            population=20,
            settle=lambda n, rng: np.zeros((n, self.length), np.int32),
            select=select.everyone(),
            survive=survive.children(),
        )
        return {**super().recipes(), "twins": twins}
"""


@pytest.fixture
def ones(tmp_path: Path) -> Any:
    """Runs of a puzzle that wants as many ones as its goal says."""
    (tmp_path / "ones.py").write_text(ONES)

    def run(**options: Any) -> Run:
        given = {"islands": 2, "backend": "inline", "generations": 30, **options}
        return solve(str(tmp_path / "ones.py"), out=tmp_path / "runs", **given)

    return run


def told(run: Run) -> list[str]:
    return advice(run, outcome(run, run.manifest().stopped or "failed"))


class TestAdvice:
    def test_there_is_none_after_success(self, tmp_path: Path) -> None:
        assert told(digits(tmp_path, solutions=5)) == []

    def test_there_is_none_where_the_whole_space_was_searched(self, tmp_path: Path) -> None:
        assert told(digits(tmp_path, exhaustive=True, length=6)) == []

    def test_islands_that_are_stuck_at_the_same_cost(self, ones: Any) -> None:
        run = ones(least=3, goal=30, population=40, recipe="classic")
        first, second = told(run)
        assert first == "Try --recipe fast, which is the choice of the puzzle itself."
        assert second.startswith("All 2 islands are stuck at cost 3: no lower cost in the last ")
        assert "More time alone may not help; try another --seed or a larger --population." in second

    def test_a_run_that_was_killed_before_its_first_generation_is_not_blamed(self, tmp_path: Path) -> None:
        run = create(make_job("magic-square", {"size": 6, "solutions": 4_000_000, "islands": 2}), tmp_path)
        assert run.job.recipe == "many"
        assert advice(run, outcome(run, "interrupted")) == []
        assert advice(run, outcome(run, "seconds")) == [
            "No island came to the end of its first generation: give it more time."
        ]

    def test_one_island_that_is_stuck(self, ones: Any) -> None:
        (only,) = told(ones(least=3, goal=30, islands=1))
        assert only.startswith("The island is stuck at cost 3: ")

    def test_a_run_that_gave_up_is_not_told_twice_what_to_try(self, ones: Any) -> None:
        run = ones(least=3, goal=30, stale=20, generations=500)
        assert run.manifest().stopped == "stale"
        assert told(run)[0].endswith("generations.")
        hint = whereabouts(run, outcome(run, "stale"), 0)
        assert hint == f"{run.path} · try another --seed, a larger --population, or --stale 0"

    def test_a_cost_that_still_falls_says_how_much_more_work_it_takes(self, ones: Any) -> None:
        run = ones(recipe="classic", length=400, goal=400, population=30, generations=40)
        recipe, trend = told(run)
        fell = re.match(r"The lowest cost fell from (\d+) to (\d+) in the second half of the run", trend)
        assert fell is not None
        assert int(fell[1]) > int(fell[2]) > 0
        assert "times the work" in trend or "too slow to wait for" in trend
        assert recipe.startswith("Try --recipe fast")

    def test_the_budget_of_the_hint_follows_from_the_trend(self, ones: Any) -> None:
        run = ones(recipe="classic", length=200, goal=200, population=100, generations=31)
        ended = outcome(run, "generations")
        needed = re.search(r"about (\d+) times the work", " ".join(told(run)))
        assert needed is not None
        factor = further_work(run, ended)
        assert int(needed[1]) - 1 <= factor / 1.2 <= int(needed[1])
        hint = re.search(r"--generations (\d+)", whereabouts(run, ended, 0))
        assert hint is not None
        assert 31 * factor <= int(hint[1]) <= 31 * factor * 1.1 + 1

    def test_populations_that_are_alike(self, ones: Any) -> None:
        _, sentence = told(ones(recipe="twins", least=1))
        assert "individuals differ from the best one in 0.0 places, random ones in 3" in sentence
        assert sentence.endswith("More time alone may not help; try a larger --population or --no-duplicates.")

    def test_a_few_generations_are_not_enough_to_be_stuck(self, ones: Any) -> None:
        assert told(ones(recipe="fast", least=1, goal=30, generations=3)) == []

    def test_a_budget_that_was_too_short_for_the_number_asked_for(self, tmp_path: Path) -> None:
        run = digits(tmp_path, solutions=1000, generations=12, islands=1)
        (pace,) = told(run)
        assert pace.startswith("At this pace 1,000 solutions take about ")
        assert further_work(run, outcome(run, "generations")) == pytest.approx(1.2 * 1000 / len(run))

    def test_a_recipe_that_is_quicker_for_so_many(self, tmp_path: Path) -> None:
        options = {"size": 6, "recipe": "fast", "islands": 1, "backend": "inline", "population": 10}
        run = solve("magic-square", out=tmp_path, solutions=10**6, generations=20, **options)
        assert len(run) > 0
        pace, recipe = told(run)
        assert pace.startswith("At this pace 1,000,000 squares take about ")
        assert recipe.startswith("Try --recipe many: the quick way to 1,000,000 squares")
        assert "--recipe fast finds unrelated ones" in recipe

    def test_there_are_two_sentences_at_the_most(self, ones: Any) -> None:
        assert len(told(ones(recipe="twins", least=1, goal=30))) == 2


class TestDetailsOfARunWithoutASolution:
    """002-6, 002-17: who is left, and what each cell adds to the cost."""

    SUDOKU = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."

    def test_the_nearest_candidates_with_the_costs_of_their_cells(self, islands: Islands) -> None:
        islands("run", "sudoku", self.SUDOKU, *CLASSIC, "--population", "30", "--generations", "2", "-q")
        said = islands("show", "--details", "--limit", "2")
        assert re.findall("^candidate ([0-9]), cost ", said.out, re.MULTILINE) == ["1", "2"]
        assert (
            len(re.findall("cells marked [*]", said.out)) == len(re.findall("cells that cost: [0-9]+:", said.out)) == 2
        )
        assert said.err == "runs/001-sudoku has no solution yet; its nearest 2 candidates at the end above\n"

    def test_as_json(self, islands: Islands) -> None:
        islands("run", "sudoku", self.SUDOKU, *CLASSIC, "--population", "30", "--generations", "2", "-q")
        told = [json.loads(line) for line in islands("show", "--details", "--json").out.splitlines()]
        assert [one["candidate"] for one in told] == [1, 2, 3, 4, 5]
        assert all(sum(one["cell_costs"]) == one["cost"] for one in told)
        assert [one["cost"] for one in told] == sorted(one["cost"] for one in told)

    def test_of_a_run_that_has_not_begun_there_are_none(self, islands: Islands) -> None:
        create(make_job("magic-square", {"size": 4}))
        said = islands("show", "--details")
        assert (said.out, said.err) == ("", "runs/001-magic-square has no square yet\n")


class TestNearest:
    def test_it_is_of_the_very_end_also_inside_an_epoch(self, islands: Islands) -> None:
        """20 generations are epochs of 1, 2, 4, 8 and a part of the next."""
        islands("run", "magic-square", "--size", "6", *CLASSIC, "--elite", "20", "--generations", "20", "-q")
        told = json.loads(islands("show", "--summary", "--json").out)
        assert told["nearest"]["cost"] == told["islands"][0]["best"]

    def test_a_crossword_has_its_errors_marked(self, islands: Islands) -> None:
        said = islands("run", "crossword", "cat tea ace", *CLASSIC, "--generations", "1")
        assert re.search(r"the nearest candidate at the end, cost \d+ errors:\n", said.err)
        assert re.search(r" errors?: \w+ (crosses no other word|needs|touches|lies)|errors: the words form", said.err)

    def test_it_is_the_candidate_of_the_lowest_cost(self, ones: Any) -> None:
        run = ones(least=1, generations=3)
        near = nearest(run)
        assert near is not None
        assert near[1] == run.job.problem.cost(near[0]) == min(one.best for one in statuses(run))

    def test_a_solution_is_none(self, tmp_path: Path) -> None:
        assert nearest(digits(tmp_path, generations=40)) is None

    def test_a_users_puzzle_is_drawn_as_it_shows_itself(self, ones: Any) -> None:
        run = ones(least=1, generations=3, length=6, goal=6)
        text = shown(run, 80)
        near = nearest(run)
        assert near is not None
        assert f"the nearest candidate at the end, cost {near[1]}:\n{run.job.problem.show(near[0])}\n" in text

    def test_what_is_wrong_is_marked(self, tmp_path: Path) -> None:
        options = {"size": 6, "recipe": "classic", "generations": 20, "islands": 1, "backend": "inline"}
        text = shown(solve("magic-square", out=tmp_path, **options), 100)
        assert re.search(r"[+-]\d+$", text, re.MULTILINE)
        assert "do not sum to 111" in text


def shown(run: Run, width: int, ended: Outcome | None = None) -> str:
    """What the screen shows at the end of a run."""
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as captured:
        for part in closing(run, ended or outcome(run, run.manifest().stopped or "failed"), width):
            console.print(part)
    return captured.get()


class TestScreen:
    def test_after_a_short_success_there_is_nothing_but_the_result(self, tmp_path: Path) -> None:
        assert shown(digits(tmp_path, solutions=5), 100) == ""

    def test_without_success_every_island_has_a_row(self, ones: Any) -> None:
        text = shown(ones(recipe="fast:1,classic:2", islands=None, least=1), 120)
        for words in ("generations", "evaluations", "best cost", "since generation", "immigrants", "took the lead"):
            assert words in text
        assert [line.split()[1] for line in text.splitlines()[1:4]] == ["fast", "classic", "classic"]
        assert text.splitlines()[4].split()[0] == "all"

    def test_an_interrupted_run_shows_what_it_knows(self, ones: Any) -> None:
        run = ones(least=1)
        assert "best cost" in shown(run, 100, Outcome("interrupted", 0, 1, None))
        assert "nearest" in shown(run, 100, Outcome("interrupted", 0, 1, None))
        assert "nearest" not in shown(run, 100, Outcome("interrupted", 3, 5, None))

    @pytest.mark.parametrize("width", [30, 60, 80, 100, 120])
    @pytest.mark.parametrize("count", [1, 40])
    def test_the_table_fits_any_terminal(self, width: int, count: int) -> None:
        island = IslandStatus("classic", 9, 12_345, 678_901_234, 17, 345, 0, 1_234, 0, 567, 89, 12)
        problem: Problem = MagicSquare()
        console = Console(file=io.StringIO(), width=width)
        with console.capture() as captured:
            console.print(islands_table(problem, [island] * count, width, 12, [f"node{i}:1" for i in range(count)]))
        lines = captured.get().splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in captured.get()
        assert len(lines) == (2 if count == 1 else 14)
        assert "found" in lines[0]
        assert ("node" in lines[0]) == (count > 1 and width > 60)


class TestShowSummary:
    def test_of_a_run_without_a_solution(self, islands: Islands) -> None:
        run = islands(
            "run", "magic-square", "--size", "6", "--recipe", "classic", "--generations", "20", "--islands", "2"
        )
        assert run.code == 1
        said = islands("show", "last", "--summary")
        assert said.code == 0
        first, second, *_ = said.out.splitlines()
        assert first == "magic-square size=6 · 2 islands · recipe classic · seed 1"
        assert second.startswith("no square found in 20 generations")
        for words in (
            "took the lead",
            "the nearest candidate at the end",
            "Try --recipe fast",
            "islands resume runs/001",
        ):
            assert words in said.out
            assert words in run.err

    def test_of_a_success(self, islands: Islands) -> None:
        islands("run", "magic-square", "--size", "4", "--solutions", "30", "--islands", "2", "--quiet")
        said = islands("show", "--summary")
        assert said.out.splitlines()[1].startswith("found 30 squares in ")
        assert next(line for line in said.out.splitlines() if "all" in line).split()[-1] == "30"
        assert "nearest" not in said.out

    def test_of_a_run_that_was_killed_or_is_under_way(self, islands: Islands) -> None:
        islands("run", "magic-square", "--size", "6", "--recipe", "classic", "--generations", "20", "--islands", "2")
        run = Run.open("last")
        change_manifest(run, stopped=None, islands=())
        killed = islands("show", "--summary").out
        assert killed.splitlines()[1].startswith("killed after ")
        assert "took the lead" in killed
        assert f"go on: islands resume {run.path}" in killed
        run.disk.lock()
        under_way = islands("show", "--summary").out
        run.disk.unlock()
        assert under_way.splitlines()[1].startswith("under way for ")
        assert "islands resume" not in under_way

    def test_of_a_file_of_puzzles(self, islands: Islands, tmp_path: Path) -> None:
        solved = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
        (tmp_path / "two.sdm").write_text(f"{solved[:-3]}...\n{solved[:-9]}.........\n")
        assert islands("run", "sudoku", "two.sdm", "--quiet").code == 0
        said = islands("show", "--summary").out
        assert said.splitlines()[1].startswith("all searched in ")
        assert said.splitlines()[3].split() == [
            "puzzles",
            "solved",
            "unique",
            "2",
            "or",
            "more",
            "no",
            "solution",
            "time",
        ]
        assert json.loads(islands("show", "--summary", "--json").out)["counts"]["puzzles"] == 2

    def test_of_a_run_that_has_not_begun(self, islands: Islands) -> None:
        create(make_job("magic-square", {"size": 4}))
        assert "it has not begun" in islands("show", "--summary").out

    def test_as_json(self, islands: Islands) -> None:
        islands("run", "magic-square", "--size", "6", "--recipe", "classic", "--generations", "20", "--islands", "2")
        told = json.loads(islands("show", "--summary", "--json").out)
        assert (told["recipe"], told["seed"], told["found"], told["stopped"]) == ("classic", 1, 0, "generations")
        assert [island["recipe"] for island in told["islands"]] == ["classic", "classic"]
        assert told["nearest"]["cost"] == min(island["best"] for island in told["islands"])
        assert len(told["nearest"]["genome"]) == 36
        assert told["advice"][0].startswith("Try --recipe fast")

    def test_costs_are_told_as_people_read_them(self, islands: Islands) -> None:
        """An error of a crossword weighs ten million, which nobody needs to know."""
        islands("run", "crossword", "cat tea ace", *CLASSIC, "--generations", "1")
        told = json.loads(islands("show", "--summary", "--json").out)
        for text in (told["islands"][0]["best_text"], told["nearest"]["cost_text"]):
            assert re.fullmatch(r"\d+ errors", text)
        (row,) = [json.loads(line) for line in islands("runs", "--json").out.splitlines()]
        assert row["best_text"] == told["islands"][0]["best_text"]
        assert row["best_text"] in islands("runs").out

    def test_other_options_of_show_are_refused(self, islands: Islands) -> None:
        islands("run", "magic-square", "--size", "4", "--quiet")
        said = islands("show", "--summary", "--limit", "3")
        assert said.code == 2
        assert "--summary describes the run" in said.err

    def test_quiet_and_a_success_say_no_more_than_before(self, islands: Islands) -> None:
        quiet = islands("run", "magic-square", "--size", "6", "--recipe", "classic", "--generations", "20", "--quiet")
        assert (quiet.out, quiet.err) == ("", "")
        assert "took the lead" not in islands("run", "magic-square", "--size", "4").err
