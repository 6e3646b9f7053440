"""Calls the command line in this process and reads what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import cli

QUEENS = """
from islands import Arrangement, Problem

class Queens(Problem):
    size: int = 6

    def space(self):
        return Arrangement(range(self.size))

    def cost(self, rows):
        n = self.size
        return 2 * n - len({int(r) + c for c, r in enumerate(rows)}) - len({int(r) - c for c, r in enumerate(rows)})
"""


@dataclass(frozen=True)
class Said:
    """An exit code and what went to stdout and stderr."""

    code: int
    out: str
    err: str


Islands = Callable[..., Said]


@pytest.fixture
def islands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Islands:
    """`islands("run", "magic-square", ...)` in an empty directory, as a user would type it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "120")

    def call(*words: str) -> Said:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main(words)
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    return call


@pytest.fixture
def queens(tmp_path: Path) -> str:
    """A small puzzle file of a user's."""
    file = tmp_path / "my_puzzle.py"
    file.write_text(QUEENS)
    return str(file)
