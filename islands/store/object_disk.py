"""A place in object storage as the place of a run: the same files under the same names as in a directory.

A put is atomic, so that the put of manifest.json is the commit, as its rename is in a directory; a run can be copied
between the two and goes on. Logs cannot grow: they are put again every few seconds, in parts of limited size.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NoReturn

from islands.errors import DiskError, RunError, UsageError
from islands.store.disk import Disk
from islands.store.files import BATCH, JOB, MANIFEST, STUDY, part_name
from islands.store.lease import Busy, Lease, Owner, is_claim, writer
from islands.store.local_disk import LocalDisk
from islands.store.objects import Patient, Refused
from islands.store.url import Url

EVERY = 5.0  # seconds between two puts of a log
PART = 1 << 18  # bytes of a log after which a new part begins


@dataclass
class _Log:
    """The last part of a log, the only one that still changes."""

    number: int
    content: bytes
    put: float  # when
    waiting: bool = False  # some of the content is not there yet


class ObjectDisk(Disk):
    """Objects whose keys begin with a bucket and a path."""

    def __init__(self, url: Url, objects: Patient, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(str(url))
        self.url, self._objects, self._clock = url, objects, clock
        self._lease: Lease | None = None
        self._logs: dict[str, _Log] = {}
        self._manifest: bytes | None = None  # as the one writer, this process knows it

    @classmethod
    def at(cls, url: Url) -> ObjectDisk:
        """The disk of a URL, whose store has answered. UsageError where it does not."""
        from islands.store.arrow_objects import connected

        return cls(url, Patient(connected(url)))

    @property
    def name(self) -> str:
        return self.url.key.rpartition("/")[2]

    def full(self, name: str) -> str:
        return str(self.url / name)

    def short(self, full: str) -> str:
        return full.partition("?")[0].removeprefix(f"{self.place.partition('?')[0]}/")

    def _key(self, name: str) -> str:
        return (self.url / name).key

    def read(self, name: str) -> bytes:
        if name == MANIFEST and self._manifest is not None:
            return self._manifest
        with self._told(name, "read"):
            data = self._objects.get(self._key(name))
        if name == MANIFEST and self._lease is not None:
            self._manifest = data
        return data

    def write(self, name: str, data: bytes | memoryview) -> None:
        with self._told(name, "write"):
            self._objects.put(self._key(name), data)
        if name == MANIFEST and self._lease is not None:
            self._manifest = bytes(data)

    def append(self, name: str, data: bytes) -> None:
        """What comes first is there at once; then the writer, who comes back to it, collects for a while."""
        if name not in self._logs:
            self._logs[name] = self._opened(name)
        log = self._logs[name]
        log.content, log.waiting = log.content + data, True
        if self._lease is None or self._clock() - log.put >= EVERY:
            self._put(name, log)

    def _opened(self, name: str) -> _Log:
        number = len(self.parts(name))
        try:
            content = self.read(part_name(name, number))
        except FileNotFoundError:
            content = b""
        if content and not content.endswith(b"\n"):  # torn, in a directory that was copied here
            content += b"\n"
        return _Log(number, content, -inf)

    def _put(self, name: str, log: _Log) -> None:
        self.write(part_name(name, log.number), log.content)
        log.put, log.waiting = self._clock(), False
        if len(log.content) > PART:
            log.number, log.content = log.number + 1, b""

    def remove(self, name: str) -> None:
        """Of a log also what is waiting: `unlock` would bring it back, and a refused run would keep its name taken."""
        self._logs.pop(name, None)
        with self._told(name, "remove"):
            self._objects.delete(self._key(name))

    def remove_folder(self, folder: str) -> None:
        """pyarrow marks a folder whose last object it deletes with an empty object."""
        if not self._is_empty(folder):
            return
        with self._told(folder, "remove"):
            self._objects.delete_folder(self._key(folder))

    def _is_empty(self, folder: str) -> bool:
        with self._told(folder, "list"):
            entries = self._objects.list(self._key(folder))
        return all(entry.is_folder and self._is_empty(f"{folder}/{entry.name}".lstrip("/")) for entry in entries)

    def names(self, folder: str) -> list[str]:
        with self._told(folder, "list"):
            return [f"{folder}/{entry.name}" for entry in self._objects.list(self._key(folder)) if not entry.is_folder]

    def folders(self) -> list[str]:
        with self._told("", "list"):
            return [entry.name for entry in self._objects.list(self.url.key) if entry.is_folder]

    def size(self, name: str) -> int:
        with self._told(name, "read"):
            entry = self._objects.look([self._key(name)])[0]
        if entry is None:
            raise FileNotFoundError(name)
        return entry.size

    def modified(self, names: Sequence[str]) -> list[float | None]:
        with self._told(names[0] if names else "", "read"):
            entries = self._objects.look([self._key(name) for name in names])
        return [None if entry is None else entry.modified for entry in entries]

    def below(self, name: str) -> ObjectDisk:
        return ObjectDisk(self.url / name, self._objects, self._clock)

    def claim(self, name: str) -> ObjectDisk:
        """The caller becomes its writer, which keeps others away, and unlocks it."""
        new = self.below(name)
        if not new._was_only_begun() and (not new._is_empty("") or name in self.folders()):
            raise FileExistsError(name)
        try:
            new.lock()
        except RunError as error:
            raise FileExistsError(name) from error
        if any(new.exists(marker) for marker in (JOB, BATCH, STUDY)):
            new.unlock()
            raise FileExistsError(name)
        return new

    def _was_only_begun(self) -> bool:
        """Whether a process that is gone has begun to create a run here: only what precedes job.json is there."""
        with self._told("", "list"):
            there = {entry.name for entry in self._objects.list(self.url.key)}
        claims = {name for name in there if is_claim(name)}
        known = self.names("checkpoint") if "checkpoint" in there else []
        if not (claims or known) or known not in ([], [MANIFEST]) or there - claims - {"problem.py", "checkpoint"}:
            return False
        return self.writer() is None

    def lock(self) -> None:
        if self._lease is not None:
            return
        lease = Lease(self._objects, self.url.key)
        try:
            with self._told("", "write"):
                lease.take()
        except Busy as error:
            raise RunError(
                f"{self.place} is being written by another process ({error}); wait for it, or stop it with Ctrl-C."
            ) from error
        self._lease = lease

    def confirm(self) -> None:
        with self._told("", "read"):
            ours = self._lease is None or self._lease.is_ours()
        if not ours:
            raise DiskError(
                f"{self.place} was taken over by another process, as this one gave no sign of life for a while. That "
                "one goes on; this one ends here."
            )

    def is_locked(self) -> bool:
        return self._lease is not None or self.writer() is not None

    def writer(self) -> Owner | None:
        """Who writes there."""
        with self._told("", "read"):
            return writer(self._objects, self.url.key)

    def unlock(self) -> None:
        try:
            for name, log in self._logs.items():
                if log.waiting:
                    self._put(name, log)
        finally:
            self._logs.clear()
            self._manifest = None
            if self._lease is not None:
                self._lease.release()
                self._lease = None

    def scratch(self) -> LocalDisk:
        """A directory of this machine, as files are mapped into memory. It goes with its last user, or at exit."""
        folder = Path(tempfile.mkdtemp(prefix=f"islands-{os.getpid()}-"))
        disk = LocalDisk(folder)
        weakref.finalize(disk, shutil.rmtree, folder, ignore_errors=True)
        return disk

    @contextmanager
    def _told(self, name: str, verb: str) -> Iterator[None]:
        """What the store says no to is a UsageError before this process writes; what fails for good is a DiskError."""
        try:
            yield
        except (FileNotFoundError, Busy):
            raise
        except OSError as error:
            self._tell(name, verb, error)

    def _tell(self, name: str, verb: str, error: OSError) -> NoReturn:
        from islands.store.arrow_objects import reason, refusal

        if isinstance(error, Refused) and self._lease is None:
            raise UsageError(refusal(self.url, error)) from error
        if verb == "read" or verb == "list":
            raise DiskError(f"cannot read {self.full(name)}: {reason(error)}. Try again later.") from error
        raise self._failed(name, reason(error), "see that the store can be reached") from error
