"""The title of a run, as lists and pictures have it."""

from __future__ import annotations

from typing import Any

from islands.errors import UsageError
from islands.model.job import Job
from islands.model.loading import load
from islands.writing.words import many


def title(job: Job) -> str:
    """magic-square size=4: the first parameter and those that are not as usual."""
    usual, hidden = _defaults(job)
    given = [pair for pair in job.parameters.items() if pair[0] not in hidden]
    shown = [f"{name}={_short(value)}" for name, value in given[:1] + [pair for pair in given[1:] if pair not in usual]]
    return " ".join([job.puzzle.rpartition("/")[2], *shown])


def _short(value: Any) -> Any:
    """A value; of a file's text only how long it is."""
    lines = value.count("\n") if isinstance(value, str) else 0
    return f"({many(lines, 'line')})" if lines else value


def _defaults(job: Job) -> tuple[list[tuple[str, Any]], tuple[str, ...]]:
    """A puzzle's usual parameters, and those too long to tell; of a user's file neither is known without running it."""
    if job.source is not None:
        return [], ()
    try:
        kind = load(job.puzzle)
    except UsageError:  # a puzzle that this version does not have
        return [], ()
    files = kind.files()
    return [(name, field.default) for name, field in kind.model_fields.items()], files.fields if files else ()
