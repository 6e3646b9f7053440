"""Sudokus as tables: of a spreadsheet, a data frame or a web page, and as JSON lists; all become lines of cells.

    5,3,,,7         an empty field is an empty cell; those at the end of a line may be missing
    c1,c2,c3        a heading, and a name or a number in front of every row, are passed over
    | 5 | 3 |  |    bars between all cells
    004..7,534..9   whole puzzles in one column, beside their solutions, numbers or levels; the first such column counts
    [[5, 3, 0], ..] rows, or all cells, or rows as texts, or a list of such puzzles; null and "" are empty; the same in
                    an object: {"grid": [[5, ..

What is a row of cells in its own right is left as it is: these functions only mend what no other format explains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isqrt
from typing import Any

from islands.errors import UsageError
from problems.sudoku.symbols import BARS, BLANKS, LARGEST, SIZES

NAMES = ("puzzle", "puzzles", "grid", "board", "sudoku", "givens", "cells")  # of a list in a JSON object
DEPTH = 3  # of lists: puzzles of rows of cells
SEPARATOR = re.compile(r"[,;\t]")
LINED = re.compile(r"\|(?:[^|\n]*\|)+")
BARRED = re.compile(f"[{re.escape(BARS)}]")
NAME = re.compile(r"([A-Za-z]+)[ _.-]?(\d{1,2})")  # of a column or row: c1, Row 2, col_3
MARKS = BLANKS | {"0", "-1"}  # of an empty cell

Row = list[str]


def lined_up(text: str) -> str:
    """The text with its table, if it has one, as cells between blanks; nothing missing, nothing beside the cells."""
    lines = text.replace('"', "").splitlines()
    if not SEPARATOR.search(text) and "|" not in text and not _may_be_named(lines):
        return text
    table = {number: fields for number, line in enumerate(lines) if (fields := _fields(line)) is not None}
    if not table:
        return text
    kept, rows = list(table), list(table.values())
    column = _of_puzzles(rows)
    if column is not None:
        for number, row in table.items():
            lines[number] = row[column] if _is_whole(row[column]) else ""
        return "\n".join(lines)
    if _is_heading(rows[0], rows[1:]):
        lines[kept.pop(0)] = ""
        rows = rows[1:]
    if _are_named(rows):
        rows = [row[1:] for row in rows]
    uneven = any("" in row for row in rows) or len({len(row) for row in rows}) > 1
    separated = any(SEPARATOR.search(lines[number]) for number in kept)
    if separated and uneven and not any(cell in MARKS for row in rows for cell in row):
        rows = _completed(rows)
    elif all(len(row) > 1 and row[-1] == "" for row in rows):  # every line ends with a comma
        rows = [row[:-1] for row in rows]
    for number, row in zip(kept, rows, strict=True):
        lines[number] = " ".join(cell or "." for cell in row)
    return "\n".join(lines)


def _of_puzzles(rows: Sequence[Row]) -> int | None:
    """The first column that has a whole puzzle in every line, but perhaps in the first, which may name it."""
    last = rows[-1]
    places = (place for place, field in enumerate(last) if len(last) > 1 and _is_whole(field))
    return next((c for c in places if all(len(row) > c and len(row[c]) == len(last[c]) for row in rows[1:])), None)


def _is_whole(field: str) -> bool:
    """Whether a field has as many characters as a grid has cells."""
    side = isqrt(len(field))
    return side * side == len(field) and side in SIZES


def _may_be_named(lines: Sequence[str]) -> bool:
    """Whether the first line of cells between blanks begins with a name of a column or row."""
    first = next((fields for line in lines if (fields := line.partition("#")[0].split())), [""])
    return first[0] in ("0", "1", "A", "a") or NAME.fullmatch(first[0]) is not None


def _fields(line: str) -> Row | None:
    """The fields of a line of a table; None where it is no such line."""
    line = line.partition("#")[0].strip(" \r\n")
    if line.startswith("|") and LINED.fullmatch(line):
        fields = [field.strip() for field in line[1:-1].split("|")]
        return fields if _are_cells(fields) else None
    fields = SEPARATOR.split(line)
    if len(fields) > 1:
        return [field.strip() for field in fields]
    fields = line.split()
    return fields if len(fields) >= SIZES[0] and not BARRED.search(line) else None


def _are_cells(fields: Row) -> bool:
    """Whether these, with bars between them, are cells: not the rows of boxes, and not a ruler."""
    longest = max(map(len, fields))
    few = len(fields) in SIZES or len(fields) - 1 in SIZES
    single = longest <= 1 or (longest == 2 and len(fields) >= 10 and min(map(len, fields)) < 2)
    return few and single and not all(set(field) <= set(":-") and field for field in fields)


def _is_heading(first: Row, rest: Sequence[Row]) -> bool:
    """Whether the first of these lines names the columns."""
    names = [name for name in first if name]
    return len(names) > 1 and bool(rest) and len(rest) % len(names) == 0 and _are_names(names)


def _are_named(rows: Sequence[Row]) -> bool:
    """Whether the first field of every line names its row."""
    side, names = max(map(len, rows)) - 1, [row[0] for row in rows]
    if side not in SIZES or len(rows) % side:
        return False
    return all(_are_names(names[start : start + side]) for start in range(0, len(names), side))


def _are_names(names: Sequence[str]) -> bool:
    """0 1 2 ..., 1 2 3 ..., A B C ..., or a word and such a number each."""
    worded = [NAME.fullmatch(name) for name in names]
    if all(worded):
        names = [match[2] for match in worded if match]
    if all(name.isascii() and name.isdecimal() and len(name) <= 2 for name in names):
        numbers = [int(name) for name in names]
        return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    codes = [ord(name) for name in names if len(name) == 1]
    return names[0] in ("A", "a") and codes == list(range(codes[0], codes[0] + len(names)))


def _completed(rows: list[Row]) -> list[Row]:
    """Rows of one length, where empty cells are empty fields and those at the end of a line may be missing.

    They are as long as the longest, but for columns at the end that are empty in all rows and fit no grid; a single
    grid whose last columns are empty is as wide as it is high.
    """
    width = max(map(len, rows))
    used = max((place + 1 for row in rows for place, cell in enumerate(row) if cell), default=width)
    fits = [size for size in range(used, width + 1) if size in SIZES and len(rows) % size == 0]
    if fits:
        width = fits[-1]
    elif len(rows) in SIZES:
        width = max(width, len(rows))
    return [[*row, *[""] * width][: max(width, used)] for row in rows]


# --- JSON ---


def json_lists(text: str) -> str:
    """A JSON list of rows, cells or puzzles as lines of cells between blanks. UsageError says what is wrong."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this looks like a JSON list, but is not: {error}.") from error
    return rows_of(data)


def plain_object(text: str) -> str | None:
    """The same of a JSON object that holds such a list and does not say of what kind it is; None of any other."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    lists = [data[name] for name in NAMES if isinstance(data.get(name), list)] if isinstance(data, dict) else []
    return rows_of(lists[0]) if lists and "kind" not in data else None


def rows_of(data: Any, depth: int = DEPTH) -> str:
    """The same of a list that was read already."""
    if not isinstance(data, list) or not data or not depth:
        raise UsageError("this JSON list is no grid: expected rows of cells, such as [[5, 3, 0], ...].")
    if all(isinstance(part, list) for part in data):
        return "\n".join(rows_of(part, depth - 1) for part in data)
    if all(isinstance(part, str) for part in data) and any(len(part) > 2 for part in data):
        return "\n".join(data)  # rows, or puzzles, as texts
    return " ".join(map(_cell, data))


def _cell(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    number = isinstance(cell, int) and not isinstance(cell, bool)
    if (number and -1 <= cell <= LARGEST) or (isinstance(cell, str) and len(cell.split()) <= 1 and "#" not in cell):
        return str(cell).strip() or "."
    if cell is None:
        return "."
    shown = repr(cell) if not number else "a number above that" if cell > LARGEST else "a negative number"
    raise UsageError(f"{shown[:40]} in a JSON list is no cell: expected 0 to {LARGEST}, a symbol, or null where empty.")
