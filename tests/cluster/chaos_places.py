"""Where the runs of a chaos campaign are saved: on a small disk that becomes full, or in an S3 of which every tenth
request fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Protocol

from s3_server import gate_to, s3_server

from islands.store.disk import Disk
from islands.store.files import EVENTS
from islands.store.places import disk_at

SIZE = 24  # megabytes of the disk that becomes full
FATES = ("503", "drop", "lose")  # of a request that fails


class Place(Protocol):
    """Where runs are saved."""

    out: str
    environment: dict[str, str]  # that a driver needs to write there

    def fill(self) -> bool:
        """Leave no room; False where that cannot be."""

    def empty(self) -> None:
        """Make room again."""


class Folder:
    """A small file system in memory, if this user may mount one; else a directory that is never full."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.out, self.environment, self._folder = str(folder), dict[str, str](), folder
        command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", self.out]
        self._mounted = bool(shutil.which("mount")) and subprocess.run(command, capture_output=True).returncode == 0

    def close(self) -> None:
        if self._mounted:
            subprocess.run(["umount", self.out], check=True)

    def fill(self) -> bool:
        if not self._mounted or (self._folder / "filler").exists():
            return False
        with suppress(OSError), (self._folder / "filler").open("wb") as filler:
            while True:
                filler.write(bytes(1 << 16))
                filler.flush()
        return True

    def empty(self) -> None:
        (self._folder / "filler").unlink(missing_ok=True)


class Bucket:
    """A real S3 on loopback: whoever writes goes through a gate that fails a tenth of all requests."""

    def __init__(self, server: str, gate: str) -> None:
        key = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"}
        self.out, self.environment = "s3://bucket/chaos", {**key, "AWS_ENDPOINT_URL": f"http://{gate}"}
        os.environ.update({**key, "AWS_ENDPOINT_URL": f"http://{server}"})  # the campaign itself looks on undisturbed

    def fill(self) -> bool:
        return False

    def empty(self) -> None:
        """It is never full."""


@contextmanager
def places(folder: Path, random: Random) -> Iterator[tuple[Place, Place]]:
    """A disk and a bucket, until the end of the block."""

    def fate(number: int, method: str, path: str) -> str:
        return random.choice(FATES) if random.random() < 0.1 else "pass"

    disk = Folder(folder / "disk")
    try:
        with s3_server() as server, gate_to(server) as gate:
            gate.fate = fate
            yield disk, Bucket(server, gate.address)
    finally:
        disk.close()


def events(place: str) -> list[dict[str, Any]]:
    """The event log of a run, as far as it can be read now; its last line may be torn."""
    found = []
    with suppress(Exception):
        disk: Disk = disk_at(place)
        for line in disk.read_log(EVENTS).splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
    return found
