"""puzzle-islands: island-model evolution that collects every distinct, verified solution of a puzzle.

from islands import solve, Run
run = solve("magic-square", size=6, solutions=100)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Imported on first use: `islands --help` must not wait for numba.
_HOME = {
    "Arrangement": "islands.space",
    "Choices": "islands.space",
    "Job": "islands.job",
    "MigrationPlan": "islands.migration",
    "Problem": "islands.problem",
    "Recipe": "islands.recipe",
    "Rng": "islands.operators.rng",
    "Run": "islands.run",
    "Solution": "islands.archive",
    "Stop": "islands.job",
    "kernel": "islands.operators.jit",
    "resume": "islands.api",
    "solve": "islands.api",
}
__all__ = list(_HOME)

if TYPE_CHECKING:
    from islands.api import resume as resume
    from islands.api import solve as solve
    from islands.archive import Solution as Solution
    from islands.job import Job as Job
    from islands.job import Stop as Stop
    from islands.migration import MigrationPlan as MigrationPlan
    from islands.operators.jit import kernel as kernel
    from islands.operators.rng import Rng as Rng
    from islands.problem import Problem as Problem
    from islands.recipe import Recipe as Recipe
    from islands.run import Run as Run
    from islands.space import Arrangement as Arrangement
    from islands.space import Choices as Choices


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'islands' has no attribute {name!r}")
