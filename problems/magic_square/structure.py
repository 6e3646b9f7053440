"""The board of a walk, and the structure a walk may keep, which makes many lines right at once and for good.

    pairs    cells in pairs whose numbers always sum alike: what one cell gains, its partner loses
    blocks   n neighbouring numbers are a block, and the cells of each block are such that every line has one number
             of each: the lines of the square of block numbers are right. Only numbers of one block change places.

Each structure has kernels of its own, so that only those in use are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import RngState, below
from islands.kernels.shuffle import shuffle_short
from islands.operators.space import Genomes

SEARCHED = 7  # the largest order in blocks whose numbers are searched for

Numbers = NDArray[np.int64]
Cells = NDArray[np.int32]
Indices = NDArray[np.uint32]  # of what is only counted from 0: kernels need not ask whether they are negative
Rows = NDArray[np.bool_]


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
def find_holders(genome: Genomes, board: Board, holders: Cells | Indices) -> None:
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
def _break_pairs(genomes: Genomes, board: Board, broken: Rows) -> None:
    """Mark the rows in which two partners do not sum like the least and the greatest number."""
    ends = board.values[0] + board.values[-1]
    for row in range(genomes.shape[0]):
        for cell in board.cells:
            if int(genomes[row, cell]) + int(genomes[row, board.partners[cell]]) != ends:
                broken[row] = True


@kernel
def _break_blocks(genomes: Genomes, board: Board, broken: Rows) -> None:
    """Mark the rows in which a line of block numbers is wrong."""
    n = board.block
    totals, holders = np.empty(board.targets.shape[0], np.int64), np.empty(board.cells.shape[0], np.int32)
    for row in range(genomes.shape[0]):
        for line in range(totals.shape[0]):
            totals[line] = 0
        find_holders(genomes[row], board, holders)
        for rank in range(holders.shape[0]):
            for k in range(4):
                totals[board.through[holders[rank], k]] += rank // n
        for total in totals:
            if 2 * total != n * (n - 1):
                broken[row] = True


@kernel
def _place_freely(genomes: Genomes, rows: Rows, board: Board, state: RngState) -> None:
    """All free numbers of these rows to random places."""
    order = board.cells.copy()
    for row in range(genomes.shape[0]):
        if rows[row]:
            shuffle_short(order, state)
            for rank in range(order.shape[0]):
                genomes[row, order[rank]] = board.values[rank]


@kernel
def _place_pairs(genomes: Genomes, rows: Rows, board: Board, state: RngState) -> None:
    """Pairs of numbers to pairs of cells, at random."""
    ranks, count = board.values.shape[0], 0
    firsts, centre = np.empty(board.cells.shape[0], np.int32), -1
    for cell in board.cells:
        if cell < board.partners[cell]:
            firsts[count] = cell
            count += 1
        elif cell == board.partners[cell]:
            centre = cell
    for row in range(genomes.shape[0]):
        if not rows[row]:
            continue
        if centre >= 0:
            genomes[row, centre] = board.values[ranks // 2]
        shuffle_short(firsts[:count], state)
        for rank in range(count):
            cell, partner = firsts[rank], board.partners[firsts[rank]]
            if below(state, 2):
                cell, partner = partner, cell
            genomes[row, cell], genomes[row, partner] = board.values[rank], board.values[ranks - 1 - rank]


@kernel
def _place_blocks(genomes: Genomes, rows: Rows, board: Board, state: RngState) -> None:
    """Blocks in random order along i + k * j mod n. The numbers of each: at random; above order SEARCHED in one random
    order along i + m * j mod n, which makes a square at once.
    """
    n = board.block
    blocks, ranks = np.arange(n).astype(np.int32), np.arange(n).astype(np.int32)
    for row in range(genomes.shape[0]):
        if not rows[row]:
            continue
        slope, within = board.slopes[below(state, board.slopes.shape[0])]
        shuffle_short(blocks, state)
        shuffle_short(ranks, state)
        for place in range(n):
            if n <= SEARCHED:
                shuffle_short(ranks, state)
            for j in range(n):
                i = (place - slope * j) % n
                genomes[row, i * n + j] = board.values[blocks[place] * n + ranks[(i + within * j) % n]]


def start_anew(genomes: Genomes, rows: Rows, board: Board, state: RngState) -> Rows:
    """Random places, within the structure, for the free numbers of these rows and of all that lack the structure.

    Returns the rows that were begun.
    """
    rows = rows.copy()
    place: Callable[..., None] = _place_freely
    if len(board.partners):
        _break_pairs(genomes, board, rows)
        place = _place_pairs
    elif board.block:
        _break_blocks(genomes, board, rows)
        place = _place_blocks
    if rows.any():
        place(genomes, rows, board, state)
    return rows
