"""A user's puzzle file: its text is kept where its kernels can be cached, and what was used last stays there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from islands.errors import PuzzleError, UsageError
from islands.model.loading import build, load

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


FAULTY = """
from islands import *

class Faulty(Problem):
    {field}

    def space(self):
        return {space}

    def cost(self, genome):
        return 0
"""


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("size = 8", "field size = 8 has no type. Write: size: int = 8"),
        ("word = 'LOVE'", "field word = 'LOVE' has no type. Write: word: str = 'LOVE'"),
        ("share = 0.5", "Write: share: float = 0.5"),
        ("rows = [1, 2]", "Write: rows: list = \\[1, 2\\]"),
    ],
)
def test_a_field_without_a_type_is_told_what_to_write(field: str, words: str) -> None:
    with pytest.raises(UsageError, match=f"faulty.py: .*{words}"):
        load("faulty.py", FAULTY.format(field=field, space="Choices(2, 2)"))


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ("[1, 2, 3]", r"a space, for instance Arrangement\(\[1, 2, 3\]\) \(these values .* or Choices\(3, 9\)"),
        ("range(9)", r"for instance Arrangement\(range\(0, 9\)\)"),
        ("list(range(500))", r"for instance Arrangement\(...\)"),
        ("7", "an Arrangement or Choices, not 7"),
        ("Choices([2, 2])", r"Choices needs a number of places and how many options each has: Choices\(8, 4\)"),
        ("Choices(['a', 'b'], 4)", "Choices needs a number of places"),
    ],
)
def test_a_space_that_is_none_is_told_what_to_write(space: str, words: str) -> None:
    problem = build("faulty.py", FAULTY.format(field="size: int = 3", space=space), {})
    with pytest.raises(PuzzleError, match=words):
        problem.space()
