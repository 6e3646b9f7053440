"""Where runs live: a new numbered directory for each, and what a person means by a number, a name, a path or `last`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from islands.errors import RunError, UsageError, shortened
from islands.store.disk import Disk
from islands.store.files import BATCH, JOB, STUDY
from islands.store.places import disk_at, is_url

LONGEST = 200  # bytes of a name: file systems take 255


def check_name(name: str | None) -> None:
    """UsageError where a run cannot have this name."""
    if name is not None and len(name.encode()) > LONGEST:
        raise UsageError(f"`name={shortened(name)}` is too long: {len(name.encode()):,} bytes, at most {LONGEST}.")
    if name is not None and (not re.fullmatch(r"\w[\w.-]*", name) or name.isdecimal() or name == "last"):
        raise UsageError(f"`name={name!r}`: use letters, digits, dots and dashes, and not only digits.")


def new_run(out: Disk, title: str, name: str | None) -> Disk:
    """`runs/007-magic-square`, or the name the user gave; made so that two runs never share one."""
    try:
        if name is not None:
            return out.claim(name)
        for number in range(1 + max(map(_number, out.folders()), default=0), 1_000_000):
            with suppress(FileExistsError):
                return out.claim(f"{number:03}-{title.lower()[:60]}")
    except FileExistsError as error:
        there = out.below(str(name))
        cure = f"go on with it: islands resume {name}" if _marked(out, [str(name)]) else "remove it: it is not a run"
        raise UsageError(f"{there.place} exists already. Choose another `name`, or {cure}.") from error
    except OSError as error:
        raise UsageError(
            f"cannot make a run directory in {out.place}: {error.strerror}. Choose another `out`."
        ) from error
    raise UsageError(f"{out.place} is full of runs; choose another `out`.")


def find(reference: str, out: Disk) -> Disk:
    """What a user means by a number, a name, a path, a URL or `last`: a run or a batch of them."""
    direct = None if reference == "last" else disk_at(reference)
    if direct is not None and _marked(direct, [""]):
        return direct
    if direct is not None and is_url(reference):
        raise RunError(f"{direct.place} is not a run: it has no {JOB}. `islands runs` lists runs.")
    if reference == "last" or reference.isdecimal():
        runs = _marked(out, sorted(out.folders(), key=_number))
        if reference == "last" and runs:
            return out.below(max(runs, key=lambda name: runs[name]))
        for name in runs:
            if reference != "last" and _number(name) == int(reference):
                return out.below(name)
    if _marked(out, [reference]):  # a name, or BATCH/NAME
        return out.below(reference)
    if direct is not None and Path(reference).is_dir():
        raise RunError(f"{reference} is not a run: it has no {JOB}. `islands runs` lists runs.")
    raise RunError(
        f"no run {reference!r} in {out.place}. `islands runs --out {out.typed}` lists runs; `islands run` starts one."
    )


def _marked(out: Disk, folders: Sequence[str]) -> dict[str, float]:
    """Those of these folders that are runs, batches or studies, with the time of the file that makes them one."""
    markers = (JOB, BATCH, STUDY)
    times = iter(out.modified([f"{folder}/{marker}".lstrip("/") for folder in folders for marker in markers]))
    found = {folder: [next(times) for _ in markers] for folder in folders}
    return {folder: max(time for time in known if time is not None) for folder, known in found.items() if any(known)}


def _number(name: str) -> int:
    digits = re.match(r"\d+", name)
    return int(digits[0]) if digits else 0
