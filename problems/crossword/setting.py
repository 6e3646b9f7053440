"""Clues set in columns, for pictures, which have to know where every line is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from problems.crossword.numbering import Numbered

THIN = frozenset("iljtfrI.,:;!'|()[] ")


class Line(NamedTuple):
    """A line of a column: a heading, the first line of a clue with its number, or a further one."""

    text: str
    number: int | None = None
    heading: bool = False


BLANK = Line("")


def columns_of(sheet: Numbered, columns: int, width: float, *, solved: bool = False) -> list[list[Line]]:
    """All clues, or answers, in columns of about the same height; no clue is torn.

    The width of a column is in units of the letters' size.
    """
    blocks = list(_blocks(sheet, width, solved=solved))
    lines = sum(map(len, blocks))
    height = ceil(lines / columns)
    while len(stacks := _stacked(blocks, height)) > columns:
        height += 1
    return stacks


def _blocks(sheet: Numbered, width: float, *, solved: bool) -> Iterator[list[Line]]:
    """What stays together: a clue, and with the first one its heading."""
    for name, entries in sheet.lists.items():
        above = [BLANK, Line(name, heading=True)]
        for entry in entries:
            first, *others = wrapped(entry.placed.word if solved else entry.clue, width)
            yield [*above, Line(first, entry.number), *map(Line, others)]
            above = []
    if sheet.left_out:
        yield [BLANK, *map(Line, wrapped(sheet.lacking, width))]


def _stacked(blocks: Sequence[list[Line]], height: int) -> list[list[Line]]:
    """Blocks one under the other in columns of at most `height` lines; a higher block has one for itself."""
    stacks: list[list[Line]] = []
    for block in blocks:
        if not stacks or len(stacks[-1]) + len(block) > height:
            stacks.append(block[block[0] == BLANK :])
        else:
            stacks[-1] += block
    return stacks


def wrapped(text: str, width: float) -> list[str]:
    """Lines of at most `width`, torn between words, or inside a word that is longer than a line."""
    lines, line = [], ""
    for word in text.split():
        for piece in _pieces(word, width):
            longer = f"{line} {piece}" if line else piece
            if line and extent(longer) > width:
                lines.append(line)
                longer = piece
            line = longer
    return [*lines, line]


def _pieces(word: str, width: float) -> Iterator[str]:
    piece, used = "", 0.0
    for character in word:
        if piece and used + extent(character) > width:
            yield piece
            piece, used = "", 0.0
        piece += character
        used += extent(character)
    yield piece


def extent(text: str) -> float:
    """About how wide a text is in a wide sans-serif font, in units of its size: no font is at hand to ask."""
    return sum(map(_extent, text))


def _extent(character: str) -> float:
    if combining(character):
        return 0
    if east_asian_width(character) in "WF":
        return 1
    if character in THIN:
        return 0.4
    return 0.78 if character.isupper() or character in "mwMW@%" else 0.62
