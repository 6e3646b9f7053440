"""Units and estimates as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from islands.writing.words import many, plural, rounded

if TYPE_CHECKING:  # `islands --help` must not wait for numpy
    from islands.model.island_status import IslandStatus
    from islands.model.problem import Problem
    from islands.operators.estimate import Estimate


def unit(problem: Problem) -> str:
    """What the runs of a puzzle count, in the singular."""
    wording = problem.wording()
    return wording.unit or wording.word


def lowest(problem: Problem, islands: Sequence[IslandStatus]) -> int | None:
    """The lowest cost that they have had; a recipe may move on from a solved candidate in mid-epoch."""
    if problem.ranking() is None and any(island.solutions for island in islands):
        return 0
    return min((island.best for island in islands if island.best is not None), default=None)


def cost_text(problem: Problem, cost: int) -> str:
    """A cost as a person reads it."""
    ranking = problem.ranking()
    return f"{cost:,}" if ranking is None else ranking.cost_text(cost)


def in_all_units(problem: Problem, found: int) -> str:
    """220 classes = 880 squares modulo 8 = 7,040 raw squares; nothing where there is but one unit."""
    counts = problem.wording().counts(found)
    return " = ".join(many(count, word) for word, count in counts.items()) if len(counts) > 1 else ""


def estimated(estimate: Estimate) -> str:
    """about 6.882e7 classes (95%: 6.861e7 to 6.903e7; 16 walks)"""
    ends = f"{rounded(estimate.low)} to {rounded(estimate.high)}"
    return f"about {rounded(estimate.value)} {plural(estimate.unit)} (95%: {ends}; {many(estimate.walks, 'walk')})"
