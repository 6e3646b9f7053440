"""Disks in memory that fail and tear writes, and object storage in memory whose requests fail or are done late."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simulated_faults import Clock, Crash, Faults

from islands.errors import DiskError
from islands.store.files import DRAFT, is_leftover
from islands.store.local_disk import LocalDisk
from islands.store.object_disk import ObjectDisk
from islands.store.objects import Entry, Patient
from islands.store.url import Url


class Memory:
    """Files that outlive their driver, and the faults of a universe."""

    def __init__(self, faults: Faults) -> None:
        self.files: dict[str, bytes] = {}
        self.faults = faults
        self.dead = False
        self.clock = Clock()

    def _wait(self) -> None:
        """A write takes its time on a slow disk."""
        if self.faults.slow_disk:
            self.clock.now += self.faults.slow_disk * self.faults.random.random() ** 4

    def _touch(self) -> None:
        if self.dead:
            raise Crash

    def _die(self) -> None:
        self.dead = True
        raise Crash

    def damage(self) -> None:
        """Some files that the manifest names are not what was written."""
        random, lasting = self.faults.random, {"job.json", "problem.py", "events.jsonl", "checkpoint/manifest.json"}
        for name in sorted(set(self.files) - lasting):
            if random.random() < 0.4:
                data = bytearray(self.files.pop(name))
                kind = random.choice(("gone", "torn", "flipped")) if data else "gone"
                if kind == "flipped":
                    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
                if kind != "gone":
                    self.files[name] = bytes(data[: random.randrange(len(data))] if kind == "torn" else data)


class MemoryDisk(Memory, LocalDisk):
    """A disk that keeps what was renamed into place, may tear appends, and dies with its driver."""

    def __init__(self, faults: Faults) -> None:
        LocalDisk.__init__(self, Path("universe"))
        Memory.__init__(self, faults)

    def read(self, name: str) -> bytes:
        self._touch()
        if name not in self.files:
            raise FileNotFoundError(name)
        return self.files[name]

    def write(self, name: str, data: bytes | memoryview) -> None:
        self._touch()
        self._wait()
        if self.faults.kill():
            self.leave_draft(name, data)
            self._die()  # before the rename: the old file stands
        if self.faults.strike(self.faults.fail_write):
            raise DiskError("no space left in this universe")
        self.files[name] = bytes(data)
        if self.faults.kill():
            self._die()

    def leave_draft(self, name: str, data: bytes | memoryview) -> None:
        """Whoever writes dies on the way."""
        self.files[name + DRAFT] = bytes(data[: self.faults.random.randrange(len(data) + 1)])

    def append(self, name: str, data: bytes) -> None:
        self._touch()
        if self.faults.kill():
            self.files[name] = self.files.get(name, b"") + data[: self.faults.random.randrange(len(data) + 1)]
            self._die()
        if self.faults.strike(self.faults.fail_write):
            raise DiskError("no space left in this universe")
        self.files[name] = self.files.get(name, b"") + data

    def remove(self, name: str) -> None:
        self._touch()
        if self.faults.kill():
            self._die()
        self.files.pop(name, None)

    def names(self, folder: str) -> list[str]:
        self._touch()
        return sorted(name for name in self.files if name.startswith(folder + "/") and not name.endswith(DRAFT))

    def leftovers(self, folder: str) -> list[str]:
        self._touch()
        return sorted(name for name in self.files if name.rpartition("/")[0] == folder and is_leftover(name))

    def size(self, name: str) -> int:
        return len(self.files[name])

    def lock(self) -> None:
        pass


class MemoryStore(Memory):
    """Object storage: no rename, no append; a put or delete may fail, be done without an answer, or be done late."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults)
        self.late: dict[str, bytes] = {}  # puts that have failed, as their driver thinks

    def _begin(self, key: str) -> str:
        """An operation begins; by then some late puts have arrived. The name of its object."""
        self._touch()
        for name in sorted(self.late):
            if self.faults.random.random() < 0.3:
                self.files[name] = self.late.pop(name)
        return key.partition("/")[2]

    def _fail(self) -> None:
        if self.faults.strike(self.faults.fail_store):
            raise OSError("AWS Error SLOW_DOWN during an operation in this universe")

    def get(self, key: str) -> bytes:
        name = self._begin(key)
        self._fail()
        if name not in self.files:
            raise FileNotFoundError(name)
        return self.files[name]

    def put(self, key: str, data: bytes | memoryview) -> None:
        name = self._begin(key)
        self._wait()
        if self.faults.kill():
            self._die()
        self.late.pop(name, None)  # an earlier put of the same name does not arrive after a later one
        if self.faults.strike(self.faults.fail_store):
            fate = self.faults.random.choice(("lost", "done", "late"))
            if fate != "lost":
                (self.files if fate == "done" else self.late)[name] = bytes(data)
            raise OSError("AWS Error NETWORK_CONNECTION during a put in this universe")
        self.files[name] = bytes(data)
        if self.faults.kill():
            self._die()

    def delete(self, key: str) -> None:
        name = self._begin(key)
        if self.faults.kill():
            self._die()
        self._fail()
        self.files.pop(name, None)
        self._fail()

    def delete_folder(self, key: str) -> None:
        self._begin(key)

    def list(self, key: str) -> list[Entry]:
        folder = self._begin(f"{key}/")
        self._fail()
        names = (name.removeprefix(folder) for name in list(self.files) if name.startswith(folder))
        return sorted({Entry(name.partition("/")[0], "/" in name) for name in names}, key=lambda entry: entry.name)

    def look(self, keys: Sequence[str]) -> list[Entry | None]:
        names = [self._begin(key) for key in keys]
        self._fail()
        return [Entry(name, size=len(self.files[name])) if name in self.files else None for name in names]


class StoreDisk(ObjectDisk):
    """A place in that store, as one driver knows it."""

    def __init__(self, memory: MemoryStore) -> None:
        super().__init__(Url("s3", "universe", ""), Patient(memory, sleep=lambda _: None))
