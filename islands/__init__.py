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
    from islands.model.capabilities import (
        BatchSummary,
        Census,
        Files,
        InputResult,
        Maker,
        Play,
        Ranking,
        Sheet,
        Sweeping,
        Symmetry,
        Titled,
        Wording,
    )
    from islands.model.job import Job, Stop
    from islands.model.messages import TrendPoint
    from islands.model.migration import MigrationPlan
    from islands.model.problem import Problem
    from islands.operators.estimate import Estimate
    from islands.operators.recipe import Crossover, Exchange, GiveUp, Recipe
    from islands.operators.space import Arrangement, Choices
    from islands.store.run import Run
    from islands.store.solutions import Solution

__version__ = "0.2.0.dev0"

# Written out, so that tools which only read this file find the names.
__all__ = [
    "Arrangement",
    "BatchSummary",
    "Census",
    "Choices",
    "Crossover",
    "Estimate",
    "Exchange",
    "Files",
    "GiveUp",
    "InputResult",
    "Job",
    "Maker",
    "MigrationPlan",
    "Play",
    "Problem",
    "Ranking",
    "Recipe",
    "Rng",
    "Run",
    "Sheet",
    "Solution",
    "Stop",
    "Sweeping",
    "Symmetry",
    "Titled",
    "TrendPoint",
    "Wording",
    "kernel",
    "resume",
    "solve",
]

# Imported on first use: `islands --help` must not wait for numba.
_HOME = {
    "Arrangement": "islands.operators.space",
    "BatchSummary": "islands.model.capabilities",
    "Census": "islands.model.capabilities",
    "Choices": "islands.operators.space",
    "Crossover": "islands.operators.recipe",
    "Estimate": "islands.operators.estimate",
    "Exchange": "islands.operators.recipe",
    "Files": "islands.model.capabilities",
    "GiveUp": "islands.operators.recipe",
    "InputResult": "islands.model.capabilities",
    "Job": "islands.model.job",
    "Maker": "islands.model.capabilities",
    "MigrationPlan": "islands.model.migration",
    "Play": "islands.model.capabilities",
    "Problem": "islands.model.problem",
    "Ranking": "islands.model.capabilities",
    "Recipe": "islands.operators.recipe",
    "Rng": "islands.kernels.rng",
    "Run": "islands.store.run",
    "Sheet": "islands.model.capabilities",
    "Solution": "islands.store.solutions",
    "Stop": "islands.model.job",
    "Sweeping": "islands.model.capabilities",
    "Symmetry": "islands.model.capabilities",
    "Titled": "islands.model.capabilities",
    "TrendPoint": "islands.model.messages",
    "Wording": "islands.model.capabilities",
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
