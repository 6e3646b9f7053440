"""Guards for functions of a puzzle: what they raise or return wrongly is reported as its fault, with file and line."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from islands.boundary.checks import Check
from islands.errors import IslandsError, PuzzleError, UsageError


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
            raise _fault(re.split(r"[.:]", owner)[0], error, _home(function), _where(function)) from error
        wanted = check(value, arguments) if check is not None else None
        if wanted is not None:
            raise PuzzleError(f"{owner} must return {wanted}, not {shown(value)}{_where(function)}.")
        return value

    call.guarded = True  # type: ignore[attr-defined]
    return call


def guard_hooks(kind: type, root: type, checks: Mapping[str, Check | None]) -> None:
    """Guard the hooks in `checks` that a class derived from `root` defines, or has from a class that is not.

    UsageError where a hook is no method.
    """
    for name, check in checks.items():
        home = next(base for base in kind.__mro__ if name in vars(base))
        if home is kind or not issubclass(home, root):
            hook = _guarded_hook(vars(home)[name], vars(root)[name], f"{kind.__name__}.{name}", check)
            setattr(kind, name, hook)


def _guarded_hook(hook: Any, original: Any, owner: str, check: Check | None) -> Any:
    name = owner.rpartition(".")[2]
    if isinstance(hook, classmethod | staticmethod):
        return type(hook)(guarded(hook.__func__, owner, check))
    if isinstance(original, classmethod):
        raise UsageError(f"{owner} must be a class method. Write @classmethod above it: def {name}(cls): ...")
    if not callable(hook):
        raise UsageError(f"{owner} must be a method, not {shown(hook)}. Write: def {name}(self, ...): ...")
    if isinstance(hook, FunctionType):
        return guarded(hook, owner, check)

    def bound(self: Any, *arguments: Any, **named: Any) -> Any:
        """A callable that is no function, for instance one with a cache."""
        return (hook.__get__(self, type(self)) if hasattr(hook, "__get__") else hook)(*arguments, **named)

    return guarded(wraps(hook)(bound), owner, check)


def guard_functions(value: Any, checks: Mapping[str, Check | None]) -> None:
    """Guard the functions that a frozen dataclass has as its fields. TypeError where one is no function."""
    optional = {field.name for field in fields(value) if field.default is None}
    for name, check in checks.items():
        function = getattr(value, name)
        if callable(function):
            object.__setattr__(value, name, guarded(function, _owner(value, name, function), check))
        elif function is not None or name not in optional:
            raise TypeError(f"{type(value).__name__}({name}={_brief(function)}): expected a function")


def _owner(value: Any, name: str, function: Any) -> str:
    """Row.image for a method of a puzzle; "Row: image of its Symmetry" for what has no name of its own."""
    qualified, kind = str(getattr(function, "__qualname__", "")), type(value).__name__
    if qualified and "<" not in qualified:
        return qualified
    home = qualified.partition(".")[0]
    return f"{home}: {name} of its {kind}" if home and "<" not in home else f"{name} of the {kind}"


def check_values(value: Any, checks: Mapping[str, Check]) -> None:
    """TypeError where a field of a dataclass does not pass its check: its line is that of the puzzle's code."""
    for name, check in checks.items():
        wanted = check(getattr(value, name), ())
        if wanted is not None:
            raise TypeError(f"{type(value).__name__}({name}={_brief(getattr(value, name))}): expected {wanted}")


def guarded_pieces(function: Callable[..., Any]) -> Callable[..., Iterator[str | bytes]]:
    """A file format of a puzzle, whose pieces are made one by one."""
    owner = str(getattr(function, "__qualname__", "a format")).partition(".<locals>")[0]

    def pieces(*arguments: Any) -> Iterator[str | bytes]:
        with blame(owner.partition(".")[0], _home(function)):
            for piece in function(*arguments):
                if not isinstance(piece, str | bytes):
                    raise PuzzleError(f"{owner} must give pieces of text, not {shown(piece)}{_where(function)}.")
                yield piece

    return pieces


@contextmanager
def blame(puzzle: str, home: str | None = None) -> Iterator[None]:
    """Whatever a puzzle's code raises inside becomes one clear PuzzleError. `home` is the puzzle's module."""
    try:
        yield
    except (IslandsError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise _fault(puzzle, error, home) from error


def _fault(puzzle: str, error: BaseException, home: str | None, where: str = "") -> PuzzleError:
    """The PuzzleError for what a puzzle's code raised, with the last line of that code that was reached.

    Where none was reached it is `where`, or the last line at all.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [pair for pair in frames if home and _root(pair[0].f_globals.get("__name__")) == _root(home)]
    if own or not where:
        frame, line = (own or frames)[-1]
        where = f" ({Path(frame.f_code.co_filename).name}, line {line}, in {frame.f_code.co_name})"
    return PuzzleError(f"{puzzle} failed: {_told(error)}{where}.")


def raised(error: BaseException, file: str) -> str:
    """What running a file raised, with the last line of the file that was reached."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f"{_told(error)}{f' (line {lines[-1]})' if lines else ''}"


def _told(error: BaseException) -> str:
    text = str(error).replace("`", "'")  # between backquotes stand parameters of ours
    return f"{type(error).__name__}{': ' if text else ''}{text}"


def _root(module: Any) -> str:
    return str(module).partition(".")[0]


def _home(function: Callable[..., Any]) -> str | None:
    return getattr(function, "__module__", None)


def _where(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code is not None else ""


def shown(value: Any) -> str:
    """A wrong value in a message: arrays by type and shape, others as they are, and their type."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    return f"{_brief(value)} ({type(value).__name__})"


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
