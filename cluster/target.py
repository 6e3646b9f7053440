"""The directory at home to which a run is brought: what may be in it, and that one process alone writes there."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from islands.errors import RunError
from islands.store.adoption import check_same
from islands.store.files import BATCH, JOB
from islands.store.local_disk import LocalDisk

BUSY = "{place} is being written by another process; wait for it, or stop it with Ctrl-C."


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """Let no other collect write to `target` meanwhile. RunError where one does, or where something else is there.

    A directory that was made for it and is still empty afterwards is removed.
    """
    _check(target)
    made = not target.exists()
    try:
        target.mkdir(parents=True, exist_ok=True)
        handle = os.open(target, os.O_RDONLY)
    except OSError as error:
        raise RunError(f"cannot write to {target}: {error.strerror}. Choose another directory: -o DIR") from error
    try:
        with suppress(OSError):  # a file system without locks of directories
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                made = False  # it is the other one's by now
                raise RunError(BUSY.format(place=target)) from error
        with ExitStack() as held:  # nobody goes on with a run, and sweeps it, while a newer state of it arrives
            for run in (target, *target.glob("*/")):
                if (run / JOB).exists():
                    disk = LocalDisk(run)
                    disk.lock()
                    held.callback(disk.unlock)
            yield
    finally:
        with suppress(OSError):  # there is something in it
            if made:
                target.rmdir()
        os.close(handle)


def check_runs(target: Path, arriving: dict[str, list[Any]]) -> None:
    """RunError where `target` has a run that is not among those that arrive, by name: [begun when, last commit]."""
    for path in (target / JOB, *target.glob(f"*/{JOB}")):
        if path.exists():
            name = path.parent.relative_to(target).as_posix()
            check_same(LocalDisk(path.parent), *arriving.get(name, [None, 0]))


def _check(target: Path) -> None:
    """RunError where `target` is not a directory for this run, or is being written."""
    if re.match(r"[a-z][a-z0-9+.-]+:/", str(target), re.IGNORECASE):  # as a path it has lost a stroke
        raise RunError(f"{target} is a URL; a run comes home to a directory of this machine: -o DIR")
    try:
        if not target.exists():
            return
        if not target.is_dir() or (any(target.iterdir()) and not _may_be_a_run(target)):
            raise RunError(f"{target} exists already, and is not a run. Choose another directory: -o DIR")
        for run in (target, *target.glob("*/")):
            if LocalDisk(run).is_locked():
                raise RunError(BUSY.format(place=run))
    except OSError as error:
        raise RunError(f"cannot read {target}: {error.strerror}. Choose another directory: -o DIR") from error


def _may_be_a_run(target: Path) -> bool:
    """Whether a part of a run or of a batch is there, which an interrupted collect has left."""
    parts = (JOB, BATCH, "checkpoint", "solutions")
    return any((target / name).exists() for name in parts) or any(target.glob("*/checkpoint"))
