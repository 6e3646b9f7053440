"""Sudokus from text, in every format people use.

    one line       81 characters (16, 36, 81, 256, 625 ...), many lines: many puzzles (.sdm)
    rows           one line per row of characters, or of numbers between spaces, tabs or commas; lines drawn with
                   | - + or box characters say where the boxes are (.sdk, .txt, what `islands show` prints)
    tables         as spreadsheets, data frames and JSON have them: see `tables`
    -1 for blank   after two lines that hold one number each (the box size), which are passed over
    ipuz           JSON

`#` starts a comment; `# sudoku box=2x3 symbols=1-6`, as we write it, is heeded. Of a .sdk the part [Puzzle] counts.
What could be read in two ways is refused with the choices.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from math import isqrt
from typing import NamedTuple

from islands.errors import UsageError
from problems.sudoku.alphabets import NUMBER, Grid, alphabet_of, grid_of
from problems.sudoku.ipuz import read_ipuz
from problems.sudoku.symbols import (
    BARS,
    LARGEST,
    SIZES,
    SMALLEST,
    box_text,
    boxes_of,
    labelled,
    parse_box,
    square_box,
    values_of,
)
from problems.sudoku.tables import json_lists, lined_up, plain_object

RULES = re.compile(r"[\s|+*=!_\-\u2500-\u257f]+")
DASHED = re.compile(r"[\w.*?]*-[\w.*?-]*")  # a row without blanks that has dashes for its empty cells
BAR = re.compile(f"[{re.escape(BARS)}]")
DRAWN = re.compile(r"[-=\u2500-\u257f]{2}")
JSON_LIST = re.compile(r'\s*\[\s*[\[\d"n-]')  # not [Puzzle]
LONGEST = 4 * LARGEST * LARGEST  # characters of a line: two for a number, one between, and some to spare
TITLE = re.compile(r"(?:grid|puzzle|sudoku)\W*\d{1,9}\W*", re.IGNORECASE)  # Grid 01
HINT = re.compile(r"#\s*sudoku\b(?:.*?\bbox=(\d+x\d+))?(?:.*?\bsymbols=(\S+))?", re.IGNORECASE)


class _Line(NamedTuple):
    """A row taken apart."""

    number: int  # in the text, from 1
    tokens: tuple[str, ...]
    bars: tuple[int, ...] = ()  # after how many characters of the row a bar stands

    @property
    def characters(self) -> str:
        return "".join(self.tokens)


@dataclass(frozen=True)
class _Page:
    """A text without its comments and drawn lines."""

    lines: list[_Line]
    ruled: tuple[int, ...]  # after how many lines a drawn one stands
    box: str | None = None  # what a comment says
    alphabet: str | None = None


def read(text: str, box: str | None = None, alphabet: str | None = None, example: str = "53..7....") -> list[Grid]:
    """All puzzles of a text. UsageError says what is wrong, in which line, and what was expected."""
    text = text.removeprefix("\ufeff")
    if text.strip() == "null":
        raise UsageError(f"this is null, JSON for nothing. Expected rows such as {example}")
    if "\0" in text:
        raise UsageError(f"this is no text, but binary data. Expected rows such as {example}")
    if text.lstrip().startswith(("{", "ipuz(")):
        listed = plain_object(text)
        if listed is None:
            return [read_ipuz(text, box, alphabet)]
        text = listed
    elif JSON_LIST.match(text):
        text = json_lists(text)
    page = _page(lined_up(text))
    if not page.lines:
        spread = " ".join(example).replace(".", "0")
        raise UsageError(f"there is no puzzle in it: expected rows such as {example} or {spread}.")
    box, alphabet = box or page.box, alphabet or page.alphabet
    cells, separated = _cells(page.lines)
    side = _side(page.lines, cells, box)
    whole = len(cells[0]) == side * side
    if not whole and len(cells) % side:
        raise UsageError(
            f"{len(cells)} {'line' if len(cells) == 1 else 'lines'} of {side} cells: expected {side} lines for a "
            f"{side}x{side} grid, or a multiple of it for many puzzles."
        )
    shape = parse_box(box) if box else _drawn(page, side, whole) or square_box(side)
    step = 1 if whole else side
    grids = [[*chain(*cells[start : start + step])] for start in range(0, len(cells), step)]
    starts = [line.number for line in page.lines[::step]]
    alphabet = alphabet or alphabet_of(grids, shape, separated)
    return [grid_of(grid, shape, alphabet, start) for grid, start in zip(grids, starts, strict=True)]


# --- lines ---


def _page(text: str) -> _Page:
    lines: list[_Line] = []
    ruled: list[int] = []
    hints: list[str | None] = [None, None]
    wanted = True
    raws = text.splitlines()
    dashed = {len(row) for row in map(str.strip, raws) if "-" in row and DASHED.fullmatch(row) and set(row) != {"-"}}
    for number, raw in enumerate(raws, 1):
        if len(raw) > LONGEST:
            raise UsageError(
                f"line {number} has {len(raw):,} characters: expected a row, or all cells of a puzzle, "
                f"{LARGEST * LARGEST:,} at the most."
            )
        found = HINT.search(raw) if "#" in raw else None
        if found:
            hints = [new or old for new, old in zip(found.groups(), hints, strict=True)]
        line = raw.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            wanted = line.lower() == "[puzzle]"
        elif line and wanted and RULES.fullmatch(line) and DRAWN.search(line) and not _is_row(line, dashed):
            ruled.append(len(lines))
        elif line and wanted and not TITLE.fullmatch(raw.strip()):
            lines.append(_line(number, line))
            if len(lines) == 3 and all(len(row.characters) < SMALLEST for row in lines):
                break  # no grid is so narrow, however many lines follow
    if len(lines) > 2 and all(re.fullmatch(r"\d{1,2}", line.characters) for line in lines[:2]):
        lines, ruled = lines[2:], [after - 2 for after in ruled]
    return _Page(lines, tuple(ruled), hints[0], labelled(hints[1]))


def _is_row(line: str, dashed: set[int]) -> bool:
    """Whether a line of dashes is a row of empty cells: others, as long, have dashes for theirs."""
    return len(line) in dashed and set(line) == {"-"}


def _line(number: int, text: str) -> _Line:
    """A row taken apart; a bar at its very beginning or end is the frame."""
    text = text.replace(",", " ").replace(";", " ")
    if not BAR.search(text):
        return _Line(number, tuple(text.split()))
    parts = [words for part in BAR.split(text) if (words := part.split())]
    joined = all(len(part) == 1 for part in parts)  # 53.|.7.|...: the bars stand between characters
    bars = accumulate(len(part[0]) if joined else len(part) for part in parts[:-1])
    return _Line(number, tuple(token for part in parts for token in part), tuple(bars))


def _cells(lines: Sequence[_Line]) -> tuple[list[list[str]], bool]:
    """The cells of each line, and whether they stand apart: tokens, where these make sense as cells, or characters."""
    counts = {len(line.tokens) for line in lines}
    tokens = [token for line in lines for token in line.tokens]
    apart = max(counts) > 1 and all(len(token) == 1 or NUMBER.fullmatch(token) for token in tokens)
    if apart:
        apart = all(len(token) <= 2 for token in tokens) and any(_sides(count) for count in counts)
    if apart:
        return [list(line.tokens) for line in lines], True
    return [list(line.characters) for line in lines], False


def _side(lines: Sequence[_Line], cells: Sequence[list[str]], box: str | None) -> int:
    """How many rows the grids have: from the length of the lines, which all have the same."""
    length = len(cells[0])
    for line, row in zip(lines, cells, strict=True):
        if len(row) != length:
            raise UsageError(
                f"line {line.number} has {len(row)} cells, line {lines[0].number} has {length}: "
                "expected the same number in every line, and one size in a file."
            )
    if box is not None:
        rows, columns = parse_box(box)
        side = rows * columns
        if length not in (side, side * side):
            raise UsageError(
                f"line {lines[0].number} has {length} cells; boxes of {box} make a {side}x{side} grid with "
                f"{side} in a row, {side * side} in all."
            )
        return side
    sides = _sides(length)
    if not sides:
        raise UsageError(_wrong_length(length, lines[0].number))
    if len(sides) == 2 and any(line.bars for line in lines):
        return max(sides)  # only rows have bars
    if len(sides) == 2:
        return _row_or_whole(cells, max(sides), min(sides))
    return sides[0]


def _sides(length: int) -> list[int]:
    """The grids that a line of this many cells can belong to: as a row, or as the whole."""
    return [side for side in {length, isqrt(length)} if length in (side, side * side) and side in SIZES]


def _wrong_length(length: int, line: int) -> str:
    if isqrt(length) ** 2 == length and isqrt(length) > LARGEST:
        side = isqrt(length)
        return f"line {line} has {length} cells, a {side}x{side} grid; the largest is {LARGEST}x{LARGEST}."
    near = min((n * n for n in SIZES), key=lambda size: abs(size - length))
    return (
        f"line {line} has {length} cells. Expected all cells in one line (the nearest size has {near}: "
        f"{isqrt(near)}x{isqrt(near)}), or a row of 4, 6, 8, 9, 10, 12 ... {LARGEST} cells that boxes can divide."
    )


def _row_or_whole(cells: Sequence[list[str]], side: int, small: int) -> int:
    """Lines of 16 cells: rows of 16x16, or 4x4 puzzles? (Of 36: 36x36 or 6x6.)"""
    used = {cell for row in cells for cell in row}
    fits = any(used <= values_of(alphabet, small).keys() for alphabet in ("numbers", "1", "A"))
    if not fits:
        return side
    if len(cells) % side:
        return small
    raise UsageError(
        f"lines of {side} cells can be rows of a {side}x{side} grid or {small}x{small} puzzles: say which with "
        f"`box={box_text(boxes_of(side)[0])}` or `box={box_text(boxes_of(small)[0])}`."
    )


def _drawn(page: _Page, side: int, whole: bool) -> tuple[int, int] | None:
    """The box that drawn lines show; None where there are no such lines."""
    if whole or len(page.lines) != side:
        return None
    bars, ruled = set(page.lines[0].bars), {after for after in page.ruled if 0 < after < side}
    columns = min(bars | {side})
    rows = min(ruled | {side})
    regular = bars == set(range(columns, side, columns)) and ruled == set(range(rows, side, rows))
    return (rows, columns) if bars and ruled and regular and rows * columns == side else None
