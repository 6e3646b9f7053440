"""Every error a user can cause: what was wrong, what was expected, what to type next.

A message names a parameter in backquotes, with its value or without: `elite=300`, `elite`. That is what a Python user
writes; `as_options` turns it into what is typed on a command line: --elite 300, --elite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

LONGEST = 60  # characters of a value that a message repeats
_PARAMETER = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")


class IslandsError(Exception):
    """The run failed; everything found before is saved."""

    exit_code = 3

    @property
    def field(self) -> str | None:
        """The parameter that the message is about: the one it begins with."""
        named = _PARAMETER.match(str(self))
        return named[1] if named else None


class UsageError(IslandsError):
    """The command, a parameter or a file the user gave is wrong; nothing was started."""

    exit_code = 2


class RunError(UsageError):
    """A run directory is missing, unreadable, half-written, busy or of a newer version."""


class Damaged(RunError):
    """A file of a run is not what was written: missing, changed, or unreadable."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def __str__(self) -> str:
        return f"{self.name} is damaged: {self.reason}."


class PuzzleError(IslandsError):
    """A puzzle's own code raised, returned the wrong thing, or its cost and its verifier disagree."""


class DiskError(IslandsError):
    """A file of the run could not be written; what was committed before is safe."""


class OutOfStep(IslandsError):
    """An island was given an order for another epoch: it lost its state, and must be given it again."""


class ClusterError(IslandsError):
    """Ray could not be started or reached, or has too few resources."""


class Busy(ClusterError):
    """Other programs hold everything that islands could use; it may be free again later."""


class BackendLost(ClusterError):
    """A backend is gone, with all its islands; another start may succeed."""


@contextmanager
def about(source: object) -> Iterator[None]:
    """Errors inside begin with the file that they are about."""
    try:
        yield
    except (UsageError, PuzzleError) as error:
        kind = PuzzleError if isinstance(error, PuzzleError) else UsageError
        raise kind(f"{source}: {error}") from error


def as_options(message: str) -> str:
    """A message with its parameters as options of the command line."""
    return _PARAMETER.sub(_as_option, message)


def _as_option(parameter: re.Match[str]) -> str:
    name, value = parameter[1].replace("_", "-"), parameter[2]
    if value is None or value == "True":
        return f"--{name}"
    return f"--no-{name}" if value == "False" else f"--{name} {value}"


def unknown(kind: str, name: str, choices: Iterable[str], also: Iterable[str] = ()) -> UsageError:
    """The error for a name that is not among `choices`, with the nearest one suggested, also of those in `also`."""
    known = sorted(choices)
    near = get_close_matches(name, [*known, *also], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return UsageError(f"unknown {kind} {name!r}.{hint} Known: {', '.join(known)}.")


def shortened(text: str) -> str:
    """A text that may be long, in a message."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def quoted(value: Any) -> str:
    """A value that a user gave, as Python writes it."""
    return repr(shortened(value)) if isinstance(value, str) else shortened(repr(value))


def expected(detail: Mapping[str, Any]) -> str:
    """What pydantic says is wrong, as what would have been right: "expected a number greater than 0"."""
    message = str(detail["msg"]).rstrip(".")
    if detail["type"] == "int_parsing_size":
        return "expected a number with fewer digits"
    if detail["type"] == "value_error":  # the words of a validator of ours
        return message.removeprefix("Value error, ")
    right = message.removeprefix("Input should be ").partition(", unable")[0]
    right = right.replace("a valid integer", "a whole number").replace("a valid number", "a number")
    return f"expected {'a number ' if right.startswith(('greater', 'less')) else ''}{right}{_as_share(detail)}"


def _as_share(detail: Mapping[str, Any]) -> str:
    """Where a share is asked for and a percentage was given: what it would be."""
    try:
        percentage = float(detail["input"]) if detail.get("ctx", {}).get("le") == 1 else 0.0
    except (TypeError, ValueError):
        return ""
    return f"; {percentage:g}% is {percentage / 100:g}" if 1 < percentage <= 100 else ""
