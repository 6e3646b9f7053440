"""Where runs live: a new numbered directory for each, and what a person means by a number, a name, a path or `last`."""

from __future__ import annotations

import re
from pathlib import Path

from islands.errors import RunError, UsageError, shortened

LONGEST = 200  # bytes of a name: file systems take 255
BATCH = "batch.json"  # in a directory of runs that belong together


def check_name(name: str | None) -> None:
    """UsageError where a run cannot have this name."""
    if name is not None and len(name.encode()) > LONGEST:
        raise UsageError(f"`name={shortened(name)}` is too long: {len(name.encode()):,} bytes, at most {LONGEST}.")
    if name is not None and (not re.fullmatch(r"\w[\w.-]*", name) or name.isdecimal() or name == "last"):
        raise UsageError(f"`name={name!r}`: use letters, digits, dots and dashes, and not only digits.")


def new_directory(out: Path, title: str, name: str | None) -> Path:
    """`runs/007-magic-square`, or the name the user gave; made so that two runs never share one."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"`out={out}` is not a directory. Choose another.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if name is not None:
            path = out / name
            path.mkdir()
            return path
        for number in range(1 + max((_number(path) for path in out.iterdir()), default=0), 1_000_000):
            path = out / f"{number:03}-{title.lower()[:60]}"
            try:
                path.mkdir()
                return path
            except FileExistsError:
                continue
    except FileExistsError as error:
        raise UsageError(
            f"{error.filename} exists already. Choose another `name`, or go on with it: islands resume {name}."
        ) from error
    except OSError as error:
        raise UsageError(f"cannot make a run directory in {out}: {error.strerror}. Choose another `out`.") from error
    raise UsageError(f"{out} is full of runs; choose another `out`.")


def find(reference: str, out: Path) -> Path:
    """The directory a user means by a number, a name, a path or `last`: of a run or of a batch of them."""
    direct = Path(reference)
    if reference != "last" and _marker(direct):
        return direct
    runs = [path for path in sorted(out.iterdir(), key=_number) if _marker(path)] if out.is_dir() else []
    if reference == "last" and runs:
        return max(runs, key=lambda path: (_marker(path) or path).stat().st_mtime_ns)
    if reference.isdecimal():
        for path in runs:
            if _number(path) == int(reference):
                return path
    if _marker(out / reference):  # a name, or BATCH/NAME
        return out / reference
    if direct.is_dir():
        raise RunError(f"{direct} is not a run: it has no job.json. `islands runs` lists runs.")
    raise RunError(f"no run {reference!r} in {out}. `islands runs --out {out}` lists runs; `islands run` starts one.")


def _marker(path: Path) -> Path | None:
    """The file that makes a directory a run or a batch."""
    return next((path / name for name in ("job.json", BATCH) if (path / name).exists()), None)


def _number(path: Path) -> int:
    digits = re.match(r"\d+", path.name)
    return int(digits[0]) if digits else 0
