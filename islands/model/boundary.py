"""The boundary between the product and a puzzle's own code: every call crosses it, whoever makes the call.

The hooks of a puzzle are guarded when its class is created, the functions of its capabilities when those are made.
Whatever such a function raises, and whatever it returns of a wrong type or shape, becomes a PuzzleError that names the
puzzle, its file and the line. Errors in the user's words (IslandsError) pass as they are.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from islands.errors import IslandsError, PuzzleError

Check = Callable[[Any, tuple[Any, ...]], str | None]
"""(what was returned, the arguments) -> what was expected instead; None where it is right."""


def guarded(function: Callable[..., Any], owner: str, check: Check | None) -> Callable[..., Any]:
    """`function`, whose failures become PuzzleErrors in the name of `owner`."""
    if getattr(function, "guarded", False):
        return function

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            value = function(*arguments, **named)
        except (IslandsError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise fault(owner.partition(".")[0], error, _home(function)) from error
        wanted = check(value, arguments) if check is not None else None
        if wanted is not None:
            raise PuzzleError(f"{owner} must return {wanted}, not {_shown(value)}{_where(function)}.")
        return value

    call.guarded = True  # type: ignore[attr-defined]
    return call


def guard_hooks(kind: type, checks: dict[str, Check | None]) -> None:
    """Guard those of the hooks in `checks` that a class defines itself."""
    for name, check in checks.items():
        hook = vars(kind).get(name)
        if isinstance(hook, FunctionType):
            setattr(kind, name, guarded(hook, f"{kind.__name__}.{name}", check))
        elif isinstance(hook, classmethod):
            setattr(kind, name, classmethod(guarded(hook.__func__, f"{kind.__name__}.{name}", check)))


def guard_functions(value: Any, checks: dict[str, Check | None]) -> None:
    """Guard the functions that a capability, a frozen dataclass, has as its fields."""
    for name, check in checks.items():
        function = getattr(value, name)
        if function is not None:
            owner = getattr(function, "__qualname__", name).partition(".<locals>")[0]
            object.__setattr__(value, name, guarded(function, owner, check))


@contextmanager
def blame(puzzle: str, home: str | None = None) -> Iterator[None]:
    """Whatever a puzzle's code raises inside becomes one clear PuzzleError. `home` is the puzzle's module."""
    try:
        yield
    except (IslandsError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise fault(puzzle, error, home) from error


def fault(puzzle: str, error: BaseException, home: str | None = None) -> PuzzleError:
    """The PuzzleError for what a puzzle's code raised, with the last line of that code that was reached."""
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [pair for pair in frames if home and _root(pair[0].f_globals.get("__name__")) == _root(home)]
    frame, line = (own or frames)[-1]
    place = f"{Path(frame.f_code.co_filename).name}, line {line}, in {frame.f_code.co_name}"
    return PuzzleError(f"{puzzle} failed: {type(error).__name__}: {error} ({place}).")


def _root(module: Any) -> str:
    return str(module).partition(".")[0]


def _home(function: Callable[..., Any]) -> str | None:
    return getattr(function, "__module__", None)


def _where(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code is not None else ""


def _shown(value: Any) -> str:
    """A wrong value in a message: arrays by type and shape, others as they are, and their type."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


# --- what hooks and capabilities may return ---


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer | np.bool_)


def whole_number(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if is_whole(value) else "a whole number (0 = solved); write int(...)"


def whole_or_none(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = value is None or (is_whole(value) and value >= 0)
    return None if fits else "a whole number of at least 0, or None"


def truth(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, bool | np.bool_) else "True or False"


def text(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, str) else "a text"


def text_or_none(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if value is None or isinstance(value, str) else "a text or None"


def dictionary(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, dict) else "a dictionary"


def styled_text(value: Any, _: tuple[Any, ...]) -> str | None:
    rich = sys.modules.get("rich.text")
    return None if rich is not None and isinstance(value, rich.Text) else "a rich.text.Text"


def costs_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """(n,) whole numbers of at least 0 for the last argument, (n, length)."""
    count = len(arguments[-1])
    if not isinstance(value, np.ndarray) or value.shape != (count,) or value.dtype.kind not in "iu":
        return f"whole numbers of shape ({count},)"
    if count and value.min() < 0:
        return f"costs (the least is 0 = solved, and it gave {value.min()})"
    return None


def cost_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    if is_whole(value) and value < 0:
        return "a cost (the least is 0 = solved)"
    return whole_number(value, arguments)


def like_last(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Genomes of the same shape as the last argument that is an array."""
    shape = next(one.shape for one in reversed(arguments) if isinstance(one, np.ndarray))
    fits = isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind in "iu"
    return None if fits else f"genomes of shape {shape}"


def flags_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    count = len(arguments[-1])
    fits = isinstance(value, np.ndarray) and value.shape == (count,) and value.dtype.kind == "b"
    return None if fits else f"truth values of shape ({count},)"


def shares_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    count = len(arguments[-1])
    fits = isinstance(value, np.ndarray) and value.shape == (count,) and value.dtype.kind == "f"
    return None if fits else f"shares, floats from 0 to 1, of shape ({count},)"


def genomes_or_number(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = is_whole(value) or (isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "iu")
    return None if fits else "genomes, (n, length) whole numbers, or how many there are"


def instance_of(*kinds: Any, none: bool = False) -> Check:
    """The check for a value of one of these classes."""
    names = " or ".join(kind.__name__ for kind in kinds) + (" or None" if none else "")
    article = "an" if names[0] in "AEIOU" else "a"

    def check(value: Any, _: tuple[Any, ...]) -> str | None:
        return None if isinstance(value, kinds) or (none and value is None) else f"{article} {names}"

    return check


def class_of(kind: type) -> Check:
    """The check for a class derived from `kind`, or None."""

    def check(value: Any, _: tuple[Any, ...]) -> str | None:
        fits = value is None or (isinstance(value, type) and issubclass(value, kind))
        return None if fits else f"a class derived from {kind.__name__}, or None"

    return check
