"""Where a solution came from, as its run has kept it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from islands.model.origin import Ancestor, Origin
from islands.model.problem import Problem
from islands.pages.text import cost_text
from islands.store.solutions import Solution
from islands.terminal.nearest import cell_costs, told_cells
from islands.writing.words import duration, number

RANDOM = {
    "settler": "of the first population, which is random",
    "newcomer": "a random newcomer, because only duplicates were born",
    "harvested": "near another solution of its generation",
}


def describe(solution: Solution) -> str:
    """The id, who found it when, and its parents and mutation if the run has kept them."""
    lines = [
        f"id {solution.id}",
        f"island {solution.island}, epoch {number(solution.epoch)}, generation {number(solution.generation)}, "
        f"after {duration(solution.seconds)}",
    ]
    if solution.origin is not None:
        lines += _origin(solution.origin, solution.problem)
    return "\n".join(lines)


def _origin(origin: Origin, problem: Problem) -> list[str]:
    if origin.kind in RANDOM:
        return [RANDOM[origin.kind], *_found_as(origin)]
    mutated = f"mutated at {_listed(origin.mutated)}" if origin.mutated else "not mutated"
    improved = ", then improved" if origin.improved else ""
    if origin.kind == "mutant":
        lines = [f"one of the living, {mutated}"]
    elif len(origin.parents) == 1:
        lines = [f"a copy of its parent, {mutated}{improved}"]
    else:
        cut = f" cut at {_listed(origin.points)}" if origin.points else ""
        lines = [f"a child of {len(origin.parents)} parents{cut}, {mutated}{improved}"]
    for place, parent in enumerate(origin.parents, 1):
        name = "before" if origin.kind == "mutant" else "parent" if len(origin.parents) == 1 else f"parent {place}"
        lines += _individual(name, parent, problem)
    return lines + _found_as(origin)


def _found_as(origin: Origin) -> list[str]:
    """The solution itself, where its canonical form is shown: cells are counted in this one."""
    return [f"found as: {_listed(origin.genome)}"] if origin.genome is not None else []


def _individual(name: str, ancestor: Ancestor, problem: Problem) -> list[str]:
    """A parent with its cost, and with the costs of its cells where the puzzle tells them."""
    elite = ", of the elite" if ancestor.elite else ""
    lines = [f"{name}, cost {cost_text(problem, ancestor.cost)}{elite}: {_listed(ancestor.genome)}"]
    space, genome = problem.space(), np.array(ancestor.genome, np.int32)
    if genome.shape != (space.length,) or not space.contains(genome[None]).all():
        return lines
    costs = cell_costs(problem, genome)
    return lines if costs is None else [*lines, f"{name}, {told_cells(costs)}"]


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
