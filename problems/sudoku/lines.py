"""9x9 puzzles in a file of one per line, by the million: a kernel goes over the bytes, part by part.

A line is 81 characters: 1-9, and for an empty cell . or 0 or another sign. Blanks around it, a
comment from # on and lines without anything else are passed over. Whatever is not so simple is for `reading`.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.operators.space import Stored
from problems.sudoku.groups import Number
from problems.sudoku.symbols import BLANKS, first_repeat, place

Bytes = NDArray[np.uint8]
Counters = NDArray[np.int64]

CELLS = 81
BLOCK = 1024  # puzzles between two places of the file that are remembered
RIGHT = 10  # times as many lines are puzzles as are not, or it is another kind of file
PART = 1 << 24  # bytes of a file that are in memory at a time
BEGINNING = 10_000  # bytes, among which is a whole line, whatever comments are above it
HINT = re.compile(rb"#\s*sudoku\b", re.IGNORECASE)  # a comment that says more, see `reading`
NAMED = 20  # lines that are not puzzles
LINES, PUZZLES, WRONG = range(3)  # places in `counters`: how many lines, puzzles, and lines that are neither nor empty


def _values() -> Bytes:
    """(256,): the value of a character; 0 = empty, 10 = not a symbol."""
    values = np.full(256, 10, np.uint8)
    for symbol in (*BLANKS, "0"):
        values[ord(symbol)] = 0
    for value in range(1, 10):
        values[ord(str(value))] = value
    return values


VALUES = _values()


@inner_kernel
def _line(data: Bytes, at: Number) -> tuple[Number, Number, Number]:
    """The line that begins at a byte: where its first character is, its end, and where the next line begins."""
    end, next_line = np.int64(-1), at
    while next_line < len(data) and data[next_line] != 10:
        if data[next_line] == 35 and end < 0:
            end = next_line  # a comment
        next_line += 1
    first = at
    if end < 0:
        end = next_line
    while first < end and (data[first] == 32 or 9 <= data[first] <= 13):
        first += 1
    while first < end and (data[end - 1] == 32 or 9 <= data[end - 1] <= 13):
        end -= 1
    return first, end, next_line + 1


@inner_kernel
def _is_puzzle(data: Bytes, first: Number, end: Number, grid: Stored) -> bool:
    """Whether data[first:end] is a puzzle whose givens do not repeat; `grid`, (81,), has its values then."""
    if end - first != CELLS:
        return False
    for cell in range(CELLS):
        grid[cell] = VALUES[data[first + cell]]
        if grid[cell] > 9:
            return False
    for unit in range(9):
        row = column = box = np.int64(0)
        for k in range(9):
            corner = unit // 3 * 27 + unit % 3 * 3
            in_row, in_column = np.int64(grid[unit * 9 + k]), np.int64(grid[k * 9 + unit])
            in_box = np.int64(grid[corner + k // 3 * 9 + k % 3])
            if (row >> in_row | column >> in_column | box >> in_box) & 1:
                return False
            row |= 1 << in_row & ~1
            column |= 1 << in_column & ~1
            box |= 1 << in_box & ~1
    return True


@lean_kernel
def scan(
    data: Bytes, base: Number, grid: Stored, counters: Counters, starts: Counters, wrong: Counters, used: Counters
) -> None:
    """Count what is in whole lines, the first at byte `base` of a file; note where every BLOCK-th puzzle begins, which
    lines are wrong, and the signs used."""
    at = np.int64(0)
    while at < len(data):
        counters[LINES] += 1
        first, end, following = _line(data, at)
        if _is_puzzle(data, first, end, grid):
            if counters[PUZZLES] % BLOCK == 0:
                starts[counters[PUZZLES] // BLOCK] = base + at
            counters[PUZZLES] += 1
            for k in range(first, end):
                used[data[k]] = 1
        elif first < end:
            if counters[WRONG] < len(wrong):
                wrong[counters[WRONG], 0] = counters[LINES]
                wrong[counters[WRONG], 1], wrong[counters[WRONG], 2] = base + first, base + end
            counters[WRONG] += 1
        at = following


@lean_kernel
def take(data: Bytes, skipped: Number, grid: Stored, grids: Stored) -> Number:
    """Fill `grids`, (k, 81), with the puzzles of whole lines after those `skipped`; how many there are of them."""
    row, at = -skipped, np.int64(0)
    while row < len(grids) and at < len(data):
        first, end, at = _line(data, at)
        if row < 0:
            row += _is_puzzle(data, first, end, grid)
        else:
            row += _is_puzzle(data, first, end, grids[row])
    return row


class Changed(Exception):
    """The file is not what it was when it was looked through."""


@dataclass(frozen=True, eq=False)
class Lines:
    """The puzzles of a file that may be larger than memory."""

    open: Callable[[], BinaryIO]
    count: int  # puzzles
    wrong: int  # lines that are not
    faults: tuple[str, ...]  # of the first of these: "line 17: 80 characters, expected 81"
    checksum: str  # of the whole file
    starts: Counters  # the first byte of each block of puzzles, and the last of the file

    def rows(self, first: int, last: int) -> Stored:
        """The puzzles from number `first` to before `last`, (k, 81) uint8. Changed where the file lacks them now."""
        grids = np.empty((last - first, CELLS), np.uint8)
        if last == first:
            return grids
        begin, end = (int(self.starts[block]) for block in (first // BLOCK, (last - 1) // BLOCK + 1))
        with self.open() as file:
            file.seek(begin)
            data = np.frombuffer(_unmarked(begin, file.read(end - begin)), np.uint8)
        if take(data, first % BLOCK, np.empty(CELLS, np.uint8), grids) != len(grids):
            raise Changed
        return grids


def lines_of(open: Callable[[], BinaryIO], size: int) -> Lines | None:
    """The puzzles of a file of this size, one per line; None where it is something else, or says more than puzzles."""
    counters, used = np.zeros(3, np.int64), np.zeros(256, np.int64)
    starts, wrong = np.zeros(size // (CELLS * BLOCK) + 2, np.int64), np.zeros((NAMED, 3), np.int64)
    digest = xxh3_64()
    with open() as file:
        for base, data in _whole_lines(file):
            if (base == 0 and not _begins_well(data)) or HINT.search(data):
                return None
            digest.update(data)
            scan(
                np.frombuffer(_unmarked(base, data), np.uint8),
                base,
                np.empty(CELLS, np.uint8),
                counters,
                starts,
                wrong,
                used,
            )
        puzzles, faulty = int(counters[PUZZLES]), int(counters[WRONG])
        if _may_mean_more(used) or puzzles < max(2, RIGHT * faulty):
            return None
        faults = tuple(f"line {line}: {_fault(_part(file, *at))}" for line, *at in wrong[:faulty].tolist())
    starts[-(-puzzles // BLOCK)] = size
    return Lines(open, puzzles, faulty, faults, digest.hexdigest(), starts)


def _may_mean_more(used: Counters) -> bool:
    """Whether 0 may be a digit, as there is another sign for empty cells and no 9, or a row of dashes a drawn line."""
    signs = {sign for sign in (*BLANKS, "0") if used[ord(sign)]}
    return len(signs) > 1 and ("-" in signs or ("0" in signs and not used[ord("9")]))


def _whole_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """A file in parts that end with lines, and where each part begins."""
    base, left = 0, b""
    while part := file.read(PART):
        end = part.rfind(b"\n") + 1 or len(part)  # a line as long as a part is no puzzle, however it is cut
        yield base, left + part[:end]
        base, left = base + len(left) + end, part[end:]
    if left:
        yield base, left


def _unmarked(base: int, data: bytes) -> bytes:
    """With blanks instead of the mark of UTF-8 that some programs write at the very beginning."""
    return b"   " + data[3:] if base == 0 and data.startswith(BOM_UTF8) else data


def _begins_well(data: bytes) -> bool:
    """Whether one of the first lines may be a puzzle; else no kernel need be compiled to find it out."""
    lines = data[:BEGINNING].split(b"\n")
    return len(data) > 2 * CELLS and any(len(line.partition(b"#")[0].strip()) == CELLS for line in lines)


def _part(file: BinaryIO, first: int, end: int) -> bytes:
    file.seek(first)
    return file.read(min(end - first, PART))


def too_many_faults(text: str) -> str:
    """Of a text with a puzzle in most of its lines, how many of the others are too many for it; empty where they are
    not, or it is something else."""
    lines = [cells for line in text.splitlines() if (cells := line.partition("#")[0].strip())]
    wrong = sum(len(cells) != CELLS or _fault(cells.encode()) != "" for cells in lines)
    right = len(lines) - wrong
    if not wrong <= right < RIGHT * wrong:
        return ""
    return (
        f"Of {len(lines):,} lines {wrong:,} {'is' if wrong == 1 else 'are'} wrong: with {RIGHT} right ones for each, "
        "those would be left out and the rest solved."
    )


def _fault(line: bytes) -> str:
    """Why a line is not a puzzle."""
    text = line.decode("utf-8", "replace")
    if len(text) != CELLS:
        return f"{len(text)} characters, expected {CELLS}"
    values = [int(VALUES[ord(symbol)]) if ord(symbol) < 128 else 10 for symbol in text]
    for cell, value in enumerate(values):
        if value > 9:
            return f"{text[cell]!r} at {place(cell, 9)} is not a digit"
    twice = first_repeat((3, 3), tuple(values))
    return "" if twice is None else f"the given {twice[0]} stands {twice[1]}"
