"""A puzzle: its parameters are pydantic fields, its rules a few methods.

The smallest puzzle has a space and a cost; everything else has a default:

    class Queens(Problem):
        size: int = 8
        def space(self): return Arrangement(range(self.size))
        def cost(self, genome): ...
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from islands.errors import IslandsError, PuzzleError, UsageError, expected, unknown

if TYPE_CHECKING:
    from pathlib import Path

    from rich.text import Text

    from islands.kernels.rng import Rng
    from islands.model.estimate import Estimate, Tally
    from islands.operators.recipe import Recipe
    from islands.operators.space import Costs, Genomes, Space

Sheets = Iterable[tuple[Any, "Genomes"]]
"""Puzzles, each with a candidate that may have empty cells."""

Format = Callable[[Sheets], Iterator[str | bytes]]
"""A file format of a puzzle: sheets -> the pieces of the file, text or bytes."""


@dataclass(frozen=True)
class Census:
    """What a puzzle counts at the end of an exhaustive run, and whether all of it is as hoped."""

    counts: dict[str, int]
    satisfied: bool
    note: str = ""  # what is behind a count, in a line


class Maker(BaseModel, frozen=True, extra="forbid"):
    """How new instances of a puzzle are made; its fields are the options of `islands make`."""

    examples: ClassVar[tuple[str, ...]] = ()  # at the end of the help of `islands make`

    def make(self, rng: Rng) -> tuple[Problem, Genomes]:
        """A new instance, and the candidate that shows it, with empty cells."""
        raise NotImplementedError


class Play(BaseModel, frozen=True, extra="forbid"):
    """A puzzle as a game at the terminal; its fields are the options of `islands play`."""

    def play(self) -> int:
        """One game to its end, whatever the end is; the exit code."""
        raise NotImplementedError


class Problem(BaseModel, frozen=True, extra="forbid"):
    """One puzzle with its parameters. Genomes come as int32 arrays: one (length,), a population (n, length)."""

    solution_word: ClassVar[str] = "solution"  # what a person calls one: "square", "grid", "code"
    from_file: ClassVar[tuple[str, ...]] = ()  # the fields that `read` fills; they are no options, but an argument
    examples: ClassVar[tuple[str, ...]] = ()  # at the end of the help of `islands run`
    file_option: ClassVar[str | None] = None  # an option that names the file as well: `--givens FILE`
    sweeps_only: ClassVar[bool] = False  # there is nothing to breed: every run is exhaustive

    def space(self) -> Space:
        """What a candidate is."""
        raise PuzzleError(f"{type(self).__name__} has no space(): return an Arrangement or Choices from it.")

    def cost(self, genome: Genomes) -> int:
        """How wrong one candidate is: 0 = solved, lower is better."""
        raise PuzzleError(f"{type(self).__name__} has no cost(genome): return how wrong it is from it, 0 = solved.")

    def costs(self, genomes: Genomes) -> Costs:
        """The costs of a population, (n, length) -> (n,) int64."""
        rows = genomes.view()
        rows.flags.writeable = False  # a cost that sorts its argument would change the population
        return np.fromiter((whole_number(self, self.cost(genome)) for genome in rows), np.int64, len(rows))

    @property
    def tolerance(self) -> int:
        """A candidate that costs no more is a solution; where this is above 0, a lower cost is a better solution."""
        return 0

    def told(self, cost: int) -> str:
        """A cost as a person on the watch reads it."""
        return f"{cost:,}"

    def merits(self, genome: Genomes) -> dict[str, float]:
        """What makes one solution better than another, by name; for those that have a `tolerance`."""
        return {}

    def partial(self, genome: Genomes) -> str | None:
        """What the best candidate of a run without a solution lacks; None where it is of no use to anybody."""
        return None

    def advice(self, genome: Genomes) -> str:
        """What to try after a run that ended with such a partial candidate; it may take a while to find out."""
        return ""

    def drawn(self, seed: int) -> Self:
        """This puzzle with all that it leaves to chance decided by the seed of a run."""
        return self

    def canonical(self, genomes: Genomes) -> Genomes:
        """The form that is equal for all solutions a person calls the same, (n, length) -> (n, length)."""
        return genomes

    def symmetries(self) -> int:
        """How many images every solution has that `canonical` calls the same; 1 = itself alone."""
        return 1

    def image(self, genomes: Genomes, number: int) -> Genomes:
        """Image `number`, below `symmetries()`, of each row, (n, length) -> (n, length); 0 is the row itself."""
        return genomes

    @property
    def unit(self) -> str | None:
        """What a run counts, in the singular, where it is not a `solution_word`."""
        return None

    def counts(self, found: int) -> dict[str, int]:
        """So many solutions, exactly, in all units a person may mean: by their singulars, the run's own first."""
        return {}

    def verify(self, genome: Genomes) -> bool:
        """The rules, slow and obvious. Override it with code that shares nothing with the cost."""
        return int(self.cost(genome)) <= self.tolerance

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        """Which of a batch are in the space and obey the rules, (n, length) -> (n,)."""
        obeys = np.fromiter((bool(self.verify(genome)) for genome in genomes), np.bool_, len(genomes))
        return obeys & self.space().contains(genomes)

    def recipes(self) -> dict[str, Recipe]:
        """Named ways to breed; the first is the default."""
        from islands.operators.defaults import recipes_for

        return recipes_for(self.space(), self.costs)

    def known_total(self) -> int | None:
        """How many distinct solutions exist, where mathematics knows."""
        return None

    def tasks(self) -> int:
        """Into how many disjoint tasks the whole space is cut for an exhaustive run; 0 = it cannot be."""
        return 0

    def sweep(self, task: int) -> Genomes | int:
        """All solutions of one task, or only their number."""
        raise NotImplementedError

    def estimate(self, tallies: list[Tally]) -> Estimate | None:
        """How many solutions there are, as far as the walks of an estimating recipe tell; a tally per island."""
        return None

    def census(self, parts: Iterable[Genomes], swept: int) -> Census | None:
        """What to count at the end of an exhaustive run, from all solutions, part by part; `swept` tasks are done."""
        return None

    def usual_stop(self, recipe: str | None) -> dict[str, Any]:
        """The stop rule of a run for which nobody gave one, nor perhaps a recipe; empty: one solution.

        Where there is a `tolerance`, a run for N solutions lives its `generations` too, and the best N are the answer.
        """
        return {}

    def completed(self, found: int) -> str | None:
        """What to say when these are all solutions there are, where the usual words do not fit."""
        return None

    def explain(self) -> str | None:
        """Why there is no solution, where a few words can say it."""
        return None

    def describe(self) -> str:
        """What was read, in a line."""
        return puzzle_name(type(self))

    def show(self, genome: Genomes) -> str:
        """The candidate as monospaced text."""
        return " ".join(str(value) for value in genome.tolist())

    def styled(self, genome: Genomes) -> Text:
        """The same text for a terminal, which can do bold and colours."""
        from rich.text import Text

        return Text(self.show(genome))

    def svg(self, genome: Genomes) -> str:
        """The candidate as a picture."""
        from islands.writing.svg import text_picture

        return text_picture(self.show(genome))

    def formats(self) -> dict[str, Format]:
        """The puzzle's own file formats by suffix (`.svg`, `.solved.svg`), beside or in place of those of every run."""
        return {}

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        """Instances from a file's text, in every format people use; `options` are the fields given beside it."""
        raise UsageError(f"{puzzle_name(cls)} is not read from files; its parameters are options.")

    @classmethod
    def solve_folder(cls, folder: Path, target: Path, options: dict[str, Any]) -> int:
        """Solve every file of a folder into a folder of outputs; returns how many were not solved.

        `options` are those given, a run's as well, and `json` and `quiet` where they are.
        """
        raise UsageError(f"{folder} is a folder; {puzzle_name(cls)} is read from a file.")

    @classmethod
    def together(cls, instances: Sequence[Problem], solutions: int | None) -> Problem:
        """Several instances as one puzzle; `solutions` = how many of each are asked for."""
        raise UsageError(f"there are {len(instances)} puzzles in it; {puzzle_name(cls)} is solved one by one.")

    @classmethod
    def maker(cls) -> type[Maker] | None:
        """How new instances are made, if `islands make` can."""
        return None

    @classmethod
    def game(cls) -> type[Play] | None:
        """The game, if there is one for `islands play`."""
        return None


Kind = TypeVar("Kind", bound=BaseModel)


@contextmanager
def blame(puzzle: str) -> Iterator[None]:
    """Whatever a puzzle's code raises inside becomes one clear PuzzleError."""
    try:
        yield
    except (IslandsError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise PuzzleError(
            f"{puzzle} failed: {type(error).__name__}: {error} "
            f"({place.filename.rpartition('/')[2]}, line {place.lineno}, in {place.name})."
        ) from error


def puzzle_name(kind: type[BaseModel]) -> str:
    """`magic-square` for problems.magic_square.MagicSquare, `sudoku:Batch` for a class that is not the package's main
    one; the class's name for a user's puzzle."""
    package, _, module = kind.__module__.partition(".")
    if package != "problems":
        return kind.__name__
    name = module.partition(".")[0].replace("_", "-")
    return name if kind.__name__ == main_class(name) else f"{name}:{kind.__name__}"


def main_class(name: str) -> str:
    return name.title().replace("-", "")


def whole_number(problem: Problem, value: Any) -> int:
    """A cost as an int; PuzzleError where it is not a whole number."""
    if isinstance(value, bool | int | np.integer | np.bool_):
        return int(value)
    raise PuzzleError(
        f"{type(problem).__name__}.cost must return a whole number (0 = solved), not {value!r} "
        f"({type(value).__name__}). Return int(...)."
    )


def made(kind: type[Kind], parameters: dict[str, Any]) -> Kind:
    """A puzzle, maker or game with its parameters; UsageError says which parameter is wrong and why."""
    try:
        return kind(**parameters)
    except ValidationError as error:
        raise UsageError("\n".join(_explain(kind, detail) for detail in error.errors())) from error


def _explain(kind: type[BaseModel], detail: Any) -> str:
    name = str(detail["loc"][0]) if detail["loc"] else ""
    option = "--" + name.replace("_", "-")
    if detail["type"] == "extra_forbidden":
        return str(
            unknown(
                f"option of {puzzle_name(kind)}",
                option,
                ("--" + field.replace("_", "-") for field in kind.model_fields),
            )
        )
    if detail["type"] == "missing":
        filed = issubclass(kind, Problem) and name in kind.from_file
        return f"{puzzle_name(kind)} needs " + (
            f"a puzzle: islands run {puzzle_name(kind)} FILE" if filed else f"{option}."
        )
    return f"{option} {detail['input']!r}: {expected(detail)}." if name else f"{expected(detail)}."
