"""`islands check`: what is wrong with a puzzle in plain words, and how fast it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_harness import QUEENS, Islands, Said

WRONG_VERIFY = "\n    def verify(self, rows):\n        return True\n"
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


@pytest.fixture(autouse=True)
def _briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured is not what these tests are about."""
    monkeypatch.setattr("islands.terminal.check.SECONDS", 0.02)


def objects(said: Said) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.out.splitlines()]


def results(said: Said) -> dict[str, str]:
    return {line["check"]: line["result"] for line in objects(said) if "check" in line}


class TestARightPuzzle:
    @pytest.mark.slow
    def test_every_check_holds(self, islands: Islands, queens: str) -> None:
        said = islands("check", queens)
        assert said.code == 0
        assert "checks hold." in said.out
        assert "FAILS" not in said.out
        assert "my_puzzle.py size=6" in said.out

    @pytest.mark.slow
    def test_its_own_options_count(self, islands: Islands, queens: str) -> None:
        said = islands("check", queens, "--size", "8")
        assert said.code == 0
        assert "my_puzzle.py size=8" in said.out

    @pytest.mark.slow
    def test_it_is_measured(self, islands: Islands, queens: str) -> None:
        said = islands("check", queens)
        assert "evaluations per second" in said.out
        for part in ("cost", "space", "the search itself"):
            assert part in said.out
        assert "costs(self, genomes)" in said.out
        assert "rules(self, x)" in said.out

    def test_as_json(self, islands: Islands, queens: str) -> None:
        said = islands("check", queens, "--json")
        *checks, speed = objects(said)
        assert said.code == 0
        assert {check["result"] for check in checks} == {"holds"}
        assert all(check["meaning"] and check["wrong"] is None for check in checks)
        assert speed["recipe"] == "fast"
        assert speed["evaluations_per_second"] > 0
        assert speed["parts"]["cost"]["calls"] > 0
        assert 0.98 < speed["rest"] + sum(part["share"] for part in speed["parts"].values()) < 1.02
        assert speed["costs"]["measured"] is False
        assert speed["rules"]["measured"] is False
        assert speed["rules"]["ruled"] > 0

    @pytest.mark.slow
    def test_rules_that_are_there_are_measured(self, islands: Islands, queens: str) -> None:
        text = QUEENS.partition("    def cost")[0].replace("import", "import AllDifferent,")
        Path(queens).write_text(f"{text}    def rules(self, x):\n        yield AllDifferent(abs(x[1:] - x[:-1]))\n")
        said = islands("check", queens)
        assert said.code == 0, said.out
        assert "The kernels of rules make" in said.out

    def test_costs_that_are_there_are_measured(self, islands: Islands) -> None:
        *_, speed = objects(islands("check", "magic-square", "--size", "3", "--json"))
        assert speed["costs"]["measured"] is True
        assert speed["costs"]["together"] > speed["costs"]["alone"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["magic-square", "--size", "4"], marks=pytest.mark.slow),
        pytest.param(["sudoku", EASY], marks=[pytest.mark.xdist_group("sudoku"), pytest.mark.slow]),
        pytest.param(
            ["mastermind", "--history", "1122 0 2"], marks=[pytest.mark.xdist_group("mastermind"), pytest.mark.slow]
        ),
        pytest.param(["crossword"], marks=[pytest.mark.xdist_group("crossword"), pytest.mark.slow]),
    ],
    ids=lambda words: words[0],
)
def test_puzzles_of_the_product_are_checked_by_name(islands: Islands, words: list[str]) -> None:
    said = islands("check", *words)
    assert said.code == 0, said.out


class TestAWrongPuzzle:
    def test_what_fails_is_explained(self, islands: Islands, queens: str) -> None:
        Path(queens).write_text(QUEENS + WRONG_VERIFY)
        said = islands("check", queens)
        assert said.code == 1
        assert "FAILS  verify agrees with cost" in said.out
        assert "What must hold: `verify` accepts exactly the candidates" in said.out
        assert "Queens.verify accepts a candidate of cost" in said.out
        assert re.search(r"\b(\d+) of (?!\1)\d+ checks hold, 1 failed\.", said.out)

    def test_the_same_as_json(self, islands: Islands, queens: str) -> None:
        Path(queens).write_text(QUEENS + WRONG_VERIFY)
        said = islands("check", queens, "--json")
        assert said.code == 1
        assert [name for name, result in results(said).items() if result != "holds"] == ["verify_agrees_with_cost"]

    def test_one_reason_is_told_once(self, islands: Islands, queens: str) -> None:
        Path(queens).write_text(QUEENS.replace("n = self.size", "n = 1 // 0"))
        said = islands("check", queens)
        assert said.code == 1
        explained, _, measured = said.out.partition("The speed cannot be measured")
        assert explained.count("ZeroDivisionError") == measured.count("ZeroDivisionError") == 1
        assert "my_puzzle.py, line 11, in cost" in explained
        assert "Traceback" not in said.err

    def test_a_puzzle_that_is_not_solved_is_not_called_right(self, islands: Islands, queens: str) -> None:
        said = islands("check", queens, "--size", "3", "--json")  # there is no such board
        assert said.code == 1
        assert set(results(said).values()) == {"holds", "open"}
        assert any("No solution was found" in (line.get("wrong") or "") for line in objects(said))
        assert objects(said)[-1]["evaluations_per_second"] > 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["absent.py"], "cannot read the puzzle file absent.py"),
        (["magik-square"], "Did you mean 'magic-square'?"),
        (["magic-square", "--size", "x"], "--size 'x': expected a whole number"),
        (["magic-square", "--sise", "4"], "Did you mean --size?"),
        (["magic-square", "--seconds", "4"], "--seconds"),
        (["--size", "4"], "which puzzle? Write it first: islands check PUZZLE --size 4"),
        (["mastermind", "1122 0 2", "--history", "1122 0 2"], "the puzzle is given twice"),
    ],
)
def test_wrong_usage_is_named(islands: Islands, words: list[str], complaint: str) -> None:
    said = islands("check", *words)
    assert said.code == 2
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert complaint in said.err


def test_a_puzzle_that_must_be_read_asks_for_its_file(islands: Islands, queens: str) -> None:
    Path(queens).write_text(
        QUEENS.replace("import Arrangement", "import Files, Arrangement").replace("int = 6", "int")
        + "\n    @classmethod\n    def files(cls):\n"
        "        return Files(fields=('size',), read=lambda text, **options: [cls(size=int(text), **options)])\n"
    )
    said = islands("check", queens)
    assert said.code == 2
    assert "needs a puzzle: islands check" in said.err
    assert islands("check", queens, "6").code == 0


def test_help_says_how(islands: Islands, queens: str) -> None:
    assert "islands check my_puzzle.py" in islands("check", "--help").out
    of_puzzle = islands("check", queens, "--help").out
    assert "--size" in of_puzzle
    assert "--json" in of_puzzle
    assert "--islands" not in of_puzzle
