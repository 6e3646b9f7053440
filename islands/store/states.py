"""The state file of a checkpoint: the arrays of all islands and of the mail, in one .npz file."""

from __future__ import annotations

import io
from typing import Any, cast

import numpy as np

from islands.errors import Damaged
from islands.model.messages import State
from islands.store.disk import Disk
from islands.store.files import checksum
from islands.store.manifest import StateFile


def write_state(disk: Disk, name: str, arrays: State) -> StateFile:
    data = _encoded(arrays)
    disk.write(name, data)
    return StateFile(name=name, checksum=checksum(data))


def read_state(disk: Disk, file: StateFile) -> State:
    """The arrays by name; Damaged where they are not what was written."""
    data = disk.read_checked(file.name, file.checksum)
    try:
        return _decoded(data)
    except Exception as error:  # zipfile, zlib and NumPy have many words for bytes that are no archive of arrays
        raise Damaged(disk.full(file.name), f"{type(error).__name__}: {error}") from error


def _encoded(arrays: State) -> memoryview:
    buffer = io.BytesIO()
    np.savez(buffer, **cast(Any, arrays))
    return buffer.getbuffer()


def _decoded(data: bytes) -> State:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)
