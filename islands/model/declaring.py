"""The rules that a puzzle declares, written down and checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from islands.boundary.guard import blame, shown
from islands.errors import PuzzleError
from islands.operators.space import Genomes, listed
from islands.rules.declared import Declared
from islands.rules.rules import Rule
from islands.rules.terms import cells

if TYPE_CHECKING:
    from islands.model.problem import Problem


MOST = 1_000_000  # rules, which take some gigabytes of memory


def declare(problem: Problem) -> Declared:
    """What `rules` yields. PuzzleError where that fails, or is not a rule."""
    kind, space = type(problem), problem.space()
    rules = []
    with blame(kind.__name__, kind.__module__):
        declared = iter(problem.rules(cells(space.length)))
        for rule in _hinted(declared):
            place = _place(declared)
            if not isinstance(rule, Rule):
                wrong = f"must yield rules such as AllDifferent(x), not {shown(rule)}{place}"
                raise PuzzleError(f"{kind.__name__}.rules {wrong}.")
            rule.place = place
            rules.append(rule)
            if len(rules) > MOST:
                raise PuzzleError(f"{kind.__name__}.rules yields more than {MOST:,} rules: does it ever end{place}?")
    if not rules:
        raise PuzzleError(f"{kind.__name__}.rules yields no rule. Write: yield AllDifferent(x), yield Sum(x, 10) ...")
    return Declared(rules, space)


def _hinted(declared: Iterator[Any]) -> Iterator[Any]:
    """The same; NumPy's errors about terms as an index or in a function are told with what to write instead."""
    try:
        yield from declared
    except IndexError as error:
        if "indices" in str(error):
            error.args = (f"{error}. A term is not known yet and no index: write lookup(table, term)",)
        raise
    except TypeError as error:
        if "ufunc" in str(error):
            error.args = (f"{error}. A term is not known yet: write lookup(table, term), with every result",)
        raise


def _place(declared: Iterator[Any]) -> str:
    """Where a generator has just yielded, for messages."""
    frame = getattr(declared, "gi_frame", None)
    if frame is None:
        return ""
    return f" ({Path(frame.f_code.co_filename).name}, line {frame.f_lineno}, in {frame.f_code.co_name})"


def check_unchanged(problem: Problem, genomes: Genomes) -> None:
    """PuzzleError where the puzzle's own costs write into the candidates that they are given."""
    if not problem.has_own("costs"):
        return
    given = genomes.copy()
    problem.costs(given)
    changed = (given != genomes).any(axis=1)
    if changed.any():
        row = int(changed.argmax())
        raise PuzzleError(
            f"{type(problem).__name__}.costs changes the candidates that it is given: {listed(genomes[row])} became "
            f"{listed(given[row])}. Work on a copy: write genomes = genomes.copy() first."
        )


def compare_costs(problem: Problem, genomes: Genomes) -> None:
    """PuzzleError where a puzzle has both rules and a cost of its own, and they differ for one of these."""
    declared = problem.declared
    if declared is None or not (problem.has_own("cost") or problem.has_own("costs")):
        return
    for genome, cost in zip(genomes, problem.costs(genomes), strict=True):
        by_rules = declared.cost(genome)
        if cost != by_rules:
            raise PuzzleError(
                f"{type(problem).__name__}: cost gives {cost} and the rules give {by_rules} for {listed(genome)}. Both "
                "must give the same. Leave cost and costs out: they follow from the rules."
            )
