"""Walks on a ladder of temperatures, for squares with given cells: replica exchange.

Given cells leave lines with two or three free ones. A walk that is cold enough to end at a square seldom gets past such
a line, and which temperature would do differs from square to square. So every individual is a replica on a rung of its
own, from a temperature at which everything moves down to one at which squares are frequent. After every few proposals
per cell neighbours exchange their rungs by Metropolis' rule: what is cold was warm before.

A proposal takes one random word: the number to move, by how many ranks, and how much the cost may grow.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, next_word, uniform
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.structure import Board, Indices, Numbers, find_holders, start_anew

Reals = NDArray[np.float64]

HOTTEST, COLDEST = 0.8, 0.2  # temperatures, in mean distances of neighbouring numbers
SPACING = 1.1  # rungs for each factor e of temperature and square root of the lines: half of all exchanges succeed
NEAR, REACH = 0.95, 2  # of every 20 proposals 19 swap numbers with only one other between them, or none
STEPS = 5  # proposals per free cell between two exchanges
ROUNDS = 100  # exchanges in a generation
GROWTHS = np.log(4096 / (np.arange(4096) + 0.5))  # in temperatures: what 12 random bits accept


class Ladder(NamedTuple):
    """What a replica walks on. Cells, lines and ranks are unsigned: an index that cannot be negative is read at once,
    and the walk takes a third of the time.
    """

    values: Numbers  # of each rank, (ranks,)
    through: Indices  # (cells + 1, 4) the lines that a cell is on; where there is none the last one, which counts not
    counts: Numbers  # (lines + 1,) 1, and 0 for the last
    growths: Reals


@kernel
def _growth(ladder: Ladder, errors: Numbers, a: int, b: int, change: int) -> int:
    """By how much the cost grows when cell a gains `change` and cell b loses it."""
    growth = 0
    for k in range(4):
        one, two = ladder.through[a, k], ladder.through[b, k]
        if one != two:
            growth += (abs(errors[one] + change) - abs(errors[one])) * ladder.counts[one]
            growth += (abs(errors[two] - change) - abs(errors[two])) * ladder.counts[two]
    return growth


@kernel
def _walk(
    ladder: Ladder, holders: Indices, errors: Numbers, cost: int, steps: int, heat: float, state: RngState
) -> tuple[int, int]:
    """At most `steps` proposals, until solved: (cost, proposals). holders[rank] = the cell that has this number."""
    ranks, near = np.uint64(holders.shape[0]), np.uint64(NEAR * 2**20)
    for step in range(steps):
        word = next_word(state)
        one = ((word >> np.uint64(32)) * ranks) >> np.uint64(32)
        middle = (word >> np.uint64(12)) & np.uint64(0xFFFFF)
        two = one + np.uint64(1) + middle % np.uint64(REACH)
        if middle >= near:
            two = ((next_word(state) >> np.uint64(32)) * ranks) >> np.uint64(32)
        if two >= ranks:
            continue
        a, b, change = holders[one], holders[two], ladder.values[two] - ladder.values[one]
        growth = _growth(ladder, errors, a, b, change)
        if growth > heat * ladder.growths[word & np.uint64(0xFFF)]:
            continue
        for k in range(4):
            errors[ladder.through[a, k]] += change
            errors[ladder.through[b, k]] -= change
        holders[one], holders[two] = b, a
        cost += growth
        if cost == 0:
            return cost, step + 1
    return cost, steps


@kernel
def _exchange(rungs: Numbers, costs: Costs, heats: Reals, first: int, state: RngState) -> None:
    """Every other pair of neighbours; a warm replica with a lower cost always goes down."""
    for rung in range(first, rungs.shape[0] - 1, 2):
        warm, cold = rungs[rung], rungs[rung + 1]
        gain = (1 / heats[rung + 1] - 1 / heats[rung]) * (costs[cold] - costs[warm])
        if gain >= 0 or uniform(state) < exp(gain):
            rungs[rung], rungs[rung + 1] = cold, warm


@kernel
def _errors(genome: Genomes, board: Board, ladder: Ladder, errors: Numbers) -> int:
    """errors = sum - target of every line; what is on no line sums up in the last. Returns the cost."""
    last = errors.shape[0] - 1
    for line in range(last):
        errors[line] = -board.targets[line]
    errors[last] = 0
    for cell in range(genome.shape[0]):
        for k in range(4):
            errors[ladder.through[cell, k]] += genome[cell]
    cost = 0
    for line in range(last):
        cost += abs(errors[line])
    return cost


@kernel
def _climb(
    genomes: Genomes,
    costs: Costs,
    rungs: Numbers,
    board: Board,
    ladder: Ladder,
    heats: Reals,
    rounds: int,
    state: RngState,
) -> int:
    """All replicas walk and exchange rungs, until one is solved; rungs[k] = the row on rung k. The evaluations."""
    rows, ranks = genomes.shape[0], board.cells.shape[0]
    holders, errors = np.empty((rows, ranks), np.uint32), np.empty((rows, ladder.counts.shape[0]), np.int64)
    for row in range(rows):
        find_holders(genomes[row], board, holders[row])
        costs[row] = _errors(genomes[row], board, ladder, errors[row])
    total: int = rows
    number, solved = 0, False
    while number < rounds and not solved:
        for rung in range(rows):
            row = rungs[rung]
            if costs[row]:
                costs[row], evaluations = _walk(
                    ladder, holders[row], errors[row], costs[row], STEPS * ranks, heats[rung], state
                )
                total += evaluations
            solved = solved or costs[row] == 0
        _exchange(rungs, costs, heats, number & 1, state)
        number += 1
    for row in range(rows):
        for rank in range(ranks):
            genomes[row, holders[row, rank]] = board.values[rank]
    return total


def rungs_for(lines: int) -> int:
    """How many rungs a ladder has, for exchanges that succeed every other time."""
    return 2 + int(SPACING * np.log(HOTTEST / COLDEST) * np.sqrt(lines))


def tempered(board: Board) -> Improve:
    """ROUNDS of walks and exchanges. A solved replica begins anew on the hottest rung.

    memory["rungs"] has the row on each rung, hottest first.
    """
    lines = len(board.targets)
    through = np.where(board.through < 0, lines, board.through).astype(np.uint32)
    ladder = Ladder(board.values, through, (np.arange(lines + 1) < lines).astype(np.int64), GROWTHS)
    distance = float(board.values[-1] - board.values[0]) / max(1, len(board.values) - 1) if len(board.values) else 1.0

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        rows, solved = len(genomes), costs == 0
        rungs = memory.get("rungs")
        if rungs is None or len(rungs) != rows:
            rungs = np.arange(rows)
        memory["rungs"] = rungs = np.concatenate((rungs[solved[rungs]], rungs[~solved[rungs]]))
        if not len(board.cells):
            return 0
        start_anew(genomes, solved, board, rng.state)
        heats = distance * np.geomspace(HOTTEST if rows > 1 else COLDEST, COLDEST, rows)
        return int(_climb(genomes, costs, rungs, board, ladder, heats, ROUNDS, rng.state))

    return improve
