"""Files without names: the system removes them with the process that has them open, however that ends."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from islands.errors import DiskError


class Nameless:
    """Scratch files in the system's directory for them; `owner` is who needs them, for errors."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._files: dict[str, IO[bytes]] = {}

    def write_parts(self, name: str, parts: Iterable[bytes | memoryview], *, durable: bool = False) -> None:
        """Write a file whose content need not be in memory as a whole."""
        assert not durable
        try:
            file = self._files[name] = tempfile.TemporaryFile(prefix="puzzle-islands-")  # noqa: SIM115
            file.writelines(parts)
            file.flush()
        except OSError as error:
            self.remove(name)
            raise DiskError(
                f"{self._owner}: cannot write the keys that exceed `memory` into {tempfile.gettempdir()}: "
                f"{error.strerror}. What was saved before is safe: free space there, or set TMPDIR to another disk "
                "where this process is started, or allow more `memory`; then go on with `islands resume`."
            ) from error

    def array(self, name: str) -> NDArray[Any]:
        """The array in an .npy file, of which only what is looked at is read; the file is gone with it."""
        with self._files.pop(name) as file:
            file.seek(0)
            npy_format.read_magic(file)
            shape, _, kind = npy_format.read_array_header_1_0(file)
            return np.asarray(np.memmap(file, kind, "r", file.tell(), shape))

    def remove(self, name: str) -> None:
        """One that nobody has opened yet; the others go with their arrays."""
        if (file := self._files.pop(name, None)) is not None:
            with suppress(OSError):  # what is still to be written is not needed any more
                file.close()

    def names(self, folder: str) -> list[str]:
        return sorted(name for name in self._files if name.startswith(f"{folder}/"))

    def remove_folder(self, folder: str) -> None:
        """There are none."""
