"""The processes that Ray starts below this one: find them, and see that they end."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import psutil

GONE = 5.0  # seconds for processes to end before they are killed, and again after that


def children() -> list[psutil.Process]:
    """The processes that this one has started."""
    return psutil.Process().children()


def families(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """These processes and all their descendants. Ask before a parent ends: after that they cannot be found."""
    found = list(processes)
    for process in tuple(found):
        with suppress(psutil.Error):  # it has ended meanwhile
            found += process.children(recursive=True)
    return found


def end(processes: Iterable[psutil.Process], timeout: float = GONE) -> None:
    """Wait until these processes have ended, and kill those that have not after `timeout` seconds.

    psutil knows when each of them was started, so that a process which got the pid of one that is gone is safe.
    """
    _, alive = psutil.wait_procs(processes, timeout=timeout)
    for process in alive:
        with suppress(psutil.Error):  # it has ended meanwhile
            process.kill()
    psutil.wait_procs(alive, timeout=GONE)


def is_running(pid: int) -> bool:
    """Whether a process of any user has this pid."""
    return psutil.pid_exists(pid)
