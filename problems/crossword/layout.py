"""Words at their places in a grid, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

Cell = tuple[int, int]  # row and column


class Placed(NamedTuple):
    """A word that begins at a cell and runs across or down."""

    word: str
    clue: str
    row: int
    column: int
    across: bool

    @property
    def letters(self) -> Iterator[tuple[Cell, str]]:
        """Each cell of the word with its letter."""
        for place, letter in enumerate(self.word):
            yield (self.row, self.column + place) if self.across else (self.row + place, self.column), letter


@dataclass(frozen=True)
class Layout:
    """Some words at their places. Where two words disagree about a cell, the later one is read."""

    words: tuple[Placed, ...]

    @cached_property
    def cells(self) -> dict[Cell, str]:
        """The letter of each cell that is covered."""
        return {cell: letter for placed in self.words for cell, letter in placed.letters}

    @property
    def top(self) -> int:
        return min((row for row, _ in self.cells), default=0)

    @property
    def left(self) -> int:
        return min((column for _, column in self.cells), default=0)

    @property
    def rows(self) -> int:
        """Of the box."""
        return max((row + 1 for row, _ in self.cells), default=0) - self.top

    @property
    def columns(self) -> int:
        """Of the box."""
        return max((column + 1 for _, column in self.cells), default=0) - self.left

    @property
    def area(self) -> int:
        """Of the box."""
        return self.rows * self.columns

    @property
    def crossings(self) -> int:
        """Cells that a word across and a word down share."""
        across = {cell for placed in self.words if placed.across for cell, _ in placed.letters}
        down = {cell for placed in self.words if not placed.across for cell, _ in placed.letters}
        return len(across & down)

    @property
    def density(self) -> float:
        """The share of the box that is covered."""
        return len(self.cells) / self.area if self.area else 0.0

    @property
    def normalised(self) -> Layout:
        """The same with its box at the origin."""
        top, left = self.top, self.left
        return Layout(tuple(one._replace(row=one.row - top, column=one.column - left) for one in self.words))

    @property
    def transposed(self) -> Layout:
        """The same with rows and columns exchanged."""
        return Layout(tuple(one._replace(row=one.column, column=one.row, across=not one.across) for one in self.words))

    def __str__(self) -> str:
        """The box as text: a letter, or a dot, and a blank between two cells."""
        normal = self.normalised.cells
        return "\n".join(
            " ".join(normal.get((row, column), "·") for column in range(self.columns)) for row in range(self.rows)
        )
