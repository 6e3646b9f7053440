"""What all puzzles with rows, columns and boxes have in common, whatever their symbols are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.model.capabilities import Files, Format, Wording
from islands.model.problem import Problem, made
from islands.operators.space import Arrangement, Genomes, Stored
from problems.sudoku.logic import LEVELS
from problems.sudoku.summary import summary
from problems.sudoku.symbols import first_repeat, symbols

if TYPE_CHECKING:
    from rich.text import Text


FIELDS = ("givens", "number", "level")  # that come from a file
LEVEL = re.compile(rf"\s*#\s*({'|'.join(LEVELS)})\s*", re.IGNORECASE)  # of the puzzles below it

Parsed = tuple[int, dict[str, Any]]
"""The line in which a puzzle begins, and its fields."""


class BoxedGrid(Problem, frozen=True):
    """A grid whose rows, columns and boxes hold each of the values 1..n once; some cells are given."""

    web_board: ClassVar[str] = "grid"

    givens: tuple[int, ...] = Field(description="the cells row by row, 0 = to be found")
    number: int = Field(default=0, exclude=True, description="which one it is, from 1, where a file has many; else 0")
    level: str = Field(default="", description="how hard it is, where the file says it above it: # easy")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        """`givens` may be a text in any format that `read` knows."""
        if isinstance(data, dict) and isinstance(data.get("givens"), str):
            try:
                found = cls.parse(data["givens"], data)
            except UsageError as error:
                raise ValueError(str(error)) from error
            if len(found) > 1:
                raise ValueError(f"{len(found)} puzzles, expected one; many are solved by islands run with their file")
            return {**data, **found[0][1]}
        return data

    @classmethod
    def parse(cls, text: str, options: dict[str, Any]) -> list[Parsed]:
        """All puzzles of a text, each with the line it begins in and the fields that follow from it."""
        raise NotImplementedError

    @classmethod
    def files(cls) -> Files:
        return Files(
            fields=FIELDS,
            read=cls.read,
            describe=cls.describe,
            together=cls.together,
            summary=summary,
            suffixes=(".txt", ".sdm", ".sdk", ".csv", ".tsv", ".ipuz", ".json"),
            slashed=True,
            formats=cls.formats,
        )

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        found = cls.parse(source, options)
        levels = [match and match[1].lower() for match in map(LEVEL.fullmatch, source.splitlines())]
        puzzles = []
        for number, (line, fields) in enumerate(found, len(found) > 1):
            level = next(filter(None, reversed(levels[:line])), "")
            try:
                puzzles.append(made(cls, {**options, **fields, "number": number, "level": level}))
            except UsageError as error:
                if not number or error.field is not None:  # an option is wrong for all of them
                    raise
                raise UsageError(f"puzzle {number} (line {line}): {error}") from error
        return puzzles

    @classmethod
    def together(cls, instances: Sequence[Problem], solutions: int | None) -> Problem:
        """Many grids as one puzzle."""
        raise NotImplementedError

    def describe(self) -> str:
        """What was read, in a line."""
        raise NotImplementedError

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""
        raise NotImplementedError

    @property
    def spelling(self) -> str:
        """The alphabet in which the values 1..n are written."""
        raise NotImplementedError

    def note(self, alphabet: str) -> str:
        """A comment above a grid in a file written with this alphabet, for what a reader could not know."""
        raise NotImplementedError

    @property
    def heading(self) -> str:
        """The title of a page of such puzzles."""
        raise NotImplementedError

    @property
    def task(self) -> str:
        """What is to be done, for somebody with the page in hand."""
        raise NotImplementedError

    def remark(self, grid: Genomes) -> str:
        """A comment below a grid that is shown; empty: none."""
        return ""

    def tinted(self, grid: Sequence[int] | Genomes) -> set[int]:
        """The cells of a picture that have a coloured ground."""
        return self.given_cells

    @property
    def is_plain(self) -> bool:
        """Whether rows, columns and boxes are all rules there are."""
        return True

    @property
    def given_cells(self) -> set[int]:
        return {cell for cell, value in enumerate(self.givens) if value}

    @property
    def size(self) -> int:
        """Rows, columns and values."""
        return self.shape[0] * self.shape[1]

    @property
    def _given(self) -> Genomes:
        return np.array(self.givens, np.int32)

    def _check_givens(self) -> None:
        """ValueError where they are too many or too few, no values, or stand twice in a row, column or box."""
        n = self.size
        if len(self.givens) != n * n:
            raise ValueError(
                f"{len(self.givens)} cells: expected {n * n} for {n}x{n}, boxes {self.shape[0]}x{self.shape[1]}"
            )
        if not all(0 <= value <= n for value in self.givens):
            raise ValueError(f"the values of a {n}x{n} grid are 1 to {n}, and 0 for a cell to be found")
        twice = first_repeat(self.shape, self.givens)
        if twice is not None:
            raise ValueError(f"the given {symbols(self.spelling, n)[twice[0] - 1]} stands {twice[1]}")

    def verify(self, genome: Genomes) -> bool:
        """Every row, column and box is the set of all values, and the givens are where they were."""
        (rows, columns), n = self.shape, self.size
        numbers = [int(value) for value in genome]
        if len(numbers) != n * n:
            return False
        grid = [numbers[start : start + n] for start in range(0, n * n, n)]
        units = [*grid, *([row[j] for row in grid] for j in range(n))]
        for top in range(0, n, rows):
            for left in range(0, n, columns):
                units.append([grid[i][j] for i in range(top, top + rows) for j in range(left, left + columns)])
        right = all(set(unit) == set(range(1, n + 1)) for unit in units)
        return right and all(given in (0, value) for given, value in zip(self.givens, numbers, strict=True))

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        """The rules again, for a batch: sorted rows, columns and boxes. Shares nothing with the search."""
        return check_grids(self.shape, np.broadcast_to(self._given, genomes.shape), genomes)

    def wording(self) -> Wording:
        return Wording(explain=self.explain, marked=self.marked)

    def explain(self) -> str | None:
        """Why there is no solution: the givens that contradict each other, where singles show it."""
        from problems.sudoku.logic import contradiction

        return contradiction(self.shape, self.givens, symbols(self.spelling, self.size))

    def show(self, genome: Genomes) -> str:
        return self.styled(genome).plain

    def styled(self, genome: Genomes) -> Text:
        from problems.sudoku.writing import drawn

        return drawn(self, genome)

    def marked(self, genome: Genomes) -> Text:
        """The grid with the cells that contradict each other."""
        from problems.sudoku.writing import marked

        return marked(self, genome)

    def compact(self, genome: Genomes) -> Text:
        from problems.sudoku.writing import drawn_compactly

        return drawn_compactly(self, genome)

    def svg(self, genome: Genomes) -> str:
        return self.picture(genome)

    def picture(self, grid: Sequence[int] | Genomes, *, tinted: bool = True) -> str:
        """Givens are bold, and have a coloured ground where this is wanted."""
        from problems.sudoku.writing import picture

        return picture(self, grid, tinted=tinted)

    def formats(self) -> dict[str, Format]:
        """The files that grids are written to, by suffix."""
        from problems.sudoku import paper
        from problems.sudoku.writing import FORMATS

        return {**FORMATS, **paper.FORMATS}


def check_grids(shape: tuple[int, int], givens: Stored, genomes: Genomes) -> NDArray[np.bool_]:
    """Which rows of (k, n * n) genomes are solutions of the givens beside them, (k,)."""
    rows, columns = shape
    n = rows * columns
    grids = genomes.reshape(-1, n, n)
    boxes = grids.reshape(-1, columns, rows, rows, columns).swapaxes(2, 3).reshape(-1, n, n)
    right: NDArray[np.bool_] = ((givens == 0) | (givens == genomes)).all(axis=1)
    for units in (grids, grids.swapaxes(1, 2), boxes):
        right &= (np.sort(units, axis=2) == np.arange(1, n + 1)).all(axis=(1, 2))
    return right


def completions(givens: Genomes, homes: NDArray[np.int32]) -> Arrangement:
    """The givens stay, and the other cells of each home, which `homes` names for each cell, permute what it lacks."""
    values = givens.copy()
    n = int(homes.max()) + 1
    for home in range(n):
        own = homes == home
        values[own & (givens == 0)] = np.setdiff1d(np.arange(1, n + 1), givens[own])
    return Arrangement(values, np.where(givens > 0, -1, homes))
