"""Many puzzles as one run: each is a task of an exhaustive search, so that islands share them and a run resumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from islands.errors import UsageError
from islands.model.capabilities import Census, Files, Format, Sheet, Sheets, Sweeping, Titled
from islands.model.job import ALL, Wanted
from islands.model.problem import Problem, made, puzzle_name
from islands.operators import select, survive
from islands.operators.recipe import Recipe
from islands.operators.space import Choices, Genomes
from problems.sudoku.fast import solutions
from problems.sudoku.grid import FIELDS, BoxedGrid, check_grids
from problems.sudoku.puzzle import Sudoku
from problems.sudoku.symbols import box_text, label, parse_box, symbols, values_of

if TYPE_CHECKING:
    from rich.text import Text


NAMED = 20  # puzzles without a solution, by their numbers
KEPT = ("box", "alphabet", "word", *FIELDS)  # all other fields are options of a run of one puzzle
BOTH = 2  # solutions of each puzzle: enough to tell whether it is unique


class Batch(Problem, frozen=True):
    """Many sudokus of one size. A genome is the number of the puzzle, from 0, and its grid."""

    box: str = Field(default="3x3", description="rows and columns of a box")
    alphabet: str = Field(default="1", description="the symbols that are printed")
    each: Wanted = Field(default=BOTH, description="how many solutions of each puzzle to find")
    puzzles: tuple[str, ...] = Field(description="one line each, in the alphabet 1, `.` = to be found")

    @classmethod
    def of(cls, puzzles: Sequence[Problem], solutions: int | None = None) -> Self:
        """The puzzles of one file, up to `solutions` of each. UsageError where an option would have no effect."""
        grids = [puzzle for puzzle in puzzles if isinstance(puzzle, BoxedGrid)]
        first = grids[0]
        for name, field in type(first).model_fields.items():
            if name not in KEPT and getattr(first, name) != field.default:
                raise UsageError(f"`{name}` is for a run of one puzzle; there are {len(puzzles)} in it. Leave it out.")
        line = [".", *symbols("1", first.size)]
        fields = {
            "box": box_text(first.shape),
            "alphabet": first.spelling,
            "each": solutions or BOTH,
            "puzzles": tuple("".join(line[value] for value in puzzle.givens) for puzzle in grids),
        }
        return made(cls, fields)

    @cached_property
    def shape(self) -> tuple[int, int]:
        return parse_box(self.box)

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    @cached_property
    def _givens(self) -> Genomes:
        """(puzzles, n * n)"""
        known = values_of("1", self.size)
        return np.array([[known[symbol] for symbol in puzzle] for puzzle in self.puzzles], np.int32)

    def describe(self) -> str:
        n = self.size
        return f"{len(self.puzzles):,} puzzles of {n}x{n}, boxes {self.box}, symbols {label(self.alphabet, n)}"

    def space(self) -> Choices:
        cells = self.size**2
        return Choices(1 + cells, [len(self.puzzles), *[self.size + 1] * cells])

    def cost(self, genome: Genomes) -> int:
        return int(not self.verify(genome))

    def verify(self, genome: Genomes) -> bool:
        return self._puzzle(genome).verify(genome[1:])

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        return check_grids(self.shape, self._givens[genomes[:, 0]], genomes[:, 1:])

    def recipes(self) -> dict[str, Recipe]:
        """No breeding: tasks are swept."""
        purpose = "every puzzle is searched whole"
        return {"sweep": Recipe(purpose=purpose, population=1, select=select.everyone(), survive=survive.children())}

    def sweeping(self) -> Sweeping:
        return Sweeping(tasks=len(self.puzzles), sweep=self.sweep, census=self.census, only=True)

    def sweep(self, task: int) -> Genomes:
        grids, _ = solutions(*self.shape, self._givens[task], self.each, seed=task)
        return np.concatenate((np.full((len(grids), 1), task, np.int32), grids), axis=1)

    def census(self, parts: Iterable[Genomes], swept: int) -> Census:
        """How many puzzles have one solution, several, none."""
        found = np.zeros(len(self.puzzles), np.int64)
        for part in parts:
            found += np.bincount(part[:, 0], minlength=len(found))
        counts = {"puzzles": len(found), "solved": int((found > 0).sum())}
        if self.each > 1:
            counts["unique"] = int((found[:swept] == 1).sum())
        many = BOTH if self.each == ALL else self.each
        if many > 2:
            counts[f"2 to {many - 1}"] = int(((found > 1) & (found < many)).sum())
        if many > 1:
            counts[f"{many} or more"] = int((found >= many).sum())
        counts["no solution"] = missing = int((found[:swept] == 0).sum())
        if swept < len(found):
            counts["not searched"] = int((found[swept:] == 0).sum())
        return Census(counts, missing == 0, _named("no solution", np.flatnonzero(found[:swept] == 0)))

    def _puzzle(self, genome: Genomes) -> BoxedGrid:
        """The puzzle that a genome belongs to."""
        place = int(genome[0])
        return self._one({"givens": tuple(self._givens[place].tolist()), "number": place + 1})

    def _one(self, fields: dict[str, Any]) -> BoxedGrid:
        return made(Sudoku, {"box": self.box, "alphabet": self.alphabet, **fields})

    def show(self, genome: Genomes) -> str:
        return self.styled(genome).plain

    def styled(self, genome: Genomes) -> Text:
        from rich.text import Text

        return Text.assemble((f"puzzle {genome[0] + 1}\n", "bold"), self._puzzle(genome).styled(genome[1:]))

    def compact(self, genome: Genomes) -> Text:
        from rich.text import Text

        return Text.assemble((f"puzzle {genome[0] + 1}\n", "bold"), self._puzzle(genome).compact(genome[1:]))

    def svg(self, genome: Genomes) -> str:
        return self._puzzle(genome).svg(genome[1:])

    @classmethod
    def files(cls) -> Files:
        return Files(fields=("puzzles",), read=cls.read, describe=cls.describe, formats=cls.formats)

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        raise UsageError(f"{puzzle_name(cls)} is made of the puzzles of a file; islands run sudoku FILE reads them.")

    def formats(self) -> dict[str, Format]:
        first = self._puzzle(np.zeros(1, np.int32))
        return {suffix: self._of_each(write) for suffix, write in first.formats().items()}

    def _of_each(self, write: Format) -> Format:
        def each(sheets: Sheets) -> Iterator[Sheet]:
            return (Sheet(self._puzzle(sheet.genome), sheet.genome[1:]) for sheet in sheets)

        if isinstance(write, Titled):
            return Titled(lambda sheets, title: write(each(sheets), title))
        return lambda sheets: write(each(sheets))


def _named(verdict: str, puzzles: NDArray[np.int64]) -> str:
    """`no solution: puzzle 4, 17`; the first ones, where they are many."""
    if not len(puzzles):
        return ""
    more = f" and {len(puzzles) - NAMED:,} more" if len(puzzles) > NAMED else ""
    return f"{verdict}: puzzle {', '.join(str(number + 1) for number in puzzles[:NAMED])}{more}"
