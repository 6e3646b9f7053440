"""What translations of other programs' puzzles have in common: the lines of the grid, cells, whole numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from islands.errors import UsageError, quoted
from problems.sudoku.symbols import boxes_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WHOLE = re.compile(r"-?\d{1,9}")


def grid_lines(n: int, values: list[int], names: list[str], homes: list[int] | None) -> Iterator[str]:
    """The first lines: names, rows, and regions where they are not the usual boxes."""
    if not 2 <= n <= LARGEST:
        raise UsageError(f"a grid of {n}x{n}; expected 2x2 to {LARGEST}x{LARGEST}.")
    for cell, value in enumerate(values):
        if not 0 <= value <= n:
            raise UsageError(f"r{cell // n + 1}c{cell % n + 1} holds {value}; expected 1 to {n}, or nothing.")
    box = usual_box(n)
    usual = None
    if box is not None:
        usual = [i // box[0] * box[0] + j // box[1] for i in range(n) for j in range(n)]
    if homes is None and usual is None:
        names = [*names, "latin"]
    irregular = homes is not None and (usual is None or _numbered(homes) != _numbered(usual))
    if irregular:
        names = [*names, "jigsaw"]
    boxed = f" box={box[0]}x{box[1]}" if box is not None and not irregular else ""
    yield f"# sudoku variant={','.join(dict.fromkeys(names)) or ''}{boxed}" if names else f"# sudoku{boxed}"
    for start in range(0, n * n, n):
        yield " ".join(str(value) for value in values[start : start + n])
    if irregular and homes is not None:
        yield "regions: " + "".join(LETTERS[home] for home in _numbered(homes))


LARGEST = len(LETTERS)  # rows: a region is a letter


def usual_box(n: int) -> tuple[int, int] | None:
    """The boxes of a grid that says nothing of them; None where there are none."""
    return min(boxes_of(n), key=lambda shape: (abs(shape[0] - shape[1]), shape), default=None)


def _numbered(homes: list[int]) -> list[int]:
    """Regions by their first cell."""
    order = {home: number for number, home in enumerate(dict.fromkeys(homes))}
    return [order[home] for home in homes]


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. UsageError where a name is there twice, of which one would be left out unnoticed."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise UsageError(f"{quoted(name)} is there twice in one object of this JSON; expected each name once.")
        found[name] = value
    return found


def reason(error: Exception) -> str:
    """What is wrong with data that have another form than expected."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return f"a list, a text or a number stands where something else is expected ({error})"


def whole(value: Any, what: str) -> int:
    """A whole number, as such or as text. UsageError where it is none."""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    if not WHOLE.fullmatch(text):
        raise UsageError(f"{what} is {quoted(text)}: expected a whole number.")
    return int(text)


def square_rows(rows: Sequence[Any], field: str) -> int:
    """n of n rows with n cells each."""
    if any(len(row) != len(rows) for row in rows):
        raise UsageError(f"{field!r} is not a square: expected {len(rows)} cells in each of its {len(rows)} rows.")
    return len(rows)


def home_numbers(n: int, regions: Iterable[list[tuple[int, int]]], of: str) -> list[int]:
    """The region of each cell, by rows and columns from 0; -1 for none."""
    homes = [-1] * (n * n)
    for number, places in enumerate(regions):
        for row, column in places:
            if not (0 <= row < n and 0 <= column < n):
                raise UsageError(f"r{row + 1}c{column + 1} of {of} {number + 1} is outside the grid of {n}x{n}.")
            homes[row * n + column] = number
    return homes


def cell_name(name: str) -> str:
    """`R1C1`, as f-puzzles calls it."""
    found = re.fullmatch(r"[Rr](\d{1,6})[Cc](\d{1,6})", str(name).strip())
    if found is None:
        raise UsageError(f"{quoted(str(name))} is not a cell of the grid.")
    return f"r{found[1]}c{found[2]}"


def cell_names(names: list[str]) -> str:
    if not names:
        raise UsageError("a rule of this file has no cells.")
    return " ".join(map(cell_name, names))
