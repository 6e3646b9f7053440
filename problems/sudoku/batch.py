"""Many puzzles as one run: each is a task of an exhaustive search, so that islands share them and a run resumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from islands.errors import UsageError
from islands.model.capabilities import Census, Files, Format, Sheet, Sheets, Sweeping, Titled
from islands.model.entries import ALL, Wanted
from islands.model.problem import Problem, made, puzzle_name
from islands.operators import select, survive
from islands.operators.recipe import Recipe
from islands.operators.space import Choices, Genomes, Stored
from islands.writing.words import many
from problems.sudoku import bands, wide
from problems.sudoku.fast import solutions
from problems.sudoku.grid import FIELDS, BoxedGrid, check_grids
from problems.sudoku.large import LargeFile, lines_in
from problems.sudoku.lines import lines_of
from problems.sudoku.puzzle import Sudoku
from problems.sudoku.symbols import box_text, label, parse_box, symbols, values_of

if TYPE_CHECKING:
    from rich.text import Text


DIGITS = np.frombuffer(b".123456789", np.uint8)
WORTH_WHILE = 100  # puzzles of other sizes than 9x9 for which a kernel is compiled
NAMED = 20  # puzzles without a solution, by their numbers
KEPT = ("box", "alphabet", "word", *FIELDS)  # all other fields are options of a run of one puzzle
BOTH = 2  # solutions of each puzzle: enough to tell whether it is unique


class Batch(Problem, frozen=True):
    """Many sudokus of one size. A genome is the number of the puzzle, from 0, and its grid."""

    box: str = Field(default="3x3", description="rows and columns of a box")
    alphabet: str = Field(default="1", description="the symbols that are printed")
    each: Wanted = Field(default=BOTH, description="how many solutions of each puzzle to find")
    puzzles: str = Field(default="", description="one after another, in the alphabet 1, `.` = to be found")
    file: LargeFile | None = Field(default=None, description="... or the file they are in, where it is a large one")
    left_out: int = Field(default=0, ge=0, description="lines of the file that are not puzzles")
    faults: tuple[str, ...] = Field(default=(), description="what is wrong with the first of these")

    @field_validator("puzzles", mode="before")
    @classmethod
    def _joined(cls, puzzles: Any) -> Any:
        """Runs of version 0.1 have a list."""
        is_list = isinstance(puzzles, list | tuple) and all(isinstance(puzzle, str) for puzzle in puzzles)
        return "".join(puzzles) if is_list else puzzles

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """ValueError where these are not puzzles."""
        if self.file is not None and (self.puzzles or self.shape != bands.SHAPE):
            raise ValueError("`file`: a large file is one of 9x9 puzzles, and then there are no other `puzzles`")
        if bool(self.puzzles) == bool(self.file) or len(self.puzzles) % self.size**2:
            raise ValueError(f"`puzzles`: expected {self.size**2} characters for each {self.size}x{self.size} grid")
        if wrong := sorted(set(self.puzzles).difference(values_of("1", self.size), ".")):
            raise ValueError(f"`puzzles`: {wrong[0]!r} is not a symbol of a {self.size}x{self.size} grid")
        return self

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
            "puzzles": "".join(line[value] for puzzle in grids for value in puzzle.givens),
        }
        return made(cls, fields)

    @classmethod
    def of_lines(cls, source: bytes | Path) -> Self | None:
        """The puzzles of a text or a large file of one per line; None where it is something else."""
        if isinstance(source, bytes):
            lines = lines_of(partial(BytesIO, source), len(source))
        else:
            lines = lines_in(str(source.resolve()))
        if lines is None:
            return None
        fields: dict[str, Any] = {"left_out": lines.wrong, "faults": lines.faults}
        if isinstance(source, bytes):
            fields["puzzles"] = DIGITS[lines.rows(0, lines.count)].tobytes().decode()
        else:
            fields["file"] = LargeFile(path=str(source.resolve()), count=lines.count, checksum=lines.checksum)
        return made(cls, fields)

    @classmethod
    def together(cls, instances: Sequence[Problem], solutions: int | None) -> Problem:
        """A batch that was read as a whole, with up to `solutions` of each puzzle."""
        (batch,) = instances
        return batch if solutions is None else made(cls, {**batch.model_dump(), "each": solutions})

    @cached_property
    def shape(self) -> tuple[int, int]:
        return parse_box(self.box)

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def count(self) -> int:
        return len(self.puzzles) // self.size**2 if self.file is None else self.file.count

    def _rows(self, numbers: NDArray[np.integer[Any]] | range) -> Stored:
        """The givens of the puzzles with these numbers, (k, n * n) uint8."""
        if self.file is None:
            return self._givens[numbers.start : numbers.stop] if isinstance(numbers, range) else self._givens[numbers]
        return self.file.rows(numbers)

    @cached_property
    def _givens(self) -> Stored:
        """(puzzles, n * n) uint8, where they are not in a large file"""
        known = values_of("1", self.size)
        values = np.zeros(1 + max(map(ord, known)), np.uint8)
        for symbol, value in known.items():
            values[ord(symbol)] = value
        coded = self.puzzles.encode() if self.puzzles.isascii() else self.puzzles.encode("utf-16-le")
        codes = np.frombuffer(coded, np.uint8 if self.puzzles.isascii() else np.uint16)
        return np.asarray(values[codes].reshape(self.count, -1), np.uint8)

    def describe(self) -> str:
        n = self.size
        read = f"{self.count:,} puzzles of {n}x{n}, boxes {self.box}, symbols {label(self.alphabet, n)}"
        if not self.left_out:
            return read
        more = f"\n... and {self.left_out - len(self.faults):,} more" if self.left_out > len(self.faults) else ""
        return f"{read}\nleft out, {many(self.left_out, 'line')}:\n" + "\n".join(self.faults) + more

    def space(self) -> Choices:
        cells = self.size**2
        return Choices(1 + cells, [self.count, *[self.size + 1] * cells])

    def cost(self, genome: Genomes) -> int:
        return int(not self.verify(genome))

    def verify(self, genome: Genomes) -> bool:
        return self._puzzle(genome).verify(genome[1:])

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        return check_grids(self.shape, self._rows(genomes[:, 0]), genomes[:, 1:])

    def recipes(self) -> dict[str, Recipe]:
        """No breeding: tasks are swept."""
        purpose = "every puzzle is searched whole"
        return {"sweep": Recipe(purpose=purpose, population=1, select=select.everyone(), survive=survive.children())}

    def sweeping(self) -> Sweeping:
        worth = self.shape == bands.SHAPE or (wide.fits(self.shape) and self.count >= WORTH_WHILE)
        bulk = self.sweep_many if worth else None
        return Sweeping(tasks=self.count, sweep=self.sweep, sweep_many=bulk, census=self.census, only=True)

    def sweep(self, task: int) -> Genomes:
        if self.shape == bands.SHAPE:
            return self.sweep_many(range(task, task + 1))[1]
        grids, _ = solutions(*self.shape, self._givens[task].astype(np.int32), self.each, seed=task)
        return np.concatenate((np.full((len(grids), 1), task, np.int32), grids), axis=1)

    def sweep_many(self, tasks: range) -> tuple[NDArray[np.int64], Genomes]:
        if self.shape == bands.SHAPE:
            numbers, grids = self._of_bands(tasks)
        else:
            numbers, grids = self._solutions(tasks)
        genomes = np.empty((len(grids), 1 + self.size**2), np.int32)
        numbers += tasks.start
        genomes[:, 0], genomes[:, 1:] = numbers, grids
        return numbers, genomes

    def _of_bands(self, tasks: range) -> tuple[NDArray[np.int64], Stored]:
        """Of 9x9 puzzles. UsageError where they have more solutions than can be kept."""
        try:
            return bands.solutions(self._rows(tasks), self.each)
        except bands.TooMany as error:
            first, last = tasks.start + 1, tasks.start + 1 + error.puzzle
            which = f"puzzle {last:,} has" if first == last else f"puzzles {first:,} to {last:,} have"
            raise UsageError(
                f"{which} more than {bands.MOST_SOLUTIONS:,} solutions; a run of many puzzles keeps no more at a time. "
                f"Ask for fewer of each, such as `solutions=100`, or solve puzzle {last:,} in a run of its own."
            ) from error

    def _solutions(self, tasks: range) -> tuple[NDArray[np.int64], Stored]:
        """Of another size than 9x9; what takes many guesses is left to the search of one puzzle."""
        numbers, grids, given_up = wide.solutions(self.shape, self._rows(tasks), self.each)
        for place in np.flatnonzero(given_up).tolist():
            givens = self._givens[tasks[place]].astype(np.int32)
            others, _ = solutions(*self.shape, givens, self.each, seed=tasks[place])
            numbers = np.concatenate((numbers, np.full(len(others), place)))
            grids = np.concatenate((grids, others.astype(np.uint8)))
        order = np.argsort(numbers, kind="stable")
        return numbers[order], grids[order]

    def census(self, parts: Iterable[Genomes], swept: int) -> Census:
        """How many puzzles have one solution, several, none."""
        found = np.zeros(self.count, np.int32)
        for part in parts:
            if len(part):
                counts = np.bincount(part[:, 0] - (first := part[:, 0].min()))
                found[first : first + len(counts)] += counts.astype(np.int32)
        counted = {"puzzles": len(found), "solved": int((found > 0).sum())}
        if self.each > 1:
            counted["unique"] = int((found[:swept] == 1).sum())
        most = BOTH if self.each == ALL else self.each
        if most > 2:
            counted[f"2 to {most - 1}"] = int(((found > 1) & (found < most)).sum())
        if most > 1:
            counted[f"{most} or more"] = int((found >= most).sum())
        counted["no solution"] = missing = int((found[:swept] == 0).sum())
        if swept < len(found):
            counted["not searched"] = int((found[swept:] == 0).sum())
        if self.left_out:
            counted["left out"] = self.left_out
        return Census(counted, missing == self.left_out == 0, _named("no solution", np.flatnonzero(found[:swept] == 0)))

    def _puzzle(self, genome: Genomes) -> BoxedGrid:
        """The puzzle that a genome belongs to."""
        place = int(genome[0])
        givens = self._rows(range(place, place + 1))[0]
        return self._one({"givens": tuple(givens.tolist()), "number": place + 1})

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
        fields = ("puzzles", "file", "left_out", "faults")
        return Files(fields=fields, read=cls.read, together=cls.together, describe=cls.describe, formats=cls.formats)

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
