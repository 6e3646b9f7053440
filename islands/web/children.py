"""Runs that the page starts, resumes and stops: each is a process of its own, the same command that a person types.

A run goes on when the server ends. Whom a run may be stopped by: the process that holds its lock is told to stop
as with Ctrl-C, if it is this user's and a command of this product.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO

import psutil

from islands.errors import IslandsError, UsageError
from islands.store.disk import Disk
from islands.store.local_disk import LOCK, LocalDisk
from islands.store.object_disk import ObjectDisk
from islands.store.run import Run

MOST = 4  # runs of this server at a time
WAIT = 60.0  # seconds until a run has its directory
REMEMBERED = 100  # processes that are over
WORDS = 4000  # characters of what a process has said that are kept
ROOT = Path(__file__).resolve().parents[2]


class TooMany(IslandsError):
    """As many runs as this server starts are going on."""


class Elsewhere(UsageError):
    """A run is written by a process of another machine."""


@dataclass
class Child:
    """A process that was started for a run."""

    name: str
    process: subprocess.Popen[bytes]
    said: IO[bytes]  # what it says when something goes wrong
    last: str = ""  # the end of it, once the process is over

    @property
    def is_over(self) -> bool:
        return self.process.poll() is not None

    def words(self) -> str:
        """The end of what it has said when it is over, without colours and the word `error:`."""
        if self.is_over and not self.said.closed:
            size = self.said.seek(0, os.SEEK_END)
            self.said.seek(max(0, size - WORDS))
            text = re.sub(r"\x1b\[[0-9;]*m", "", self.said.read().decode(errors="replace")).strip()
            self.last = text.removeprefix("error:").strip()
            self.said.close()
        return self.last


class Children:
    """The processes of this server, by the names of their runs."""

    def __init__(self) -> None:
        self._known: dict[str, Child] = {}
        self._lock = threading.Lock()

    def running(self) -> list[Child]:
        return [child for child in list(self._known.values()) if not child.is_over]

    def of(self, name: str) -> Child | None:
        return self._known.get(name)

    def start(self, name: str, words: Sequence[str], text: str | None, begun: Callable[[], bool]) -> Child:
        """Run a command for the run `name`, and wait until it has `begun` or ended; `text` is its standard input."""
        with self._lock:
            if len(self.running()) >= MOST:
                raise TooMany(f"{MOST} runs of this page are going on, and that is the limit. Stop one, or wait.")
            self._forget()
            child = self._known[name] = Child(name, *_spawn(words, text))
        deadline = time.monotonic() + WAIT
        while not child.is_over and not begun() and time.monotonic() < deadline:
            time.sleep(0.05)
        return child

    def _forget(self) -> None:
        """Those that ended longest ago, where there are many."""
        over = [name for name, child in self._known.items() if child.is_over]
        for name in over[: max(0, len(over) - REMEMBERED)]:
            self._known.pop(name).said.close()

    def close(self) -> None:
        """Forget all of them; those that run go on."""
        for child in self._known.values():
            child.said.close()

    def stop(self, name: str, writing: Callable[[], Run]) -> None:
        """Let the process that writes a run save and end: one of this server's, or the one that holds its lock."""
        child = self._known.get(name)
        if child is not None and not child.is_over:
            child.process.send_signal(signal.SIGINT)
        else:
            _interrupt_writer(writing())


def command(*words: str) -> list[str]:
    """A command of this very product; -P: nothing is imported from the folder in which the server was started."""
    return [sys.executable, "-P", "-m", *words]


def environment() -> dict[str, str]:
    """With the place where this product was imported from."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}


def _spawn(words: Sequence[str], text: str | None) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    said = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the child is known)
    given = tempfile.TemporaryFile()  # noqa: SIM115 (a pipe could fill before the child reads)
    given.write((text or "").encode())
    given.seek(0)
    with given:
        process = subprocess.Popen(
            command("cli", *words),
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=environment(),
            start_new_session=True,  # Ctrl-C ends the server, not the runs
        )
    return process, said


def _interrupt_writer(run: Run) -> None:
    """SIGINT for whoever holds the lock of a run; UsageError where that is not for us to do."""
    pid = writing_process(run.disk)
    try:
        handle = os.pidfd_open(pid)  # from here on the number means this process and no other
    except OSError:
        return  # it has just ended
    try:
        if not _is_ours(pid) or writing_process(run.disk) != pid:
            raise UsageError(
                f"{run.name} is being written by process {pid}, which is not a command of this user and product. Stop "
                "it where it was started."
            )
        signal.pidfd_send_signal(handle, signal.SIGINT)
    except ProcessLookupError:
        return
    finally:
        os.close(handle)


def writing_process(disk: Disk) -> int:
    """The process of this machine that writes a run; Elsewhere where it is not known or not here."""
    if isinstance(disk, ObjectDisk):
        owner = disk.writer()
        if owner is not None and owner.is_here:
            return owner.pid
        raise Elsewhere(f"{disk.name} is not written by this machine{f', but by {owner}' if owner else ''}.")
    holder = lock_holder(disk.root / LOCK) if isinstance(disk, LocalDisk) else None
    if holder is None:
        raise Elsewhere(f"{disk.name} is not written by a process of this machine.")
    return holder


def lock_holder(file: Path) -> int | None:
    """The process that holds a file's lock, as Linux tells it; None where nobody does or it is not told."""
    try:
        status = file.stat()
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    key = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in lines:
        parts = line.split()
        if len(parts) >= 6 and parts[1] == "FLOCK" and parts[3] == "WRITE" and parts[5] == key and int(parts[4]) > 0:
            return int(parts[4])
    return None


def _is_ours(pid: int) -> bool:
    """Whether a process is this user's and a command of this product."""
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
        mine = process.uids().real == os.getuid()
    except psutil.Error:
        return False
    named = any(Path(word).name in ("islands", "cli.py") for word in words[:3])
    return mine and (named or any(pair == ("-m", "cli") for pair in pairwise(words)))
