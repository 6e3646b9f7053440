"""What a puzzle may be able to do beside being solved, each as a value with its own few functions.

A puzzle returns one from the hook of the same name, or None where it cannot. The functions are mostly methods of the
puzzle itself; they cross the boundary like its hooks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from islands.boundary import checks
from islands.boundary.guard import check_values, guard_functions, guard_hooks, guarded_pieces
from islands.errors import PuzzleError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from islands.kernels.rng import Rng
    from islands.model.messages import TrendPoint
    from islands.model.problem import Problem
    from islands.operators.space import Genomes, Shares

MOST_TASKS = 10**12  # of an exhaustive run


class Sheet(NamedTuple):
    """A puzzle and a candidate of it, which may have empty cells, on their way to a file or to paper."""

    puzzle: Any
    genome: Genomes
    solution: Genomes | None = None  # where it is known and `candidate` is another
    difficulty: str = ""  # "hard"; empty: nobody has said
    seed: int | None = None  # with which it was made
    remark: str = ""  # what its maker could not find out


Sheets = Iterable[Sheet]


@dataclass(frozen=True)
class Titled:
    """A file format that has a place for a title: sheets and the title, which may be empty -> the file."""

    write: Callable[[Sheets, str], Iterator[str | bytes]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "write", guarded_pieces(self.write))

    def __call__(self, sheets: Sheets, title: str = "") -> Iterator[str | bytes]:
        return self.write(sheets, title)


Format = Callable[[Sheets], Iterator[str | bytes]]
"""A file format of a puzzle: sheets -> the pieces of the file, text or bytes."""


@dataclass(frozen=True, kw_only=True)
class Symmetry:
    """Each solution has `images`, itself among them, that `canonical` calls the same."""

    images: int
    image: Callable[[Genomes, int], Genomes]  # (n, length), number below `images` -> (n, length); 0 is the row itself

    def __post_init__(self) -> None:
        check_values(self, {"images": checks.whole(1)})
        guard_functions(self, {"image": checks.like_last})


@dataclass(frozen=True)
class Census:
    """What a puzzle counts at the end of an exhaustive run, and whether all of it is as hoped."""

    counts: dict[str, int]
    satisfied: bool
    note: str = ""  # what is behind a count, in a line

    def __post_init__(self) -> None:
        counts = checks.named(checks.whole(0), "texts and whole numbers")
        check_values(self, {"counts": counts, "satisfied": checks.truth, "note": checks.text})


Sweep = Callable[[int], "Genomes | int | Generator[None, None, Genomes | int]"]
"""A task -> all its solutions, or only their number; if it takes long, a generator that returns them and pauses often:
a run that is told to stop ends it in a pause."""


@dataclass(frozen=True, kw_only=True)
class Sweeping:
    """The whole space in disjoint tasks of like size, for an exhaustive run."""

    tasks: int
    sweep: Sweep
    sweep_many: Callable[[range], tuple[NDArray[np.int64], Genomes]] | None = None
    """Consecutive tasks -> all their solutions, (m, length), and the task of each, (m,); where that is quicker."""
    census: Callable[[Iterable[Genomes], int], Census] | None = None  # all solutions, part by part; tasks done
    only: bool = False  # there is nothing to breed: every run is exhaustive

    def __post_init__(self) -> None:
        check_values(self, {"tasks": checks.whole(0, MOST_TASKS), "only": checks.truth})
        many = {"sweep_many": checks.tasks_and_genomes}
        guard_functions(self, {"sweep": checks.genomes_or_number, **many, "census": checks.instance_of(Census)})


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """For puzzles whose solutions differ in merit: a cost up to `tolerance` is a solution, a lower one a better one.

    With `optimising` the cost says how good a candidate is, not how wrong: every candidate is a solution, unless there
    is a `tolerance`, and an island keeps those that are better than all it had before. A run ends when nothing gets
    better any more, or with a cost of `target`.
    """

    tolerance: int | None = None  # None: 0, or without a limit where the puzzle is optimised
    optimising: bool = False
    target: int = 0  # a cost that is good enough, or known to be the best there is
    cost_text: Callable[[int], str] = "{:,}".format  # a cost as a person reads it
    merits: Callable[[Genomes], dict[str, float]] = lambda _: {}  # what makes a solution better, by name
    partial: Callable[[Genomes], str | None] = lambda _: None  # what a candidate lacks; None: it is not worth showing
    advice: Callable[[Genomes], str] = lambda _: ""  # what to try after a run that ended with such a candidate
    alike: Callable[[Genomes, Genomes], Shares] = lambda one, others: (one == others).mean(axis=1)
    """A genome and others, (length,) and (n, length) -> how much each has in common with it, 0 to 1, (n,)."""

    def __post_init__(self) -> None:
        check_values(
            self,
            {
                "tolerance": checks.optional(checks.whole(0)),
                "optimising": checks.truth,
                "target": checks.whole(0),
            },
        )
        worst = 0 if self.tolerance is None and not self.optimising else self.tolerance
        if worst is not None and self.target > worst:
            wanted = f"a target of at most {worst:,}, the tolerance: a higher cost is not a solution"
            if not self.optimising:
                wanted += ". Where the cost says how good a candidate is, write optimising=True"
            raise TypeError(f"Ranking(target={self.target}): expected {wanted}")
        merits = checks.named(checks.finite, "texts and numbers")
        said = {"cost_text": checks.text, "partial": checks.text_or_none, "advice": checks.text}
        guard_functions(self, {**said, "merits": merits, "alike": checks.shares_of})


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What people call the solutions of a puzzle, and the words for the end of a run."""

    word: str = "solution"  # one of them: "square", "grid", "code"
    unit: str | None = None  # what a run counts, in the singular, where it is not a `word`
    counts: Callable[[int], dict[str, int]] = lambda _: {}  # a number of solutions in all units, the run's own first
    completed: Callable[[int], str | None] = lambda _: None  # said when all there are were found; None: usual words
    explain: Callable[[], str | None] = lambda: None  # why there is no solution, where a few words can say it
    not_found: Mapping[str, str] = field(default_factory=dict)  # recipe -> said when its generations found nothing
    marked: Callable[[Genomes], Text] | None = None  # a candidate with what is wrong in it marked, also without colours
    cell_costs: Callable[[Genomes], Genomes] | None = (
        None  # (n, length) -> (n, length): what each cell adds to the cost
    )

    def __post_init__(self) -> None:
        not_found = checks.named(checks.text, "recipes and texts")
        check_values(self, {"word": checks.word, "unit": checks.word_or_none, "not_found": not_found})
        counts = checks.named(checks.whole(0), "texts and whole numbers")
        said = {"completed": checks.text_or_none, "explain": checks.text_or_none, "marked": checks.styled_text}
        guard_functions(self, {**said, "counts": counts, "cell_costs": checks.like_last})


@dataclass(frozen=True, kw_only=True)
class InputResult:
    """How the run of one input of a batch went."""

    name: str  # of the input
    problem: Any  # the puzzle, an instance of the class that the function belongs to
    sampled: bool  # chance decided a part of the puzzle
    recipe: str
    best: Genomes | None  # (length,): the best solution, or the candidate of the lowest cost
    solved: bool
    generations: int  # until `best` was found, or of the whole run where it is no solution
    seconds: float  # likewise
    trend: Sequence[TrendPoint]


@dataclass(frozen=True)
class BatchSummary:
    """What a puzzle tells of a batch: files by their names, a note for the last line, a table of headings and rows."""

    files: dict[str, str]
    note: str = ""
    table: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, kw_only=True)
class Files:
    """How instances of a puzzle are read from files and written to them."""

    fields: tuple[str, ...]  # the fields that `read` fills; they are no options, but an argument
    read: Callable[..., Sequence[Any]]  # (text, and as keywords the options given beside it) -> its instances
    option: str | None = None  # a field whose option names the file as well: --givens FILE
    describe: Callable[[Any], str] | None = None  # what was read, in a line
    together: Callable[[Sequence[Any], int | None], Problem] | None = None  # instances, solutions of each -> one puzzle
    many: Callable[[bytes | Path], Problem | None] | None = None
    """A text, or a file that is too large for one -> all its instances as one puzzle, which `together` of that puzzle's
    class completes; None where it takes `read`."""
    large: str | None = None  # what `many` reads however large it is, in words
    sample: Callable[[Any, int], Any] | None = None  # an instance with what it leaves to chance decided by a seed
    example: str | None = None  # a small text that `read` knows
    slashed: bool = False  # a text may be a square grid in one line, with / between its rows
    suffixes: tuple[str, ...] = (".txt",)  # of the files that are read where a folder is given
    summary: Callable[[Sequence[InputResult]], BatchSummary] | None = None  # what is written beside the runs of a batch
    formats: Callable[[Any], dict[str, Format]] = lambda _: {}  # suffix (".svg", ".solved.svg") -> how it is written

    def __post_init__(self) -> None:
        texts = {"fields": checks.texts, "suffixes": checks.texts}
        check_values(
            self, {**texts, "option": checks.text_or_none, "example": checks.text_or_none, "large": checks.text_or_none}
        )
        one = checks.instance_of(BaseModel)
        made = {"read": checks.list_of(BaseModel, "puzzles"), "together": one, "sample": one}
        made["many"] = checks.instance_of(BaseModel, none=True)
        formats = checks.named(checks.function, "suffixes and functions")
        said = {"describe": checks.text, "summary": checks.instance_of(BatchSummary), "formats": formats}
        guard_functions(self, {**made, **said})

    def formats_of(self, problem: Any) -> dict[str, Format]:
        """The formats of one puzzle; what they raise or give instead of text is reported as the puzzle's fault."""
        formats = self.formats(problem)
        return {name: write if isinstance(write, Titled) else guarded_pieces(write) for name, write in formats.items()}


def check_examples(kind: Any) -> None:
    """UsageError where the examples of a class are no texts."""
    if checks.texts(kind.examples, ()) is not None:
        raise UsageError(f"{kind.__name__}.examples must be a tuple of texts, commands to try: (..., ).")


def _sheet(value: Any, _: tuple[Any, ...]) -> str | None:
    """What a maker returns."""
    fits = isinstance(value, Sheet) and isinstance(value.puzzle, BaseModel) and isinstance(value.genome, np.ndarray)
    fits = fits and value.genome.ndim == 1 and value.genome.dtype.kind in "iu"
    return None if fits else "a Sheet of a puzzle and a candidate, (length,) whole numbers"


class Maker(BaseModel, frozen=True, extra="forbid"):
    """How new instances of a puzzle are made; its fields are the options of `islands make`."""

    examples: ClassVar[tuple[str, ...]] = ()  # at the end of the help of `islands make`

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_examples(cls)
        guard_hooks(cls, Maker, {"make": _sheet, "key": checks.optional(checks.bytes_)})

    def make(self, rng: Rng) -> Sheet:
        """A new instance, the candidate that shows it, with empty cells, and its solution if that is known."""
        raise PuzzleError(f"{type(self).__name__} has no make(rng): return a Sheet with a new puzzle from it.")

    def key(self, sheet: Sheet) -> bytes | None:
        """What no other instance made beside this one may have, too; None: they may be alike."""
        return None


Code = tuple[int, ...]


class Play(BaseModel, frozen=True, extra="forbid"):
    """A puzzle as a game at the terminal; its fields are the options of `islands play`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        guard_hooks(cls, Play, {"play": checks.whole(0, 255), "hide": None, "answer": None, "guess": None})

    def play(self) -> int:
        """A game to its end, whatever the end is, and further ones where somebody wants them; the exit code."""
        raise PuzzleError(f"{type(self).__name__} has no play(): play one game in it, and return the exit code.")

    # Turn by turn, for a page: a code is numbers from 0, an answer two numbers, exact matches and others

    def hide(self, seed: int) -> Code:
        """A code to be found."""
        raise UsageError(f"{type(self).__name__} is played at the terminal alone.")

    def answer(self, secret: Code, guess: Code) -> tuple[int, int]:
        """What a guess has in common with the secret."""
        raise UsageError(f"{type(self).__name__} is played at the terminal alone.")

    def guess(self, turns: Sequence[tuple[Code, tuple[int, int]]]) -> Code:
        """The computer's next guess after these guesses and their answers; UsageError where these contradict."""
        raise UsageError(f"{type(self).__name__} is played at the terminal alone.")
