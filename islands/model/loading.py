"""Puzzles by name or from a user's file."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import pkgutil
import re
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import PydanticUserError

from islands.boundary.guard import raised
from islands.errors import IslandsError, UsageError, unknown
from islands.kernels.cache import cache_folder
from islands.model.problem import Problem, made, main_class

PREFIX = "puzzle_"  # of the module of a puzzle file
DIGITS = 16  # of the digest of a puzzle file, which names it
UNTYPED = re.compile(r"`(\w+) = (.+?)`")  # how pydantic names a field without a type
KEPT = 50  # versions of puzzle files whose kernels are kept


def names() -> list[str]:
    """The puzzles that come with the product."""
    import problems

    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(problems.__path__))


def load(puzzle: str, source: str | None = None) -> type[Problem]:
    """The puzzle class: `magic-square`, or `file.py`, or `file.py:Class` (with its text, the file need not exist)."""
    path, _, wanted = puzzle.partition(":")
    if not path.endswith(".py"):
        if path not in names():
            raise unknown("puzzle", puzzle, names())
        module = importlib.import_module("problems." + path.replace("-", "_"))
        return _only_problem(module, path, wanted or main_class(path))
    return _only_problem(_module(path, _text(path) if source is None else source), path, wanted)


def read_source(puzzle: str) -> str | None:
    """The text of a user's puzzle file; None for a puzzle of the product."""
    path = puzzle.partition(":")[0]
    return _text(path) if path.endswith(".py") else None


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read the puzzle file {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read the puzzle file {path}: it is not a text in UTF-8.") from error


def build(puzzle: str, source: str | None, parameters: dict[str, Any]) -> Problem:
    """The puzzle of this name or file with its parameters."""
    return made(load(puzzle, source), parameters)


def _module(path: str, source: str) -> ModuleType:
    """Import a puzzle's text. It is kept in a cache file, so that its kernels can be cached on every machine."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:DIGITS]
    name = PREFIX + digest
    if name in sys.modules:
        return sys.modules[name]
    try:
        compile(source, path, "exec")
    except SyntaxError as error:
        raise UsageError(f"{path}, line {error.lineno}: {error.msg}: {(error.text or '').strip()!r}.") from error
    except ValueError as error:
        raise UsageError(f"{path} is not Python source: {error}.") from error
    file = _cached(digest, Path(path).name, source)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except IslandsError as error:
        del sys.modules[name]
        raise UsageError(f"{path}: {error}") from error
    except PydanticUserError as error:
        del sys.modules[name]
        raise UsageError(f"{path}: {_of_pydantic(error)}") from error
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(f"importing {path} raised {raised(error, str(file))}.") from error
    return module


def _of_pydantic(error: PydanticUserError) -> str:
    """What is wrong with a class, as what to write."""
    field = UNTYPED.search(error.message) if error.code == "model-field-missing-annotation" else None
    if field is None:
        return f"{error.message}."
    try:
        kind = type(ast.literal_eval(field[2])).__name__
    except (ValueError, SyntaxError):
        kind = "int"
    return f"the field {field[1]} = {field[2]} has no type. Write: {field[1]}: {kind} = {field[2]}"


def _cached(digest: str, name: str, source: str) -> Path:
    base = cache_folder() / digest
    try:
        if not base.exists():
            _make_room(base.parent)
        base.mkdir(parents=True, exist_ok=True)
        file = base / name
        if not file.exists() or file.read_text(encoding="utf-8") != source:
            draft = base / f"{name}.{os.getpid()}"
            draft.write_text(source, encoding="utf-8")
            draft.replace(file)
        os.utime(base)
    except OSError:  # no home, or a full disk: a directory of this process alone
        file = Path(tempfile.mkdtemp(prefix="puzzle-islands-")) / name
        file.write_text(source, encoding="utf-8")
    return file


def _make_room(folder: Path) -> None:
    """Every version of a puzzle file has its own directory of kernels; those used last stay."""
    by_use = sorted(folder.glob("?" * DIGITS), key=lambda old: old.stat().st_mtime_ns)
    for old in by_use[: 1 - KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _only_problem(module: ModuleType, path: str, wanted: str) -> type[Problem]:
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Problem)
        and value.__module__.startswith(module.__name__)
        and not name.startswith("_")
    }
    if wanted:
        if wanted not in found:
            raise unknown(f"puzzle class in {path}:", wanted, found)
        return found[wanted]
    if not found:
        raise UsageError(f"{path} defines no puzzle: write a class derived from islands.Problem in it.")
    if len(found) > 1:
        listed = ", ".join(f"{path}:{name}" for name in sorted(found))
        raise UsageError(f"{path} defines {len(found)} puzzles; say which one: {listed}.")
    return next(iter(found.values()))
