"""From the symbols in a grid's cells to its values: which alphabet it is that a text is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from islands.errors import UsageError
from problems.sudoku.symbols import BLANKS, box_text, first_repeat, label, place, symbols, values_of

NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True)
class Grid:
    """One puzzle as read: the values row by row, 0 = empty."""

    box: tuple[int, int]
    alphabet: str
    values: tuple[int, ...]
    line: int  # where it begins in the text

    @property
    def fields(self) -> dict[str, Any]:
        """Of the puzzle that it is."""
        return {"box": box_text(self.box), "alphabet": self.alphabet, "givens": self.values}


def alphabet_of(grids: Sequence[list[str]], box: tuple[int, int], separated: bool) -> str:
    """The alphabet of all grids together: the only one that fits, else the only one that makes sense."""
    n = box[0] * box[1]
    used = {cell for grid in grids for cell in grid}
    fitting = [name for name in ("1", "0", "A") if used <= values_of(name, n).keys()]
    both = "0" in used and bool(used & BLANKS)  # is 0 a second mark for an empty cell?
    are_numbers = separated and all(NUMBER.fullmatch(cell) or cell in values_of("numbers", n) for cell in used)
    if are_numbers and not (n <= 9 and both and "0" in fitting):  # as `islands show` prints values from 0 on
        return "numbers"
    if n <= 9 and "1" in fitting and not (both and "0" in fitting):
        return "1"  # 0 is an empty cell here; --alphabet 0 reads it as a value
    if not fitting:
        return "1" if used & set("123456789") else "A"  # the complaint names a symbol that does not belong
    if both and n > 9 and "0" in fitting:
        return "0"
    readings = {name: [_values(grid, name, n, 0) for grid in grids] for name in fitting}
    sound = [name for name in fitting if all(first_repeat(box, values) is None for values in readings[name])]
    complete = [name for name in sound if used >= set(symbols(name, n))]
    choices = fitting if both else complete or sound or fitting
    if all(readings[name] == readings[choices[0]] for name in choices):
        return choices[0]
    listed = " or ".join(f"`alphabet={name}` ({label(name, n)})" for name in choices)
    raise UsageError(
        f"the symbols {' '.join(sorted(used))} of a {n}x{n} grid can be read in several ways: add {listed}."
    )


def grid_of(cells: Sequence[str], box: tuple[int, int], alphabet: str, line: int) -> Grid:
    """The puzzle that these cells are. UsageError names a cell that holds no symbol of the alphabet."""
    return Grid(box, alphabet, _values(cells, alphabet, box[0] * box[1], line), line)


def _values(grid: Sequence[str], alphabet: str, n: int, line: int) -> tuple[int, ...]:
    known = values_of(alphabet, n)
    try:
        values = tuple(known[cell] for cell in grid)
    except KeyError:
        wrong = next(index for index, cell in enumerate(grid) if cell not in known)
        raise UsageError(
            f"{place(wrong, n)} of the grid from line {line} on: {grid[wrong]!r} is no symbol of a {n}x{n} grid; "
            f"expected {label(alphabet, n)}, and . {'' if alphabet == '0' else 'or 0 '}for an empty cell."
        ) from None
    if alphabet == "numbers" and "0" in grid and "-1" in grid:
        raise UsageError(
            f"the grid that begins in line {line} has 0 and -1: are both empty cells? Expected one of them, and the "
            f"values 1 to {n}."
        )
    return values
