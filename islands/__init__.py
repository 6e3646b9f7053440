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
    "Arrangement": "islands.operators.space",
    "Choices": "islands.operators.space",
    "Job": "islands.model.job",
    "MigrationPlan": "islands.model.migration",
    "Problem": "islands.model.problem",
    "Recipe": "islands.operators.recipe",
    "Rng": "islands.kernels.rng",
    "Run": "islands.store.run",
    "Solution": "islands.store.solutions",
    "Stop": "islands.model.job",
    "kernel": "islands.kernels.jit",
    "resume": "islands.driver.api",
    "solve": "islands.driver.api",
}
__all__ = list(_HOME)

if TYPE_CHECKING:
    from islands.driver.api import resume as resume
    from islands.driver.api import solve as solve
    from islands.kernels.jit import kernel as kernel
    from islands.kernels.rng import Rng as Rng
    from islands.model.job import Job as Job
    from islands.model.job import Stop as Stop
    from islands.model.migration import MigrationPlan as MigrationPlan
    from islands.model.problem import Problem as Problem
    from islands.operators.recipe import Recipe as Recipe
    from islands.operators.space import Arrangement as Arrangement
    from islands.operators.space import Choices as Choices
    from islands.store.run import Run as Run
    from islands.store.solutions import Solution as Solution


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'islands' has no attribute {name!r}")
