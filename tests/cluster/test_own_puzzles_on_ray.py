"""Puzzles of a user's own, with a plain cost, with rules and optimised: the same seed gives the same in one process, on
Ray, and after kill -9."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from islands import resume, solve
from islands.store.run import Run

ROOT = Path(__file__).resolve().parents[2]
PLAIN = """
from islands import Arrangement, Problem

class Plain(Problem):
    def space(self):
        return Arrangement(range(10))

    def cost(self, rows):
        return 20 - len({int(r) + c for c, r in enumerate(rows)}) - len({int(r) - c for c, r in enumerate(rows)})
"""
DYING = """
import os, signal
from islands import solve
from islands.driver import saving
from islands.store import writer

saving.COMMIT_FOUND = saving.COMMIT_IDLE = 0.0
commits, write = [], writer.write_segment

def die_at_the_second(*given):
    commits.append(1)
    if len(commits) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(*given)

writer.write_segment = die_at_the_second
"""
JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    "cost": ("plain.py", {"generations": 800}),
    "rules": (str(ROOT / "examples" / "costas.py"), {"size": 9, "generations": 400}),
    "optimised": (str(ROOT / "examples" / "tour.py"), {"cities": 60, "generations": 300}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", JOBS)
def test_the_same_seed_gives_the_same(kind: str, tmp_path: Path, ray_here: str, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.py").write_text(PLAIN)
    puzzle, options = JOBS[kind]
    straight = found(solve(puzzle, islands=2, backend="inline", out="straight", **options))
    assert len(straight) > 3
    assert found(solve(puzzle, islands=2, backend="ray", address=ray_here, out="ray", **options)) == straight
    killed(puzzle, options)
    assert Run.open("last", "runs").manifest().stopped is None
    assert found(resume("last", out="runs")) == straight


def killed(puzzle: str, options: dict[str, Any]) -> None:
    """The same run in a process that commits at every step, and dies at the second commit of solutions."""
    program = DYING + f"solve({puzzle!r}, islands=2, backend='inline', out='runs', **{options!r})"
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert ended.returncode == -signal.SIGKILL


def found(run: Run) -> list[tuple[int, ...]]:
    """Its solutions in the order found."""
    return [tuple(solution.genome.tolist()) for solution in run]
