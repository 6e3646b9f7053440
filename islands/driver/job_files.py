"""Job files, and study files, which are job files with more in them: TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from islands.errors import UsageError


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a file that describes a job; a puzzle file in it is looked for beside it."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the job file {path}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not a job file: {error}.") from error
    puzzle = content.get("puzzle")
    if not isinstance(puzzle, str):
        raise UsageError(f'{path} names no puzzle; its first line should be for instance: puzzle = "magic-square"')
    if puzzle.partition(":")[0].endswith(".py"):
        content["puzzle"] = str(path.parent / puzzle)
    return content


def toml(content: Mapping[str, Any]) -> str:
    """A job file with this content: plain entries first, then its tables. None is left out, as TOML has none."""
    plain = {name: value for name, value in content.items() if not isinstance(value, Mapping) and value is not None}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in plain.items()]
    for name, table in content.items():
        if isinstance(table, Mapping) and table:
            lines += ["", f"[{_key(name)}]", *toml(table).splitlines()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items() if one is not None) + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
