"""The processes of one session: find them, and see that they end.

The bridge leads a session of its own. All that Ray starts stays in it: workers have process groups of their own, and
processes whose parent has ended have none that leads to them, but neither changes the session.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

import psutil

GONE = 5.0  # seconds for killed processes to be gone; the system may be busy writing what one of them held


def session(leader: int) -> list[psutil.Process]:
    """The processes alive in the session that `leader` led, other than this one."""
    found = []
    for pid in psutil.pids():
        with suppress(OSError, psutil.Error):  # it has ended meanwhile
            if pid != os.getpid() and os.getsid(pid) == leader:
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
    return found


def end_session(leader: int) -> None:
    """Kill all processes in the session that `leader` led, other than this one, and wait until they are gone.

    Call it before the leader is reaped: until then nobody else can get its number.
    """
    deadline = time.monotonic() + GONE
    while (alive := session(leader)) and time.monotonic() < deadline:
        for process in alive:
            with suppress(OSError):  # it has ended meanwhile
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.005)


def is_running(pid: int) -> bool:
    """Whether a process of any user has this pid."""
    return psutil.pid_exists(pid)
