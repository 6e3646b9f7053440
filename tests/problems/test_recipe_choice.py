"""Without --recipe a puzzle chooses by what is asked for, and says why; the job keeps what was chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_harness import QUEENS, Islands, Said

from islands import Choices, Recipe, solve
from islands.driver.api import make_job
from islands.errors import PuzzleError
from islands.model.entries import ALL
from islands.model.loading import load
from islands.model.problem import Problem
from islands.operators.space import Genomes
from islands.store.run import Run

PUZZLES = ("crossword", "letter-grid", "magic-square", "mastermind", "sudoku")
SUDOKU = ".1.4.......3.2.1"


def chosen(puzzle: str, **options: Any) -> str:
    return str(make_job(puzzle, options).settled().recipe)


@pytest.mark.parametrize(
    ("options", "recipe"),
    [
        ({"size": 6}, "fast"),
        ({"size": 6, "solutions": 20}, "fast"),
        ({"size": 6, "solutions": 10_000}, "fast"),
        ({"size": 6, "solutions": 1_000_000}, "many"),
        ({"size": 6, "solutions": 10_000, "seconds": 5}, "many"),
        ({"size": 6, "seconds": 5}, "fast"),  # as many as come: unrelated ones
        ({"size": 6, "solutions": "all", "seconds": 5}, "many"),
        ({"size": 4, "solutions": 1_000_000}, "fast"),  # there are 880
        ({"size": 4, "solutions": "all"}, "fast"),
        ({"size": 5, "solutions": "all"}, "many"),
        ({"size": 100, "solutions": 100_000}, "fast"),
        ({"size": 100, "solutions": 1_000_000}, "many"),
        ({"size": 501, "solutions": 1_000_000}, "fast"),  # whose order `many` does not know
        ({"size": 8, "kind": "bimagic", "solutions": 1_000_000}, "fast"),
        ({"size": 8, "kind": "bimagic", "solutions": 10_000_000}, "many"),
        ({"size": 7, "kind": "pandiagonal", "solutions": 1_000_000}, "fast"),
        ({"size": 4, "exhaustive": True}, "fast"),
        ({"size": 4, "crossover_min": 0}, "classic"),
        ({"size": 6, "solutions": 1_000_000, "recipe": "fast"}, "fast"),
    ],
)
def test_magic_squares(options: dict[str, Any], recipe: str) -> None:
    assert chosen("magic-square", **options) == recipe


@pytest.mark.parametrize(
    ("puzzle", "options", "recipe"),
    [
        ("sudoku", {"givens": SUDOKU}, "fast"),
        ("sudoku", {"givens": SUDOKU, "solutions": 10**6}, "fast"),
        ("sudoku", {"givens": SUDOKU, "punish_same": True}, "classic"),
        ("letter-grid", {"word": "LOVE"}, "fast"),
        ("letter-grid", {"word": "LOVE", "rotation": 0.3}, "classic"),
        ("mastermind", {}, "fast"),
        ("crossword", {"words": "cat\ntar", "solutions": 10**6}, "fast"),
    ],
)
def test_other_puzzles(puzzle: str, options: dict[str, Any], recipe: str) -> None:
    assert chosen(puzzle, **options) == recipe


def test_a_puzzle_that_does_not_care_has_its_first_recipe() -> None:
    class Plain(Problem):
        def space(self) -> Choices:
            return Choices(3, 2)

        def cost(self, genome: Genomes) -> int:
            return int(genome.sum())

        def recipes(self) -> dict[str, Recipe]:
            return dict(reversed(super().recipes().items()))

    assert Plain().recipe_for(ALL, 1.0) == ("classic", "")


def lines(said: Said) -> list[str]:
    """What a run says, but for a note that only the first run on a machine has."""
    return [line for line in said.err.splitlines() if not line.startswith("compiling")]


CHOOSY = (
    QUEENS
    + """
    def recipe_for(self, solutions, seconds):
        return ("classic", "`solutions` are many") if (solutions or 0) > 3 else ("fast", "")
"""
)


@pytest.fixture
def choosy(tmp_path: Path) -> str:
    (tmp_path / "choosy.py").write_text(CHOOSY)
    return str(tmp_path / "choosy.py")


def test_the_first_line_says_which_and_why_and_the_run_keeps_it(islands: Islands, choosy: str, tmp_path: Path) -> None:
    assert lines(islands("run", choosy, "--islands", "1"))[0].startswith("choosy.py size=6 · 1 island · recipe fast")
    said = islands("run", choosy, "--solutions", "4", "--islands", "1")
    assert lines(said)[:2] == [
        "recipe classic: --solutions are many",
        "choosy.py size=6 · 1 island · recipe classic · seed 1",
    ]
    job = json.loads((tmp_path / "runs/002-queens/job.json").read_text())["job"]
    assert (job["recipe"], job["recipe_reason"]) == ("classic", "`solutions` are many")
    named = islands("run", choosy, "--solutions", "4", "--islands", "1", "--recipe", "classic")
    assert (named.out, "are many" in named.err) == (said.out, False)


def test_a_resumed_run_keeps_its_recipe_whatever_is_asked_for_now(islands: Islands, choosy: str) -> None:
    islands("run", choosy, "--solutions", "2", "--islands", "1")
    said = islands("resume", "last", "--solutions", "4")
    assert "are many" not in said.err
    assert Run.open("last").job.recipe == "fast"


@pytest.mark.slow
def test_very_many_squares_are_found_in_seconds(islands: Islands) -> None:
    said = islands("run", "magic-square", "--size", "6", "--solutions", "200000", "--islands", "1", "-q", "--json")
    assert (said.code, len(said.out.splitlines())) == (0, 200_000)


@pytest.mark.parametrize("answer", ["'fast'", "('fast', None)", "('fast',)", "None", "('slow', '')"])
def test_a_hook_that_answers_something_else_is_the_puzzles_fault(tmp_path: Path, answer: str) -> None:
    (tmp_path / "odd.py").write_text(
        "from islands import Choices, Problem\nclass Odd(Problem):\n    def space(self): return Choices(3, 2)\n"
        "    def cost(self, genome): return int(genome.sum())\n"
        f"    def recipe_for(self, solutions, seconds): return {answer}\n"
    )
    with pytest.raises(
        PuzzleError, match=r"a tuple of the name of a recipe and a reason|its recipes are fast, classic"
    ):
        solve(str(tmp_path / "odd.py"), out=tmp_path)


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_every_recipe_says_what_it_is_for(islands: Islands, puzzle: str) -> None:
    said = islands("puzzles", puzzle).out
    files = load(puzzle).files()
    example = files.read(files.example)[0] if files is not None and files.example else load(puzzle)()
    for name, recipe in example.recipes().items():
        assert len(recipe.purpose.split()) > 2, name
        assert f"{name} " in said
        assert recipe.purpose[:30] in said


def test_a_puzzle_of_a_users_own_has_the_sentences_of_the_usual_recipes(islands: Islands, queens: str) -> None:
    assert "a textbook genetic algorithm, without annealing" in islands("puzzles", queens).out
