"""Who lives on. Each factory returns a `recipe.Survive`: (candidates, places, rng) -> the rows that fill the places.

The candidates are the living, without the elite, and then the children; a low cost is better.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from islands.kernels.rng import Rng
from islands.operators.recipe import Candidates, Indices, Survive
from islands.operators.space import Costs

Punish = Callable[[Candidates], Costs]
"""What each candidate costs for the choice of survivors, (count,)."""


def children() -> Survive:
    """Generations: the first `places` children replace the living."""

    def survive(candidates: Candidates, places: int, rng: Rng) -> Indices:
        return np.arange(candidates.living, min(candidates.living + places, len(candidates.costs)))

    return survive


def best() -> Survive:
    """The best of living and children; at equal cost a child goes first, so that a plateau is walked, not held."""

    def survive(candidates: Candidates, places: int, rng: Rng) -> Indices:
        n, living = len(candidates.costs), candidates.living
        rows = np.roll(np.arange(n), n - living)  # the children first
        rows = rows[np.argsort(candidates.costs[rows], kind="stable")[:places]]
        return np.concatenate((rows[rows < living], rows[rows >= living]))

    return survive


def truncation(share: float, punish: Punish | None = None) -> Survive:
    """Seed 002: the best `share` of living and children, the best first; in turn they fill all places.

    Ties go by lot: otherwise the children, who stand behind the living, would lose all of them.
    """

    def survive(candidates: Candidates, places: int, rng: Rng) -> Indices:
        costs = candidates.costs if punish is None else punish(candidates)
        ranking = np.lexsort((rng.numpy.random(len(costs)), costs))
        return np.resize(ranking[: _share(share, len(costs))], places)

    return survive


def universal(share: float, punish: Punish | None = None) -> Survive:
    """Seed 002: a stochastic universal sample of `share` of living and children; in turn they fill all places.

    Costs are min-max normalised and subtracted from the maximum, so that the worst has no place on the wheel; the
    wheel is read from one random start in equal steps.
    """

    def survive(candidates: Candidates, places: int, rng: Rng) -> Indices:
        costs = candidates.costs if punish is None else punish(candidates)
        spread = int(costs.max()) - int(costs.min())
        merit = (costs.max() - costs) / spread if spread else np.ones(len(costs))
        wheel = np.cumsum(merit)
        count = _share(share, len(costs))
        marks = (rng.numpy.random() + np.arange(count) / count) % 1.0
        rows = np.searchsorted(wheel, marks * wheel[-1], side="right")
        return np.resize(np.minimum(rows, len(costs) - 1), places)  # a mark may be rounded up to the wheel's very end

    return survive


def _share(share: float, n: int) -> int:
    """How many that share of n is: at least one."""
    return max(1, round(share * n))
