"""A file of many sudokus that stays where it is: killed and resumed, the run is the same as without."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import problems.sudoku
from islands.store.run import Run

DATA = Path(problems.sudoku.__file__).parent / "data"
COUNT = 400_000
BAD = COUNT // 2  # the line after which one is no puzzle
RUN = ("run", "sudoku", "many.sdm", "--backend", "inline", "--islands", "2", "--quiet")


def write_file(path: Path) -> None:
    """The puzzles that come with the product, with their digits renamed."""
    lines = "".join((DATA / f"{level}.sdm").read_text() for level in ("easy", "medium", "hard", "expert")).split()
    puzzles = np.frombuffer("\n".join([*lines, ""]).encode(), np.uint8)
    names, lot = np.arange(256, dtype=np.uint8), np.random.default_rng(1)
    with path.open("wb") as file:
        for start in range(0, COUNT, len(lines)):
            if start == BAD:
                file.write(b"not a puzzle\n")
            names[ord("1") : ord("9") + 1] = ord("1") + lot.permutation(9)
            file.write(names[puzzles].tobytes())


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "cli", *words]


def committed(directory: Path) -> int:
    return len(Run.open(directory)) if (directory / "job.json").exists() else 0


def genomes(directory: Path) -> NDArray[np.int32]:
    return Run.open(directory).solutions().genome.astype(np.int32)


@pytest.mark.slow
def test_a_large_file_killed_and_resumed_ends_like_one_that_was_not(tmp_path: Path) -> None:
    write_file(tmp_path / "many.sdm")
    whole = subprocess.run(command(*RUN, "--name", "whole"), cwd=tmp_path, capture_output=True, text=True)
    assert whole.returncode == 1, whole.stderr  # a line was left out
    killed = subprocess.Popen(command(*RUN, "--name", "killed"), cwd=tmp_path, stdout=subprocess.DEVNULL)
    while killed.poll() is None and not committed(tmp_path / "runs/killed"):
        time.sleep(0.05)
    assert killed.poll() is None, "it was too quick to be killed"
    killed.kill()
    killed.wait()
    assert 0 < committed(tmp_path / "runs/killed") < COUNT
    resumed = subprocess.run(command("resume", "runs/killed"), cwd=tmp_path, capture_output=True, text=True)
    assert f"line {BAD + 1}: 12 characters" in (tmp_path / "runs/whole/job.json").read_text()
    assert resumed.returncode == 1, resumed.stderr
    expected, found = genomes(tmp_path / "runs/whole"), genomes(tmp_path / "runs/killed")
    assert expected[:, 0].tolist() == list(range(COUNT))
    assert np.array_equal(expected, found)
