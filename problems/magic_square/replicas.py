"""Walks on a ladder of temperatures, for squares with given cells: replica exchange.

Given cells leave lines with two or three free ones. A walk that is cold enough to end at a square seldom gets past such
a line, and which temperature would do differs from square to square. So every individual is a replica on a rung of its
own, from a temperature at which everything moves down to one at which squares are frequent. After every few proposals
per cell neighbours exchange their rungs by Metropolis' rule: what is cold was warm before.

What the walk minimises is not quite the cost: a line weighs less the more free cells it has. Every swap touches lines,
and long ones more often; with a weight by the square root of the length none is frozen before the others, for the same
share of squares. The errors themselves count, not their squares or roots: of all laws with the same share of right
lines it is the exponential one that resists a small change least.

A proposal takes one random word, which also says how much the cost may grow:

    swap        two numbers, from a table in which those that differ little stand more often, as the temperature has it
    rectangle   of four free cells, whose sides change places: only two lines and the diagonals get other sums, by a
                number that is often small though all four move far. What is cold gets from one valley to the next so.
"""

from __future__ import annotations

from functools import lru_cache, partial
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
Corners = tuple[np.int64, np.int64, np.int64, np.int64]

HOTTEST, COLDEST = 0.5, 0.17  # temperatures, in mean distances of neighbouring numbers
SPACING = 1.1  # rungs for each factor e of temperature and square root of the lines: half of all exchanges succeed
NEAR, REACH = 0.98, 11  # of every 50 proposals 49 are of the table, whose numbers are at most 11 ranks apart
TIMES = 16  # how often two numbers stand in the table, at most; by exp(-difference / temperature)
ALWAYS = 2  # ranks apart: such numbers stand in it at least once
RECTANGLES = 19  # bits: of every 2**20 proposals 2**19 are of a rectangle, whose cells need not all be free
UNIT = 16  # the weight of a line with as many free cells as usual
STEPS = 5  # proposals per free cell between two exchanges
ROUNDS = 100  # exchanges in a generation
GROWTHS = np.log(4096 / (np.arange(4096) + 0.5))  # in temperatures: what 12 random bits accept


class Ladder(NamedTuple):
    """What a replica walks on. Cells, lines and ranks are unsigned: an index that cannot be negative is read at once,
    and the walk takes a third of the time.
    """

    values: Numbers  # of each rank, (ranks,)
    through: Indices  # (cells + 1, 4) the lines that a cell is on; where there is none the last one, which counts not
    weights: Numbers  # (lines + 1,) 0 for the last
    growths: Reals
    pairs: Indices  # ranks to swap, (entries, 2)
    firsts: Numbers  # the first entry of each rung, (rungs + 1,)
    diagonals: Numbers  # the two lines, or the last one where they do not count, (2,)


@kernel
def _growth(ladder: Ladder, errors: Numbers, a: int, b: int, change: int) -> int:
    """By how much the weighted cost grows when cell a gains `change` and cell b loses it."""
    growth = 0
    for k in range(4):
        one, two = ladder.through[a, k], ladder.through[b, k]
        if one != two:
            growth += (abs(errors[one] + change) - abs(errors[one])) * ladder.weights[one]
            growth += (abs(errors[two] - change) - abs(errors[two])) * ladder.weights[two]
    return growth


@kernel
def _shift(ladder: Ladder, corners: Corners, k: int, first: int, second: int) -> int:
    """What a diagonal gains when corners 0 and 2 gain `first` and `second`, and 1 and 3 lose them."""
    last = ladder.weights.shape[0] - 1
    shift = 0
    if ladder.through[corners[0], k] != last:
        shift += first
    if ladder.through[corners[1], k] != last:
        shift -= first
    if ladder.through[corners[2], k] != last:
        shift += second
    if ladder.through[corners[3], k] != last:
        shift -= second
    return shift


@kernel
def _turn(ladder: Ladder, holders: Indices, ranks: Indices, errors: Numbers, word: int, limit: float) -> int:
    """Exchange two sides of a rectangle, if all of it is free and the cost grows by `limit` at most. The growth."""
    count, last = np.uint64(holders.shape[0]), ladder.weights.shape[0] - 1
    a = np.int64(holders[((word >> np.uint64(32)) * count) >> np.uint64(32)])
    d = np.int64(holders[(((word >> np.uint64(13)) & np.uint64(0x1FFFF)) * count) >> np.uint64(17)])
    across = np.int64(ladder.through[d, 1]) - np.int64(ladder.through[a, 1])
    outside = ladder.through[a, 1] == last or ladder.through[d, 1] == last
    if outside or across == 0 or ladder.through[a, 0] == ladder.through[d, 0]:
        return 0
    b, c, k = a + across, d - across, 1
    if word & np.uint64(0x1000):
        b, c, k = c, b, 0
    if ranks[b] == count or ranks[c] == count:
        return 0
    first = ladder.values[ranks[b]] - ladder.values[ranks[a]]
    second = ladder.values[ranks[d]] - ladder.values[ranks[c]]
    one, two, change = ladder.through[a, k], ladder.through[b, k], first + second
    growth: int = (abs(errors[one] + change) - abs(errors[one])) * ladder.weights[one]
    growth += (abs(errors[two] - change) - abs(errors[two])) * ladder.weights[two]
    down = _shift(ladder, (a, b, c, d), 2, first, second)
    up = _shift(ladder, (a, b, c, d), 3, first, second)
    one_way, other_way = ladder.diagonals
    growth += (abs(errors[one_way] + down) - abs(errors[one_way])) * ladder.weights[one_way]
    growth += (abs(errors[other_way] + up) - abs(errors[other_way])) * ladder.weights[other_way]
    if growth > limit:
        return 0
    errors[one] += change
    errors[two] -= change
    errors[one_way] += down
    errors[other_way] += up
    ranks[a], ranks[b], ranks[c], ranks[d] = ranks[b], ranks[a], ranks[d], ranks[c]
    for cell in (a, b, c, d):
        holders[ranks[cell]] = cell
    return growth


@kernel
def _walk(
    ladder: Ladder,
    rung: int,
    holders: Indices,
    ranks: Indices,
    errors: Numbers,
    cost: int,
    steps: int,
    heat: float,
    state: RngState,
) -> tuple[int, int]:
    """At most `steps` proposals, until solved: (cost, proposals). holders[rank] = the cell that has this number, and
    ranks[cell] = the rank in a free cell.
    """
    count, near = np.uint64(holders.shape[0]), np.uint64(NEAR * 2**20)
    first = np.uint64(ladder.firsts[rung])
    entries = np.uint64(ladder.firsts[rung + 1]) - first
    for step in range(steps):
        word = next_word(state)
        kind, limit = (word >> np.uint64(12)) & np.uint64(0xFFFFF), heat * ladder.growths[word & np.uint64(0xFFF)]
        if kind >> np.uint64(RECTANGLES) == 0:
            growth = _turn(ladder, holders, ranks, errors, word, limit)
        else:
            entry = first + (((word >> np.uint64(32)) * entries) >> np.uint64(32))
            one, two = np.uint64(ladder.pairs[entry, 0]), np.uint64(ladder.pairs[entry, 1])
            if kind >= near:
                two = ((next_word(state) >> np.uint64(32)) * count) >> np.uint64(32)
            a, b, change = holders[one], holders[two], ladder.values[two] - ladder.values[one]
            growth = _growth(ladder, errors, a, b, change)
            if growth > limit:
                continue
            for k in range(4):
                errors[ladder.through[a, k]] += change
                errors[ladder.through[b, k]] -= change
            holders[one], holders[two] = b, a
            ranks[a], ranks[b] = two, one
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
    """errors = sum - target of every line; what is on no line sums up in the last. Returns the weighted cost."""
    last = errors.shape[0] - 1
    for line in range(last):
        errors[line] = -board.targets[line]
    errors[last] = 0
    for cell in range(genome.shape[0]):
        for k in range(4):
            errors[ladder.through[cell, k]] += genome[cell]
    cost = 0
    for line in range(last):
        cost += abs(errors[line]) * ladder.weights[line]
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
    rows, ranks, last = genomes.shape[0], board.cells.shape[0], ladder.weights.shape[0] - 1
    holders, errors = np.empty((rows, ranks), np.uint32), np.empty((rows, last + 1), np.int64)
    ranks_of = np.full(genomes.shape, ranks, np.uint32)
    weighted = np.empty(rows, np.int64)
    for row in range(rows):
        find_holders(genomes[row], board, holders[row])
        for rank in range(ranks):
            ranks_of[row, holders[row, rank]] = rank
        weighted[row] = _errors(genomes[row], board, ladder, errors[row])
    total: int = rows
    number, solved = 0, False
    while number < rounds and not solved:
        for rung in range(rows):
            row = rungs[rung]
            if weighted[row]:
                weighted[row], evaluations = _walk(
                    ladder,
                    rung,
                    holders[row],
                    ranks_of[row],
                    errors[row],
                    weighted[row],
                    STEPS * ranks,
                    heats[rung],
                    state,
                )
                total += evaluations
            solved = solved or weighted[row] == 0
        _exchange(rungs, weighted, heats, number & 1, state)
        number += 1
    for row in range(rows):
        costs[row] = 0
        for line in range(last):
            costs[row] += abs(errors[row, line])
        for rank in range(ranks):
            genomes[row, holders[row, rank]] = board.values[rank]
    return total


def rungs_for(lines: int) -> int:
    """How many rungs a ladder has, for exchanges that succeed every other time."""
    return 2 + int(SPACING * np.log(HOTTEST / COLDEST) * np.sqrt(lines))


def _weights(board: Board) -> Numbers:
    """Of each line by its free cells, and 0 for what is on no line."""
    lines = len(board.targets)
    free = np.bincount(board.through[board.cells].ravel() % (lines + 1), minlength=lines + 1)[:lines]
    roots = np.sqrt(np.maximum(free, 1))
    usual = np.exp(np.mean(np.log(roots))) if lines else 1.0
    return np.append(np.maximum(1, np.round(UNIT * usual / roots)), 0).astype(np.int64)


def _pairs(values: Numbers, heat: float) -> Indices:
    """The table of a rung: ranks whose numbers may be swapped, each as often as it suits the temperature."""
    ranks, tables = np.arange(len(values), dtype=np.uint32), [np.empty((0, 2), np.uint32)]
    for apart in range(1, min(REACH + 1, len(values))):
        times = np.round(TIMES * np.exp((values[:-apart] - values[apart:]) / heat)).astype(np.int64)
        if apart <= ALWAYS:
            times = np.maximum(times, 1)
        tables.append(np.repeat(np.stack((ranks[:-apart], ranks[apart:]), axis=1), times, axis=0))
    return np.concatenate(tables)


def _ladder(board: Board, rows: int) -> tuple[Ladder, Reals]:
    """What is walked on, and the temperatures of the rungs as the weighted cost has them."""
    lines, ranks = len(board.targets), len(board.values)
    distance = float(board.values[-1] - board.values[0]) / max(1, ranks - 1)
    heats = distance * np.geomspace(HOTTEST if rows > 1 else COLDEST, COLDEST, rows)
    through = np.where(board.through < 0, lines, board.through).astype(np.uint32)
    tables = [_pairs(board.values, heat) for heat in heats] if ranks > 1 else [np.zeros((1, 2), np.uint32)] * rows
    firsts, pairs = np.cumsum([0, *map(len, tables)]), np.concatenate(tables)
    diagonals = through[:, 2:].min(axis=0).astype(np.int64)
    return Ladder(board.values, through, _weights(board), GROWTHS, pairs, firsts, diagonals), UNIT * heats


def tempered(board: Board) -> Improve:
    """ROUNDS of walks and exchanges. A solved replica begins anew on the hottest rung.

    memory["rungs"] has the row on each rung, hottest first.
    """
    ladder_of = lru_cache(maxsize=1)(partial(_ladder, board))

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        rows, solved = len(genomes), costs == 0
        rungs = memory.get("rungs")
        if rungs is None or len(rungs) != rows:
            rungs = np.arange(rows)
        memory["rungs"] = rungs = np.concatenate((rungs[solved[rungs]], rungs[~solved[rungs]]))
        if not len(board.cells):
            return 0
        start_anew(genomes, solved, board, rng.state)
        ladder, heats = ladder_of(rows)
        return int(_climb(genomes, costs, rungs, board, ladder, heats, ROUNDS, rng.state))

    return improve
