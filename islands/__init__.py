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
    from islands.model.job import Job
    from islands.model.messages import TrendPoint
    from islands.model.migration import MigrationPlan
    from islands.model.problem import Problem
    from islands.model.stop import Stop
    from islands.operators.estimate import Estimate
    from islands.operators.recipe import Crossover, Exchange, GiveUp, Recipe
    from islands.operators.space import Arrangement, Choices
    from islands.rules.rules import AllDifferent, Count, Differ, Equal, Less, Rule, Sum
    from islands.rules.terms import Term, lookup
    from islands.store.run import Run
    from islands.store.solutions import Solution
    from islands.studies.api import study
    from islands.studies.study import Study

__version__ = "0.2.0.dev0"

# Written out, so that tools which only read this file find the names.
__all__ = [
    "AllDifferent",
    "Arrangement",
    "BatchSummary",
    "Census",
    "Choices",
    "Count",
    "Crossover",
    "Differ",
    "Equal",
    "Estimate",
    "Exchange",
    "Files",
    "GiveUp",
    "InputResult",
    "Job",
    "Less",
    "Maker",
    "MigrationPlan",
    "Play",
    "Problem",
    "Ranking",
    "Recipe",
    "Rng",
    "Rule",
    "Run",
    "Sheet",
    "Solution",
    "Stop",
    "Study",
    "Sum",
    "Sweeping",
    "Symmetry",
    "Term",
    "Titled",
    "TrendPoint",
    "Wording",
    "kernel",
    "lookup",
    "resume",
    "solve",
    "study",
]

# Imported on first use: `islands --help` must not wait for numba.
_HOME = {
    "AllDifferent": "islands.rules.rules",
    "Arrangement": "islands.operators.space",
    "BatchSummary": "islands.model.capabilities",
    "Census": "islands.model.capabilities",
    "Choices": "islands.operators.space",
    "Count": "islands.rules.rules",
    "Crossover": "islands.operators.recipe",
    "Differ": "islands.rules.rules",
    "Equal": "islands.rules.rules",
    "Estimate": "islands.operators.estimate",
    "Exchange": "islands.operators.recipe",
    "Files": "islands.model.capabilities",
    "GiveUp": "islands.operators.recipe",
    "InputResult": "islands.model.capabilities",
    "Job": "islands.model.job",
    "Less": "islands.rules.rules",
    "Maker": "islands.model.capabilities",
    "MigrationPlan": "islands.model.migration",
    "Play": "islands.model.capabilities",
    "Problem": "islands.model.problem",
    "Ranking": "islands.model.capabilities",
    "Recipe": "islands.operators.recipe",
    "Rng": "islands.kernels.rng",
    "Rule": "islands.rules.rules",
    "Run": "islands.store.run",
    "Sheet": "islands.model.capabilities",
    "Solution": "islands.store.solutions",
    "Stop": "islands.model.stop",
    "Study": "islands.studies.study",
    "Sum": "islands.rules.rules",
    "Sweeping": "islands.model.capabilities",
    "Symmetry": "islands.model.capabilities",
    "Term": "islands.rules.terms",
    "Titled": "islands.model.capabilities",
    "TrendPoint": "islands.model.messages",
    "Wording": "islands.model.capabilities",
    "kernel": "islands.kernels.jit",
    "lookup": "islands.rules.terms",
    "resume": "islands.driver.api",
    "solve": "islands.driver.api",
    "study": "islands.studies.api",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'islands' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
