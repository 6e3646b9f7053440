"""One sudoku."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.operators import select, survive
from islands.problem import Format, Maker, Problem, made
from islands.recipe import Recipe
from islands.space import Arrangement, Costs, Genomes
from problems.sudoku import classic
from problems.sudoku.fast import fast
from problems.sudoku.reading import Grid, read
from problems.sudoku.symbols import Alphabet, box_text, first_repeat, label, parse_box, symbols

if TYPE_CHECKING:
    from rich.text import Text


class Sudoku(Problem, frozen=True):
    """Fill a grid so that every row, column and box holds each value once; sizes 4x4 to 49x49, boxes of any shape."""

    solution_word: ClassVar[str] = "solution"
    from_file: ClassVar[tuple[str, ...]] = ("givens",)

    box: str = Field(default="3x3", description="rows and columns of a box, where the file leaves it open: 2x3 for 6x6")
    alphabet: Alphabet = Field(
        default="numbers", description="the symbols, where the file leaves them open: 1 = 1-9A-G, 0 = 0-9A-F, A = A-P"
    )
    givens: tuple[int, ...] = Field(description="the cells row by row, 0 = to be found")
    crossover: Literal["diagonal", "two-point"] = Field(
        default="diagonal", description="classic: three parents exchange block rows, or two their middle ones"
    )
    selection: Literal["best", "universal"] = Field(
        default="best", description="classic: the best mate, or a stochastic universal sample"
    )
    keep: float = Field(default=0.2, gt=0, le=1, description="classic: the share of a population that is selected")
    initial: Literal["smart", "random"] = Field(default="smart", description="classic: how a first population is made")
    punish_same: bool = Field(default=False, description="classic: who is like the others is less likely to mate")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        """`givens` may be a text in any format that `read` knows."""
        if isinstance(data, dict) and isinstance(data.get("givens"), str):
            try:
                found = read(data["givens"], data.get("box"), data.get("alphabet"))
            except UsageError as error:
                raise ValueError(str(error)) from error
            if len(found) > 1:
                raise ValueError(f"{len(found)} puzzles, expected one")
            return {**data, **_fields(found[0])}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        try:
            rows, columns = parse_box(self.box)
        except UsageError as error:
            raise ValueError(str(error)) from error
        n = rows * columns
        if len(self.givens) != n * n:
            raise ValueError(f"{len(self.givens)} cells: expected {n * n} for {n}x{n}, boxes {self.box}")
        if not all(0 <= value <= n for value in self.givens):
            raise ValueError(f"the values of a {n}x{n} grid are 1 to {n}, and 0 for a cell to be found")
        twice = first_repeat((rows, columns), self.givens)
        if twice is not None:
            raise ValueError(f"the given {symbols(self.alphabet, n)[twice[0] - 1]} stands {twice[1]}")
        return self

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        found = read(source, options.get("box"), options.get("alphabet"))
        puzzles = []
        for number, grid in enumerate(found, 1):
            try:
                puzzles.append(made(cls, {**options, **_fields(grid)}))
            except UsageError as error:
                where = f"puzzle {number} (line {grid.line}): " if len(found) > 1 else ""
                raise UsageError(f"{where}{error}") from error
        return puzzles

    @classmethod
    def together(cls, instances: Sequence[Problem], solutions: int | None) -> Problem:
        from problems.sudoku.batch import batch_of

        return batch_of([one for one in instances if isinstance(one, Sudoku)], solutions)

    @classmethod
    def maker(cls) -> type[Maker]:
        from problems.sudoku.making import MakeSudoku

        return MakeSudoku

    def describe(self) -> str:
        n = self.size
        count = sum(value > 0 for value in self.givens)
        return f"{n}x{n}, boxes {self.box}, symbols {label(self.alphabet, n)}, {count} givens"

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""
        return parse_box(self.box)

    @property
    def size(self) -> int:
        """Rows, columns and values."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def _given(self) -> Genomes:
        return np.array(self.givens, np.int32)

    def _boxes(self) -> NDArray[np.int32]:
        """The box of each cell."""
        (rows, columns), n = self.shape, self.size
        row, column = np.divmod(np.arange(n * n, dtype=np.int32), n)
        boxes: NDArray[np.int32] = row // rows * rows + column // columns
        return boxes

    def space(self) -> Arrangement:
        boxes = self._boxes()
        values = self._given.copy()
        for box in range(self.size):
            own = boxes == box
            missing = np.setdiff1d(np.arange(1, self.size + 1), values[own])
            values[own & (self._given == 0)] = missing
        return Arrangement(values, np.where(self._given > 0, -1, boxes))

    def costs(self, genomes: Genomes) -> Costs:
        costs = np.empty(len(genomes), np.int64)
        classic.sweep_costs(np.ascontiguousarray(genomes, np.int32), self.size, costs)
        return costs

    def cost(self, genome: Genomes) -> int:
        return int(self.costs(np.asarray(genome)[None])[0])

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

    def recipes(self) -> dict[str, Recipe]:
        rows, columns = self.shape
        return {"fast": fast(rows, columns, self._given), "classic": self._classic()}

    def _classic(self) -> Recipe:
        """The algorithm of the seed document."""
        space, n = self.space(), self.size
        mates = select.truncation(self.keep) if self.selection == "best" else select.universal(self.keep)
        three = self.crossover == "diagonal"
        return Recipe(
            population=1002,  # the seed's 1000, for families of three
            epoch=25,
            stale=25,
            settle=classic.smart_start(space, n) if self.initial == "smart" else None,
            select=classic.punish_same(mates, space, n) if self.punish_same else mates,
            parents=3 if three else 2,
            children=3 if three else 2,
            crossover=(classic.diagonal if three else classic.two_point)(*self.shape),
            mutate=classic.conflict_swaps(space, n),
            survive=survive.children(),
        )

    def explain(self) -> str | None:
        from problems.sudoku.logic import contradiction

        return contradiction(self.shape, self.givens, symbols(self.alphabet, self.size))

    def show(self, genome: Genomes) -> str:
        from problems.sudoku.writing import drawn

        return drawn(self, genome).plain

    def styled(self, genome: Genomes) -> Text:
        from problems.sudoku.writing import drawn

        return drawn(self, genome)

    def svg(self, genome: Genomes) -> str:
        from problems.sudoku.writing import picture

        return picture(self, genome)

    def formats(self) -> dict[str, Format]:
        from problems.sudoku.writing import FORMATS

        return FORMATS


def _fields(grid: Grid) -> dict[str, Any]:
    return {"box": box_text(grid.box), "alphabet": grid.alphabet, "givens": grid.values}


def check_grids(shape: tuple[int, int], givens: Genomes, genomes: Genomes) -> NDArray[np.bool_]:
    """Which rows of (k, n * n) genomes are solutions of the givens beside them, (k,)."""
    rows, columns = shape
    n = rows * columns
    grids = genomes.reshape(-1, n, n)
    boxes = grids.reshape(-1, columns, rows, rows, columns).swapaxes(2, 3).reshape(-1, n, n)
    right: NDArray[np.bool_] = ((givens == 0) | (givens == genomes)).all(axis=1)
    for units in (grids, grids.swapaxes(1, 2), boxes):
        right &= (np.sort(units, axis=2) == np.arange(1, n + 1)).all(axis=(1, 2))
    return right
