"""The directory of a bridge: Ray's own files and logs, as long as the bridge lives."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from cluster.processes import is_running
from islands.errors import IslandsError
from islands.store.disk import Disk

LOG = "bridge.log"  # what the bridge and Ray print
JOURNAL = "bridge.jsonl"  # what the bridge did
RAY = "ray"  # the folder of a local Ray: it opens that to everybody, but ours around it is closed


def make() -> Path:
    """A new directory that only this user can enter. Those of runs that were killed are removed first."""
    base = _short_directory()
    for left in Path(base).glob("islands-*-*"):
        pid = left.name.split("-")[1]
        with suppress(OSError):  # another run has removed it
            if pid.isdecimal() and left.stat().st_uid == os.getuid() and not is_running(int(pid)):
                remove(left)
    return Path(tempfile.mkdtemp(prefix=f"islands-{os.getpid()}-", dir=base))


def remove(scratch: Path) -> None:
    """Remove it with all that is in it."""
    shutil.rmtree(scratch, ignore_errors=True)


def printed(scratch: Path) -> str:
    """What the bridge and Ray have printed so far."""
    with suppress(OSError):
        return (scratch / LOG).read_text(encoding="utf-8", errors="replace")
    return ""


def keep_logs(scratch: Path, home: Disk) -> None:
    """Copy the logs that are not empty to the run's ray-logs/. A full disk must not keep the run from going on."""
    with suppress(OSError, IslandsError):
        for log in (scratch / LOG, scratch / JOURNAL, *scratch.glob(f"{RAY}/session_latest/logs/*")):
            if log.is_file() and log.stat().st_size:
                home.write(f"ray-logs/{log.name}", log.read_bytes())


def _short_directory() -> str:
    """A directory for the files of sockets, whose paths must stay below 108 characters; Ray needs 80 of them."""
    usual = tempfile.gettempdir()
    return usual if len(usual) < 16 or not Path("/tmp").is_dir() else "/tmp"
