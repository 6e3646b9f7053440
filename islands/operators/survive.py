"""Who lives on. Each factory returns a `recipe.Survive`: (living costs, children costs, places, rng) -> (places,) rows
of the living followed by the children."""

from __future__ import annotations

import numpy as np

from islands.operators.rng import Rng
from islands.recipe import Indices, Survive
from islands.space import Costs


def children() -> Survive:
    """Generations: the first `places` children replace the living."""

    def survive(living: Costs, born: Costs, places: int, rng: Rng) -> Indices:
        return np.arange(len(living), len(living) + min(places, len(born)))

    return survive


def best() -> Survive:
    """The best of living and children; at equal cost a child goes first, so that a plateau is walked, not held."""

    def survive(living: Costs, born: Costs, places: int, rng: Rng) -> Indices:
        rows = np.concatenate((np.arange(len(living), len(living) + len(born)), np.arange(len(living))))
        return rows[np.argsort(np.concatenate((born, living)), kind="stable")[:places]]

    return survive
