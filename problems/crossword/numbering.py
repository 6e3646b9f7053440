"""The numbers of a crossword: the cells where a word begins, in reading order. Two words can share one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from unicodedata import bidirectional

from problems.crossword.layout import Cell, Layout, Placed


class Entry(NamedTuple):
    """A word with its number."""

    number: int
    placed: Placed

    @property
    def clue(self) -> str:
        """The clue in one line; a word without one tells its length and no more."""
        return " ".join(self.placed.clue.split()) or f"({len(self.placed.word)})"


@dataclass(frozen=True)
class Numbered:
    """A layout whose first row and column are 0, its numbers, and the lists of clues."""

    layout: Layout
    numbers: dict[Cell, int]
    across: tuple[Entry, ...]
    down: tuple[Entry, ...]
    left_out: tuple[str, ...] = ()  # words for which there was no place: the crossword is a partial one
    title: str = "Crossword"

    @property
    def lists(self) -> dict[str, tuple[Entry, ...]]:
        """The lists that a person reads, with their headings; one without words is left away."""
        return {name: entries for name, entries in (("Across", self.across), ("Down", self.down)) if entries}

    @property
    def lacking(self) -> str:
        """That it is partial, and why; empty where it is not."""
        return f"Partial, left out: {', '.join(self.left_out)}" if self.left_out else ""

    @cached_property
    def holes(self) -> set[Cell]:
        """What is no cell, but has cells all around: drawn as nothing, it would look like one."""
        cells, (rows, columns) = self.layout.cells, (self.layout.rows, self.layout.columns)
        outside, reached = {(-1, -1)}, [(-1, -1)]
        while reached:
            i, j = reached.pop()
            near = {(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)}
            new = {(k, m) for k, m in near - outside if -1 <= k <= rows and -1 <= m <= columns} - cells.keys()
            outside |= new
            reached += new
        return {(i, j) for i in range(rows) for j in range(columns)} - outside - cells.keys()

    @cached_property
    def leftward(self) -> bool:
        """Whether all words are written from right to left: columns then count from the right of what is drawn."""
        letters = {letter for placed in self.layout.words for letter in placed.word}
        return bool(letters) and all(bidirectional(letter) in ("R", "AL") for letter in letters)

    def seen(self, cell: Cell) -> Cell:
        """Where a cell is drawn: its row, and its column from the left."""
        row, column = cell
        return (row, self.layout.columns - 1 - column) if self.leftward else cell

    def rows(self) -> list[list[str | None]]:
        """The letters row by row; None is no cell."""
        cells = self.layout.cells
        return [[cells.get((i, j)) for j in range(self.layout.columns)] for i in range(self.layout.rows)]


def numbered(layout: Layout, left_out: Sequence[str] = (), title: str = "") -> Numbered:
    layout = layout.normalised
    starts = sorted({(placed.row, placed.column) for placed in layout.words})
    numbers = {cell: number for number, cell in enumerate(starts, 1)}
    entries = sorted(Entry(numbers[placed.row, placed.column], placed) for placed in layout.words)
    across = tuple(entry for entry in entries if entry.placed.across)
    down = tuple(entry for entry in entries if not entry.placed.across)
    return Numbered(layout, numbers, across, down, tuple(left_out), title or Numbered.title)
