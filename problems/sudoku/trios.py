"""What `places` does not see, and what is guessed: in which box of a row, and in which column of a box, a digit stands.

    trio      a minirow or a minicolumn: three cells of a row or of a column in one box
    rows      the minirows of a digit that have a place for it, bit 9 * row of the band + 3 * box + band
    columns   its minicolumns, bit 9 * band + column
    group     three trios of which one has the digit: the minirows of a row of the grid, the minicolumns of a box
    open      a trio of a group in which two or three are left

A trio for which three digits are left belongs to these, and one that three digits must have has no place for others.
"""

from __future__ import annotations

import numpy as np

from islands.kernels.jit import inlined_kernel, inner_kernel, lowest, ones
from problems.sudoku.groups import Number
from problems.sudoku.places import AROUND, BEFORE, FULL, States

Counts = tuple[Number, Number, Number, Number]  # the trios that at least one, two, three, four digits have

ROWS, COLUMNS = 0, 9  # places in the notes of a state: of each digit
FIRST_COLUMNS = 0o111111111  # every third trio or cell
FIRST_BOXES = 0o007007007
ALL_FIXED = 27  # trios of nine digits in three groups each, where none is open


@inlined_kernel
def _also(counts: Counts, trios: Number) -> Counts:
    """With one digit more."""
    one, two, three, four = counts
    return one | trios, two | one & trios, three | two & trios, four | three & trios


@inlined_kernel
def _open_rows(rows: Number) -> Number:
    second, third = rows >> 3, rows >> 6
    return rows & ((rows & second | third & (rows | second)) & FIRST_BOXES) * 0o111


@inlined_kernel
def _open_columns(columns: Number) -> Number:
    second, third = columns >> 1, columns >> 2
    return columns & ((columns & second | third & (columns | second)) & FIRST_COLUMNS) * 7


@inlined_kernel
def _whole_rows(rows: Number) -> Number:
    """The groups in which there are any of these."""
    return ((rows | rows >> 3 | rows >> 6) & FIRST_BOXES) * 0o111


@inlined_kernel
def _whole_columns(columns: Number) -> Number:
    return ((columns | columns >> 1 | columns >> 2) & FIRST_COLUMNS) * 7


@inlined_kernel
def _rows_of(top: Number, middle: Number, bottom: Number) -> Number:
    """The minirows of a digit, by its places in each band."""
    rows = (top | top >> 1 | top >> 2) & FIRST_COLUMNS
    rows |= ((middle | middle >> 1 | middle >> 2) & FIRST_COLUMNS) << 1
    return rows | ((bottom | bottom >> 1 | bottom >> 2) & FIRST_COLUMNS) << 2


@inlined_kernel
def _columns_of(top: Number, middle: Number, bottom: Number) -> Number:
    columns = (top | top >> 9 | top >> 18) & 511
    columns |= ((middle | middle >> 9 | middle >> 18) & 511) << 9
    return columns | ((bottom | bottom >> 9 | bottom >> 18) & 511) << 18


@inner_kernel
def look(state: States, notes: States) -> Number:
    """Strike out what follows from trios: 1 if there is anything, 0 if not, -1 for a contradiction.

    The notes are the trios of each digit, without the columns that others must have.
    """
    rows_had = columns_had = rows_sure = columns_sure = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    open_rows = open_columns = struck = wrong = np.int64(0)
    for digit in range(9):
        top, middle, bottom = np.int64(state[digit]), np.int64(state[9 + digit]), np.int64(state[18 + digit])
        rows, columns = _rows_of(top, middle, bottom), _columns_of(top, middle, bottom)
        elsewhere = columns << 9 | columns >> 18 | columns << 18 | columns >> 9  # the same columns of other bands
        sure = columns & ~elsewhere
        wrong |= FULL & ~(columns | elsewhere) | _open_columns(sure)
        left = columns & ~_whole_columns(sure) | sure
        struck |= columns ^ left
        notes[ROWS + digit], notes[COLUMNS + digit] = rows, left
        rows_had, columns_had = _also(rows_had, rows), _also(columns_had, left)
        several_rows, several_columns = _open_rows(rows), _open_columns(left)
        rows_sure = _also(rows_sure, rows ^ several_rows)
        columns_sure = _also(columns_sure, left ^ several_columns)
        open_rows |= several_rows
        open_columns |= several_columns
    if wrong:
        return -1
    three_rows, three_columns = rows_had[2] & ~rows_had[3], columns_had[2] & ~columns_had[3]
    struck |= (three_rows | rows_sure[2]) & open_rows | (three_columns | columns_sure[2]) & open_columns
    if not struck:
        return 0
    _strike(state, notes, three_rows, rows_sure[2], three_columns, columns_sure[2])
    return 1


@inlined_kernel
def _strike(
    state: States, notes: States, three_rows: Number, full_rows: Number, three_columns: Number, full_columns: Number
) -> None:
    """Leave digits the trios that they have, but for the rest of a group where a trio of `three_` is theirs, and for
    `full_` ones that are not sure."""
    digits: Number = np.int64(511)
    while digits:  # not a plain loop: LLVM 22 makes a wrong one of it, with one digit too many
        digit = lowest(digits)
        digits &= digits - 1
        rows, columns = np.int64(notes[ROWS + digit]), np.int64(notes[COLUMNS + digit])
        own_rows, own_columns = rows & three_rows, columns & three_columns
        rows &= ~(_whole_rows(own_rows) & ~own_rows | full_rows & _open_rows(rows))
        columns &= ~(_whole_columns(own_columns) & ~own_columns | full_columns & _open_columns(columns))
        for band in range(3):
            in_rows, in_columns = rows >> band & FIRST_COLUMNS, columns >> 9 * band & 511
            state[9 * band + digit] &= in_rows * 7 & in_columns * 0x40201


@inlined_kernel
def _unit_to_guess(notes: States) -> Number:
    """The band, 0 to 2, or the column of boxes, 3 to 5, with the fewest trios of those that have open ones."""
    counts: tuple[Number, ...] = (np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    one, two, three, four, five, six = counts
    for digit in range(9):
        rows: Number = np.int64(notes[ROWS + digit])
        columns: Number = np.int64(notes[COLUMNS + digit])
        one += ones(rows & FIRST_COLUMNS)
        two += ones(rows & FIRST_COLUMNS << 1)
        three += ones(rows & FIRST_COLUMNS << 2)
        four += ones(columns & FIRST_BOXES)
        five += ones(columns & FIRST_BOXES << 3)
        six += ones(columns & FIRST_BOXES << 6)
    fewest, best = np.int64(1000), np.int64(0)
    for unit, count in enumerate((one, two, three, four, five, six)):
        if ALL_FIXED < count < fewest:
            fewest, best = count, np.int64(unit)
    return best


@inner_kernel
def guess(state: States, guessed: States) -> None:
    """`guessed`, which has the notes of the state, becomes that with a guess; in the state itself it is struck out.

    The guess is an open trio of the digit that has the fewest in the unit with the fewest.
    """
    unit = _unit_to_guess(guessed)
    first, mask = (ROWS, FIRST_COLUMNS << unit) if unit < 3 else (COLUMNS, FIRST_BOXES << 3 * (unit - 3))
    best: Number = np.int64(1000)
    for digit in range(9):
        count: Number = ones(np.int64(guessed[first + digit]) & mask)
        best = min(best, count << 4 | digit | (count == 3) << 9)
    digit = best & 15
    trios = np.int64(guessed[first + digit]) & mask
    for k in range(len(state)):
        guessed[k] = state[k]
    if unit < 3:
        place = lowest(_open_rows(trios)) - unit
        band, inside, around = unit, np.int64(7) << place, np.int64(AROUND[place])
    else:
        band, column = divmod(lowest(_open_columns(trios)), 9)
        inside, around = np.int64(0x40201) << column, np.int64(FIRST_BOXES) << column // 3 * 3
        for k in range(digit, BEFORE, 9):
            guessed[k] &= ~inside
    guessed[band * 9 + digit] = state[band * 9 + digit] & (~around | inside)
    state[band * 9 + digit] &= ~inside
