"""One letter grid."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import factorial
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.model.capabilities import Files, Maker, Sweeping, Wording
from islands.model.entries import ALL
from islands.model.problem import Problem
from islands.operators.recipe import Recipe
from islands.operators.space import Arrangement, Costs, Genomes
from islands.writing.words import many
from problems.letter_grid.classic import NOT_FOUND, classic, fitness, sweep_conflicts
from problems.letter_grid.fast import fast
from problems.letter_grid.target import USUAL, Reading, Worded, nowhere, obstacle, shown, written_in, wrong_letters
from problems.letter_grid.words import box_of, spelt
from problems.sudoku.fast import solutions
from problems.sudoku.grid import BoxedGrid, Parsed, completions
from problems.sudoku.logic import contradiction, units_of
from problems.sudoku.reading import read
from problems.sudoku.symbols import box_text

TOTALS = {4: 288, 6: 28_200_960, 9: 6_670_903_752_021_072_936_960}  # grids without givens
LARGEST_SWEPT = 6  # an exhaustive run has a task for each first row
RULES = re.compile(r"#\s*(?:letter-grid|sudoku)\b[^#\n]*?\bvariant=(\S+)", re.IGNORECASE)
WORD = re.compile(r'#\s*letter-grid\b[^#\n]*?\bword=(\S+)|"charset":\s*"([^"]+)"', re.IGNORECASE)


class LetterGrid(Worded, BoxedGrid, frozen=True):
    """Fill a grid so that every row, column and box holds each letter of a word once; some letters may be given, and
    the word may have to be read in a row, column or diagonal."""

    examples: ClassVar[tuple[str, ...]] = (
        "All grids there are:  islands run letter-grid --word LOVE --solutions all",
        "A puzzle of your own:  islands run letter-grid --word LOVE --givens L..E........O... --solutions all",
        "The word on the main diagonal:  islands run letter-grid --word DUMBWAITE --target diagonal --line 1",
        "As the seed document does it:  islands run letter-grid --word LOVE --recipe classic --generations 1000",
        "All grids that way:  islands run letter-grid --recipe classic --solutions all --population 5000 --elite 2500 "
        "--elite-death 20 --no-duplicates",
    )

    classic_fields: ClassVar[tuple[str, ...]] = ("tournament_size", "rotation")

    givens: tuple[int, ...] = Field(
        default=(), description="the letters given, . or 0 or _ where a cell is to be found"
    )
    tournament_size: int = Field(default=3, ge=1, description="classic: a parent is the best of this many")
    variant: str = Field(
        default="",
        description="other rules beside rows, columns and boxes: diagonal, windoku, anti-knight ...",
    )
    rotation: float = Field(default=0.1, ge=0, le=1, description="classic: how likely each row of a child is rotated")

    def __new__(cls, **fields: Any) -> Self:
        """A letter grid with other rules is a puzzle of the family of sudoku, with letters for values."""
        if fields.get("variant"):
            from problems.letter_grid.variants import with_rules

            return cast(Self, with_rules(cls.parse, fields))
        return super().__new__(cls)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.givens:
            object.__setattr__(self, "givens", (0,) * self.size**2)
        self._check_givens()
        if self.asked and not self.readings:
            raise ValueError(nowhere(self._given, self.asked, self.shape, self.word))
        return self

    @classmethod
    def parse(cls, text: str, options: dict[str, Any]) -> list[Parsed]:
        text = unicodedata.normalize("NFC", text)
        found = WORD.search(text)
        asked = options.get("word")
        named = asked or (next(filter(None, found.groups())) if found else USUAL)
        try:
            word = spelt(str(named))
        except ValueError as error:
            raise UsageError(f"`word={named!r}`: {error}." if asked else f"its word {named!r}: {error}.") from error
        grids = read(text, box_text(box_of(word)), word, example=word[0] + "." * (len(word) - 2) + word[-1])
        variants = {} if options.get("variant") else dict.fromkeys(RULES.findall(text))
        if len(variants) > 1:
            raise UsageError(
                f"its puzzles have other rules: {' and '.join(variants)}; expected the same for all of a file."
            )
        rules = {"variant": next(iter(variants))} if variants else {}
        return [(grid.line, {"word": word, "givens": grid.values, **rules}) for grid in grids]

    @classmethod
    def files(cls) -> Files:
        return replace(super().files(), option="givens")

    @classmethod
    def together(cls, instances: Sequence[Problem], solutions: int | None) -> Problem:
        from problems.letter_grid.batch import Many

        return Many.of(instances, solutions)

    @classmethod
    def maker(cls) -> type[Maker]:
        from problems.letter_grid.making import MakeLetterGrid

        return MakeLetterGrid

    def describe(self) -> str:
        givens = many(len(self.given_cells), "given")
        return f"{self.size}x{self.size}, boxes {box_text(self.shape)}, letters of {self.word}, {givens}"

    @property
    def spelling(self) -> str:
        return self.word

    @property
    def heading(self) -> str:
        return f"Letter grid: {self.word}"

    @property
    def task(self) -> str:
        rows, columns = self.shape
        letters = ", ".join(self.word)
        return f"Every row, every column and every box of {rows} x {columns} cells holds each of {letters} once."

    def note(self, alphabet: str) -> str:
        return f"# letter-grid word={self.word}\n"

    @cached_property
    def readings(self) -> list[Reading]:
        """Those of which one has to show the word, and can; none where there is no target."""
        return [one for one in self.asked if obstacle(self._given, one, self.shape, self.word) is None]

    def space(self) -> Arrangement:
        cells = np.arange(self.size**2, dtype=np.int32)
        return completions(self._given, cells // self.size)

    def cost(self, genome: Genomes) -> int:
        grid = [[int(value) for value in row] for row in np.reshape(genome, (self.size, self.size))]
        wrong = int(wrong_letters(np.asarray(genome)[None], self.readings)[0]) if self.readings else 0
        return fitness(grid, self.shape) + wrong

    def costs(self, genomes: Genomes) -> Costs:
        costs = np.empty(len(genomes), np.int64)
        units = np.array(units_of(self.shape), np.int32)
        sweep_conflicts(np.ascontiguousarray(genomes, np.int32), units, costs)
        return costs + wrong_letters(genomes, self.readings) if self.readings else costs

    def verify(self, genome: Genomes) -> bool:
        """The rules of every boxed grid, and the word where the target asks for it."""
        return super().verify(genome) and (self.target == "none" or self._reads(genome))

    def _reads(self, genome: Genomes) -> bool:
        """Whether the word stands in a line of the target; over texts, apart from what the search knows of readings."""
        rows = ["".join(self.word[value - 1] for value in row) for row in genome.reshape(self.size, self.size).tolist()]
        places = range(self.size)
        diagonals = ["".join(rows[i][i] for i in places), "".join(rows[i][-1 - i] for i in places)]
        lines = {"row": rows, "column": ["".join(column) for column in zip(*rows, strict=True)], "diagonal": diagonals}
        for kind in lines if self.target == "any" else self.target.split(","):
            for number, text in enumerate(lines[kind], 1):
                shows = text == self.word or (self.reversed and text[::-1] == self.word)
                if shows and self.line in (None, number):
                    return True
        return False

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        right = super().verified(genomes)
        if self.target != "none":
            right[right] = [self.verify(genome) for genome in genomes[right]]
        return right

    def recipes(self) -> dict[str, Recipe]:
        search = fast(self.shape, self._given, self.readings)
        return {
            # a depth-first search has no use for immigrants, who cost evaluations: docs/when-islands-pay.md
            "fast": replace(search, travel=search.exchange is not None),
            "classic": classic(self.space(), self.size, self.tournament_size, self.rotation),
        }

    def known_total(self) -> int | None:
        """Of grids without givens; every line has as many of them for one order of the letters as for any other."""
        total = TOTALS.get(self.size)
        if total is None or any(self.givens):
            return None
        if self.target == "none":
            return total
        if self.target in ("row", "column") and not self.reversed:
            return total // factorial(self.size) * len(self.readings)
        return None

    def sweeping(self) -> Sweeping | None:
        return Sweeping(tasks=factorial(self.size), sweep=self.sweep) if self.size <= LARGEST_SWEPT else None

    def sweep(self, task: int) -> Genomes:
        """All solutions with one of the orders of the letters in the first row."""
        row = _arrangement(self.size, task)
        given = self._given[: self.size]
        if ((given > 0) & (given != row)).any():
            return np.empty((0, self.size**2), np.int32)
        grids, _ = solutions(*self.shape, np.concatenate((row, self._given[self.size :])), ALL, seed=task)
        return grids[wrong_letters(grids, self.readings) == 0] if self.readings else grids

    def wording(self) -> Wording:
        return Wording(word="grid", explain=self.explain, not_found={"classic": NOT_FOUND}, marked=self.marked)

    def explain(self) -> str | None:
        only = self.readings[0] if len(self.readings) == 1 else None
        given = written_in(self._given, only).tolist() if only else self.givens
        return contradiction(self.shape, given, list(self.word))

    def remark(self, grid: Genomes) -> str:
        """`LOVE: row 1, column 3 reversed`; nothing where the word is not read."""
        readings = shown(grid, self.size)
        return f"{self.word}: {', '.join(map(str, readings))}" if readings else ""

    def tinted(self, grid: Sequence[int] | Genomes) -> set[int]:
        """The cells of the word."""
        return {cell for reading in shown(grid, self.size) for cell in reading.cells}


def _arrangement(n: int, number: int) -> Genomes:
    """The permutations of 1..n, numbered from 0 in order."""
    left, row = list(range(1, n + 1)), []
    for k in range(n - 1, -1, -1):
        place, number = divmod(number, factorial(k))
        row.append(left.pop(place))
    return np.array(row, np.int32)
