"""The only way to a run's files: whole files appear at once or not at all, logs grow at the end.

It is a parameter of everything that writes, so that tests can tear, fail and lose writes deterministically.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from islands.errors import Damaged, DiskError, RunError
from islands.store.files import EVENTS, FOLDERS, JOB, checksum

LOCK = "writer.lock"


class Disk:
    """Files below one directory, named by relative paths."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock: IO[str] | None = None

    def read(self, name: str) -> bytes:
        """A file's bytes; FileNotFoundError when it does not exist, another OSError when it cannot be read."""
        path = self.root / name
        if path.exists() and not path.is_file():  # a device or a pipe might never end
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        return path.read_bytes()

    def read_checked(self, name: str, expected: str | None) -> bytes:
        """A file's bytes; Damaged where they cannot be read or do not have the checksum `expected` (None: any)."""
        path = self.root / name
        try:
            data = self.read(name)
        except FileNotFoundError as error:
            raise Damaged(str(path), "it is missing") from error
        except OSError as error:
            raise Damaged(str(path), error.strerror or str(error)) from error
        if expected not in (None, checksum(data)):
            raise Damaged(str(path), "it is not what was written: the checksum differs")
        return data

    def array(self, name: str) -> NDArray[Any]:
        """The array in an .npy file, of which only what is looked at is read."""
        return np.asarray(np.load(self.root / name, mmap_mode="r"))

    def write(self, name: str, data: bytes | memoryview) -> None:
        """Replace a whole file so that a crash leaves the old one or the new one, never a part."""
        self.write_parts(name, [data])

    def write_parts(self, name: str, parts: Iterable[bytes | memoryview], *, durable: bool = True) -> None:
        """The same with a content that need not be in memory as a whole; not `durable`: gone after a power cut."""
        path = self.root / name
        draft = path.with_name(path.name + ".tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as file:
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
            raise self._failed(name, error) from error

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a file; a crash may leave a torn last line."""
        try:
            with (self.root / name).open("ab") as file:
                file.write(data)
        except OSError as error:
            raise self._failed(name, error) from error

    def _failed(self, name: str, error: OSError) -> DiskError:
        return DiskError(
            f"cannot write {self.root / name}: {error.strerror}. What was saved before is safe: free space or give "
            f"permission, then go on with `islands resume {self.root}`."
        )

    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def names(self, folder: str) -> list[str]:
        """The files in a folder, as `folder/name`, sorted. Drafts are not files; nor is what a link leads to."""
        path = self.root / folder
        if path.is_symlink() or not path.is_dir():
            return []
        files = (file.name for file in os.scandir(path) if file.is_file(follow_symlinks=False))
        return sorted(f"{folder}/{name}" for name in files if not name.endswith(".tmp"))

    def size(self, name: str) -> int:
        return (self.root / name).stat().st_size

    def lock(self) -> None:
        """Become the one writer; RunError when another process is. The system frees it whatever kills us."""
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

    def is_locked(self) -> bool:
        """Whether a process is writing here now."""
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


def npy(array: NDArray[Any]) -> bytes:
    """The bytes of an .npy file; `np.save` to memory would copy them once more."""
    kind = array.dtype.newbyteorder("<")
    return b"".join((npy_head(kind, array.shape), np.ascontiguousarray(array, kind).data))


def npy_head(kind: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The beginning of an .npy file; the numbers follow, row by row."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": kind.str, "fortran_order": False, "shape": shape})
    return head.getvalue()


def _sync_directory(path: Path) -> None:
    """Make a rename durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
