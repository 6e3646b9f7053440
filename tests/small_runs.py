"""Runs of a small puzzle, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from islands import Run, solve
from islands.errors import Damaged
from islands.store.files import MANIFEST
from islands.store.manifest import packed
from islands.store.solutions import Solution

DIGITS = str(Path(__file__).parent / "digits.py")


def ids(run: Run) -> list[str]:
    return [solution.id for solution in run]


def until_damage(run: Run) -> Iterator[Solution]:
    """The solutions that can be read; the files that cannot be are named at the end."""
    try:
        yield from run
    except Damaged:
        return
    raise AssertionError("no damage was told")


def change_manifest(run: Run, **changes: Any) -> None:
    """As if the run's last commit had said so."""
    manifest = run.manifest()
    run.disk.write(MANIFEST, packed(manifest.model_validate({**manifest.model_dump(), **changes})))


def digits(out: Path, **options: Any) -> Run:
    return solve(DIGITS, out=out, **{"backend": "inline", "islands": 2, "length": 8, **options})
