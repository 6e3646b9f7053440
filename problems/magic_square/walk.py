"""Metropolis walks at constant temperature: swaps of numbers, most of them near ones, each judged in O(1).

Most proposals are local: they swap numbers whose ranks differ by at most `reach`, so that sums change by little. A walk
keeps the structure of its board.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below, next_word, uniform
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.structure import Board, Cells, Numbers, find_holders, start_anew

RESTART = 1_000_000  # evaluations without a square, after which a walker starts anew
LESS = 8  # how much shorter walks are while a harvest goes on


class WalkOptions(NamedTuple):
    """The temperature of a walk, and how far its proposals reach."""

    heat: float
    near: int  # a proposal is local with probability near / 2**32
    reach: int  # by how much the ranks of a local proposal differ at most


@kernel
def _growth(board: Board, errors: Numbers, a: int, b: int, change: int) -> int:
    """By how much the cost grows when cell a gains `change` and cell b loses it; partners do the opposite."""
    growth = 0
    for k in range(4):
        one, two = board.through[a, k], board.through[b, k]
        gain, loss = board.signs[a, k] * change, board.signs[b, k] * change
        if one == two:
            if one >= 0 and gain != loss:
                growth += abs(errors[one] + gain - loss) - abs(errors[one])
            continue
        if one >= 0:
            growth += abs(errors[one] + gain) - abs(errors[one])
        if two >= 0:
            growth += abs(errors[two] - loss) - abs(errors[two])
    return growth


@kernel
def _add(board: Board, errors: Numbers, cell: int, change: int) -> None:
    """A cell grows by `change`: so do the sums of its lines."""
    for k in range(4):
        line = board.through[cell, k]
        if line >= 0:
            errors[line] += board.signs[cell, k] * change


@kernel
def _two_ranks(ranks: int, block: int, near: int, reach: int, state: RngState) -> tuple[int, int]:
    """Which two ranks to swap; the second may be beyond the last."""
    word = next_word(state)
    one, low = int(((word >> np.uint64(32)) * np.uint64(ranks)) >> np.uint64(32)), int(word & np.uint64(0xFFFFFFFF))
    if block:
        return one, one - one % block + int(below(state, block))
    if low < near:
        return one, one + 1 + low % reach
    return one, int(below(state, ranks))


@kernel
def _walk(
    genome: Genomes,
    board: Board,
    holders: Cells,
    errors: Numbers,
    cost: int,
    steps: int,
    options: WalkOptions,
    state: RngState,
) -> tuple[int, int]:
    """At most `steps` proposals, until solved: (cost, proposals). holders[rank] = the cell that has this number."""
    heat = options.heat
    ranks, nowhere = holders.shape[0], board.through.shape[0] - 1
    last = ranks - 1
    paired = board.partners.shape[0] > 0
    for step in range(steps):
        one, two = _two_ranks(ranks, board.block, options.near, options.reach, state)
        if two >= ranks:
            continue
        a, b = int(holders[one]), int(holders[two])
        turns = paired and one + two == last  # a pair is turned
        if paired and (2 * one == last or 2 * two == last):
            continue  # the centre, which is its own partner
        change = board.values[two] - board.values[one]
        growth = _growth(board, errors, a, nowhere if turns else b, change)
        if growth > 0 and (growth >= 40 * heat or uniform(state) >= exp(-growth / heat)):
            continue
        _add(board, errors, a, change)
        _add(board, errors, nowhere if turns else b, -change)
        genome[a], genome[b] = genome[b], genome[a]
        holders[one], holders[two] = b, a
        if paired and not turns:
            c, d = board.partners[a], board.partners[b]
            genome[c], genome[d] = genome[d], genome[c]
            holders[last - one], holders[last - two] = d, c
        cost += growth
        if cost == 0:
            return cost, step + 1
    return cost, steps


@kernel
def _line_errors(genome: Genomes, board: Board, errors: Numbers) -> int:
    """errors = sum - target of every line, (lines,). Returns the sum of their absolute values."""
    for line in range(errors.shape[0]):  # a slice would compile for seconds longer
        errors[line] = -board.targets[line]
    for cell in range(genome.shape[0]):
        for k in range(4):
            if board.through[cell, k] >= 0 and board.signs[cell, k] > 0:
                errors[board.through[cell, k]] += genome[cell]
    cost = 0
    for error in errors:
        cost += abs(error)
    return cost


@kernel
def _walks(
    genomes: Genomes, board: Board, costs: Costs, waited: Numbers, steps: int, options: WalkOptions, state: RngState
) -> int:
    """Every row walks on. Returns the evaluations."""
    errors, holders = np.empty(board.targets.shape[0], np.int64), np.empty(board.cells.shape[0], np.int32)
    weight = 2 if board.partners.shape[0] else 1
    total = 0
    for row in range(genomes.shape[0]):
        genome = genomes[row]
        find_holders(genome, board, holders)
        cost, evaluations = _line_errors(genome, board, errors), 1
        if cost:
            cost, evaluations = _walk(genome, board, holders, errors, cost, steps, options, state)
        costs[row] = weight * cost
        waited[row] += evaluations
        total += evaluations
    return total


def metropolis(board: Board, options: WalkOptions, steps: int) -> Improve:
    """Walks of at most `steps` swaps at constant temperature; a walk ends at a square, so that it is seen.

    A solved walker starts anew: from a square the walk returns to the same one dozens of times before it gets away.
    How long each has walked is kept in memory["waited"]. Once a harvest goes on (memory["walk"]), walkers only bring
    it fresh starts: one that is solved rests, so that every generation harvests, and the others walk less.
    """

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        waited = memory.get("waited")
        if waited is None or len(waited) != len(genomes):
            waited = memory["waited"] = np.zeros(len(genomes), np.int64)
        if not len(board.cells):
            return 0
        if "walk" not in memory or costs.all():
            return walk_on(genomes, costs, waited, steps, rng)
        newest = [int(np.flatnonzero(costs == 0)[-1]), 0]
        for rows in (genomes, costs, waited):
            rows[[0, newest[0]]] = rows[newest]
        return walk_on(genomes[1:], costs[1:], waited[1:], steps // LESS, rng)

    def walk_on(genomes: Genomes, costs: Costs, waited: Numbers, steps: int, rng: Rng) -> int:
        begun = start_anew(genomes, (costs == 0) | (waited >= RESTART), board, rng.state)
        waited[begun] = 0
        return int(_walks(genomes, board, costs, waited, steps, options, rng.state))

    return improve
