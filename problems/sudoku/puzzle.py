"""One sudoku."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.model.capabilities import Files, Maker, Wording
from islands.model.problem import Problem
from islands.operators import select, survive
from islands.operators.recipe import GiveUp, Recipe
from islands.operators.space import Arrangement, Costs, Genomes, Space
from islands.writing.words import many
from problems.sudoku import classic
from problems.sudoku.fast import fast
from problems.sudoku.grid import BoxedGrid, Parsed, completions
from problems.sudoku.reading import read
from problems.sudoku.symbols import ALPHABETS, Alphabet, box_text, label, parse_box


class Sudoku(BoxedGrid, frozen=True):
    """Fill a grid so that every row, column and box holds each value once; sizes 4x4 to 64x64, boxes of any shape."""

    examples: ClassVar[tuple[str, ...]] = (
        "A puzzle as a text, 0 or . where a cell is to be found:  islands run sudoku .1.4.......3.2.1",
        "All there are, or the proof that it is one:  islands run sudoku puzzle.txt --solutions all",
        "Every puzzle of a file:  islands run sudoku puzzles.sdm, then  islands export last -o solved.sdm",
        "As the seed document does it, one puzzle or all of a file:  islands run sudoku puzzles.sdm --recipe classic",
    )

    classic_fields: ClassVar[tuple[str, ...]] = ("crossover", "selection", "keep", "initial", "punish_same")

    further_fields: ClassVar[tuple[str, ...]] = ("regions", "grids", "extras", "word")

    box: str = Field(default="3x3", description="rows and columns of a box, where the file leaves it open: 2x3 for 6x6")
    alphabet: Alphabet = Field(
        default="numbers", description="the symbols, where the file leaves them open: 1 = 1-9A-G, 0 = 0-9A-F, A = A-P"
    )
    crossover: Literal["diagonal", "two-point"] = Field(
        default="diagonal", description="classic: three parents exchange block rows, or two their middle ones"
    )
    selection: Literal["best", "universal"] = Field(
        default="best", description="classic: the best mate, or a stochastic universal sample"
    )
    keep: float = Field(default=0.2, gt=0, le=1, description="classic: the share of a population that is selected")
    initial: Literal["random", "smart"] = Field(default="random", description="classic: how a first population is made")
    punish_same: bool = Field(default=False, description="classic: who is like the others is less likely to mate")
    variant: str = Field(
        default="", description="other rules: diagonal, windoku, jigsaw, latin, anti-knight, killer, samurai ..."
    )

    def __new__(cls, **fields: Any) -> Self:
        """A sudoku with other rules is a puzzle of the class `Variant`, whoever makes it and wherever they are said."""
        if cls is Sudoku and _has_other_rules(fields, cls.further_fields):
            from problems.sudoku.family.puzzle import Variant

            return cast(Self, super().__new__(Variant))
        return super().__new__(cls)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        try:
            self._check_givens()
        except UsageError as error:
            raise ValueError(str(error)) from error
        return self

    @classmethod
    def parse(cls, text: str, options: dict[str, Any]) -> list[Parsed]:
        alphabet = options.get("alphabet")
        if alphabet is not None and alphabet not in ALPHABETS:
            raise UsageError(f"`alphabet={alphabet!r}`: expected one of {', '.join(ALPHABETS)}.")
        return [(grid.line, grid.fields) for grid in read(text, options.get("box"), alphabet)]

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        from problems.sudoku.family.reading import is_of_family

        if cls is Sudoku and (options.get("variant") or is_of_family(source)):
            from problems.sudoku.family.puzzle import Variant

            return cast(list[Self], Variant.read(source, **options))
        try:
            return super().read(source, **options)
        except UsageError as error:
            from problems.sudoku.lines import too_many_faults

            if options or not (rule := too_many_faults(source)):
                raise
            raise UsageError(f"{error} {rule}") from error

    @classmethod
    def files(cls) -> Files:
        large = "one 9x9 puzzle in nearly every line, and no `box`, `alphabet` or `variant`"
        return replace(super().files(), example=".1.4.......3.2.1", many=cls.many, large=large)

    @classmethod
    def many(cls, source: bytes | Path) -> Problem | None:
        """All puzzles of a text or a large file with one 9x9 in each line."""
        from problems.sudoku.batch import Batch

        return Batch.of_lines(source)

    @classmethod
    def together(cls, instances: Sequence[Problem], solutions: int | None) -> Problem:
        from problems.sudoku.batch import Batch

        return Batch.of(instances, solutions)

    @classmethod
    def maker(cls) -> type[Maker]:
        from problems.sudoku.making import MakeSudoku

        return MakeSudoku

    def describe(self) -> str:
        n, givens = self.size, many(len(self.given_cells), "given")
        return f"{n}x{n}, boxes {self.box}, symbols {label(self.alphabet, n)}, {givens}"

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""
        return parse_box(self.box)

    @property
    def spelling(self) -> str:
        return self.alphabet

    @property
    def heading(self) -> str:
        return "Sudoku"

    @property
    def task(self) -> str:
        rows, columns = self.shape
        symbols = label(self.alphabet, self.size).replace("the numbers ", "")
        return f"Every row, every column and every box of {rows} x {columns} cells holds each of {symbols} once."

    def note(self, alphabet: str) -> str:
        """Of all but the usual 9x9."""
        if self.shape == (3, 3) and alphabet not in ("0", "A"):
            return ""
        named = "" if alphabet == "numbers" else f" symbols={label(alphabet, self.size)}"
        return f"# sudoku box={box_text(self.shape)}{named}\n"

    def _boxes(self) -> NDArray[np.int32]:
        """The box of each cell."""
        (rows, columns), n = self.shape, self.size
        row, column = np.divmod(np.arange(n * n, dtype=np.int32), n)
        boxes: NDArray[np.int32] = row // rows * rows + column // columns
        return boxes

    def space(self) -> Space:
        return self.arrangement()

    def arrangement(self) -> Arrangement:
        """The givens stay, and every box holds each value once."""
        return completions(self._given, self._boxes())

    def costs(self, genomes: Genomes) -> Costs:
        costs = np.empty(len(genomes), np.int64)
        classic.sweep_costs(np.ascontiguousarray(genomes, np.int32), self.size, costs)
        return costs

    def collisions(self, genomes: Genomes) -> Genomes:
        """The seed's fitness of each cell, in the shape of the genomes, (n * n,) or (k, n * n): 0, 1 or 2 collisions.

        Its value may stand in its row again, and in its column. Their sum over a grid is the grid's cost.
        """
        rows = np.ascontiguousarray(genomes, np.int32).reshape(-1, self.size**2)
        found = np.empty_like(rows)
        classic.sweep_collisions(rows, self.size, found)
        return found.reshape(genomes.shape)

    def wording(self) -> Wording:
        return replace(super().wording(), cell_costs=self.collisions)

    def recipes(self) -> dict[str, Recipe]:
        rows, columns = self.shape
        return {"fast": fast(rows, columns, self._given), "classic": self._classic()}

    def _classic(self) -> Recipe:
        """The algorithm of the seed document."""
        space, n = self.arrangement(), self.size
        three = self.crossover == "diagonal"
        chosen = survive.truncation if self.selection == "best" else survive.universal
        return Recipe(
            purpose="the genetic algorithm of the seed document, which gives up after 25 generations without success",
            population=1002,  # the seed's 1000, for families of three
            multiple=3 if three else 1,
            epoch=25,
            give_up=GiveUp(stale=25),
            settle=classic.smart_start(space, n) if self.initial == "smart" else None,
            select=select.everyone(),
            crossover=(classic.diagonal if three else classic.two_point)(*self.shape),
            mutate=classic.conflict_swaps(space, n),
            mutate_first=True,
            survive=chosen(self.keep, classic.punish_same(space, n) if self.punish_same else None),
        )


def _has_other_rules(fields: dict[str, Any], further: Sequence[str]) -> bool:
    """Whether these are the fields of a `Variant`: by a name, by one that only it has, or by the text of the givens."""
    if fields.get("variant") or any(name in fields for name in further):
        return True
    givens = fields.get("givens")
    if not isinstance(givens, str):
        return False
    from problems.sudoku.family.reading import is_of_family

    return is_of_family(givens)
