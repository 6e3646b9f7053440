"""Crosswords for other programs: .ipuz and .puz, each of which holds one, and .json."""

from __future__ import annotations

import struct
from typing import Any

from islands.errors import UsageError
from problems.crossword.numbering import Numbered

MAGIC = b"ACROSS&DOWN\0"
MASK = b"ICHEATED"
SIDE = 255  # a .puz has one byte for each side
ELSEWHERE = "Export .ipuz, which can."


def ipuz(sheet: Numbered) -> dict[str, Any]:
    """The crossword kind of http://ipuz.org/v2. What is no cell is a block: not every program knows holes."""
    rows = sheet.rows()
    return {
        "version": "http://ipuz.org/v2",
        "kind": ["http://ipuz.org/crossword#1"],
        "title": sheet.title,
        **({"notes": sheet.lacking} if sheet.left_out else {}),
        "dimensions": {"width": sheet.layout.columns, "height": sheet.layout.rows},
        "empty": 0,
        "block": "#",
        "puzzle": [
            ["#" if letter is None else sheet.numbers.get((i, j), 0) for j, letter in enumerate(row)]
            for i, row in enumerate(rows)
        ],
        "solution": [["#" if letter is None else letter for letter in row] for row in rows],
        "clues": {
            "Across": [[entry.number, entry.clue] for entry in sheet.across],
            "Down": [[entry.number, entry.clue] for entry in sheet.down],
        },
    }


def puz(sheet: Numbered) -> bytes:
    """Version 1.3 of Across Lite: Latin-1, at most 255 rows and columns; UsageError says what it cannot hold.

    Its readers number the grid themselves, by the same rule, so that clues come by number, across before down.
    """
    rows, columns = sheet.layout.rows, sheet.layout.columns
    if max(rows, columns) > SIDE:
        raise UsageError(f".puz cannot hold {rows} rows x {columns} columns, at most {SIDE} each. {ELSEWHERE}")
    solution = b"".join(_cell(letter) for row in sheet.rows() for letter in row)
    state = bytes(byte if byte == ord(".") else ord("-") for byte in solution)
    entries = sorted((*sheet.across, *sheet.down), key=lambda entry: (entry.number, not entry.placed.across))
    clues = [_latin(entry.clue, f"the clue of {entry.placed.word}") for entry in entries]
    title = _latin(sheet.title, "the title")
    notes = _latin(sheet.lacking, "the words left out") + b"\0"
    size = struct.pack("<BBHHH", columns, rows, len(clues), 1, 0)

    sizes = _checksum(size)
    texts = (title + b"\0", *clues, *([notes] if sheet.left_out else []))  # an author and a copyright would count too
    parts = (sizes, _checksum(solution), _checksum(state), _checksum(b"".join(texts)))
    whole = _checksum(b"".join((solution, state, *texts)), sizes)
    bytes_of = [part & 0xFF for part in parts] + [part >> 8 for part in parts]
    masked = bytes(mask ^ byte for mask, byte in zip(MASK, bytes_of, strict=True))
    head = struct.pack("<H12sH8s4s2xH12x", whole, MAGIC, sizes, masked, b"1.3\0", 0)
    return b"".join((head, size, solution, state, title, b"\0\0\0", *(clue + b"\0" for clue in clues), notes))


def _cell(letter: str | None) -> bytes:
    """One byte."""
    found = b"." if letter is None else _latin(letter, "the grid")
    if len(found) != 1:
        raise UsageError(f".puz cannot hold {letter!r} in one cell. {ELSEWHERE}")
    return found


def _latin(text: str, where: str) -> bytes:
    wrong = next((character for character in text if not "\0" < character <= "\xff"), None)
    if wrong is not None:
        shown = wrong if wrong.isprintable() else "it"
        raise UsageError(
            f".puz cannot hold {shown} (U+{ord(wrong):04X}) in {where}: it knows Latin-1 alone. {ELSEWHERE}"
        )
    return text.encode("latin-1")


def _checksum(data: bytes, start: int = 0) -> int:
    """The format's own: rotate right, then add, in 16 bits."""
    for byte in data:
        start = ((start >> 1 | (start & 1) << 15) + byte) & 0xFFFF
    return start


def json_object(sheet: Numbered) -> dict[str, Any]:
    """Everything about one crossword; rows and columns count from 0, what is no cell is null."""
    layout, rows = sheet.layout, sheet.rows()
    return {
        "title": sheet.title,
        "rows": layout.rows,
        "columns": layout.columns,
        "crossings": layout.crossings,
        "area": layout.area,
        "density": round(layout.density, 4),
        "solution": rows,
        "numbers": [[sheet.numbers.get((i, j)) for j in range(layout.columns)] for i in range(layout.rows)],
        **{
            name: [
                {
                    "number": entry.number,
                    "row": entry.placed.row,
                    "column": entry.placed.column,
                    "length": len(entry.placed.word),
                    "answer": entry.placed.word,
                    "clue": entry.placed.clue,
                }
                for entry in entries
            ]
            for name, entries in (("across", sheet.across), ("down", sheet.down))
        },
        "left_out": list(sheet.left_out),
    }
