"""Metropolis walks at constant temperature: swaps of numbers, most of them near ones, each judged in O(1).

Most proposals are local: they swap numbers whose ranks differ by at most `reach`, so that sums change by little. A walk
may keep a structure, which makes many lines right at once and for good:

    pairs    cells in pairs whose numbers always sum alike: what one cell gains, its partner loses
    blocks   n neighbouring numbers are a block, and the cells of each block are such that every line has one number
             of each: the lines of the square of block numbers are right. Only numbers of one block change places.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.operators.jit import kernel
from islands.operators.rng import Rng, RngState, below, next_word, uniform
from islands.operators.shuffle import shuffle_short
from islands.recipe import Improve
from islands.space import Costs, Genomes, Memory

RESTART = 1_000_000  # evaluations without a square, after which a walker starts anew
SEARCHED = 7  # the largest order in blocks whose numbers are searched for
LESS = 8  # how much shorter walks are while a harvest goes on

Numbers = NDArray[np.int64]
Cells = NDArray[np.int32]


class Manner(NamedTuple):
    """How to walk."""

    heat: float
    near: int  # a proposal is local with probability near / 2**32
    reach: int  # by how much the ranks of a local proposal differ at most


class Board(NamedTuple):
    """What a walk knows of a puzzle, as arrays for kernels. A rank numbers the free numbers in ascending order.

    Of two lines that are partners of each other only the first counts: their errors are opposite. `nowhere` is the
    last row of `through`, a cell on no line.
    """

    values: Numbers  # of each rank, (ranks,)
    cells: Cells  # the free ones, (ranks,)
    through: Cells  # the lines that a cell is on by direction, (cells + 1, 4); -1 = none in this direction
    signs: Numbers  # 1, or -1 where not the cell but its partner is on the line, (cells + 1, 4)
    targets: Numbers  # what each line sums to, (lines,)
    partners: Cells  # of each cell; empty where there are no pairs
    slopes: Cells  # k of the blocks i + k * j mod n that a walk may have, and of the places within them, (choices, 2)
    block: int  # n where there are blocks, else 0


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
    manner: Manner,
    state: RngState,
) -> tuple[int, int]:
    """At most `steps` proposals, until solved: (cost, proposals). holders[rank] = the cell that has this number."""
    heat = manner.heat
    ranks, nowhere = holders.shape[0], board.through.shape[0] - 1
    last = ranks - 1
    paired = board.partners.shape[0] > 0
    for step in range(steps):
        one, two = _two_ranks(ranks, board.block, manner.near, manner.reach, state)
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
def _keeps_structure(genome: Genomes, board: Board, holders: Cells, errors: Numbers) -> bool:
    if board.partners.shape[0]:
        ends = board.values[0] + board.values[-1]
        for cell in board.cells:
            if int(genome[cell]) + int(genome[board.partners[cell]]) != ends:
                return False
    n = board.block
    if n:
        errors[:] = 0
        for rank in range(holders.shape[0]):
            for k in range(4):
                errors[board.through[holders[rank], k]] += rank // n
        for total in errors:
            if 2 * total != n * (n - 1):
                return False
    return True


@kernel
def _place_pairs(genome: Genomes, board: Board, firsts: Cells, state: RngState) -> None:
    """Pairs of numbers to pairs of cells, at random. `firsts` is scratch."""
    ranks, count = board.values.shape[0], 0
    for cell in board.cells:
        if cell < board.partners[cell]:
            firsts[count] = cell
            count += 1
        elif cell == board.partners[cell]:
            genome[cell] = board.values[ranks // 2]
    shuffle_short(firsts[:count], state)
    for rank in range(count):
        cell, partner = firsts[rank], board.partners[firsts[rank]]
        if below(state, 2):
            cell, partner = partner, cell
        genome[cell], genome[partner] = board.values[rank], board.values[ranks - 1 - rank]


@kernel
def _place_blocks(genome: Genomes, board: Board, order: Cells, state: RngState) -> None:
    """Blocks in random order along i + k * j mod n. The numbers of each: at random; above order SEARCHED in one random
    order along i + m * j mod n, which makes a square at once. `order` is scratch.
    """
    n = board.block
    slope, within = board.slopes[below(state, board.slopes.shape[0])]
    blocks, ranks = order[:n], order[n : 2 * n]
    for k in range(n):
        blocks[k] = ranks[k] = k
    shuffle_short(blocks, state)
    shuffle_short(ranks, state)
    for place in range(n):
        if n <= SEARCHED:
            shuffle_short(ranks, state)
        for j in range(n):
            i = (place - slope * j) % n
            genome[i * n + j] = board.values[blocks[place] * n + ranks[(i + within * j) % n]]


@kernel
def _start(genome: Genomes, board: Board, scratch: Cells, state: RngState) -> None:
    """Random places for all free numbers, within the structure."""
    if board.partners.shape[0]:
        _place_pairs(genome, board, scratch, state)
    elif board.block:
        _place_blocks(genome, board, scratch, state)
    else:
        for k in range(board.cells.shape[0]):
            scratch[k] = board.cells[k]
        shuffle_short(scratch, state)
        for rank in range(scratch.shape[0]):
            genome[scratch[rank]] = board.values[rank]


@kernel
def _find_holders(genome: Genomes, board: Board, holders: Cells) -> None:
    """Each number's rank by halving, as all are different; sorting would compile for seconds longer."""
    for cell in board.cells:
        low, high = 0, board.values.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if board.values[middle] < genome[cell]:
                low = middle + 1
            else:
                high = middle
        holders[low] = cell


@kernel
def _walks(
    genomes: Genomes, board: Board, costs: Costs, waited: Numbers, steps: int, manner: Manner, state: RngState
) -> int:
    """Every row walks on; one that is solved, has waited too long or lacks the structure starts anew.

    Returns the evaluations.
    """
    errors, holders = np.empty(board.targets.shape[0], np.int64), np.empty(board.cells.shape[0], np.int32)
    weight = 2 if board.partners.shape[0] else 1
    total = 0
    for row in range(genomes.shape[0]):
        genome = genomes[row]
        _find_holders(genome, board, holders)
        if costs[row] == 0 or waited[row] >= RESTART or not _keeps_structure(genome, board, holders, errors):
            waited[row] = 0
            _start(genome, board, holders, state)
            _find_holders(genome, board, holders)
        cost, evaluations = _line_errors(genome, board, errors), 1
        if cost:
            cost, evaluations = _walk(genome, board, holders, errors, cost, steps, manner, state)
        costs[row] = weight * cost
        waited[row] += evaluations
        total += evaluations
    return total


def metropolis(board: Board, manner: Manner, steps: int) -> Improve:
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
            return int(_walks(genomes, board, costs, waited, steps, manner, rng.state))
        newest = [int(np.flatnonzero(costs == 0)[-1]), 0]
        for rows in (genomes, costs, waited):
            rows[[0, newest[0]]] = rows[newest]
        return int(_walks(genomes[1:], board, costs[1:], waited[1:], steps // LESS, manner, rng.state))

    return improve
