"""A user's puzzle file: its text is kept where its kernels can be cached, and what was used last stays there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from islands.model.loading import load

PUZZLE = """
from islands import Choices, Problem

class Puzzle{number}(Problem):
    def space(self):
        return Choices(2, 2)
"""


def kept(folder: Path) -> set[str]:
    return {file.read_text(encoding="utf-8").partition("(Problem)")[0][-1] for file in folder.rglob("puzzle.py")}


def test_only_the_puzzles_used_last_stay_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("islands.model.loading.KEPT", 3)
    for number in range(3):
        load("puzzle.py", PUZZLE.format(number=number))
    for age, folder in enumerate(sorted((tmp_path / "puzzle-islands").iterdir(), key=lambda at: min(kept(at)))):
        os.utime(folder, (age, age))
    assert kept(tmp_path) == {"0", "1", "2"}
    load("puzzle.py", PUZZLE.format(number=3))
    assert kept(tmp_path) == {"1", "2", "3"}
