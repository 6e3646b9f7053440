"""A run that lies where this machine can read it, such as in object storage, on its way home.

Files arrive as they do from a cluster (see adoption): whole, and job.json and the manifest as drafts.
"""

from __future__ import annotations

from collections.abc import Callable

from islands.errors import DiskError, RunError
from islands.store.adoption import check_same
from islands.store.disk import Disk
from islands.store.files import BATCH, DRAFT, EVENTS, JOB, MANIFEST
from islands.store.header import unpacked_header
from islands.store.local_disk import LocalDisk
from islands.store.manifest import unpacked

TRIES = 20  # of a run that replaces its files meanwhile
SMALL = ("problem.py", "log.txt")  # beside what the manifest names

Brought = Callable[[int], None]  # told how many more bytes have arrived


def copy_runs(source: Disk, home: LocalDisk, brought: Brought = lambda _: None) -> None:
    """Bring home a run, or all runs of a batch. RunError where there is none, DiskError where it cannot be read."""
    try:
        if not source.exists(BATCH):
            _copy(source, home, brought)
            return
        if home.exists(JOB):
            raise RunError(f"{home.place} is another run. Choose another directory: -o DIR")
        home.write(BATCH, source.read(BATCH))
        for name in source.folders():
            if source.below(name).exists(JOB):
                _copy(source.below(name), home.below(name), brought)
    except FileNotFoundError as error:
        raise RunError(f"{source.place} is not a run yet: it has no {JOB}.") from error
    except OSError as error:
        raise DiskError(f"cannot read {source.place}: {error.strerror or error}.") from error


def copy_facts(source: Disk, home: LocalDisk) -> None:
    """Bring only what tells how a run, or each of a batch, stands; nothing where there is none."""
    members = source.folders() if source.exists(BATCH) else [""]
    if source.exists(BATCH):
        home.write(BATCH, source.read(BATCH))
    for name in members:
        disk = source.below(name) if name else source
        if disk.exists(JOB):
            for file, data in ((MANIFEST, disk.read(MANIFEST)), (EVENTS, _log(disk)), (JOB, disk.read(JOB))):
                home.write(f"{name}/{file}".lstrip("/"), data)


def _copy(source: Disk, home: LocalDisk, brought: Brought) -> None:
    for left in range(TRIES - 1, -1, -1):
        data = source.read(MANIFEST)
        job = source.read(JOB)
        manifest = unpacked(data, source.full(MANIFEST))
        check_same(home, unpacked_header(job, source.full(JOB)).get("created"), manifest.commit)
        try:
            for name in manifest.names:
                if not home.exists(name):
                    home.write(name, content := source.read(name))
                    brought(len(content))
            break
        except FileNotFoundError:  # a commit has replaced it
            if not left:
                raise
    for name in SMALL:
        if source.exists(name):
            home.write(name, source.read(name))
    home.write(EVENTS, _log(source))
    _leave_draft(home, MANIFEST, data)
    _leave_draft(home, JOB, job)


def _log(disk: Disk) -> bytes:
    return disk.read_log(EVENTS) if disk.exists(EVENTS) else b""


def _leave_draft(home: LocalDisk, name: str, data: bytes) -> None:
    place = home.root / (name + DRAFT)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
