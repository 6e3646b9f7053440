"""9x9 grids by the thousand: the places of a digit in three rows are the bits of one number.

    band      three rows of the grid, the cells 27 * b to 27 * b + 26
    places    of a digit in a band: 27 bits, one for each cell where it still can stand; 27 such numbers are a grid
    minirow   three cells of a row in one box; a digit stands in three minirows of a band, each of another row and box
    state     one row of 64 numbers: the places (band * 9 + digit), the same as they were when their consequences were
              drawn, and for each band the cells that are not solved and those with two values left

What follows from the places of one digit in one band is read off tables of 512 entries. When nothing follows any more,
a cell with two values left is guessed: the state is copied for the guess, and in the original the guess is struck out.
So each solution is met once, in an order that depends on the puzzle alone.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel, lowest
from islands.operators.space import Stored
from problems.sudoku.groups import Number

States = NDArray[np.int32]  # (depths, WIDTH), or one of them
Counters = NDArray[np.int64]

SHAPE = (3, 3)
CELLS = 81
FULL = (1 << 27) - 1  # every cell of a band
BEFORE, UNSOLVED, PAIRS, WIDTH = 27, 54, 57, 64  # places in a state; 64 numbers are four lines of a processor's cache
DEPTHS = CELLS + 1
NEXT, DEPTH, FOUND = range(3)  # places in `counters`: the puzzle under way, its states (-1 = not begun), its solutions
MOST_ROWS = 1 << 16  # solutions that a call writes


def _minirows() -> NDArray[np.int32]:
    """The 9 cells of a row -> which of its three minirows have one, 3 bits."""
    return np.array([sum(1 << k for k in range(3) if row >> 3 * k & 7) for row in range(512)], np.int32)


def _fitting() -> NDArray[np.int32]:
    """The minirows of a digit in a band, 3 bits a row -> all cells of those in which it can stand; 0 = it cannot."""
    cells = np.zeros(512, np.int32)
    for boxes in permutations(range(3)):
        taken = sum(1 << 3 * row + box for row, box in enumerate(boxes))
        for minirows in range(512):
            if minirows & taken == taken:
                cells[minirows] |= sum(7 << 9 * row + 3 * box for row, box in enumerate(boxes))
    return cells


def _locked() -> NDArray[np.int32]:
    """The columns of a digit in a band -> the cells of another band that these leave no place for it."""
    columns = [sum(row & 7 << 3 * k for k in range(3) if (row >> 3 * k & 7).bit_count() == 1) for row in range(512)]
    return np.array([column | column << 9 | column << 18 for column in columns], np.int32)


def _alone() -> NDArray[np.int32]:
    """The 9 cells of a row -> the same where it is one cell, else 0."""
    return np.array([row if row.bit_count() == 1 else 0 for row in range(512)], np.int32)


def _around() -> NDArray[np.int32]:
    """(27,): for a cell of a band, all cells of the band in its row and its box, and itself."""
    cells = range(27)
    seen = [[k for k in cells if k // 9 == cell // 9 or k % 9 // 3 == cell % 9 // 3] for cell in cells]
    return np.array([sum(1 << k for k in around) for around in seen], np.int32)


MINIROWS, FITTING, LOCKED, ALONE, AROUND = _minirows(), _fitting(), _locked(), _alone(), _around()


@inner_kernel
def _ones(bits: Number) -> Number:
    """How many bits of 27 are 1; the compiler knows the pattern."""
    bits = bits - (bits >> 1 & 0x5555555)
    bits = (bits & 0x3333333) + (bits >> 2 & 0x3333333)
    bits = bits + (bits >> 4) & 0xF0F0F0F
    return bits * 0x1010101 >> 24 & 0x3F


@inner_kernel
def begin(state: States, givens: Stored) -> bool:
    """The state of a puzzle, (81,) with 0 = to be found; False where givens contradict each other."""
    for k in range(WIDTH):
        state[k] = FULL
    for cell in range(CELLS):
        if givens[cell]:
            band, place = divmod(cell, 27)
            if not state[band * 9 + givens[cell] - 1] >> place & 1:
                return False
            put(state, band, place, np.int64(givens[cell] - 1))
    return True


@inner_kernel
def put(state: States, band: Number, place: Number, digit: Number) -> None:
    """A cell holds a digit: no other digit stands there, nor this one elsewhere in its row, box and column."""
    bit = 1 << place
    column = 0x40201 << place % 9
    own = state[band * 9 + digit] & ~AROUND[place] & ~column | bit
    for k in range(band * 9, band * 9 + 9):
        state[k] &= ~bit
    for k in range(digit, BEFORE, 9):
        state[k] &= ~column
    state[band * 9 + digit] = own


@inner_kernel
def _narrow(state: States, band: Number, digit: Number) -> bool:
    """All that follows from the places of one digit in one band; False where it has none."""
    k = band * 9 + digit
    places = np.int64(state[k])
    minirows = MINIROWS[places & 511] | MINIROWS[places >> 9 & 511] << 3 | MINIROWS[places >> 18 & 511] << 6
    places &= FITTING[minirows]
    if not places:
        return False
    one, two, three = places & 511, places >> 9 & 511, places >> 18 & 511
    free = ~LOCKED[one | two | three]
    for other in range(digit, BEFORE, 9):
        state[other] &= free
    solved = (ALONE[one] | ALONE[two] << 9 | ALONE[three] << 18) & state[UNSOLVED + band]
    if solved:
        state[UNSOLVED + band] ^= solved
        for other in range(band * 9, band * 9 + 9):
            state[other] &= ~solved
    state[k] = state[BEFORE + k] = places
    return True


@inner_kernel
def _singles(state: States) -> Number:
    """Cells with one value left take it: 1 if there are any, 0 if not, -1 where a cell has none left.

    Cells with two values are noted in the state.
    """
    verdict = 0
    for band in range(3):
        once = twice = thrice = np.int64(0)
        for k in range(band * 9, band * 9 + 9):
            thrice |= twice & state[k]
            twice |= once & state[k]
            once |= state[k]
        if once != FULL:
            return -1
        state[PAIRS + band] = twice & ~thrice
        single = once & ~twice & state[UNSOLVED + band]
        while single:
            verdict = 1
            place = lowest(single)
            single &= single - 1
            for digit in range(9):
                if state[band * 9 + digit] >> place & 1:
                    put(state, band, place, digit)
    return verdict


@inner_kernel
def settle(state: States) -> bool:
    """Draw all consequences; False for a contradiction."""
    while True:
        is_stable = True
        for band in range(3):
            for digit in range(9):
                k = band * 9 + digit
                if state[k] != state[BEFORE + k]:
                    is_stable = False
                    if not _narrow(state, band, digit):
                        return False
        if is_stable:
            verdict = _singles(state)
            if verdict <= 0:
                return bool(verdict == 0)


@inner_kernel
def _best_pair(state: States) -> Number:
    """Of the cells with two values the one that sees most others of them; -1 where there are none."""
    best, most = -1, -1
    for band in range(3):
        pairs: Number = np.int64(state[PAIRS + band])
        left = pairs
        while left:
            place = lowest(left)
            left &= left - 1
            column = 0x40201 << place % 9
            seen = _ones(pairs & (AROUND[place] | column))
            for other in range(3):
                if other != band:
                    seen += _ones(np.int64(state[PAIRS + other]) & column)
            if seen > most:
                best, most = band * 27 + place, seen
    return best


@inner_kernel
def _smallest(state: States) -> Number:
    """The first of the cells with the fewest values left that are not solved."""
    fewest, cell = 10, -1
    for band in range(3):
        left: Number = np.int64(state[UNSOLVED + band])
        while left:
            place = lowest(left)
            left &= left - 1
            values = 0
            for k in range(band * 9, band * 9 + 9):
                values += state[k] >> place & 1
            if values < fewest:
                fewest, cell = values, band * 27 + place
    return cell


@inner_kernel
def _guess(state: States, guessed: States) -> None:
    """`guessed` becomes the state with a guess, and in the state itself that guess is struck out."""
    cell = _best_pair(state)
    if cell < 0:
        cell = _smallest(state)
    band, place = cell // 27, cell % 27
    digit = 0
    while not state[band * 9 + digit] >> place & 1:
        digit += 1
    for k in range(WIDTH):
        guessed[k] = state[k]
    put(guessed, band, place, digit)
    state[band * 9 + digit] ^= 1 << place


@inner_kernel
def next_solution(states: States, depth: Number) -> Number:
    """Search on from the states below `depth` until the last of them is solved: its depth from 1 on; 0 = no more."""
    while depth > 0:
        state = states[depth - 1]
        if not settle(state):
            depth -= 1
        elif not state[UNSOLVED] | state[UNSOLVED + 1] | state[UNSOLVED + 2]:
            return depth
        else:
            _guess(state, states[depth])
            depth += 1
    return depth


@inner_kernel
def write(state: States, grid: Stored) -> None:
    """The values of a solved state."""
    for k in range(BEFORE):
        left: Number = np.int64(state[k])
        while left:
            grid[k // 9 * 27 + lowest(left)] = k % 9 + 1
            left &= left - 1


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

    Fewer than the limit are all there are.
    """
    states, counters = np.empty((DEPTHS, WIDTH), np.int32), np.array([0, -1, 0], np.int64)
    narrow = np.ascontiguousarray(puzzles, np.uint8)
    numbers, grids = [np.empty(0, np.int64)], [np.empty((0, CELLS), np.uint8)]
    while counters[NEXT] < len(narrow):
        rows = min(MOST_ROWS, limit * (len(narrow) - int(counters[NEXT])))
        numbers.append(np.empty(rows, np.int64))
        grids.append(np.empty((rows, CELLS), np.uint8))
        written = search(narrow, limit, states, counters, numbers[-1], grids[-1])
        numbers[-1], grids[-1] = numbers[-1][:written], grids[-1][:written]
    return np.concatenate(numbers), np.concatenate(grids)
