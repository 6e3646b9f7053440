"""The title of a run or a puzzle, as lists and pictures have it."""

from __future__ import annotations

from typing import Any

from islands.errors import UsageError
from islands.model.job import Job
from islands.model.loading import load
from islands.model.problem import Problem
from islands.writing.words import many


def title(job: Job) -> str:
    """magic-square size=4; what is usual in a user's file is not known without running it."""
    try:
        kind = load(job.puzzle) if job.source is None else None
    except UsageError:  # a puzzle that this version does not have
        kind = None
    return entitled(job.puzzle, job.parameters, kind)


def entitled(puzzle: str, parameters: dict[str, Any], kind: type[Problem] | None) -> str:
    """A puzzle with its first parameter and those that are not as usual; those that are too long are left out."""
    files = kind.files() if kind is not None else None
    usual = [(name, field.default) for name, field in kind.model_fields.items()] if kind is not None else []
    hidden = (*files.fields, *kind.further_fields) if kind is not None and files is not None else ()
    given = [pair for pair in parameters.items() if pair[0] not in hidden]
    shown = [f"{name}={_short(value)}" for name, value in given[:1] + [pair for pair in given[1:] if pair not in usual]]
    return " ".join([puzzle.rpartition("/")[2], *shown])


def _short(value: Any) -> Any:
    """A value; of a file's text only how long it is."""
    lines = value.count("\n") if isinstance(value, str) else 0
    return f"({many(lines, 'line')})" if lines else value
