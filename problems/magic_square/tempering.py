"""How many squares of a large order there are: from all arrangements, whose number is known, down to the magic ones.

Let Z(b) be the sum of exp(-b * cost) over all arrangements of the numbers. Z(0) = (n^2)! and Z at a low temperature
1/b hardly counts anything but magic squares. Between two neighbours of a ladder of temperatures the ratio Z(b')/Z(b)
is the mean of exp(-(b' - b) * cost) over arrangements as they occur at b, and the share of squares at the coldest is
the last factor:

    raw squares = (n^2)! * product of the ratios * share of cost 0 at the coldest

A walk is one replica per temperature, each moving by Metropolis' rule; neighbours exchange their replicas now and
then, so that what is cold was warm before. Every arrangement is reached from every other: nothing is left out.
"""

from __future__ import annotations

from math import ceil, exp, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below, uniform
from islands.operators.estimate import Estimate, Tally, interval
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.kernels import Sums, line_errors, sweep_costs
from problems.magic_square.symmetry import TURNS, m_images

Betas = NDArray[np.float64]

COLDEST = 0.35  # temperature, in steps of the progression; half of what is found there is a square
NEAR = 3  # times the temperature: most proposals swap numbers at most so far apart, others are nearly always refused
FAR = 8  # one proposal in this many swaps any two
BURN = 1_000  # rounds that a new walk is given to cool down


def ladder(n: int) -> Betas:
    """The inverse temperatures, hottest first; close enough for neighbours to exchange every other time."""
    hottest, freedom = n**2.5, 2 * n + 1
    steps = ceil(log(hottest / COLDEST) * sqrt(freedom))
    return np.concatenate(([0.0], 1 / np.geomspace(hottest, COLDEST, steps + 1)))


@kernel
def _grow(errors: Sums, n: int, cell: int, change: int) -> int:
    """A cell grows by `change`, and so do the sums of its lines: by how much the cost grows."""
    i, j = cell // n, cell % n
    growth: int = abs(errors[i] + change) - abs(errors[i]) + abs(errors[n + j] + change) - abs(errors[n + j])
    errors[i] += change
    errors[n + j] += change
    if i == j:
        growth += abs(errors[2 * n] + change) - abs(errors[2 * n])
        errors[2 * n] += change
    if i + j == n - 1:
        growth += abs(errors[2 * n + 1] + change) - abs(errors[2 * n + 1])
        errors[2 * n + 1] += change
    return growth


@kernel
def _move(
    square: Genomes, n: int, errors: Sums, where: Sums, cost: int, steps: int, beta: float, near: int, state: RngState
) -> int:
    """`steps` proposals at one temperature: the new cost. where[r] is the cell of the number with rank r."""
    for _ in range(steps):
        a = below(state, n * n)
        if below(state, FAR):
            rank = square[a] - near + below(state, 2 * near + 1)
            if rank < 0 or rank >= n * n:
                continue
            b = where[rank]
        else:
            b = below(state, n * n)
        change = int(square[b]) - int(square[a])
        growth = _grow(errors, n, a, change) + _grow(errors, n, b, -change)
        if growth <= 0 or uniform(state) < exp(-growth * beta):
            square[a], square[b] = square[b], square[a]
            where[square[a]], where[square[b]] = a, b
            cost += growth
        else:
            _grow(errors, n, a, -change)
            _grow(errors, n, b, change)
    return cost


@kernel
def temper(squares: Genomes, n: int, betas: Betas, rounds: int, tally: Betas, state: RngState) -> None:
    """Rounds of one walk, in place: squares (levels, n * n) of ranks 0..n^2-1, tally (levels + 1,)."""
    levels = len(betas)
    errors, where = np.empty((levels, 2 * n + 2), np.int64), np.empty((levels, n * n), np.int64)
    costs, order = np.empty(levels, np.int64), np.arange(levels)  # order[level] is the replica that is there
    for level in range(levels):
        costs[level] = line_errors(squares[level], n, n * (n * n - 1) // 2, 1, errors[level])
        for cell in range(n * n):
            where[level, squares[level, cell]] = cell
    for number in range(rounds):
        for level in range(levels):
            one, beta = order[level], betas[level]
            near = n * n if beta * n * n < NEAR else max(2, round(NEAR / beta))
            costs[one] = _move(
                squares[one], n, errors[one], where[one], costs[one], n * n // 2, beta, near, state
            )  # fmt: skip
            if level + 1 < levels:
                tally[1 + level] += exp(-(betas[level + 1] - beta) * costs[one])
            else:
                tally[1 + level] += costs[one] == 0
        tally[0] += 1
        for level in range(number & 1, levels - 1, 2):
            one, other = order[level], order[level + 1]
            gain = (betas[level + 1] - betas[level]) * (costs[other] - costs[one])
            if gain >= 0 or uniform(state) < exp(gain):
                order[level], order[level + 1] = other, one
    squares[:] = squares[order]


def ladders(size: int, magic: int, numbers: Genomes, rounds: int) -> Improve:
    """Every individual is the coldest replica of a walk of its own; memory["ladders"] has all, as ranks.

    memory["tally"] is (walks, 1 + levels): rounds, and the sums whose means are the ratios.
    """
    betas = ladder(size)

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        walks, cells = genomes.shape
        if "tally" not in memory:
            memory["tally"] = np.zeros((walks, 1 + len(betas)))
            replicas = np.tile(np.arange(cells, dtype=np.int32), (walks, len(betas), 1))
            memory["ladders"] = rng.numpy.permuted(replicas, axis=2)
            for walk in memory["ladders"]:
                temper(walk, size, betas, BURN, np.zeros(1 + len(betas)), rng.state)
        for walk, tally in zip(memory["ladders"], memory["tally"], strict=True):
            temper(walk, size, betas, rounds, tally, rng.state)
        genomes[:] = numbers[memory["ladders"][:, -1]]
        sweep_costs(genomes, size, magic, 1, False, costs)
        return int(walks * rounds * len(betas) * (cells // 2))

    return improve


def classes(n: int, tallies: list[Tally]) -> Estimate | None:
    """The magic classes, by all walks together; nothing before two of them have met a square.

    The mean of the walks' own logarithms would be too low. The jackknife: what all tell, and what all but one tell.
    """
    walked = np.concatenate(tallies)
    walks, together = len(walked), walked.sum(axis=0)
    if walks < 2 or not (together - walked).all():
        return None
    whole, parts = _log_ratio(together[None]), _log_ratio(together - walked)
    logs = walks * whole - (walks - 1) * parts + lgamma(n * n + 1) - log(TURNS * m_images(n))
    middle, low, high = (exp(end) for end in interval(logs))
    return Estimate(middle, low, high, "class", walks, "covers all: the walk reaches every arrangement")


def _log_ratio(tally: Tally) -> Tally:
    """The logarithm of the product of the ratios, of each row."""
    logs: Tally = np.log(tally[:, 1:] / tally[:, :1]).sum(axis=1)
    return logs
