"""The only way to a run's files: whole files appear at once or not at all, logs grow at the end.

It is a parameter of everything that writes, so that tests can tear, fail and lose writes deterministically.
"""

from __future__ import annotations

import fcntl
import io
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from islands.errors import DiskError, RunError

LOCK = "writer.lock"


class Disk:
    """Files below one directory, named by relative paths."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock: IO[str] | None = None

    def read(self, name: str) -> bytes:
        """A file's bytes; FileNotFoundError when there is none."""
        return (self.root / name).read_bytes()

    def array(self, name: str) -> NDArray[Any]:
        """The array in an .npy file, of which only what is looked at is read."""
        return np.asarray(np.load(self.root / name, mmap_mode="r"))

    def write(self, name: str, data: bytes | memoryview) -> None:
        """Replace a whole file so that a crash leaves the old one or the new one, never a part."""
        path = self.root / name
        draft = path.with_name(path.name + ".tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
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
            f"cannot write {self.root / name}: {error.strerror}. What was saved before is safe: make room or give "
            f"permission, then go on with `islands resume {self.root}`."
        )

    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def names(self, folder: str) -> list[str]:
        """The files in a folder, as `folder/name`, sorted; drafts are not files."""
        path = self.root / folder
        if not path.is_dir():
            return []
        return sorted(f"{folder}/{file.name}" for file in path.iterdir() if file.suffix != ".tmp")

    def size(self, name: str) -> int:
        return (self.root / name).stat().st_size

    def lock(self) -> None:
        """Become the one writer; RunError when another process is. The system frees it whatever kills us."""
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
    header = io.BytesIO()
    kind = array.dtype.newbyteorder("<")
    np.lib.format.write_array_header_1_0(header, {"descr": kind.str, "fortran_order": False, "shape": array.shape})
    return b"".join((header.getvalue(), np.ascontiguousarray(array, kind).data))


def _sync_directory(path: Path) -> None:
    """Make a rename durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
