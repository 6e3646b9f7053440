"""Grids of other sizes as `bands` has 9x9: the places of a digit in one row of boxes are the bits of one number.

These are enough where box rows times size is at most 64: 16x16 with boxes of 4x4, 12x12 with 3x4 or 4x3, and smaller
ones. Mostly a few guesses lead to the end. Where they do not, the tree can be huge: after GUESSES without a solution a
puzzle is given up, and somebody else has to search it.

    band      the rows of one row of boxes; its cells follow each other in the grid
    places    of a digit in a band: a bit for each cell where it still can stand
    state     the places (band * n + digit), the same when their consequences were drawn, and for each band the cells
              that are not solved and those with two values left
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, inner_kernel, lean_kernel, lowest
from islands.operators.space import Stored
from problems.sudoku.groups import Number

States = NDArray[np.int64]  # (depths, width), or one of them
Counters = NDArray[np.int64]
Flags = NDArray[np.bool_]

BITS = 64
LARGEST = 16  # beyond it, searches that learn are better
LARGEST_TABLE = 4  # box rows up to which a table says in which minirows a digit can stand
GUESSES = 300
NEXT, DEPTH, FOUND, GUESSED = range(4)  # places in `counters`: as in `bands`, and the guesses since the last solution
MOST_ROWS = 1 << 14  # solutions that a call writes


class Tables(NamedTuple):
    """What follows from the shape of the boxes. Masks are bits of a band."""

    size: int  # n
    box_rows: int
    box_columns: int  # and how many bands there are
    full: int
    rows: Counters  # (box_rows,): the cells of each row
    boxes: Counters  # (box_rows,): the cells of each box
    columns: Counters  # (n,): the cells of each column
    fitting: NDArray[np.int32]
    """The minirows that a digit has, box_rows bits a row -> those in which it can stand; empty where they are many."""


def fits(shape: tuple[int, int]) -> bool:
    """Whether grids with these boxes can be searched here."""
    return shape[0] * shape[0] * shape[1] <= BITS and shape[0] * shape[1] <= LARGEST


@cache
def tables_of(shape: tuple[int, int]) -> Tables:
    box_rows, box_columns = shape
    n = box_rows * box_columns
    cells = np.arange(box_rows * n)
    bits = np.int64(1) << cells

    def joined(groups: NDArray[np.int64], count: int) -> Counters:
        return np.array([np.bitwise_or.reduce(bits[groups == k]) for k in range(count)], np.int64)

    columns = joined(cells % n, n)
    rows, boxes = joined(cells // n, box_rows), joined(cells % n // box_columns, box_rows)
    full = int(np.bitwise_or.reduce(bits))
    return Tables(n, box_rows, box_columns, full, rows, boxes, columns, _fitting(box_rows))


def _fitting(box_rows: int) -> NDArray[np.int32]:
    if box_rows > LARGEST_TABLE:
        return np.zeros(0, np.int32)
    minirows = np.arange(1 << box_rows**2)
    fitting = np.zeros(len(minirows), np.int32)
    for boxes in permutations(range(box_rows)):
        taken = sum(1 << row * box_rows + box for row, box in enumerate(boxes))
        fitting[minirows & taken == taken] |= taken
    return fitting


@inner_kernel
def _begin(tables: Tables, state: States, givens: Stored) -> bool:
    """The state of a puzzle, 0 = to be found; False where givens contradict each other."""
    n, band_cells = tables.size, tables.box_rows * tables.size
    for k in range(len(state)):
        state[k] = tables.full
    for cell in range(n * n):
        if givens[cell]:
            band, place = cell // band_cells, cell % band_cells
            digit = np.int64(givens[cell]) - 1
            if not state[band * n + digit] >> place & 1:
                return False
            _put(tables, state, band, place, digit)
    return True


@inner_kernel
def _put(tables: Tables, state: States, band: Number, place: Number, digit: Number) -> None:
    """A cell holds a digit: no other digit stands there, nor this one elsewhere in its row, box and column."""
    n, bit = tables.size, np.int64(1) << place
    column = tables.columns[place % n]
    around = tables.rows[place // n] | tables.boxes[place % n // tables.box_columns]
    own = state[band * n + digit] & ~around | bit
    for k in range(band * n, band * n + n):
        state[k] &= ~bit
    for k in range(digit, n * tables.box_columns, n):
        state[k] &= ~column
    state[band * n + digit] = own


@inlined_kernel
def _standing(tables: Tables, places: Number) -> Number:
    """The places without those in minirows where the digit cannot stand: each row has it in another box."""
    count, minirows = tables.box_rows, 0
    for row in range(count):
        for box in range(count):
            if places & tables.rows[row] & tables.boxes[box]:
                minirows |= 1 << row * count + box
    fitting = tables.fitting[minirows]
    for row in range(count):
        for box in range(count):
            if not fitting >> row * count + box & 1:
                places &= ~(tables.rows[row] & tables.boxes[box])
    return places


@inlined_kernel
def _lock(tables: Tables, state: States, band: Number, digit: Number, places: Number) -> None:
    """Where a box has one column left for the digit, other bands have no place for it there."""
    n = tables.size
    for box in range(tables.box_rows):
        inside = places & tables.boxes[box]
        column = tables.columns[lowest(inside) % n]
        if not inside & ~column:
            for other in range(tables.box_columns):
                if other != band:
                    state[other * n + digit] &= ~column


@inlined_kernel
def _narrow(tables: Tables, state: States, band: Number, digit: Number) -> bool:
    """All that follows from the places of one digit in one band; False where a row or a box has none."""
    n, bands = tables.size, tables.box_columns
    k = band * n + digit
    places = looked_at = state[k]
    if len(tables.fitting):
        places = looked_at = _standing(tables, places)  # which leaves nothing to find in a second look
    for box in range(tables.box_rows):
        inside = places & tables.boxes[box]
        if not inside:
            return False
        if not inside & (inside - 1):
            places = places & ~tables.rows[lowest(inside) // n] | inside
    solved = np.int64(0)
    for row in range(tables.box_rows):
        inside = places & tables.rows[row]
        if not inside:
            return False
        if not inside & (inside - 1):
            places = places & ~tables.boxes[lowest(inside) % n // tables.box_columns] | inside
            solved |= inside
    _lock(tables, state, band, digit, places)
    solved &= state[2 * n * bands + band]
    if solved:
        state[2 * n * bands + band] ^= solved
        for other in range(band * n, band * n + n):
            state[other] &= ~solved
    state[k], state[n * bands + k] = places, looked_at
    return True


@inlined_kernel
def _singles(tables: Tables, state: States) -> Number:
    """Cells with one value left take it: 1 if there are any, 0 if not, -1 where a cell has none left.

    Cells with two values are noted in the state.
    """
    n, bands = tables.size, tables.box_columns
    verdict = 0
    for band in range(bands):
        once = twice = thrice = np.int64(0)
        for k in range(band * n, band * n + n):
            thrice |= twice & state[k]
            twice |= once & state[k]
            once |= state[k]
        if once != tables.full:
            return -1
        state[(2 * n + 1) * bands + band] = twice & ~thrice
        single = once & ~twice & state[2 * n * bands + band]
        while single:
            verdict = 1
            place = lowest(single)
            single &= single - 1
            for digit in range(n):
                if state[band * n + digit] >> place & 1:
                    _put(tables, state, band, place, digit)
    return verdict


@inner_kernel
def _settle(tables: Tables, state: States) -> bool:
    """Draw all consequences; False for a contradiction."""
    n, bands = tables.size, tables.box_columns
    while True:
        is_stable = True
        for k in range(n * bands):
            if state[k] != state[n * bands + k]:
                is_stable = False
                if not _narrow(tables, state, k // n, k % n):
                    return False
        if is_stable:
            verdict = _singles(tables, state)
            if verdict <= 0:
                return bool(verdict == 0)


@inner_kernel
def _cell(tables: Tables, state: States) -> tuple[Number, Number]:
    """The cell to guess, as band and place: the first with two values, else with the fewest."""
    n, bands = tables.size, tables.box_columns
    for band in range(bands):
        pairs = state[(2 * n + 1) * bands + band]
        if pairs:
            return band, lowest(pairs)
    fewest, best, where = n + 1, np.int64(0), np.int64(0)
    for band in range(bands):
        left = state[2 * n * bands + band]
        while left:
            place = lowest(left)
            left &= left - 1
            values = 0
            for k in range(band * n, band * n + n):
                values += state[k] >> place & 1
            if values < fewest:
                fewest, best, where = values, np.int64(band), np.int64(place)
    return best, where


@inner_kernel
def _guess(tables: Tables, state: States, guessed: States) -> None:
    """`guessed` becomes the state with a guess, and in the state itself that guess is struck out."""
    n = tables.size
    band, place = _cell(tables, state)
    digit = 0
    while not state[band * n + digit] >> place & 1:
        digit += 1
    for k in range(len(state)):
        guessed[k] = state[k]
    _put(tables, guessed, band, place, digit)
    state[band * n + digit] ^= np.int64(1) << place


@inner_kernel
def _is_solved(tables: Tables, state: States) -> bool:
    n, bands, unsolved = tables.size, tables.box_columns, np.int64(0)
    for band in range(bands):
        unsolved |= state[2 * n * bands + band]
    return bool(unsolved == 0)


@inner_kernel
def _next_solution(tables: Tables, states: States, depth: Number, guesses: Number) -> tuple[Number, Number]:
    """Search on from the states below `depth` until the last of them is solved.

    Its depth from 1 on, 0 = no more, -1 = given up; and how many guesses are left.
    """
    while depth > 0:
        state = states[depth - 1]
        if not _settle(tables, state):
            depth -= 1
        elif _is_solved(tables, state):
            return depth, guesses
        elif guesses == 0:
            return -1, guesses
        else:
            _guess(tables, state, states[depth])
            depth += 1
            guesses -= 1
    return depth, guesses


@inner_kernel
def _write(tables: Tables, state: States, grid: Stored) -> None:
    """The values of a solved state."""
    n = tables.size
    for k in range(n * tables.box_columns):
        left = state[k]
        while left:
            grid[k // n * tables.box_rows * n + lowest(left)] = k % n + 1
            left &= left - 1


@lean_kernel
def search(
    tables: Tables,
    puzzles: Stored,
    limit: Number,
    states: States,
    counters: Counters,
    numbers: Counters,
    grids: Stored,
    given_up: Flags,
) -> Number:
    """Up to `limit` solutions of each of (k, n * n) puzzles until `grids`, (m, n * n), is full: as `bands.search`.

    Of a puzzle that is `given_up` the solutions written are not all, or there are others in a better search.
    """
    puzzle, depth, found, guesses = counters[NEXT], counters[DEPTH], counters[FOUND], counters[GUESSED]
    row = 0
    while puzzle < len(puzzles) and row < len(grids):
        if depth < 0:
            depth, found = np.int64(_begin(tables, states[0], puzzles[puzzle])), np.int64(0)
            guesses = np.int64(GUESSES)
        depth, guesses = _next_solution(tables, states, depth, guesses)
        if depth > 0:
            _write(tables, states[depth - 1], grids[row])
            numbers[row] = puzzle
            row, found, depth, guesses = row + 1, found + 1, depth - 1, np.int64(GUESSES)
        given_up[puzzle] = depth < 0
        if depth <= 0 or found == limit:
            puzzle, depth = puzzle + 1, np.int64(-1)
    counters[NEXT], counters[DEPTH], counters[FOUND], counters[GUESSED] = puzzle, depth, found, guesses
    return row


def solutions(shape: tuple[int, int], puzzles: Stored, limit: int) -> tuple[Counters, Stored, Flags]:
    """Up to `limit` distinct solutions of each of (k, n * n) puzzles: whose they are, (m,), and they, (m, n * n) uint8.

    And which puzzles, (k,), were given up: these have none here. Of the others, fewer than the limit are all there are.
    """
    tables, cells = tables_of(shape), (shape[0] * shape[1]) ** 2
    width = 2 * shape[1] * (tables.size + 1)
    states, counters = np.empty((cells + 1, width), np.int64), np.array([0, -1, 0, 0], np.int64)
    narrow, given_up = np.ascontiguousarray(puzzles, np.uint8), np.zeros(len(puzzles), np.bool_)
    numbers, grids = [np.empty(0, np.int64)], [np.empty((0, cells), np.uint8)]
    while counters[NEXT] < len(narrow):
        rows = min(MOST_ROWS, limit * (len(narrow) - int(counters[NEXT])))
        numbers.append(np.empty(rows, np.int64))
        grids.append(np.empty((rows, cells), np.uint8))
        written = search(tables, narrow, limit, states, counters, numbers[-1], grids[-1], given_up)
        numbers[-1], grids[-1] = numbers[-1][:written], grids[-1][:written]
    whose, all_grids = np.concatenate(numbers), np.concatenate(grids)
    kept = ~given_up[whose]
    return whose[kept], all_grids[kept], given_up
