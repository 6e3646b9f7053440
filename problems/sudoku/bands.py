"""Many 9x9 puzzles at once, searched to the end: see `places` for the grids and `trios` for what is guessed.

When nothing follows any more, the state is copied for a guess, and in the original the guess is struck out. So each
solution is met once, in an order that depends on the puzzle alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.operators.space import Stored
from problems.sudoku.groups import Number
from problems.sudoku.places import CELLS, WIDTH, States, begin, is_solved, settle, write
from problems.sudoku.trios import guess, look

Counters = NDArray[np.int64]

SHAPE = (3, 3)
DEPTHS = 2 * CELLS + 2  # a guess settles in which box of a row a digit stands, or in which column of a box
NEXT, DEPTH, FOUND = range(3)  # places in `counters`: the puzzle under way, its states (-1 = not begun), its solutions
MOST_ROWS = 1 << 16  # solutions that a call writes
MOST_SOLUTIONS = 5_000_000  # of all puzzles of a call of `solutions`, which keeps them: 0.4 GB


class TooMany(Exception):
    """There are more than MOST_SOLUTIONS: the number of the puzzle at which that was so."""

    def __init__(self, puzzle: int) -> None:
        super().__init__(puzzle)
        self.puzzle = puzzle


@inner_kernel
def _follow(state: States, notes: States) -> bool:
    """Draw all consequences; False for a contradiction. `notes` are then those of a state that is not solved."""
    while settle(state):
        if is_solved(state):
            return True
        verdict = look(state, notes)
        if verdict <= 0:
            return bool(verdict == 0)
    return False


@inner_kernel
def next_solution(states: States, depth: Number) -> Number:
    """Search on from the states below `depth` until the last of them is solved: its depth from 1 on; 0 = no more."""
    while depth > 0:
        state, following = states[depth - 1], states[depth]
        if not _follow(state, following):
            depth -= 1
        elif is_solved(state):
            return depth
        else:
            guess(state, following)
            depth += 1
    return depth


@lean_kernel
def search(
    puzzles: Stored, limit: Number, states: States, counters: Counters, numbers: Counters, grids: Stored
) -> Number:
    """Up to `limit` solutions of each of (k, 81) puzzles, 0 = to be found, until `grids`, (m, 81), is full.

    The number of solutions written; `numbers` says to which puzzle each belongs. All are done when counters[NEXT] is k;
    before that the next call goes on where this one ends.
    """
    puzzle, depth, found = counters[NEXT], counters[DEPTH], counters[FOUND]
    row = 0
    while puzzle < len(puzzles) and row < len(grids):
        if depth < 0:
            depth, found = np.int64(begin(states[0], puzzles[puzzle])), np.int64(0)
        depth = next_solution(states, depth)
        if depth > 0:
            write(states[depth - 1], grids[row])
            numbers[row] = puzzle
            row, found, depth = row + 1, found + 1, depth - 1
        if depth == 0 or found == limit:
            puzzle, depth = puzzle + 1, np.int64(-1)
    counters[NEXT], counters[DEPTH], counters[FOUND] = puzzle, depth, found
    return row


def solutions(puzzles: Stored, limit: int) -> tuple[Counters, Stored]:
    """Up to `limit` distinct solutions of each of (k, 81) puzzles: whose they are, (m,), and they, (m, 81) uint8.

    Fewer than the limit are all there are. TooMany where they are more than can be kept.
    """
    states, counters = np.empty((DEPTHS, WIDTH), np.int32), np.array([0, -1, 0], np.int64)
    narrow = np.ascontiguousarray(puzzles, np.uint8)
    numbers, grids, found = [np.empty(0, np.int64)], [np.empty((0, CELLS), np.uint8)], 0
    while counters[NEXT] < len(narrow):
        rows = min(MOST_ROWS, limit * (len(narrow) - int(counters[NEXT])))
        numbers.append(np.empty(rows, np.int64))
        grids.append(np.empty((rows, CELLS), np.uint8))
        written = search(narrow, limit, states, counters, numbers[-1], grids[-1])
        numbers[-1], grids[-1] = numbers[-1][:written], grids[-1][:written]
        found += written
        if found > MOST_SOLUTIONS:
            raise TooMany(int(numbers[-1][-1]))
    return np.concatenate(numbers), np.concatenate(grids)
