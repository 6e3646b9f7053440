"""New sudokus: a random full grid, and cells taken out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Maker, Sheet
from islands.operators.space import Genomes
from problems.sudoku import bands, digging
from problems.sudoku.fast import solutions
from problems.sudoku.grading import grade
from problems.sudoku.logic import LEVELS, Difficulty
from problems.sudoku.puzzle import Sudoku
from problems.sudoku.symbols import LARGEST, SIZES, SMALLEST, Alphabet, box_text, parse_box, square_box
from problems.sudoku.symmetry import canonical

LARGEST_UNIQUE = 16  # beyond it the proof is no matter of a moment
LARGEST_PROVED = 25  # of variants, where a proof that takes longer is given up
FILLED = {"easy": 0.47, "medium": 0.42, "hard": 0.37, "expert": 0.0}  # where to stop, once it is difficult enough
FILLED_USUALLY = 0.45
ROUNDS = 10  # in each, as many changes between rows, columns and values as the grid has rows
TRIES = {9: 200, LARGEST: 20}  # full grids that are tried for a wish, by the largest size
FEWEST = {4: 4, 9: 17}


class Thinning(Maker, frozen=True):
    """How much of a full grid is left: a share of the cells, as few as keep it unique, or as a difficulty says."""

    filled: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="share of the cells that are given, 0 to 1; default: 0.45, or as the difficulty says"
    )
    unique: bool = Field(default=False, description=f"one solution, proved; up to {LARGEST_UNIQUE}x{LARGEST_UNIQUE}")
    difficulty: Difficulty | None = Field(
        default=None,
        description="what it takes: easy = hidden singles, medium = naked singles too, hard = locked candidates, pairs "
        "and triples too, expert = more; unique in any case",
    )

    unique_share: ClassVar[float] = FILLED_USUALLY  # where to stop taking out, if only uniqueness is asked for

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a box."""
        raise NotImplementedError

    @property
    def fewest(self) -> dict[int, int]:
        """Givens of a puzzle with one solution, by its size, where it is proved that there are no fewer."""
        return FEWEST

    @property
    def largest_unique(self) -> int:
        """The most rows of a puzzle whose one solution is proved."""
        return LARGEST_UNIQUE

    def _check_proof(self) -> None:
        """ValueError where a proof is asked for that can take for ever."""
        n = self.shape[0] * self.shape[1]
        fewest, left = self.fewest.get(n, 0), round((self.filled or 0) * n * n)
        if self.unique and self.filled is not None and left < fewest:
            raise ValueError(
                f"`filled={self.filled:g}` leaves {left} cells of a {n}x{n} grid; for one solution it takes "
                f"{fewest} at the least, `filled={fewest / n**2 + 0.005:.2f}`"
            )
        most = self.largest_unique
        if (self.unique or self.difficulty) and n > most:
            raise ValueError(
                f"to prove that a {n}x{n} grid has one solution can take for ever; "
                f"`unique` and `difficulty` go up to {most}x{most}. Leave them out"
            )

    def thinned(self, full: Callable[[], Genomes], rng: Rng) -> tuple[Genomes, Genomes]:
        """Full grids are made until cells can be taken out of one as wished; the cells left, and that grid."""
        tries = next(tries for largest, tries in TRIES.items() if self.shape[0] * self.shape[1] <= largest)
        for _ in range(tries):
            grid = full()
            givens = self._thinned(grid.copy(), rng)
            if givens is not None:
                return givens, grid
        wishes = {"filled": self.filled, "difficulty": self.difficulty}
        wish = " ".join(f"`{name}={value}`" for name, value in wishes.items() if value is not None)
        raise IslandsError(
            f"no puzzle with {wish} and one solution came up in {tries} tries. Try another `seed`, or ask for less."
        )

    def _thinned(self, grid: Genomes, rng: Rng) -> Genomes | None:
        """The grid with cells taken out; None where the wish is not met."""
        cells = rng.numpy.permutation(len(grid))
        if not self.unique and self.difficulty is None:
            target = round((FILLED_USUALLY if self.filled is None else self.filled) * len(grid))
            grid[cells[target:]] = 0
            return grid
        target = self._target(len(grid))
        if self.shape == bands.SHAPE and self.difficulty in (None, "expert"):
            grid, left = digging.dug(grid, cells, target)
        else:
            left = self._take_out(grid, cells, target)
        if self.filled is not None and left > target:
            return None
        return grid if self._as_wished(grid) else None

    def _take_out(self, grid: Genomes, cells: NDArray[np.int64], target: int) -> int:
        """Empty cells in this order, as far as the wish allows; how many are left."""
        left = len(grid)
        for cell in cells:
            if left <= target and (self.filled is not None or self._as_wished(grid)):
                break
            kept, grid[cell] = grid[cell], 0
            if self._spoilt(grid):
                grid[cell] = kept
            else:
                left -= 1
        return left

    def _as_wished(self, grid: Genomes) -> bool:
        return self.difficulty is None or grade(self.shape, grid) == self.difficulty

    def _target(self, cells: int) -> int:
        share = self.filled if self.filled is not None else self.unique_share
        if self.filled is None and self.difficulty:
            share = FILLED[self.difficulty]
        return round(share * cells)

    def _spoilt(self, grid: Genomes) -> bool:
        """Whether too much was taken out: a second solution, or steps harder than wished."""
        if self.difficulty in (None, "expert"):
            return len(solutions(*self.shape, grid, 2, seed=0)[0]) > 1
        return LEVELS.index(grade(self.shape, grid)) > LEVELS.index(self.difficulty)  # steps prove uniqueness


class MakeSudoku(Thinning, frozen=True):
    """A new sudoku: any size, any share of givens, unique or not, of a stated difficulty."""

    examples: ClassVar[tuple[str, ...]] = (
        "Ten to print:  islands make sudoku --difficulty hard --count 10 -o hard.html",
        "A small one, with one solution:  islands make sudoku --box 2x3 --unique -o six.txt",
    )

    size: int | None = Field(
        default=None, description=f"rows and columns, {SMALLEST} to {LARGEST}; default 9, or as the box says"
    )
    box: str | None = Field(default=None, description="rows and columns of a box, where the size leaves it open: 2x3")
    alphabet: Alphabet = Field(default="numbers", description="the symbols: numbers, 1 = 1-9A-G, 0 = 0-9A-F, A = A-P")
    variant: str = Field(
        default="",
        description="other rules, with their marks: diagonal, jigsaw, killer, thermometers, samurai ...; "
        f"{LARGEST_PROVED}x{LARGEST_PROVED}",
    )
    distinct: bool = Field(
        default=False,
        description="no two the same but for names of digits, order of rows and columns, reflection; 9x9, unique",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        try:
            self._check_variant()
            rows, columns = self.shape
        except UsageError as error:
            raise ValueError(str(error)) from error
        if self.size is not None and self.size != rows * columns:
            raise ValueError(
                f"`box={self.box}` makes a {rows * columns}x{rows * columns} grid, but `size` says {self.size}; "
                "leave one of them out"
            )
        self._check_proof()
        if self.distinct and (self.shape != bands.SHAPE or not (self.unique or self.difficulty)):
            raise ValueError(
                "`distinct` is for 9x9 puzzles with one solution: add `unique` or `difficulty`, or leave it out"
            )
        return self

    def _check_variant(self) -> None:
        """UsageError where other rules cannot be made like that."""
        if not self.variant:
            return
        from problems.sudoku.family.making import check_makeable

        check_makeable(self.variant)
        if self.difficulty or self.distinct:
            raise UsageError("`difficulty` and `distinct` are for plain sudokus. Leave them out, or `variant`.")

    def key(self, sheet: Sheet) -> bytes | None:
        """The solution in its smallest form: puzzles that are the same have solutions that are."""
        return canonical(sheet.solution).tobytes() if self.distinct and sheet.solution is not None else None

    @property
    def fewest(self) -> dict[int, int]:
        return {} if self.variant else FEWEST

    @property
    def largest_unique(self) -> int:
        return LARGEST_PROVED if self.variant else LARGEST_UNIQUE

    @property
    def _is_boxless(self) -> bool:
        if not self.variant:
            return False
        from problems.sudoku.family.names import parsed

        return not {"latin", "jigsaw"}.isdisjoint(parsed(self.variant))

    @property
    def shape(self) -> tuple[int, int]:
        if self._is_boxless:
            return 1, self.size or (9 if self.box is None else math.prod(parse_box(self.box)))
        if self.size is not None and self.size not in SIZES:
            raise UsageError(
                f"`size={self.size}`: expected a size from {SMALLEST} to {LARGEST} that boxes can divide, such as 4, "
                "6, 8, 9, 10, 12 or 16."
            )
        return square_box(self.size or 9) if self.box is None else parse_box(self.box)

    def make(self, rng: Rng) -> Sheet:
        if self.variant:
            return self._make_variant(rng)
        givens, full = self.thinned(lambda: full_grid(self.shape, rng), rng)
        puzzle = Sudoku(box=box_text(self.shape), alphabet=self.alphabet, givens=tuple(givens.tolist()))
        return Sheet(puzzle, givens, full, self.difficulty or "")

    def _make_variant(self, rng: Rng) -> Sheet:
        from problems.sudoku.family.making import Wish, make

        box = parse_box(self.box) if self.box is not None else None
        wish = Wish(self.variant, self.size, box, self.alphabet, filled=self.filled, unique=self.unique)
        return make(wish, rng)


def full_grid(shape: tuple[int, int], rng: Rng) -> Genomes:
    """A random solved grid; of boxes of one row, a Latin square. Other than 9x9: a regular one, changed again and again
    in ways that keep it solved."""
    if shape == bands.SHAPE:
        return digging.full_grid(rng)
    rows, columns = shape
    n = rows * columns
    grid = [[(i % rows * columns + i // rows + j) % n for j in range(n)] for i in range(n)]
    lot = rng.numpy
    for _ in range(ROUNDS):
        for _ in range(n):
            _switch_rows(grid, n if rows == 1 else rows, lot)
            _switch_values(grid, shape, lot)
        grid = [list(column) for column in zip(*grid, strict=True)]  # the same between columns
        for _ in range(n):
            _switch_rows(grid, columns, lot)
        grid = [list(row) for row in zip(*grid, strict=True)]
    names: Genomes = (lot.permutation(n) + 1).astype(np.int32)
    full: Genomes = names[np.array(grid).ravel()]
    return full


def _switch_rows(grid: list[list[int]], height: int, lot: np.random.Generator) -> None:
    """Two rows of a block row exchange some of their values, column by column: columns and boxes keep theirs, and the
    cycle that begins anywhere ends when both rows have each value once again."""
    band, column = lot.integers(len(grid) // height), int(lot.integers(len(grid)))
    one, two = (grid[band * height + i] for i in lot.permutation(height)[:2])
    first = one[column]
    while True:
        one[column], two[column] = two[column], one[column]
        if one[column] == first:
            return
        column = next(j for j, value in enumerate(one) if value == one[column] and j != column)


def _switch_values(grid: list[list[int]], shape: tuple[int, int], lot: np.random.Generator) -> None:
    """Two values change places in one cell and, from there on, in every row, column and box that this puts wrong."""
    rows, columns = shape
    a, b = lot.permutation(len(grid))[:2].tolist()
    places = [(i, row.index(value)) for i, row in enumerate(grid) for value in (a, b)]
    units: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for i, j in places:
        for unit in (("row", i), ("column", j), ("box", i // rows * rows + j // columns)):
            units.setdefault(unit, []).append((i, j))
    waiting, done = [places[int(lot.integers(len(places)))]], set()
    while waiting:
        i, j = waiting.pop()
        if (i, j) in done:
            continue
        done.add((i, j))
        grid[i][j] = a + b - grid[i][j]
        for unit in (("row", i), ("column", j), ("box", i // rows * rows + j // columns)):
            waiting += units[unit]
