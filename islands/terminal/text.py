"""Units, estimates and titles of runs as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from islands.errors import UsageError
from islands.writing.words import many, plural, rounded

if TYPE_CHECKING:  # `islands --help` must not wait for numpy
    from islands.model.job import Job
    from islands.model.problem import Problem
    from islands.operators.estimate import Estimate


def unit(problem: Problem) -> str:
    """What the runs of a puzzle count, in the singular."""
    wording = problem.wording()
    return wording.unit or wording.word


def cost_text(problem: Problem, cost: int) -> str:
    """A cost as a person reads it."""
    ranking = problem.ranking()
    return f"{cost:,}" if ranking is None else ranking.told(cost)


def in_all_units(problem: Problem, found: int) -> str:
    """220 classes = 880 squares modulo 8 = 7,040 raw squares; nothing where there is but one unit."""
    counts = problem.wording().counts(found)
    return " = ".join(many(count, word) for word, count in counts.items()) if len(counts) > 1 else ""


def estimated(estimate: Estimate) -> str:
    """about 6.882e7 classes (95%: 6.861e7 to 6.903e7; 16 walks)"""
    ends = f"{rounded(estimate.low)} to {rounded(estimate.high)}"
    return f"about {rounded(estimate.value)} {plural(estimate.unit)} (95%: {ends}; {many(estimate.walks, 'walk')})"


def title(job: Job) -> str:
    """magic-square size=4: the first parameter and those that are not as usual."""
    usual, hidden = _defaults(job)
    given = [pair for pair in job.parameters.items() if pair[0] not in hidden]
    told = [f"{name}={_short(value)}" for name, value in given[:1] + [pair for pair in given[1:] if pair not in usual]]
    return " ".join([job.puzzle.rpartition("/")[2], *told])


def _short(value: Any) -> Any:
    """A value; of a file's text only how long it is."""
    lines = value.count("\n") if isinstance(value, str) else 0
    return f"({many(lines, 'line')})" if lines else value


def _defaults(job: Job) -> tuple[list[tuple[str, Any]], tuple[str, ...]]:
    """A puzzle's usual parameters, and those too long to tell; of a user's file neither is known without running it."""
    from islands.model.loading import load

    if job.source is not None:
        return [], ()
    try:
        kind = load(job.puzzle)
    except UsageError:  # a puzzle that this version does not have
        return [], ()
    files = kind.files()
    return [(name, field.default) for name, field in kind.model_fields.items()], files.fields if files else ()
