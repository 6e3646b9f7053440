"""Magic squares: distinct numbers in arithmetic progression, every row, column and both main diagonals sum alike.

The seed document is 004, *Genetic Magic Square Finder* (Bittencourt, Sehn, Leonhardt 2016); `classic` is its algorithm.

    order        the number of rows, `size`                      2 7 6
    genome       the numbers, row by row: [2,7,6,9,5,1,4,3,8] =  9 5 1
    magic number what every line sums to, M = (n + n^3) / 2      4 3 8
                 for the numbers 1..n^2
    cost         the sum of |M - S| over rows, columns and diagonals with sums S; the seed calls it fitness
    canonical    Frenicle's standard form, one of the 8 rotations and reflections: the top left number is the smallest
                 of the corners, and the number to the right of it is smaller than the one below
    distinct     what counts as another square: `symmetry` tells

`walk` finds small squares, `repair` makes large ones. If any square of an order will do, a textbook construction is
quicker than both; a construction gives the same square every time, these give one of all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from islands.estimate import Estimate, Tally
from islands.operators import arrange, select, survive
from islands.operators.layout import SPARSEST
from islands.problem import Problem
from islands.recipe import Recipe
from islands.space import Arrangement, Costs, Genomes
from problems.magic_square import enumeration, semimagic, small, symmetry, tempering
from problems.magic_square.harvest import many_squares, whole_tasks
from problems.magic_square.kernels import standard_forms, sweep_costs
from problems.magic_square.neighbours import near_squares
from problems.magic_square.repair import exact_exchange
from problems.magic_square.rules import magic_squares
from problems.magic_square.symmetry import class_forms, eightfold
from problems.magic_square.walk import metropolis

LARGEST = 20_000  # 400 million numbers, 1.6 GB a square
LARGEST_CLASSIC = 100  # the seed's algorithm found nothing above 8; its tables and populations grow with the square
LARGEST_WALK = 12  # beyond it a random walk no longer is the way
WIDEST = 1 << 20  # least to greatest number whose squares are verified in batches
LARGEST_MANY = 500  # beyond it a single square is a file of its own
LARGEST_SHOWN = 40  # beyond it only the corners are shown ...
CORNER = 4  # ... so many rows and columns of each
HEATS = ((4, 1.3), (5, 0.8), (6, 0.6), (10, 0.5), (LARGEST_WALK, 0.4))  # largest order, temperature in steps; measured
EPOCH_CELLS = 2_500_000  # that the repair fills in one epoch: some tenths of a second, some ten megabytes


class MagicSquare(Problem, frozen=True):
    """A square of distinct numbers in arithmetic progression whose rows, columns and diagonals all sum alike."""

    solution_word: ClassVar[str] = "square"

    size: int = Field(
        4, description=f"rows and columns of the square, 3 to {LARGEST}; a square of order 4000 has 64 MB"
    )
    start: int = Field(1, ge=-(10**9), le=10**9, description="the first number of the progression")
    step: int = Field(1, description="from each number of the progression to the next, not 0")
    distinct: Literal["squares", "classes", "raw"] = Field(
        "squares",
        description="what counts: squares modulo the 8 symmetries, classes modulo the M-transforms too, or every raw "
        "square; order 5 with --exhaustive writes classes and only counts the others",
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
            raise ValueError(
                "no magic square of order 2 exists: a row and a column share a cell, so the others are equal"
            )
        if not 3 <= size <= LARGEST:
            raise ValueError(f"expected an order from 3 to {LARGEST}")
        return size

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        cells = self.size**2
        if self.step == 0:
            raise ValueError("--step 0: the numbers of a magic square are distinct; expected a step other than 0")
        widest = SPARSEST if self.size <= LARGEST_CLASSIC else 10**9  # the latter so that every number has 32 bits
        if abs(self.step) * cells > widest:
            most = widest // cells
            raise ValueError(f"--step {self.step}: expected at most {most} up or down for order {self.size}")
        for option, point in (("--crossover-min", self.crossover_min), ("--crossover-max", self.crossover_max)):
            if point is not None and not 0 <= point < cells:
                raise ValueError(f"{option} {point}: expected a point from 0 to {cells - 1} for order {self.size}")
        if (
            self.crossover_min is not None
            and self.crossover_max is not None
            and self.crossover_min > self.crossover_max
        ):
            raise ValueError(
                f"--crossover-min {self.crossover_min} is above --crossover-max {self.crossover_max}; "
                "expected the smaller point first"
            )
        return self

    @property
    def magic(self) -> int:
        """The magic number: what every line sums to."""
        return self.size * (2 * self.start + self.step * (self.size**2 - 1)) // 2

    def space(self) -> Arrangement:
        return Arrangement(self._numbers())

    def _numbers(self) -> Genomes:
        return np.arange(self.start, self.start + self.step * self.size**2, self.step, dtype=np.int32)

    def costs(self, genomes: Genomes) -> Costs:
        costs = np.empty(len(genomes), np.int64)
        sweep_costs(np.ascontiguousarray(genomes, np.int32), self.size, self.magic, costs)
        return costs

    def cost(self, genome: Genomes) -> int:
        return int(self.costs(np.asarray(genome)[None])[0])

    def canonical(self, genomes: Genomes) -> Genomes:
        squares = np.ascontiguousarray(genomes, np.int32)
        if self.distinct == "raw":
            return squares
        forms = np.empty(squares.shape, np.int32)
        (class_forms if self.distinct == "classes" else standard_forms)(squares, self.size, forms)
        return forms

    def symmetries(self) -> int:
        m_images = symmetry.m_images(self.size) if self.distinct == "classes" else 1
        return 1 if self.distinct == "raw" else symmetry.TURNS * m_images

    def image(self, genomes: Genomes, number: int) -> Genomes:
        return symmetry.image(genomes, self.size, number)

    @property
    def unit(self) -> str | None:
        return {"squares": None, "classes": "class", "raw": "raw square"}[self.distinct]

    def counts(self, found: int) -> dict[str, int]:
        """No square has a symmetry, so that every class is as large as every other."""
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
        numbers = np.array(genome)
        numbers.sort()
        if not np.array_equal(numbers, self._numbers()[:: 1 if self.step > 0 else -1]):
            return False
        square = np.reshape(genome, (self.size, self.size))
        rows, columns = square.sum(axis=1, dtype=np.int64), square.sum(axis=0, dtype=np.int64)
        diagonals = {int(image.trace(dtype=np.int64)) for image in (square, np.fliplr(square))}
        return {*rows.tolist(), *columns.tolist(), *diagonals} == {self.magic}

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        numbers = self._numbers()
        if self.size > LARGEST_MANY or np.ptp(numbers) > WIDEST:
            return super().verified(genomes)
        return magic_squares(genomes, self.size, self.magic, numbers)

    def known_total(self) -> int | None:
        squares = {3: 1, 4: 880, 5: 275_305_224}.get(self.size)
        return None if squares is None else self._total(squares)

    def tasks(self) -> int:
        return enumeration.tasks() if self.size == 5 else self.size**2 if self.size < 5 else 0

    def sweep(self, task: int) -> Genomes | int:
        """Orders 3 and 4: the squares with a given number at the top left. Order 5: the classes of a task, or how many
        squares it has.
        """
        if self.size == 5 and self.distinct == "classes":
            return self._numbers()[enumeration.squares(task) - 1]
        if self.size == 5:
            return self._total(enumeration.count(task))
        squares = (self.start + self.step * (small.squares(self.size, task + 1) - 1)).astype(np.int32)
        turns = symmetry.TURNS if self.distinct == "raw" else 1
        return np.concatenate([self.image(squares, turn) for turn in range(turns)])

    def estimate(self, tallies: list[Tally]) -> Estimate | None:
        known = self.size in semimagic.SQUARES
        told = semimagic.classes(self.size, tallies) if known else tempering.classes(self.size, tallies)
        if told is None:
            return None
        squares = symmetry.m_images(self.size)
        factor = {"classes": 1, "squares": squares, "raw": symmetry.TURNS * squares}[self.distinct]
        return told.times(factor, next(iter(self.counts(0))))

    def recipes(self) -> dict[str, Recipe]:
        recipes = {"fast": self._walk() if self.size <= LARGEST_WALK else self._repair()}
        if 4 <= self.size <= LARGEST_MANY:
            recipes["many"] = self._many()
        if 4 <= self.size <= LARGEST_WALK:
            recipes["estimate"] = self._estimate()
        if self.size <= LARGEST_CLASSIC:
            recipes["classic"] = self._classic()
        if self.distinct == "raw":  # whoever finds a square has found eight
            return {name: replace(one, harvest=eightfold(self.size, one.harvest)) for name, one in recipes.items()}
        return recipes

    def _walk(self) -> Recipe:
        """Independent walks; a generation is some milliseconds, an epoch some tenths of a second."""
        heat = next(heat for order, heat in HEATS if self.size <= order)
        return Recipe(
            population=16,
            epoch=60,
            select=select.everyone(),
            parents=1,
            improve=metropolis(self.size, self.magic, heat * abs(self.step), steps=10_000),
            survive=survive.children(),
        )

    def _repair(self) -> Recipe:
        """Every individual is a new square in every generation; few of them where they are large."""
        squares = max(1, EPOCH_CELLS // self.size**2)
        population = min(max(1, squares // 60), 16)
        return Recipe(
            population=population,
            epoch=min(max(1, squares // population), 60),
            select=select.everyone(),
            parents=1,
            improve=exact_exchange(self.size, self.magic, self.step),
            survive=survive.children(),
            forget=True,
        )

    def _many(self) -> Recipe:
        """`fast`, and around every square found a harvest of thousands: related to each other, but very many."""
        if self.size > LARGEST_WALK:
            return replace(self._repair(), population=1, epoch=8, harvest=near_squares(self.size))
        expand = self.distinct != "classes"
        if self.size == 5:
            return replace(self._walk(), epoch=3, harvest=whole_tasks(self._numbers(), expand_classes=expand))
        ends = 2 * self.start + self.step * (self.size**2 - 1)
        return replace(self._walk(), epoch=8, harvest=many_squares(self.size, self.magic, ends, expand_classes=expand))

    def _estimate(self) -> Recipe:
        """Walks that tell how many squares there are; a generation is some 10 ms."""
        walk = self._walk()
        assert walk.improve is not None
        if self.size in semimagic.SQUARES:
            samples = {4: 1500, 5: 600, 6: 200}[self.size]
            improve = semimagic.lazy_walks(self.size, self.magic, walk.improve, samples)
        else:
            improve = tempering.ladders(self.size, self.magic, self._numbers(), rounds=20)
        return replace(walk, population=8, epoch=30, improve=improve, estimates=True)

    def _classic(self) -> Recipe:
        """The algorithm of the seed document."""
        space = self.space()
        return Recipe(
            population=200,
            elite=100,
            patience=1000,
            epoch=250,
            select=select.mating_pool(fraction=0.5, size=2),
            crossover=arrange.inversion(space, self.crossover_min, self.crossover_max),
            children=2,
            mutation=1.0,
            mutate=arrange.swap(space),
            survive=survive.children(),
            distinct=True,
        )

    def show(self, genome: Genomes) -> str:
        texts = self._texts(genome)
        width = max(len(text) for row in texts for text in row)
        lines = [" ".join(text.rjust(width) for text in row) for row in texts]
        return "\n".join(lines if self._is_whole else [*lines, f"corners of {self.size} x {self.size}"])

    def svg(self, genome: Genomes) -> str:
        from islands.views.svg import grid_picture

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
        square = np.reshape(genome, (self.size, self.size))
        if self._is_whole:
            return [[str(number) for number in row] for row in square.tolist()]
        ends = np.r_[:CORNER, -CORNER:0]
        texts = [[str(number) for number in row] for row in square[np.ix_(ends, ends)].tolist()]
        texts = [[*row[:CORNER], "...", *row[CORNER:]] for row in texts]
        return [*texts[:CORNER], ["..."] * len(texts[0]), *texts[CORNER:]]
