"""The shipped examples do what the README says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from islands import Run, resume, solve

ROOT = Path(__file__).parents[1]
QUEENS = str(ROOT / "examples" / "queens.py")


def attacked(rows: list[int]) -> bool:
    """Whether any two queens see each other, by the rules of chess."""
    queens = list(enumerate(rows))
    return any(r == s or abs(c - d) == abs(r - s) for i, (c, r) in enumerate(queens) for d, s in queens[i + 1 :])


def found(run: Run) -> list[str]:
    return [solution.id for solution in run]


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_all_92_placements_of_eight_queens(tmp_path: Path, recipe: str) -> None:
    run = solve(f"{QUEENS}:Queens", out=tmp_path, size=8, solutions=92, recipe=recipe, backend="inline", islands=2)
    assert len(run) == 92
    assert not any(attacked(solution.genome.tolist()) for solution in run)


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_queens_are_the_same_on_ray(tmp_path: Path, recipe: str) -> None:
    here, there = (
        solve(QUEENS, out=tmp_path, size=6, solutions=4, recipe=recipe, backend=backend, islands=2, seed=3)
        for backend in ("inline", "ray")
    )
    assert found(here) == found(there)
    assert len(here) == 4


@pytest.mark.parametrize("recipe", ["fast", "classic"])
def test_queens_are_the_same_when_resumed(tmp_path: Path, recipe: str) -> None:
    task = {"size": 8, "recipe": recipe, "backend": "inline", "islands": 2, "seed": 3}
    whole = solve(QUEENS, out=tmp_path, solutions=60, **task)
    first = solve(QUEENS, out=tmp_path, solutions=25, **task)
    assert found(resume(first.path, solutions=60)) == found(whole)
