"""Who lives on. Each factory returns a `recipe.Survive`: (living costs, children costs, places, rng) -> the rows of the
living and the rows of the children that fill the places, together at most `places`."""

from __future__ import annotations

import numpy as np

from islands.kernels.rng import Rng
from islands.operators.recipe import Indices, Survive
from islands.operators.space import Costs


def children() -> Survive:
    """Generations: the first `places` children replace the living."""

    def survive(living: Costs, born: Costs, places: int, rng: Rng) -> tuple[Indices, Indices]:
        return np.empty(0, np.int64), np.arange(min(places, len(born)))

    return survive


def best() -> Survive:
    """The best of living and children; at equal cost a child goes first, so that a plateau is walked, not held."""

    def survive(living: Costs, born: Costs, places: int, rng: Rng) -> tuple[Indices, Indices]:
        ranking = np.argsort(np.concatenate((born, living)), kind="stable")[:places]
        return ranking[ranking >= len(born)] - len(born), ranking[ranking < len(born)]

    return survive
