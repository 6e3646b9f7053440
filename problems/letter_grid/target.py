"""Where the word is to be read, and where it is.

The word's letters are the values 1, 2, ... n: a reading shows the word if its cells hold these in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from islands.space import Genomes
from problems.sudoku.symbols import first_repeat, place

KINDS = ("row", "column", "diagonal")
NAMED = 3  # reasons that are told why a word can be read nowhere


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


def wanted(n: int, target: str, line: int | None, backwards: bool) -> list[Reading]:
    """The readings a target allows; none where there is no target. ValueError where the options make no sense."""
    kinds = KINDS if target == "any" else () if target == "none" else tuple(target.split(","))
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong:
        raise ValueError(
            f"--target {target}: expected none, any, or some of row, column and diagonal, for instance row,column"
        )
    if backwards and not kinds:
        raise ValueError("--reversed is about a target: add for instance --target any")
    if line is not None and len(kinds) != 1:
        raise ValueError(f"--line {line} is one row, column or diagonal: add for instance --target row")
    if line is not None and line > (most := 2 if kinds == ("diagonal",) else n):
        raise ValueError(f"--line {line}: there are {most} {kinds[0]}s, counted from 1")
    return [
        reading
        for reading in all_readings(n)
        if reading.kind in kinds and line in (None, reading.line) and backwards >= reading.backwards
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


def possible(givens: Genomes, readings: Sequence[Reading], box: tuple[int, int], word: str) -> list[Reading]:
    """Those that agree with the givens. ValueError where there are readings, but none of them does."""
    obstacles = {reading: obstacle(givens, reading, box, word) for reading in readings}
    open_ = [reading for reading, reason in obstacles.items() if reason is None]
    if readings and not open_:
        reasons = [f"in {reading}, {reason}" for reading, reason in obstacles.items()]
        more = f"; and so on in {len(reasons) - NAMED} more" if len(reasons) > NAMED else ""
        raise ValueError(f"{word} cannot be read: {'; '.join(reasons[:NAMED])}{more}. Change --givens or --target")
    return open_


def wrong_letters(genomes: Genomes, readings: Sequence[Reading]) -> NDArray[np.int64]:
    """How many letters of each genome (k, n * n) would have to change before one of the readings shows the word."""
    cells = np.array([reading.cells for reading in readings])
    wrong: NDArray[np.int64] = (genomes[:, cells] != np.arange(1, cells.shape[1] + 1)).sum(axis=2).min(axis=1)
    return wrong


def shown(grid: Sequence[int] | Genomes, n: int) -> list[Reading]:
    """Where the word is read in a grid, forwards or backwards."""
    word = list(range(1, n + 1))
    return [reading for reading in all_readings(n) if [int(grid[cell]) for cell in reading.cells] == word]
