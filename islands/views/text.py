"""What a person reads: numbers and summaries."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from islands.errors import UsageError

if TYPE_CHECKING:  # `islands --help` must not wait for numpy
    from islands.api import Outcome
    from islands.job import Job
    from islands.run import Run


def number(value: float) -> str:
    """275,305,224"""
    return f"{value:,.0f}"


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
    return f"{number(count)} {word}" + ("" if count == 1 else "s")


def title(job: Job) -> str:
    """magic-square size=4: the first parameter and those that are not as usual."""
    given = list(job.parameters.items())
    usual = _defaults(job)
    told = [f"{name}={_short(value)}" for name, value in given[:1] + [pair for pair in given[1:] if pair not in usual]]
    return " ".join([job.puzzle.rpartition("/")[2], *told])


def _short(value: Any) -> Any:
    """A value; of a file's text only how long it is."""
    lines = value.count("\n") if isinstance(value, str) else 0
    return f"({many(lines, 'line')})" if lines else value


def _defaults(job: Job) -> list[tuple[str, Any]]:
    """A puzzle's usual parameters; those of a user's file are not known without running it."""
    from islands.problem import load

    try:
        fields = {} if job.source is not None else load(job.puzzle).model_fields
    except UsageError:  # a puzzle that this version does not have
        fields = {}
    return [(name, field.default) for name, field in fields.items()]


def summary(run: Run, outcome: Outcome) -> str:
    """How a run ended, in a line."""
    found, asked, exist = outcome.found, outcome.asked, outcome.exist
    word, spent = run.job.problem.solution_word, duration(run.manifest().seconds)
    if outcome.complete:
        more = "; no more exist" if asked is not None and asked > found else ""
        line = f"{number(found)} of {number(exist or 0)}: complete{more}"
    elif outcome.reason == "interrupted":
        line = f"interrupted after {spent} with {many(found, word)}; all saved"
    elif asked is not None and found >= asked:
        line = f"found {many(found, word)} in {spent}"
    else:
        after = spent
        if outcome.reason == "generations":
            after = f"{number(run.job.stop.generations or 0)} generations ({spent})"
        line = f"stopped after {after} with {many(found, word)}" if found else f"no {word} found in {after}"
    return line + (" · not repeatable (--race)" if run.job.race else "")


def whereabouts(run: Run, outcome: Outcome, unprinted: int) -> str:
    """Where the run is and what to type next."""
    line = str(run.path)
    if unprinted:
        line += f" · {number(unprinted)} more: islands show {run.path} --limit 0, or islands export {run.path} -o FILE"
    elif outcome.exit_code and not outcome.complete:
        line += f" · go on: islands resume {run.path}"
    return line


def puzzle_fault(error: BaseException) -> str | None:
    """Which line of a user's puzzle file raised this; None where it is not the puzzle's fault."""
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        if str(frame.f_globals.get("__name__")).startswith("puzzle_"):  # what islands.problem calls such modules
            file = frame.f_code.co_filename.rpartition("/")[2]
            return f"{file}, line {line}, in {frame.f_code.co_name}: {type(error).__name__}: {error}."
    return None
