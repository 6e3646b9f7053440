"""Magic squares: distinct numbers, every row, column and both main diagonals sum alike.

The seed document is 004, *Genetic Magic Square Finder* (Bittencourt, Sehn, Leonhardt 2016); `classic` is its algorithm.

    order        the number of rows, `size`                      2 7 6
    genome       the numbers, row by row: [2,7,6,9,5,1,4,3,8] =  9 5 1
    magic number what every line sums to, M = (n + n^3) / 2      4 3 8
                 for the numbers 1..n^2
    cost         the sum of |M - S| over the lines of the kind with sums S; the seed calls it fitness. Associative: and
                 of |2M/n - a - b| over opposite cells. Bimagic: and of |M' - S'| over the sums of squared ranks
    canonical    Frenicle's standard form, one of the 8 rotations and reflections: the top left number is the smallest
                 of the corners, and the number to the right of it is smaller than the one below. So for every kind.
                 With given cells two squares are the same only if they are equal.
    distinct     what counts as another square: `symmetry` tells

`kinds` tells the rules of each kind: semimagic, magic, pandiagonal, associative, ultramagic, bimagic. How each is made:

    walk         Metropolis walks over swaps of near numbers, for every kind; associative and ultramagic ones in pairs
                 of opposite cells, pandiagonal ones of order 4k in pairs half a period apart, those whose order has no
                 divisor 2 or 3 in blocks: up to order 7 searched for, beyond it members of the regular family
    replicas     the same walks at many temperatures that exchange what they have: with given cells, from order 6 on
    completion   a depth-first search beside the replicas, line after line: where few cells are free
    repair       magic and semi-magic squares from order 13 on
    additive     pandiagonal squares of orders 9, 15, 21 ...
    bimagic      those of order 8

The numbers are an arithmetic progression (`start`, `step`) or any (`numbers`). From more than n^2 of them the search
chooses; those left out follow the square in its genome, ascending. `fixed` gives some cells.

If any square of an order will do, a textbook construction is quicker than all of these; a construction gives the same
square every time, these give one of all or of very many.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from islands.model.capabilities import Sweeping, Symmetry, Wording
from islands.model.problem import Problem
from islands.operators.estimate import Estimate, Tally
from islands.operators.recipe import Recipe
from islands.operators.space import Arrangement, Costs, Genomes
from islands.writing.svg import grid_picture
from problems.magic_square import (
    bimagic,
    checks,
    enumeration,
    given,
    kinds,
    rules,
    semimagic,
    small,
    symmetry,
    tempering,
)
from problems.magic_square.checks import LARGEST
from problems.magic_square.kernels import standard_forms, sweep_costs
from problems.magic_square.kinds import DIAGONALS, PAIRED, Kind
from problems.magic_square.recipes import LARGEST_MANY, recipe_for, recipes_of
from problems.magic_square.symmetry import class_forms
from problems.magic_square.verdicts import magic_squares

if TYPE_CHECKING:
    from rich.text import Text

WIDEST = 1 << 20  # least to greatest number whose squares are judged in batches
FLOOD = 1000  # squares from which on the quick judge is worth its compilation
LARGEST_SHOWN = 40  # beyond it only the corners are shown ...
CORNER = 4  # ... rows and columns of each
FEW_FREE = 16  # free cells whose completions can all be listed, whatever the order


class MagicSquare(Problem, frozen=True):
    """A square of distinct numbers whose rows, columns and diagonals all sum alike; or one of its kin, by --kind."""

    classic_fields: ClassVar[tuple[str, ...]] = ("crossover_min", "crossover_max")

    size: int = Field(
        4, description=f"rows and columns of the square, 3 to {LARGEST}; a square of order 4000 has 64 MB"
    )
    kind: Kind = Field(
        "magic",
        description="semimagic: no diagonals; pandiagonal: all broken diagonals too; associative: opposite cells sum "
        "alike; ultramagic: both; bimagic: also when squared, order 8",
    )
    start: int = Field(1, ge=-(10**9), le=10**9, description="the first number of the progression")
    step: int = Field(1, description="from each number of the progression to the next, not 0")
    distinct: Literal["squares", "classes", "raw"] = Field(
        "squares",
        description="what counts: squares modulo the 8 symmetries, classes modulo the M-transforms too, or every raw "
        "square; order 5 with --exhaustive writes classes and only counts the others",
    )
    numbers: str | None = Field(
        None,
        title="FILE",
        description="a file of other numbers to use, size*size of them or more to choose from; in exports "
        "those left out follow the square",
    )
    fixed: str | None = Field(
        None,
        title="FILE",
        description="a file with the square's rows, a number where a cell is given, a dot where it is free "
        "(or _ or ?, and 0 unless it is one of the numbers)",
    )
    crossover_min: int | None = Field(
        None, description="classic: smallest crossover point, 0 to size*size - 1; default: 0"
    )
    crossover_max: int | None = Field(
        None, description="classic: largest crossover point, 0 to size*size - 1; default: size*size - 1"
    )

    @field_validator("size")
    @classmethod
    def _possible(cls, size: int) -> int:
        if size == 2:
            raise ValueError(kinds.impossible("magic", size, True))
        if not 3 <= size <= LARGEST:
            raise ValueError(f"expected an order from 3 to {LARGEST}")
        return size

    @field_validator("numbers", "fixed", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return given.text_of(value)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        checks.check_numbers(self)
        checks.check_kind(self)
        checks.check_distinct(self)
        checks.check_points(self)
        return self

    @property
    def is_plain(self) -> bool:
        """No numbers and no cells of the user's."""
        return self.numbers is None and self.fixed is None

    @cached_property
    def pool(self) -> NDArray[np.int64]:
        """The numbers, or those to choose from, ascending."""
        if self.numbers is not None:
            return given.pool_of(self.numbers, self.size)
        return np.sort(self.progression().astype(np.int64))

    @cached_property
    def is_progression(self) -> bool:
        """Whether the numbers are an arithmetic progression: then what is known of 1..n^2 holds for them."""
        if self.numbers is None:
            return True
        return len(self.pool) == self.size**2 and len(set(np.diff(self.pool).tolist())) == 1

    @cached_property
    def fixed_cells(self) -> dict[int, int]:
        """The given cells and those that follow at once, {cell: number}."""
        if self.fixed is None:
            return {}
        numbers = set(self.pool.tolist())
        cells = given.given_cells(self.fixed, self.size, numbers)
        return given.implied_cells(cells, self.kind, self.size, numbers, self.magic)

    @cached_property
    def magic(self) -> int:
        """The magic number: what every line sums to."""
        if self.numbers is not None:
            return given.sum_of_lines(self.pool, self.size)
        return self.size * (2 * self.start + self.step * (self.size**2 - 1)) // 2

    def space(self) -> Arrangement:
        if self.is_plain:
            return Arrangement(self.progression())
        fixed, taken = self.fixed_cells, set(self.fixed_cells.values())
        genome, groups = np.empty(len(self.pool), np.int32), np.zeros(len(self.pool), np.int32)
        genome[list(fixed)], groups[list(fixed)] = list(fixed.values()), -1
        genome[groups == 0] = [number for number in self.pool.tolist() if number not in taken]
        return Arrangement(genome, groups) if fixed else Arrangement(genome)

    def progression(self) -> Genomes:
        return np.arange(self.start, self.start + self.step * self.size**2, self.step, dtype=np.int32)

    def costs(self, genomes: Genomes) -> Costs:
        if self.kind == "bimagic":
            ranks = ((genomes - self.pool[0]) // (self.pool[1] - self.pool[0])).astype(np.int32)
            return self._line_costs(ranks, bimagic.SUM) + self._line_costs(ranks * ranks, bimagic.SQUARES)
        return self._line_costs(genomes, self.magic)

    def _line_costs(self, genomes: Genomes, magic: int) -> Costs:
        costs = np.empty(len(genomes), np.int64)
        diagonals, paired = DIAGONALS[self.kind], self.kind in PAIRED
        sweep_costs(np.ascontiguousarray(genomes, np.int32), self.size, magic, diagonals, paired, costs)
        return costs

    def canonical(self, genomes: Genomes) -> Genomes:
        cells = self.size**2
        squares = np.ascontiguousarray(genomes[:, :cells], np.int32)
        if self.fixed is None and self.distinct != "raw":
            forms = np.empty(squares.shape, np.int32)
            (class_forms if self.distinct == "classes" else standard_forms)(squares, self.size, forms)
            squares = forms
        return self._with_surplus(squares, genomes)

    def _with_surplus(self, squares: Genomes, genomes: Genomes) -> Genomes:
        """The squares, each followed by the numbers it leaves out, ascending."""
        if genomes.shape[1] == self.size**2:
            return squares
        return np.concatenate((squares, np.sort(genomes[:, self.size**2 :], axis=1)), axis=1).astype(np.int32)

    def symmetry(self) -> Symmetry | None:
        if self.distinct == "raw" or self.fixed is not None:
            return None
        m_images = symmetry.m_images(self.size) if self.distinct == "classes" else 1
        return Symmetry(images=symmetry.TURNS * m_images, image=self.image)

    def image(self, genomes: Genomes, number: int) -> Genomes:
        return self._with_surplus(symmetry.image(genomes[:, : self.size**2], self.size, number), genomes)

    def wording(self) -> Wording:
        unit = {"squares": None, "classes": "class", "raw": "raw square"}[self.distinct]
        return Wording(word="square", unit=unit, counts=self.counts, marked=self.marked)

    def marked(self, genome: Genomes) -> Text:
        from problems.magic_square import faults

        square = np.asarray(genome[: self.size**2], np.int64).reshape(self.size, self.size)
        return faults.marked(square, self.kind, self.magic, self._texts(genome) if self._is_whole else None)

    def counts(self, found: int) -> dict[str, int]:
        """No square has a symmetry, so that every class is as large as every other."""
        if self.fixed is not None:
            return {}
        if self.distinct == "raw":
            return {"raw square": found}
        if self.distinct == "squares":
            return {"square modulo 8": found, "raw square": symmetry.TURNS * found}
        if self.size > LARGEST_SHOWN:  # numbers of 30 to 60,000 digits
            return {"class": found}
        squares = found * symmetry.m_images(self.size)
        return {"class": found, "square modulo 8": squares, "raw square": symmetry.TURNS * squares}

    def _total(self, squares: int) -> int:
        """How many of what counts a whole number of classes has, given the number of its squares modulo 8."""
        return {
            "squares": squares,
            "classes": squares // symmetry.m_images(self.size),
            "raw": symmetry.TURNS * squares,
        }[self.distinct]

    def verify(self, genome: Genomes) -> bool:
        return bool(self._obeys(np.asarray(genome)[None])[0])

    def _obeys(self, genomes: Genomes) -> NDArray[np.bool_]:
        """The rules again: the numbers, the given cells, the lines. Shares nothing with the kernels of the search."""
        numbers = self.progression()[:: 1 if self.step > 0 else -1] if self.numbers is None else self.pool
        right: NDArray[np.bool_] = (np.sort(genomes, axis=1) == numbers).all(axis=1)
        squares = genomes[:, : self.size**2]
        if self.fixed is not None:
            for cell, number in given.given_cells(self.fixed, self.size, set(self.pool.tolist())).items():
                right &= squares[:, cell] == number
        return right & rules.obey(squares.reshape(-1, self.size, self.size), self.kind, self.magic)

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        judged = self.kind == "magic" and self.is_plain and self.size <= LARGEST_MANY and np.ptp(self.pool) <= WIDEST
        if not judged or len(genomes) < FLOOD:
            return self._obeys(genomes)
        return magic_squares(genomes, self.size, self.magic, self.pool.astype(np.int32))

    def known_total(self) -> int | None:
        if self.fixed_cells:
            return 1 if len(self.fixed_cells) == self.size**2 == len(self.pool) else None
        squares = kinds.TOTALS[self.kind].get(self.size) if self.is_progression else None
        return None if squares is None else self._total(squares)

    def sweeping(self) -> Sweeping | None:
        if self._is_counted:
            return Sweeping(tasks=enumeration.tasks(), sweep=self.sweep)
        free = self.size**2 - len(self.fixed_cells)
        few = self.size <= kinds.SWEPT[self.kind] or (self.fixed is not None and free <= FEW_FREE)
        return Sweeping(tasks=free, sweep=self.sweep) if few and free and len(self.pool) == self.size**2 else None

    def sweep(self, task: int) -> Genomes | int:
        """The squares with a given number in the first free cell. Plain order 5: the classes of a task, or how many
        squares it has.
        """
        if self._is_counted and self.distinct == "classes":
            return self.pool.astype(np.int32)[enumeration.squares(task) - 1]
        if self._is_counted:
            return self._total(enumeration.count(task))
        plan = small.make_plan(self.kind, self.size, self.pool.tolist(), self.magic, self.fixed_cells)
        squares = small.squares(plan, self.size, self.fixed_cells, task)
        turns = symmetry.TURNS if self.distinct == "raw" else 1
        return np.concatenate([self.image(squares, turn) for turn in range(turns)])

    @property
    def _is_counted(self) -> bool:
        return self.kind == "magic" and self.size == 5 and self.is_progression and not self.fixed_cells

    def estimate(self, tallies: list[Tally]) -> Estimate | None:
        known = self.size in semimagic.SQUARES
        estimate = semimagic.classes(self.size, tallies) if known else tempering.classes(self.size, tallies)
        if estimate is None:
            return None
        squares = symmetry.m_images(self.size)
        factor = {"classes": 1, "squares": squares, "raw": symmetry.TURNS * squares}[self.distinct]
        return estimate.times(factor, next(iter(self.counts(0))))

    @property
    def ends(self) -> int:
        """What the least and the greatest number sum to."""
        return int(self.pool[0] + self.pool[-1])

    def recipes(self) -> dict[str, Recipe]:
        return recipes_of(self)

    def recipe_for(self, solutions: int | None, seconds: float | None) -> tuple[str, str]:
        return recipe_for(self, solutions, seconds)

    def show(self, genome: Genomes) -> str:
        texts = self._texts(genome)
        width = max(len(text) for row in texts for text in row)
        lines = [" ".join(text.rjust(width) for text in row) for row in texts]
        return "\n".join(lines if self._is_whole else [*lines, f"corners of {self.size} x {self.size}"])

    def svg(self, genome: Genomes) -> str:
        texts = self._texts(genome)
        n = len(texts)
        diagonals = {(i, i) for i in range(n)} | {(i, n - 1 - i) for i in range(n)}
        return grid_picture(texts, tinted=diagonals)

    @property
    def _is_whole(self) -> bool:
        """Whether all of a square is shown."""
        return self.size <= LARGEST_SHOWN

    def _texts(self, genome: Genomes) -> list[list[str]]:
        """The square as texts; of a large one its corners, with dots between them."""
        square = np.reshape(genome[: self.size**2], (self.size, self.size))
        if self._is_whole:
            return [[str(number) for number in row] for row in square.tolist()]
        ends = np.r_[:CORNER, -CORNER:0]
        texts = [[str(number) for number in row] for row in square[np.ix_(ends, ends)].tolist()]
        texts = [[*row[:CORNER], "...", *row[CORNER:]] for row in texts]
        return [*texts[:CORNER], ["..."] * len(texts[0]), *texts[CORNER:]]
