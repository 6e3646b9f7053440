"""puzzle-islands: island-model evolution that collects every distinct, verified solution of a puzzle.

from islands import solve, Run
run = solve("magic-square", size=6, solutions=100)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from islands.driver.api import resume, solve
    from islands.kernels.jit import kernel
    from islands.kernels.rng import Rng
    from islands.model.job import Job, Stop
    from islands.model.migration import MigrationPlan
    from islands.model.problem import Problem
    from islands.operators.recipe import Recipe
    from islands.operators.space import Arrangement, Choices
    from islands.store.run import Run
    from islands.store.solutions import Solution

__version__ = "0.2.0.dev0"

# Written out, so that tools which only read this file find the names.
__all__ = [
    "Arrangement",
    "Choices",
    "Job",
    "MigrationPlan",
    "Problem",
    "Recipe",
    "Rng",
    "Run",
    "Solution",
    "Stop",
    "kernel",
    "resume",
    "solve",
]

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


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'islands' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
