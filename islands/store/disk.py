"""The only way to a run's files: whole files appear at once or not at all, logs grow at the end.

It is a parameter of everything that writes, so that tests can tear, fail and lose writes deterministically. A directory
is a `LocalDisk`, a place in object storage an `ObjectDisk`; `places.disk_at` chooses by the name.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from islands.errors import Damaged, DiskError
from islands.store.files import checksum, is_ours, part_folder

if TYPE_CHECKING:
    from islands.store.local_disk import LocalDisk


class Disk(ABC):
    """Files below one place, named by relative paths. `place` is its path or URL as a person types it."""

    def __init__(self, place: str) -> None:
        self.place = place

    @property
    def name(self) -> str:
        """The last part of the place."""
        return self.place.partition("?")[0].rstrip("/").rpartition("/")[2]

    @property
    def typed(self) -> str:
        """The place as a shell wants it."""
        return quote(self.place)

    def full(self, name: str) -> str:
        """A file's path or URL, for people."""
        return f"{self.place}/{name}"

    def short(self, full: str) -> str:
        """The name of a file here of which that is the path or URL."""
        return full.removeprefix(self.full(""))

    @abstractmethod
    def read(self, name: str) -> bytes:
        """A file's bytes; FileNotFoundError when it does not exist, another OSError when it cannot be read."""

    def read_checked(self, name: str, expected: str | None) -> bytes:
        """A file's bytes; Damaged where they cannot be read or do not have the checksum `expected` (None: any)."""
        try:
            data = self.read(name)
        except FileNotFoundError as error:
            raise Damaged(self.full(name), "it is missing") from error
        except OSError as error:
            raise Damaged(self.full(name), error.strerror or str(error)) from error
        if expected not in (None, checksum(data)):
            raise Damaged(self.full(name), "it is not what was written: the checksum differs")
        return data

    @abstractmethod
    def write(self, name: str, data: bytes | memoryview) -> None:
        """Replace a whole file so that a crash leaves the old one or the new one, never a part."""

    @abstractmethod
    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a log; a crash may leave a torn last line."""

    def parts(self, log: str) -> list[str]:
        """The files of a log, in their order: itself, and those that follow it where files cannot grow."""
        return [log, *filter(is_ours, self.names(part_folder(log)))]

    def read_log(self, log: str) -> bytes:
        """All of a log, read like a file."""
        first, *others = self.parts(log)
        return b"".join([self.read(first), *map(self.read, others)])

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    @abstractmethod
    def remove_folder(self, folder: str) -> None:
        """Remove a folder, if it is there and empty; "" is the place itself."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """The files in a folder, as `folder/name`, sorted. Drafts are not files; nor is what a link leads to."""

    def leftovers(self, folder: str) -> list[str]:
        """What processes that were killed have left there, which only they needed (see files); "" is the place itself.
        None where files are put as a whole and scratch files are elsewhere."""
        return []

    @abstractmethod
    def folders(self) -> list[str]:
        """The names of the folders here, sorted; none where nothing is here."""

    @abstractmethod
    def size(self, name: str) -> int:
        """A file's bytes."""

    @abstractmethod
    def modified(self, names: Sequence[str]) -> list[float | None]:
        """When each of these files was last written, as seconds of one clock; None where it does not exist."""

    def exists(self, name: str) -> bool:
        return self.modified([name])[0] is not None

    @abstractmethod
    def below(self, name: str) -> Self:
        """The same for a folder of this one, which need not exist."""

    @abstractmethod
    def claim(self, name: str) -> Self:
        """A new folder for one run. FileExistsError where it exists: two runs never share one."""

    @abstractmethod
    def lock(self) -> None:
        """Become the one writer; RunError when another process is. Whatever kills us, another can become it."""

    @abstractmethod
    def confirm(self) -> None:
        """DiskError where this process was the one writer and is so no longer."""

    @abstractmethod
    def is_locked(self) -> bool:
        """Whether a process is writing here now."""

    @abstractmethod
    def unlock(self) -> None:
        """Let others write; everything appended is there then."""

    @abstractmethod
    def scratch(self) -> LocalDisk:
        """Where files may be that the run does without when it goes on."""

    def _failed(self, name: str, reason: str, cure: str = "free space or give permission") -> DiskError:
        return DiskError(
            f"cannot write {self.full(name)}: {reason}. What was saved before is safe: {cure}, then go on with "
            f"`islands resume {self.typed}`."
        )


def npy(array: NDArray[Any]) -> bytes:
    """The bytes of an .npy file; `np.save` to memory would copy them once more."""
    kind = array.dtype.newbyteorder("<")
    return b"".join((npy_head(kind, array.shape), np.ascontiguousarray(array, kind).data))


def npy_head(kind: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The beginning of an .npy file; the numbers follow, row by row."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": kind.str, "fortran_order": False, "shape": shape})
    return head.getvalue()
