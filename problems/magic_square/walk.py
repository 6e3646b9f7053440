"""Small squares: Metropolis walks at constant temperature over random swaps, each judged in O(1)."""

from __future__ import annotations

from math import exp

import numpy as np

from islands.operators.jit import kernel
from islands.operators.rng import Rng, RngState, below, uniform
from islands.recipe import Improve
from islands.space import Costs, Genomes, Memory
from problems.magic_square.kernels import Sums, line_errors

RESTART = 1_000_000  # evaluations without a square, after which a walker starts anew
LESS = 8  # how much shorter walks are while a harvest goes on


@kernel
def _moved(error: int, change: int) -> int:
    """By how much the cost of a line grows when its sum changes."""
    return abs(error + change) - abs(error)


@kernel
def _swap_growth(errors: Sums, n: int, cells: tuple[int, int, int, int], change: int) -> int:
    """By how much the cost grows when cell (i, j) gains `change` and cell (k, m) loses it: O(1)."""
    i, j, k, m = cells
    growth = 0
    if i != k:
        growth += _moved(errors[i], change) + _moved(errors[k], -change)
    if j != m:
        growth += _moved(errors[n + j], change) + _moved(errors[n + m], -change)
    main = int(i == j) - int(k == m)
    anti = int(i + j == n - 1) - int(k + m == n - 1)
    if main:
        growth += _moved(errors[2 * n], main * change)
    if anti:
        growth += _moved(errors[2 * n + 1], anti * change)
    return growth


@kernel
def _add(errors: Sums, n: int, i: int, j: int, change: int) -> None:
    """A cell grows by `change`: so do the sums of its lines."""
    errors[i] += change
    errors[n + j] += change
    if i == j:
        errors[2 * n] += change
    if i + j == n - 1:
        errors[2 * n + 1] += change


@kernel
def _walk(
    genome: Genomes, n: int, errors: Sums, cost: int, steps: int, heat: float, state: RngState
) -> tuple[int, int]:
    """At most `steps` Metropolis proposals at constant temperature `heat`, until solved: (cost, proposals)."""
    for step in range(steps):
        i, j, k, m = below(state, n), below(state, n), below(state, n), below(state, n)
        a, b = i * n + j, k * n + m
        change = int(genome[b]) - int(genome[a])
        growth = _swap_growth(errors, n, (i, j, k, m), change)
        if growth <= 0 or (growth < 40 * heat and uniform(state) < exp(-growth / heat)):
            genome[a], genome[b] = genome[b], genome[a]
            _add(errors, n, i, j, change)
            _add(errors, n, k, m, -change)
            cost += growth
            if cost == 0:
                return cost, step + 1
    return cost, steps


@kernel
def _walks(
    genomes: Genomes, n: int, magic: int, costs: Costs, waited: Sums, steps: int, heat: float, state: RngState
) -> int:
    """Every row walks on; one that is solved, or has waited too long for it, starts anew. Returns the evaluations."""
    errors = np.empty(2 * n + 2, np.int64)
    total = 0
    for row in range(genomes.shape[0]):
        if costs[row] == 0 or waited[row] >= RESTART:
            waited[row] = 0
            for cell in range(n * n - 1, 0, -1):
                other = below(state, cell + 1)
                genomes[row, cell], genomes[row, other] = genomes[row, other], genomes[row, cell]
        cost = line_errors(genomes[row], n, magic, errors)
        costs[row], evaluations = _walk(genomes[row], n, errors, cost, steps, heat, state)
        waited[row] += evaluations
        total += evaluations
    return total


def metropolis(size: int, magic: int, heat: float, steps: int) -> Improve:
    """Walks of at most `steps` random swaps at constant temperature; a walk ends at a square, so that it is seen.

    A solved walker starts anew: from a square the walk returns to the same one dozens of times before it gets away.
    How long each has walked is kept in memory["waited"]. Once a harvest goes on (memory["walk"]), walkers only bring
    it fresh starts: one that is solved rests, so that every generation harvests, and the others walk less.
    """

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        waited = memory.get("waited")
        if waited is None or len(waited) != len(genomes):
            waited = memory["waited"] = np.zeros(len(genomes), np.int64)
        if "walk" not in memory or costs.all():
            return int(_walks(genomes, size, magic, costs, waited, steps, heat, rng.state))
        newest = [int(np.flatnonzero(costs == 0)[-1]), 0]
        for rows in (genomes, costs, waited):
            rows[[0, newest[0]]] = rows[newest]
        return int(_walks(genomes[1:], size, magic, costs[1:], waited[1:], steps // LESS, heat, rng.state))

    return improve
