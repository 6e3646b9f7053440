"""A puzzle: its parameters are pydantic fields, its rules a few methods.

The smallest puzzle has a space and a cost; everything else has a default:

    class Queens(Problem):
        size: int = 8
        def space(self): return Arrangement(range(self.size))
        def cost(self, genome): ...
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from islands.boundary import checks
from islands.boundary.guard import blame, guard_hooks
from islands.errors import PuzzleError, UsageError, expected, quoted, unknown
from islands.model.capabilities import Files, Maker, Play, Ranking, Sweeping, Symmetry, Wording, check_examples
from islands.model.declaring import declare
from islands.operators.defaults import crosses, recipes_for
from islands.operators.recipe import Recipe
from islands.operators.space import Arrangement, Choices, Costs, Genomes, Space
from islands.rules.declared import Declared
from islands.rules.rules import Rule
from islands.writing.svg import text_picture

if TYPE_CHECKING:
    from rich.text import Text


OPTIMISED = 4000  # generations of a run for the best, unless it gives up before
SHORT = 12  # values of a list that a message repeats


class Problem(BaseModel, frozen=True, extra="forbid"):
    """One puzzle with its parameters. Genomes come as int32 arrays: one (length,), a population (n, length)."""

    examples: ClassVar[tuple[str, ...]] = ()  # at the end of the help of `islands run`
    classic_fields: ClassVar[tuple[str, ...]] = ()  # of no use to any recipe but `classic`
    further_fields: ClassVar[tuple[str, ...]] = ()  # that make it a puzzle of another class, which has them
    web_board: ClassVar[str] = ""  # what `islands web` offers beside the form: grid, words or pegs

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse fields with the name of a hook, and guard the hooks that the class defines."""
        for name, annotation in inspect.get_annotations(cls).items():
            if hasattr(Problem, name) and "ClassVar" not in str(annotation):
                raise UsageError(
                    f"{cls.__name__}.{name}: every puzzle has something else of this name, so that no field can "
                    "have it. Rename the field."
                )
        super().__init_subclass__(**options)
        check_examples(cls)
        guard_hooks(cls, Problem, HOOKS)

    def space(self) -> Space:
        """What a candidate is."""
        raise PuzzleError(f"{type(self).__name__} has no space(): return an Arrangement or Choices from it.")

    def rules(self, x: NDArray[Any]) -> Iterable[Rule]:
        """What holds in a solution, declared: `yield AllDifferent(x)` and so on; `x` has a term for each cell.

        The cost, the verifier and the recipes follow from it.
        """
        return ()

    def cost(self, genome: Genomes) -> int:
        """How wrong one candidate is: 0 = solved, lower is better."""
        if self.has_own("costs"):
            return int(self.costs(np.asarray(genome)[None])[0])
        if self.declared is not None:
            return self.declared.cost(np.asarray(genome))
        raise PuzzleError(
            f"{type(self).__name__} has no cost(genome): return how wrong it is from it, 0 = solved. Or declare "
            "rules(x), from which the cost follows."
        )

    def costs(self, genomes: Genomes) -> Costs:
        """The costs of a population, (n, length) -> (n,) int64."""
        if self.declared is not None and not self.has_own("cost"):
            return self.declared.costs(genomes)
        rows = genomes.view()
        rows.flags.writeable = False  # a cost that sorts its argument would change the population
        return np.fromiter((int(self.cost(genome)) for genome in rows), np.int64, len(rows))

    def has_own(self, hook: str) -> bool:
        """Whether the puzzle itself has this hook."""
        return bool(getattr(getattr(type(self), hook), "guarded", False))

    @cached_property
    def declared(self) -> Declared | None:
        """The puzzle's rules, written down once; None if it has none."""
        return declare(self) if self.has_own("rules") else None

    def canonical(self, genomes: Genomes) -> Genomes:
        """The form that is equal for all solutions a person calls the same, (n, length) -> (n, length)."""
        return genomes

    def verify(self, genome: Genomes) -> bool:
        """The rules, slow and obvious. Override it with code that shares nothing with the cost, or declare `rules`."""
        if self.declared is None or self.has_own("cost") or self.has_own("costs"):
            cheap = int(self.cost(genome)) <= tolerance(self)
            return cheap and (self.declared is None or self.declared.hold(genome, tolerance(self)))
        return self.declared.hold(genome, tolerance(self))

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        """Which of a batch are in the space and obey the rules, (n, length) -> (n,)."""
        obeys = np.fromiter((bool(self.verify(genome)) for genome in genomes), np.bool_, len(genomes))
        return obeys & self.space().contains(genomes)

    def recipes(self) -> dict[str, Recipe]:
        """Named ways to breed."""
        if self.declared is not None:
            return self.declared.recipes(self.canonical, target(self), optimising(self), tolerance(self))
        cost = None if self.has_own("costs") else self.cost
        return recipes_for(self.space(), self.costs, cost, target(self), optimising(self))

    def recipe_for(self, solutions: int | None, seconds: float | None) -> tuple[str, str]:
        """The recipe of a run for which nobody named one, and why in a few words; the first, if there is no reason.

        `solutions` are asked for, 10**15 = all of them, None = as many as come; within `seconds`, if that is given.
        """
        if optimising(self) and self.declared is None and crosses(self.space()):
            return "classic", "crossover is the better search where each place has two options"
        return next(iter(self.recipes())), ""

    def known_total(self) -> int | None:
        """How many distinct solutions exist, where mathematics knows."""
        return None

    def usual_stop(self, recipe: str | None) -> dict[str, Any]:
        """The stop rule of a run for which nobody gave one, nor perhaps a recipe; empty: one solution.

        Where there is a `ranking`, a run for N solutions lives its `generations` too, and the best N are the answer;
        and with its `solutions` also a run ends that was given a limit alone, such as seconds.
        """
        return {"generations": OPTIMISED} if optimising(self) else {}

    def show(self, genome: Genomes) -> str:
        """The candidate as monospaced text."""
        return " ".join(str(value) for value in genome.tolist())

    def styled(self, genome: Genomes) -> Text:
        """The same text for a terminal, which can do bold and colours."""
        from rich.text import Text

        return Text(self.show(genome))

    def compact(self, genome: Genomes) -> Text:
        """The same in fewer columns, for a terminal on which `styled` would wrap."""
        return self.styled(genome)

    def svg(self, genome: Genomes) -> str:
        """The candidate as a picture."""
        return text_picture(self.show(genome))

    # Capabilities: None where the puzzle has none

    def symmetry(self) -> Symmetry | None:
        """The images of a solution, such as rotations and reflections."""
        return None

    def sweeping(self) -> Sweeping | None:
        """How the whole space is searched, if it can be with these parameters; declared rules by an exact solver."""
        exact = None if self.declared is None or tolerance(self) else self.declared.exact
        return None if exact is None else Sweeping(tasks=exact.tasks, sweep=exact.sweep)

    def ranking(self) -> Ranking | None:
        """What makes one solution better than another."""
        return None

    def wording(self) -> Wording:
        """What people call the solutions, and the words for the end of a run."""
        return Wording()

    @classmethod
    def files(cls) -> Files | None:
        """How instances are read from files and written to them."""
        return None

    @classmethod
    def maker(cls) -> type[Maker] | None:
        """How `islands make` makes new instances."""
        return None

    @classmethod
    def game(cls) -> type[Play] | None:
        """The game for `islands play`."""
        return None


def _recipes(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, dict) and value and all(isinstance(recipe, Recipe) for recipe in value.values())
    return None if fits else "a dictionary of names and Recipes, with at least one"


def _files(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Files that name fields of the puzzle."""
    if value is None or not isinstance(value, Files):
        return None if value is None else "a Files or None"
    known = arguments[0].model_fields
    unknown = [name for name in (*value.fields, *filter(None, [value.option])) if name not in known]
    return f"Files that name fields of the puzzle, and {unknown[0]!r} is none of them" if unknown else None


def _choice(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, tuple) and len(value) == 2 and all(isinstance(text, str) for text in value)
    return None if fits else "a tuple of the name of a recipe and a reason, which may be empty"


def _space(value: Any, _: tuple[Any, ...]) -> str | None:
    """People write a list first: the message says which space they may mean by it."""
    if isinstance(value, Arrangement | Choices):
        return None
    if not isinstance(value, list | tuple | range | np.ndarray):
        return "an Arrangement or Choices"
    short = isinstance(value, range) or len(value) <= SHORT
    listed = repr(value.tolist() if isinstance(value, np.ndarray) else value) if short else "..."
    places = len(value)
    return (
        f"a space, for instance Arrangement({listed}) (these values change places) or Choices({places}, 9) "
        f"(0 to 8 at each of {places} places)"
    )


def _rules(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, Iterable) and not isinstance(value, str)
    return None if fits else "rules. Write: yield AllDifferent(x), yield Sum(x, 10) and so on"


HOOKS: dict[str, checks.Check | None] = {
    "space": _space,
    "rules": _rules,
    "cost": checks.cost_of,
    "costs": checks.costs_of,
    "canonical": checks.like_last,
    "verify": checks.truth,
    "verified": checks.flags_of,
    "recipes": _recipes,
    "recipe_for": _choice,
    "known_total": checks.whole_or_none,
    "usual_stop": checks.dictionary,
    "show": checks.text,
    "styled": checks.styled_text,
    "compact": checks.styled_text,
    "svg": checks.text,
    "symmetry": checks.instance_of(Symmetry, none=True),
    "sweeping": checks.instance_of(Sweeping, none=True),
    "ranking": checks.instance_of(Ranking, none=True),
    "wording": checks.instance_of(Wording),
    "files": _files,
    "maker": checks.class_of(Maker),
    "game": checks.class_of(Play),
}
"""What each hook may return."""

Kind = TypeVar("Kind", bound=BaseModel)


# What the capabilities say, or what holds for a puzzle without them


def tasks(problem: Problem) -> int:
    """How many tasks an exhaustive run has; 0 = it cannot be."""
    sweeping = problem.sweeping()
    return 0 if sweeping is None else sweeping.tasks


def for_classic(problem: Problem) -> str | None:
    """The first field that only `classic` heeds and that has another value than its default."""
    fields = type(problem).model_fields
    return next((name for name in problem.classic_fields if getattr(problem, name) != fields[name].default), None)


def images(problem: Problem) -> int:
    """How many images each solution has, itself among them."""
    symmetry = problem.symmetry()
    return 1 if symmetry is None else symmetry.images


def tolerance(problem: Problem) -> int:
    """The highest cost of a solution: 0 but for puzzles with a `ranking`."""
    ranking = problem.ranking()
    if ranking is None or (ranking.tolerance is None and not ranking.optimising):
        return 0
    return checks.LARGEST if ranking.tolerance is None else ranking.tolerance


def optimising(problem: Problem) -> bool:
    """Whether the puzzle's cost says how good a candidate is."""
    ranking = problem.ranking()
    return ranking is not None and ranking.optimising


def target(problem: Problem) -> int:
    """A cost that is good enough: 0 but for puzzles with a `ranking` that names another."""
    ranking = problem.ranking()
    return 0 if ranking is None else ranking.target


def sampled(problem: Problem, seed: int) -> Problem:
    """The puzzle with all that it leaves to chance decided by the seed of a run."""
    files = type(problem).files()
    return problem if files is None or files.sample is None else files.sample(problem, seed)


def merits(problem: Problem, genome: Genomes) -> dict[str, float]:
    """What makes this solution better than others, by name; empty where all are equally good."""
    ranking = problem.ranking()
    return {} if ranking is None else ranking.merits(genome)


def formats(problem: Problem) -> dict[str, Any]:
    """The puzzle's own file formats by suffix."""
    files = type(problem).files()
    return {} if files is None else files.formats_of(problem)


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


def made(kind: type[Kind], parameters: dict[str, Any]) -> Kind:
    """A puzzle, maker or game with its parameters; UsageError says which parameter is wrong and why."""
    with blame(kind.__name__, kind.__module__):
        try:
            return kind(**parameters)
        except ValidationError as error:
            raise UsageError("\n".join(_explain(kind, detail) for detail in error.errors())) from error


def _explain(kind: type[BaseModel], detail: Any) -> str:
    name = str(detail["loc"][0]) if detail["loc"] else ""
    if detail["type"] == "extra_forbidden":
        return str(unknown(f"option of {puzzle_name(kind)}", name, kind.model_fields))
    if detail["type"] == "missing":
        files = kind.files() if issubclass(kind, Problem) else None
        if files is not None and name in files.fields:
            return f"{puzzle_name(kind)} needs a puzzle: islands run {puzzle_name(kind)} FILE"
        return f"{puzzle_name(kind)} needs `{name}`."
    return f"`{name}={quoted(detail['input'])}`: {expected(detail)}." if name else f"{expected(detail)}."
