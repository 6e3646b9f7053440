"""How hard a puzzle is for a person, by the kinds of steps it takes; as a kernel, because makers grade by the thousand.

easy      the last place for a value in a row, column or box is enough (hidden singles)
medium    the last value for a cell is needed too (naked singles)
hard      eliminations are needed: a value whose places in one unit all lie in another, pairs and triples of cells
          that share two or three values
expert    beyond that: somebody has to try

A puzzle with one solution that is not expert is proved to have one: no step is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from problems.sudoku.groups import Ints, Number
from problems.sudoku.logic import LEVELS, Difficulty, units_of

EXPERT = LEVELS.index("expert")


class Notes(NamedTuple):
    """What is known of a grid on the way: which values are possible, and which cells are filled."""

    units: Ints  # (3 n, n): the cells of each row, column and box
    homes: Ints  # (n * n, 3): the row, column and box of each cell, by their numbers in `units`
    masks: NDArray[np.int64]  # (n * n,): bit v - 1 = value v is possible in the cell
    filled: NDArray[np.bool_]  # (n * n,)


@inner_kernel
def _ones(bits: Number) -> Number:
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@inner_kernel
def _place(notes: Notes, cell: Number, bit: Number) -> None:
    """A cell takes a value, and no other cell of its units can."""
    for k in range(3):
        unit = notes.units[notes.homes[cell, k]]
        for other in unit:
            notes.masks[other] &= ~bit
    notes.masks[cell] = bit
    notes.filled[cell] = True


@inner_kernel
def _hidden_singles(notes: Notes) -> bool:
    """Values with one place left in a unit are placed there; whether there were any."""
    moved = False
    for number in range(len(notes.units)):
        unit = notes.units[number]
        once = twice = np.int64(0)
        for cell in unit:
            twice |= once & notes.masks[cell]
            once |= notes.masks[cell]
        single = once & ~twice
        for cell in unit:
            here = single & notes.masks[cell]
            if here and not notes.filled[cell]:
                while here & (here - 1):
                    here &= here - 1
                _place(notes, np.int64(cell), here)
                moved = True
    return moved


@inner_kernel
def _naked_singles(notes: Notes) -> bool:
    """Cells with one value left take it; whether there were any."""
    moved = False
    for cell in range(len(notes.masks)):
        mask = notes.masks[cell]
        if mask and not mask & (mask - 1) and not notes.filled[cell]:
            _place(notes, cell, mask)
            moved = True
    return moved


@inner_kernel
def _lock(notes: Notes, number: Number, bit: Number) -> None:
    """A value whose places in this unit all lie in another has no place elsewhere in that."""
    unit = notes.units[number]
    n, places, last = len(unit), 0, np.int64(0)
    for cell in unit:
        if notes.masks[cell] & bit:
            places, last = places + 1, np.int64(cell)
    if not 1 < places <= n // 2:
        return
    for kind in range(3):
        home = notes.homes[last, kind]
        shared = 0
        for cell in unit:
            shared += notes.masks[cell] & bit != 0 and notes.homes[cell, kind] == home
        if home != number and shared == places:
            for cell in notes.units[home]:
                if notes.homes[cell, number // n] != number:
                    notes.masks[cell] &= ~bit


@inner_kernel
def _strike(notes: Notes, unit: Ints, chosen: Number, mask: Number) -> None:
    """Values that the `chosen` cells of a unit, bit k for its k-th, keep for themselves leave its other open cells."""
    for k in range(len(unit)):
        if not chosen >> k & 1 and not notes.filled[unit[k]]:
            notes.masks[unit[k]] &= ~mask


@inner_kernel
def _subsets(notes: Notes, unit: Ints) -> None:
    """Two cells with the same two values, or three with the same three, keep them from the rest of the unit."""
    n, masks = len(unit), notes.masks
    for size in (2, 3):
        small = np.int64(0)
        for k in range(n):
            if not notes.filled[unit[k]] and _ones(masks[unit[k]]) <= size:
                small |= np.int64(1) << k
        for i in range(n):
            for j in range(i + 1, n):
                if not small >> i & small >> j & 1:
                    continue
                if size == 2:
                    joined = masks[unit[i]] | masks[unit[j]]
                    if _ones(joined) == 2:
                        _strike(notes, unit, np.int64(1) << i | np.int64(1) << j, joined)
                    continue
                for k in range(j + 1, n):
                    joined = masks[unit[i]] | masks[unit[j]] | masks[unit[k]]
                    if small >> k & 1 and _ones(joined) == 3:
                        _strike(notes, unit, np.int64(1) << i | np.int64(1) << j | np.int64(1) << k, joined)


@inner_kernel
def _eliminations(notes: Notes) -> bool:
    """Locked candidates, then naked pairs and triples; whether anything was struck out."""
    before = after = 0
    for mask in notes.masks:
        before += _ones(mask)
    for number in range(len(notes.units)):
        for value in range(notes.units.shape[1]):
            _lock(notes, number, np.int64(1) << value)
    for number in range(len(notes.units)):
        _subsets(notes, notes.units[number])
    for mask in notes.masks:
        after += _ones(mask)
    return after < before


@inner_kernel
def _empty(notes: Notes) -> Number:
    """How many cells are."""
    count = 0
    for is_filled in notes.filled:
        count += not is_filled
    return count


@lean_kernel
def hardest(notes: Notes, givens: NDArray[np.integer]) -> Number:
    """The level of a puzzle, (n * n,) with 0 = to be found, as its place in LEVELS; givens do not repeat."""
    full = (np.int64(1) << notes.units.shape[1]) - 1
    for cell in range(len(givens)):
        notes.masks[cell], notes.filled[cell] = full, False
    for cell in range(len(givens)):
        if givens[cell]:
            _place(notes, cell, np.int64(1) << (np.int64(givens[cell]) - 1))
    level = 0
    while _empty(notes):
        if _hidden_singles(notes):
            continue
        if _naked_singles(notes):
            level = max(level, 1)
        elif _eliminations(notes):
            level = 2
        else:
            return EXPERT
    return level


@cache
def notes_of(box: tuple[int, int]) -> Notes:
    """An empty sheet for grids with these boxes."""
    units = np.array(units_of(box), np.int32)
    homes = [np.flatnonzero((units == cell).any(axis=1)) for cell in range(units.shape[1] ** 2)]
    masks = np.zeros(len(homes), np.int64)
    return Notes(units, np.array(homes, np.int32), masks, np.zeros(len(homes), np.bool_))


def grade(box: tuple[int, int], givens: Sequence[int] | NDArray[np.integer]) -> Difficulty:
    """The hardest kind of step that a puzzle needs, whose givens do not repeat in a unit."""
    return LEVELS[hardest(notes_of(box), np.asarray(givens, np.int32))]
