"""Where the word is to be read, and where it is.

The word's letters are the values 1, 2, ... n: a reading shows the word if its cells hold these in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, field_validator, model_validator

from islands.operators.space import Genomes
from problems.letter_grid.words import box_of, spelt
from problems.sudoku.symbols import first_repeat, place

USUAL = "LOVE"
KINDS = ("row", "column", "diagonal")
NAMED = 3  # reasons that a message gives why a word can be read nowhere


@dataclass(frozen=True)
class Reading:
    """A line of the grid in one direction: forwards to the right in rows, else downwards."""

    kind: str
    line: int  # from 1; of the diagonals the main one first
    backwards: bool
    cells: tuple[int, ...]

    def __str__(self) -> str:
        name = ("main diagonal", "other diagonal")[self.line - 1] if self.kind == "diagonal" else ""
        return (name or f"{self.kind} {self.line}") + (" reversed" if self.backwards else "")


@cache
def all_readings(n: int) -> tuple[Reading, ...]:
    """Rows, columns and diagonals forwards, then all of them backwards."""
    lines = {
        "row": [[i * n + j for j in range(n)] for i in range(n)],
        "column": [[i * n + j for i in range(n)] for j in range(n)],
        "diagonal": [[i * n + i for i in range(n)], [i * n + n - 1 - i for i in range(n)]],
    }
    return tuple(
        Reading(kind, number, backwards, tuple(cells[::-1] if backwards else cells))
        for backwards in (False, True)
        for kind in KINDS
        for number, cells in enumerate(lines[kind], 1)
    )


class Worded(BaseModel, frozen=True):
    """What is asked of a letter grid and of its maker: a word, and where it is to be read."""

    word: str = Field(
        default=USUAL, description="different letters: 4 make a 4x4 grid; 6, 8, 9, 10, 12 and so on to 25 larger ones"
    )
    target: str = Field(
        default="none",
        title="none|row|column|diagonal|any",
        description="where the word is to be read; in one of several with commas: row,column",
    )
    line: int | None = Field(
        default=None,
        ge=1,
        description="which row, column or diagonal, from 1; the main diagonal is 1; default: any of them",
    )
    reversed: bool = Field(default=False, description="the word may also be read backwards")

    @field_validator("word")
    @classmethod
    def _spelt(cls, word: str) -> str:
        return spelt(word)

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        kinds, line = self._kinds, self.line
        if not set(kinds) <= set(KINDS):
            raise ValueError(
                f"`target={self.target}`: expected none, any, or some of row, column and diagonal, for instance "
                "row,column"
            )
        if self.reversed and not kinds:
            raise ValueError("`reversed` is about a target: add for instance `target=any`")
        if line is not None and len(kinds) != 1:
            raise ValueError(f"`line={line}` is one row, column or diagonal: add for instance `target=row`")
        if line is not None and line > (most := 2 if kinds == ("diagonal",) else len(self.word)):
            raise ValueError(f"`line={line}`: there are {most} {kinds[0]}s, counted from 1")
        return self

    @property
    def _kinds(self) -> tuple[str, ...]:
        return {"any": KINDS, "none": ()}.get(self.target, tuple(self.target.split(",")))

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""
        return box_of(self.word)

    @property
    def asked(self) -> list[Reading]:
        """The readings that the target allows; none where there is no target."""
        return [
            reading
            for reading in all_readings(len(self.word))
            if reading.kind in self._kinds
            and self.line in (None, reading.line)
            and (self.reversed or not reading.backwards)
        ]


def written_in(givens: Genomes, reading: Reading) -> Genomes:
    """The givens and the word where it is to be read."""
    values = givens.copy()
    values[list(reading.cells)] = np.arange(1, len(reading.cells) + 1)
    return values


def obstacle(givens: Genomes, reading: Reading, box: tuple[int, int], word: str) -> str | None:
    """Which given keeps the word from being read there; None where none does."""
    n = len(word)
    for cell, letter in zip(reading.cells, word, strict=True):
        if givens[cell] and word[givens[cell] - 1] != letter:
            return f"the given {word[givens[cell] - 1]} at {place(cell, n)} is in the way of {letter}"
    twice = first_repeat(box, tuple(written_in(givens, reading).tolist()))
    return None if twice is None else f"{word[twice[0] - 1]} would stand {twice[1]}"


def nowhere(givens: Genomes, readings: Sequence[Reading], box: tuple[int, int], word: str) -> str:
    """Why none of these readings can show the word."""
    reasons = [f"in {reading}, {obstacle(givens, reading, box, word)}" for reading in readings[:NAMED]]
    more = f"; and so on in {len(readings) - NAMED} more" if len(readings) > NAMED else ""
    return f"{word} cannot be read: {'; '.join(reasons)}{more}. Change `givens` or `target`"


def wrong_letters(genomes: Genomes, readings: Sequence[Reading]) -> NDArray[np.int64]:
    """How many letters of each genome (k, n * n) would have to change before one of the readings shows the word."""
    cells = np.array([reading.cells for reading in readings])
    wrong: NDArray[np.int64] = (genomes[:, cells] != np.arange(1, cells.shape[1] + 1)).sum(axis=2).min(axis=1)
    return wrong


def shown(grid: Sequence[int] | Genomes, n: int) -> list[Reading]:
    """Where the word is read in a grid, forwards or backwards."""
    word = list(range(1, n + 1))
    return [reading for reading in all_readings(n) if [int(grid[cell]) for cell in reading.cells] == word]
