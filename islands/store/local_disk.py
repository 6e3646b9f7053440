"""A directory of this machine, or one that is mounted, as the place of a run."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from islands.errors import RunError, UsageError
from islands.store.disk import Disk
from islands.store.files import DRAFT, EVENTS, FOLDERS, JOB, is_leftover

LOCK = "writer.lock"


class LocalDisk(Disk):
    """Files below a directory: a rename makes them whole, flock makes one writer."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.root = root
        self._lock: IO[str] | None = None
        self._ends: dict[str, str] = {}  # of each log the file that grows

    def read(self, name: str) -> bytes:
        path = self.root / name
        if path.exists() and not path.is_file():  # a device or a pipe might never end
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        return path.read_bytes()

    def array(self, name: str) -> NDArray[Any]:
        """The array in an .npy file, of which only what is looked at is read."""
        return np.asarray(np.load(self.root / name, mmap_mode="r"))

    def write(self, name: str, data: bytes | memoryview) -> None:
        self.write_parts(name, [data])

    def write_parts(self, name: str, parts: Iterable[bytes | memoryview], *, durable: bool = True) -> None:
        """Write a file whose content need not be in memory as a whole; not `durable`: gone after a power cut."""
        path = self.root / name
        draft = path.with_name(path.name + DRAFT)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.unlink(missing_ok=True)  # a link would lead elsewhere
            with draft.open("xb") as file:
                file.writelines(parts)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            draft.replace(path)
            if durable:
                _sync_directory(path.parent)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise self._failed(name, str(error.strerror)) from error

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a log, which is in parts if it comes from object storage."""
        if name not in self._ends:
            self._ends[name] = self.parts(name)[-1]
        try:
            with (self.root / self._ends[name]).open("ab") as file:
                file.write(data)
        except OSError as error:
            raise self._failed(name, str(error.strerror)) from error

    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def remove_folder(self, folder: str) -> None:
        with suppress(OSError):  # it does not exist, or somebody else has put something there
            (self.root / folder).resolve().rmdir()

    def names(self, folder: str) -> list[str]:
        return [name for name in self._files(folder) if not name.endswith(DRAFT)]

    def leftovers(self, folder: str) -> list[str]:
        return list(filter(is_leftover, self._files(folder)))

    def _files(self, folder: str) -> list[str]:
        path = self.root / folder
        if (folder and path.is_symlink()) or not path.is_dir():
            return []
        files = (file.name for file in os.scandir(path) if file.is_file(follow_symlinks=False))
        return sorted(f"{folder}/{name}".lstrip("/") for name in files)

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if path.is_dir()) if self.root.is_dir() else []

    def size(self, name: str) -> int:
        return (self.root / name).stat().st_size

    def modified(self, names: Sequence[str]) -> list[float | None]:
        paths = (self.root / name for name in names)
        return [path.stat().st_mtime if path.exists() else None for path in paths]

    def below(self, name: str) -> LocalDisk:
        return LocalDisk(self.root / name)

    def claim(self, name: str) -> LocalDisk:
        if self.root.exists() and not self.root.is_dir():
            raise UsageError(f"`out={self.root}` is not a directory. Choose another.")
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / name).mkdir()
        return self.below(name)

    def scratch(self) -> LocalDisk:
        return self

    def lock(self) -> None:
        """The system frees it whatever kills us."""
        for name in (LOCK, JOB, EVENTS, *FOLDERS):
            if (self.root / name).is_symlink():
                raise RunError(
                    f"{self.root / name} is a link. What a run writes and removes stays in its own directory: put the "
                    "file or folder itself there, or move the whole run and link that."
                )
        try:
            self._lock = (self.root / LOCK).open("a")
        except OSError as error:
            raise RunError(f"cannot write in {self.root}: {error.strerror}.") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise RunError(
                f"{self.root} is being written by another process; wait for it, or stop it with Ctrl-C."
            ) from error

    def confirm(self) -> None:
        """The system takes no lock away."""

    def is_locked(self) -> bool:
        try:
            with (self.root / LOCK).open() as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _sync_directory(path: Path) -> None:
    """Make a rename durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
