"""Numbers, units and titles as a person reads them."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from islands.errors import UsageError

if TYPE_CHECKING:  # `islands --help` must not wait for numpy
    from islands.estimate import Estimate
    from islands.job import Job
    from islands.problem import Problem


def number(value: float) -> str:
    """275,305,224; of a whole number every digit."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}"


def compact(value: float) -> str:
    """A rate in five characters: 950, 1.2 k, 18 k, 1.8 M."""
    for unit in ("", " k", " M", " G"):
        if value < 999.5:
            return f"{value:.1f}{unit}" if unit and value < 9.95 else f"{value:.0f}{unit}"
        value /= 1000
    return f"{value:.0f} T"


def duration(seconds: float) -> str:
    """0.4 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def many(count: int, word: str) -> str:
    """1 square, 20 squares."""
    return f"{number(count)} {word if count == 1 else plural(word)}"


def plural(word: str) -> str:
    """squares, classes, squares modulo 8"""
    noun, modulo, rest = word.partition(" modulo ")
    return noun + ("es" if noun.endswith("s") else "s") + modulo + rest


def unit(problem: Problem) -> str:
    """What the runs of a puzzle count, in the singular."""
    return problem.unit or problem.solution_word


def in_all_units(problem: Problem, found: int) -> str:
    """220 classes = 880 squares modulo 8 = 7,040 raw squares; nothing where there is but one unit."""
    counts = problem.counts(found)
    return " = ".join(many(count, word) for word, count in counts.items()) if len(counts) > 1 else ""


def rounded(value: float) -> str:
    """68,820,000 as 6.882e7; small numbers as they are."""
    if value < 99_999.5:
        return f"{value:,.1f}" if value < 999.95 else number(value)
    mantissa, _, exponent = f"{value:.3e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


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
    from islands.loading import load

    if job.source is not None:
        return [], ()
    try:
        kind = load(job.puzzle)
    except UsageError:  # a puzzle that this version does not have
        return [], ()
    return [(name, field.default) for name, field in kind.model_fields.items()], kind.from_file


@cache
def announce_compilation() -> None:
    """Say once per process that kernels are being compiled: it is the one long wait of a newcomer."""
    from islands.operators.jit import on_compile

    on_compile(_compiling)


@cache
def _compiling() -> None:
    print("compiling kernels (once per machine)", file=sys.stderr, flush=True)
