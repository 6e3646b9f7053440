"""9x9 grids by the thousand: the places of a digit in three rows are the bits of one number.

    band      three rows of the grid, the cells 27 * b to 27 * b + 26
    places    of a digit in a band: 27 bits, one for each cell where it still can stand; 27 such numbers are a grid
    minirow   three cells of a row in one box; a digit stands in three minirows of a band, each of another row and box
    state     one row of 64 numbers: the places (band * 9 + digit), the same as they were when their consequences were
              drawn, and for each band the cells that are not solved

What follows from the places of one digit in one band is read off tables of 512 entries.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, inner_kernel, lowest
from islands.operators.space import Stored
from problems.sudoku.groups import Number

States = NDArray[np.int32]  # (depths, WIDTH), or one of them

CELLS = 81
FULL = (1 << 27) - 1  # every cell of a band
BEFORE, UNSOLVED, WIDTH = 27, 54, 64  # places in a state; 64 numbers are four lines of a processor's cache


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


@inlined_kernel
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


@inlined_kernel
def _singles(state: States) -> Number:
    """Cells with one value left take it: 1 if there are any, 0 if not, -1 where a cell has none left."""
    verdict = 0
    for band in range(3):
        once = twice = np.int64(0)
        for k in range(band * 9, band * 9 + 9):
            twice |= once & state[k]
            once |= state[k]
        if once != FULL:
            return -1
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
    """Draw the consequences of digits in bands and of cells with one value; False for a contradiction."""
    while True:
        changed: Number = np.int64(0)
        for k in range(BEFORE):  # all at once, as a processor foresees which bits are set better than 27 comparisons
            changed |= np.int64(state[k] != state[BEFORE + k]) << k
        is_stable = changed == 0
        while changed:
            k = lowest(changed)
            changed &= changed - 1
            band = (k >= 9) + (k >= 18)
            if not _narrow(state, band, k - 9 * band):
                return False
        if is_stable:
            verdict = _singles(state)
            if verdict <= 0:
                return bool(verdict == 0)


@inner_kernel
def is_solved(state: States) -> bool:
    return not state[UNSOLVED] | state[UNSOLVED + 1] | state[UNSOLVED + 2]


@inner_kernel
def write(state: States, grid: Stored) -> None:
    """The values of a solved state."""
    for k in range(BEFORE):
        left: Number = np.int64(state[k])
        while left:
            grid[k // 9 * 27 + lowest(left)] = k % 9 + 1
            left &= left - 1
