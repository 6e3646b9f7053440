"""Runs of a small puzzle, in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from islands import Run, solve

DIGITS = str(Path(__file__).parent / "digits.py")


def ids(run: Run) -> list[str]:
    return [solution.id for solution in run]


def digits(out: Path, **options: Any) -> Run:
    return solve(DIGITS, out=out, **{"backend": "inline", "islands": 2, "length": 8, **options})
