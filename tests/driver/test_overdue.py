"""A run that is over does not wait for a generation that takes long, and loses nothing but time."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_harness import Islands

PUZZLE = """
import os
import signal
import time
from pathlib import Path

from islands import Arrangement, Problem

FOLDER = Path({folder!r})


class Slow(Problem):
    size: int = 6

    def space(self):
        return Arrangement(range(self.size))

    def cost(self, genome):
        if (FOLDER / "block").exists() and list(FOLDER.glob("runs/*/events.jsonl")):  # the run has begun
            try:
                if (FOLDER / "ctrl-c").exists():
                    (FOLDER / "ctrl-c").unlink()
                    os.kill(os.getpid(), signal.SIGINT)
                time.sleep(3600)
            except {caught}:
                (FOLDER / "block").unlink()
                {then}
        return sum(abs(int(genome[i]) - int(genome[j])) == j - i for i in range(6) for j in range(i + 1, 6))
"""
RUN = ("run", "slow.py", "--backend", "inline", "--islands", "1", "--seed", "3")


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.driver.archipelago.PATIENCE", 0.1)
    monkeypatch.setattr("islands.driver.signals.WATCH", 0.02)


def write(folder: Path, *files: str, caught: str = "ZeroDivisionError", then: str = "return 0") -> None:
    (folder / "slow.py").write_text(PUZZLE.format(folder=str(folder), caught=caught, then=then))
    for name in files:
        (folder / name).touch()


@pytest.mark.usefixtures("_impatient")
def test_a_budget_ends_in_the_midst_of_a_generation(islands: Islands, tmp_path: Path) -> None:
    write(tmp_path, "block")
    said = islands(*RUN, "--seconds", "0.1")
    assert said.code == 1, said.err
    assert "No island came to the end of its first generation: give it more time." in said.err


@pytest.mark.usefixtures("_impatient")
def test_ctrl_c_ends_it_too_and_a_resumed_run_is_as_if_nothing_had_happened(islands: Islands, tmp_path: Path) -> None:
    write(tmp_path, "block", "ctrl-c")
    said = islands(*RUN, "--solutions", "4", "--json")
    assert said.code == 130, said.err
    assert said.out == ""
    assert "finishing and saving" in said.err
    (tmp_path / "block").unlink()
    resumed = islands("resume", "last", "--json")
    assert resumed.code == 0
    again = islands(*RUN, "--solutions", "4")
    assert again.code == 0
    whole, parts = (islands("show", number, "--limit", "0").out for number in ("1", "2"))
    assert whole == parts
    assert len(resumed.out.splitlines()) == 4


@pytest.mark.usefixtures("_impatient")
def test_a_cost_that_catches_everything_brings_no_wrong_solution(islands: Islands, tmp_path: Path) -> None:
    write(tmp_path, "block", caught="BaseException")
    said = islands(*RUN, "--seconds", "0.1", "--json")
    assert said.code == 1, said.err
    assert said.out == ""


@pytest.mark.usefixtures("_impatient")
def test_what_breaks_by_being_interrupted_is_no_fault_of_the_puzzle(islands: Islands, tmp_path: Path) -> None:
    """As a compiler that was at work: LLVM's callbacks swallow what is raised in them, and numba fails afterwards."""
    write(tmp_path, "block", "ctrl-c", caught="BaseException", then="raise RuntimeError('no object') from None")
    said = islands(*RUN, "--solutions", "4", "--json")
    assert said.code == 130, said.err
    assert "failed" not in said.err
