"""Sudoku the way a person does it, step by step: finds givens that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

from problems.sudoku.symbols import place

Difficulty = Literal["easy", "medium", "hard", "expert"]
LEVELS: tuple[Difficulty, ...] = ("easy", "medium", "hard", "expert")  # see `grading`

Masks = list[int]  # of each cell, bit v = value v is possible


@cache
def units_of(box: tuple[int, int]) -> list[list[int]]:
    """The cells of each row, column and box."""
    rows, columns = box
    n = rows * columns
    units = [[i * n + j for j in range(n)] for i in range(n)] + [[i * n + j for i in range(n)] for j in range(n)]
    for top in range(0, n, rows):
        for left in range(0, n, columns):
            units.append([i * n + j for i in range(top, top + rows) for j in range(left, left + columns)])
    return units


@cache
def _homes(box: tuple[int, int]) -> list[list[int]]:
    """The three units of each cell."""
    units = units_of(box)
    homes: list[list[int]] = [[] for _ in range(len(units) ** 2 // 9)]
    for number, unit in enumerate(units):
        for cell in unit:
            homes[cell].append(number)
    return homes


class Contradiction(Exception):
    """Says what has no place left."""


class Solver:
    """A grid with the values still possible in each cell."""

    def __init__(self, box: tuple[int, int], givens: Sequence[int]) -> None:
        self.units, self.homes = units_of(box), _homes(box)
        self.n = box[0] * box[1]
        self.masks: Masks = [(2 << self.n) - 2] * len(givens)
        self.values = [0] * len(givens)
        for cell, value in enumerate(givens):
            if value:
                self.place(cell, value)

    def place(self, cell: int, value: int) -> None:
        if not self.masks[cell] >> value & 1:
            raise Contradiction(f"there is no value left for {place(cell, self.n)}")
        self.values[cell] = value
        self.masks[cell] = 1 << value
        for home in self.homes[cell]:
            for other in self.units[home]:
                if other != cell:
                    self.masks[other] &= ~(1 << value)

    def check(self) -> None:
        """Raise Contradiction where a cell has no value, or a value no place in a unit."""
        for cell, mask in enumerate(self.masks):
            if not mask:
                raise Contradiction(f"no value is left for {place(cell, self.n)}")
        for number, unit in enumerate(self.units):
            possible = 0
            for cell in unit:
                possible |= self.masks[cell]
            missing = ((2 << self.n) - 2) & ~possible
            if missing:
                raise Contradiction(f"no place is left for {{{missing.bit_length() - 1}}} in {self._name(number)}")

    def _name(self, unit: int) -> str:
        kind, index = divmod(unit, self.n)
        return f"{('row', 'column', 'box')[kind]} {index + 1}"

    def hidden_singles(self) -> bool:
        """Values with one place left in a unit are placed there; whether there were any."""
        moved = False
        for unit in self.units:
            once = twice = 0
            for cell in unit:
                twice |= once & self.masks[cell]
                once |= self.masks[cell]
            single = once & ~twice
            if not single:
                continue
            for cell in unit:
                here = single & self.masks[cell]
                if here and not self.values[cell]:
                    self.place(cell, here.bit_length() - 1)
                    moved = True
        return moved

    def naked_singles(self) -> bool:
        """Cells with one value left take it; whether there were any."""
        moved = False
        for cell, value in enumerate(self.values):
            mask = self.masks[cell]
            if not value and mask and not mask & (mask - 1):
                self.place(cell, mask.bit_length() - 1)
                moved = True
        return moved


def contradiction(box: tuple[int, int], givens: Sequence[int], symbols: Sequence[str]) -> str | None:
    """Which givens contradict each other, where singles alone show it: none of those named can be left out."""
    if _complaint(box, givens) is None:
        return None
    needed = list(givens)
    for cell in range(len(needed)):
        if needed[cell]:
            kept, needed[cell] = needed[cell], 0
            if _complaint(box, needed) is None:
                needed[cell] = kept
    n = box[0] * box[1]
    named = [f"{symbols[value - 1]} at {place(cell, n)}" for cell, value in enumerate(needed) if value]
    reason = (_complaint(box, needed) or "").format("", *symbols)
    return f"these {len(named)} givens contradict each other: {'; '.join(named)} ({reason})"


def _complaint(box: tuple[int, int], givens: Sequence[int]) -> str | None:
    """What goes wrong when singles are filled in; None where nothing does."""
    try:
        solver = Solver(box, givens)
        solver.check()
        while solver.hidden_singles() or solver.naked_singles():
            solver.check()
    except Contradiction as found:
        return str(found)
    return None
