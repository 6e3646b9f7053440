"""What a report says first, for every kind of run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_runs import change_manifest, digits

from islands import Run, solve
from islands.driver.api import create, make_job
from islands.pages.facts import ENDED, KILLED, NOT_BEGUN, RUNNING, Facts, facts_of
from islands.pages.report import report
from islands.pages.verdict import verdict

PUZZLES = """
from islands import Choices, Problem, Ranking

class Ones(Problem):
    least: int = 0

    def space(self):
        return Choices(30, 2)

    def cost(self, genome):
        return max(self.least, 30 - int(genome.sum()))

class Best(Ones):
    def ranking(self):
        return Ranking(optimising=True)
"""

Made = Callable[..., Run]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    (tmp_path / "ones.py").write_text(PUZZLES)

    def make(kind: str, **options: Any) -> Run:
        given = {"islands": 2, "backend": "inline", "out": tmp_path / "runs", **options}
        return solve(f"{tmp_path}/ones.py:{kind}", **given)

    return make


def said(run: Run) -> tuple[Facts, str]:
    """The facts and the verdict; the page can be made of them, too."""
    facts = facts_of(run)
    assert "panel-verdict" in report([facts])
    return facts, "\n".join(verdict(facts))


def test_all_there_are(tmp_path: Path) -> None:
    run = solve("magic-square", size=3, solutions="all", islands=1, backend="inline", out=tmp_path)
    assert said(run)[1].startswith("1 of 1: complete.")


def test_as_many_as_were_asked_for(tmp_path: Path) -> None:
    facts, words = said(digits(tmp_path, solutions=30))
    assert words.startswith("Found 30 solutions in ")
    assert facts.stands == ENDED


def test_stuck(made: Made) -> None:
    _, words = said(made("Ones", least=3, recipe="classic", generations=60))
    assert words.startswith("No solution found in 60 generations")
    assert "stuck at cost 3" in words
    assert "Go on: " not in words
    assert "islands resume" in words


def test_the_whole_space_was_searched(tmp_path: Path) -> None:
    run = solve("magic-square", size=4, exhaustive=True, islands=1, backend="inline", out=tmp_path)
    facts, words = said(run)
    assert facts.proved
    assert words == "880 of 880: complete."
    assert "The whole space was searched" in report([facts])


def test_an_estimate_with_its_interval(tmp_path: Path) -> None:
    run = solve(
        "magic-square", size=4, recipe="estimate", generations=40, islands=2, backend="inline", out=tmp_path
    )  # fmt: skip
    facts, words = said(run)
    assert facts.outcome.estimate is not None
    assert words.startswith("About ")
    assert "with 95% confidence" in report([facts])


def test_too_short_for_an_estimate(tmp_path: Path) -> None:
    """Neither another recipe nor a proof is what whoever wants an estimate has asked for."""
    run = solve(
        "magic-square", size=5, recipe="estimate", seconds=1e-6, islands=1, backend="inline", out=tmp_path
    )  # fmt: skip
    words = said(run)[1]
    assert words.startswith("No estimate yet")
    assert "not come far enough for an estimate: give them more time." in words
    assert f"islands resume {run.typed} --seconds 30" in words
    assert "--recipe" not in words
    assert "--exhaustive" not in words


def test_optimising(made: Made) -> None:
    facts, words = said(made("Best", generations=30))
    assert words.startswith("Best solution: ")
    assert "Improvements over time" in report([facts])


def test_interrupted(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=30)
    change_manifest(run, stopped="interrupted")
    words = said(Run.open(run.path))[1]
    assert words.startswith("Interrupted after ")
    assert "islands resume" in words


def test_killed(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=30)
    change_manifest(run, stopped=None)
    facts, words = said(Run.open(run.path))
    assert facts.stands == KILLED
    assert words.startswith("Killed after ")


def test_under_way(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=30)
    change_manifest(run, stopped=None)
    run.disk.lock()
    facts, words = said(Run.open(run.path))
    run.disk.unlock()
    assert facts.stands == RUNNING
    assert words.startswith("Under way for ")
    assert "resume" not in words


def test_not_begun(tmp_path: Path) -> None:
    run = create(make_job("magic-square", {"size": 4, "islands": 2}), tmp_path)
    facts, words = said(run)
    assert facts.stands == NOT_BEGUN
    assert words.startswith("The run has not begun.")


def test_migration_that_mattered(tmp_path: Path) -> None:
    options: dict[str, Any] = {"recipe": "classic", "islands": 3, "migrate_every": 3, "seed": 5, "backend": "inline"}
    _, words = said(solve("magic-square", size=4, generations=1500, out=tmp_path, **options))
    assert "Migrants left descendants: " in words


@pytest.mark.parametrize("name", ["events.jsonl", "solutions"])
def test_what_is_damaged_is_named_and_the_rest_is_there(tmp_path: Path, name: str) -> None:
    run = digits(tmp_path, solutions=30)
    for file in (run.path / name).glob("*") if name == "solutions" else [run.path / name]:
        file.write_bytes(b"\x00{nonsense\n[1, 2]\n" + file.read_bytes()[40:])
    facts, words = said(Run.open(run.path))
    assert words.startswith("Found 30 solutions in ")
    assert ("Not all of it can be read" in report([facts])) == (name == "solutions")


def test_nothing_that_a_user_wrote_becomes_part_of_the_page(tmp_path: Path) -> None:
    evil = '<script>alert("1")</script>'
    (tmp_path / "evil.py").write_text(
        f"""
from islands import Choices, Problem, Wording

class Evil(Problem):
    label: str = {evil!r}

    def space(self):
        return Choices(3, 3)

    def cost(self, genome):
        return int(genome.sum())

    def show(self, genome):
        return self.label

    def svg(self, genome):
        return "<svg xmlns='http://www.w3.org/2000/svg'>" + self.label + "</svg>"

    def wording(self):
        return Wording(word="word " + self.label)
"""
    )
    run = solve(f"{tmp_path}/evil.py", solutions=1, islands=1, backend="inline", out=tmp_path / "runs")
    page = report([facts_of(run), facts_of(run)]) + report([facts_of(run)])
    assert "alert" in page
    assert "<script" not in page


def test_somebody_elses_puzzle_is_not_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = digits(tmp_path / "theirs", solutions=5)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    other = Run.open(run.path)
    assert other.job.is_withheld
    assert "5" in said(other)[1]
