"""The rules that a puzzle declares, written down and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from islands.boundary.guard import blame, shown
from islands.errors import PuzzleError
from islands.operators.space import Genomes, listed
from islands.rules.declared import Declared
from islands.rules.rules import Rule
from islands.rules.terms import cells

if TYPE_CHECKING:
    from islands.model.problem import Problem


def declare(problem: Problem) -> Declared:
    """What `rules` yields. PuzzleError where that fails, or is not a rule."""
    kind, space = type(problem), problem.space()
    with blame(kind.__name__, kind.__module__):
        rules = list(problem.rules(cells(space.length)))
    for rule in rules:
        if not isinstance(rule, Rule):
            raise PuzzleError(f"{kind.__name__}.rules must yield rules such as AllDifferent(x), not {shown(rule)}.")
    if not rules:
        raise PuzzleError(f"{kind.__name__}.rules yields no rule. Write: yield AllDifferent(x), yield Sum(x, 10) ...")
    return Declared(rules, space)


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
