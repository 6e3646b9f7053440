"""What translations of other programs' puzzles have in common: the lines of the grid, cells, whole numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from islands.errors import UsageError, quoted
from problems.sudoku.symbols import boxes_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WHOLE = re.compile(r"-?\d{1,9}")
LONGER = re.compile(r"-?\d+")


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
    return "a list, a text or a number stands where something else is expected"


def whole(value: Any, what: str) -> int:
    """A whole number, as such or as text. UsageError where it is none."""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    if not WHOLE.fullmatch(text):
        most = " of nine digits at most" if LONGER.fullmatch(text) else ""
        raise UsageError(f"{what} is {quoted(text)}: expected a whole number{most}.")
    return int(text)


def listed(value: Any, what: str, of: str, count: int | None = None) -> list[Any]:
    """A list, of so many. UsageError where it is none; a text is none, although it has parts."""
    if not isinstance(value, list) or count not in (None, len(value)):
        raise UsageError(f"{what} is {quoted(value)}: expected a list of {'' if count is None else f'{count} '}{of}.")
    return value


def objects(value: Any, what: str) -> list[dict[str, Any]]:
    """A list of objects of JSON. UsageError where it is none, or has something else in it."""
    found = listed(value, what, "objects, {...}")
    for one in found:
        if not isinstance(one, dict):
            raise UsageError(f"{what} has {quoted(one)} in it: expected objects, {{...}}.")
    return found


def square_rows(rows: Sequence[Any], field: str) -> int:
    """n of n rows with n cells each."""
    if any(len(listed(row, f"a row of {field!r}", "cells")) != len(rows) for row in rows):
        raise UsageError(f"{field!r} is not a square: expected {len(rows)} cells in each of its {len(rows)} rows.")
    return len(rows)


def home_numbers(n: int, regions: Iterable[list[tuple[int, int]]], of: str) -> list[int]:
    """The region of each cell, by rows and columns from 0; -1 for none. UsageError where one has not n cells of its
    own."""
    homes = [-1] * (n * n)
    for number, places in enumerate(regions):
        for row, column in places:
            name = f"r{row + 1}c{column + 1}"
            if not (0 <= row < n and 0 <= column < n):
                raise UsageError(f"{name} of {of} {number + 1} is outside the grid of {n}x{n}.")
            if (other := homes[row * n + column]) >= 0:
                both = f"in {of}s {other + 1} and {number + 1}" if other != number else f"twice in {of} {number + 1}"
                raise UsageError(f"{name} is {both}; expected every cell to be in one {of}, once.")
            homes[row * n + column] = number
        if places and len(places) != n:
            raise UsageError(f"{of} {number + 1} has {len(places)} cells; every {of} of a {n}x{n} grid has {n}.")
    return homes


def cell_name(name: str) -> str:
    """`R1C1`, as f-puzzles calls it."""
    found = re.fullmatch(r"[Rr](\d{1,6})[Cc](\d{1,6})", str(name).strip())
    if found is None:
        raise UsageError(f"{quoted(str(name))} is not a cell of the grid.")
    return f"r{found[1]}c{found[2]}"


def cell_names(names: Any) -> str:
    if not listed(names, "what should be the cells of a rule", "cells, such as ['R1C1', 'R1C2']"):
        raise UsageError("a rule of this file has no cells.")
    return " ".join(map(cell_name, names))
