"""Who mates: batch selections over costs; a low cost is better.

Each factory returns a `recipe.Select`: (genomes, costs, (families, parents), rng) -> (families, parents) int64 rows.
The parents of one family are different rows wherever the pool they come from allows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from islands.kernels.jit import inner_kernel, kernel, lean_kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.recipe import Indices, Select
from islands.operators.space import Costs, Genomes

REDRAWS = 8  # of a parent the family already has, before the next free row is taken


@inner_kernel
def _winner(costs: Costs, size: int, state: RngState) -> Any:
    """The row that wins one tournament; nobody meets the first contestant twice, so a tournament of 2 has two."""
    n = costs.shape[0]
    first = below(state, n)
    best = first
    if n > 1:
        for _ in range(size - 1):
            rival = first + 1 + below(state, n - 1)
            if rival >= n:
                rival -= n
            if costs[rival] < costs[best]:
                best = rival
    return best


@inner_kernel
def _is_in(family: Indices, count: int, row: int) -> bool:
    """Whether `row` is among the first `count` parents of the family."""
    for k in range(count):  # noqa: SIM110  (numba has no any() over a generator)
        if family[k] == row:
            return True
    return False


@lean_kernel
def _tournaments(costs: Costs, size: int, families: Indices, state: RngState) -> None:
    """Every parent of every family wins a tournament among all rows."""
    n = costs.shape[0]
    for f in range(families.shape[0]):
        for k in range(families.shape[1]):
            row = _winner(costs, size, state)
            for _ in range(REDRAWS):
                if not _is_in(families[f], k, row):
                    break
                row = _winner(costs, size, state)
            for _ in range(n):  # one row may win nearly always: then its neighbours get their chance
                if not _is_in(families[f], k, row):
                    break
                row = (row + 1) % n
            families[f, k] = row


@kernel
def _draw(pool: Indices, families: Indices, state: RngState) -> None:
    """Every parent of every family is a random row of the pool, in which a row may stand several times."""
    n = pool.shape[0]
    for f in range(families.shape[0]):
        for k in range(families.shape[1]):
            place = below(state, n)
            for _ in range(REDRAWS):
                if not _is_in(families[f], k, pool[place]):
                    break
                place = below(state, n)
            for _ in range(n):
                if not _is_in(families[f], k, pool[place]):
                    break
                place = (place + 1) % n
            families[f, k] = pool[place]


@kernel
def _fill_pool(costs: Costs, size: int, pool: Indices, state: RngState) -> None:
    for place in range(pool.shape[0]):
        pool[place] = _winner(costs, size, state)


def tournament(size: int = 2) -> Select:
    """Each parent is the best of `size` random rows."""

    def select(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
        families: Indices = np.empty(shape, np.int64)
        _tournaments(costs, size, families, rng.state)
        return families

    return select


def mating_pool(fraction: float = 0.5, size: int = 2) -> Select:
    """Seed 004: tournaments fill a new pool of `fraction` of the population; families draw from the pool."""

    def select(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
        pool: Indices = np.empty(max(1, round(fraction * len(costs))), np.int64)
        families: Indices = np.empty(shape, np.int64)
        _fill_pool(costs, size, pool, rng.state)
        _draw(pool, families, rng.state)
        return families

    return select


def everyone() -> Select:
    """Row by row: everyone mates once, with his neighbours, and again from the first row on where that is not enough.

    Walkers, who have one parent each, are their own.
    """

    def select(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
        return np.arange(shape[0] * shape[1]).reshape(shape) % len(costs)

    return select
