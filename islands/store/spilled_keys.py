"""A set of keys that outgrows a memory limit: the newest in a table, the others in sorted files behind a filter.

Exact: a key is new only if neither the table nor a file has it. Of most new keys the filter says that no file does; for
the others, and for every duplicate, a page of each file is read. The files can be made again from the solutions, so
that they are scratch: a resumed run begins without.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.keys import Flags, Keys, KeySet, leading
from islands.store.disk import Disk, npy

FOLDER = "keys"
PAGE = 256  # keys, 4 KB: what a look-up reads of a file


@kernel
def _sort(table: Keys, shift: int, keys: Keys) -> int:
    """The keys of a table, sorted, into `keys`: how many. A slot is a key's leading bits, so that few have to move."""
    count = 0
    for wrapped in (False, True):  # those that found no slot before the end stand at the front
        for slot in range(table.shape[0]):
            low, high = table[slot, 0], table[slot, 1]
            if low == 0 and high == 0:
                if wrapped:
                    break
                continue
            if (np.int64(low >> np.uint64(shift)) > slot) != wrapped:
                continue
            place = count
            while place > 0 and (keys[place - 1, 0] > low or (keys[place - 1, 0] == low and keys[place - 1, 1] > high)):
                keys[place, 0] = keys[place - 1, 0]
                keys[place, 1] = keys[place - 1, 1]
                place -= 1
            keys[place, 0] = low
            keys[place, 1] = high
            count += 1
    return count


@kernel
def _bits(low: np.uint64) -> np.uint64:
    """The four bits, some of them perhaps alike, that a key sets in its word of the filter."""
    bits = np.uint64(0)
    for k in range(4):
        bits |= np.uint64(1) << ((low >> np.uint64(6 * k)) & np.uint64(63))
    return bits


@kernel
def _enter(words: NDArray[np.uint64], shift: int, keys: Keys) -> None:
    for row in range(keys.shape[0]):
        words[np.int64(keys[row, 1] >> np.uint64(shift))] |= _bits(keys[row, 0])


@kernel
def _suspect(words: NDArray[np.uint64], shift: int, keys: Keys, suspects: Flags) -> None:
    """Mark the keys that may have been entered; those not marked never were."""
    for row in range(keys.shape[0]):
        bits = _bits(keys[row, 0])
        suspects[row] = words[np.int64(keys[row, 1] >> np.uint64(shift))] & bits == bits


@kernel
def _look_up(file: Keys, starts: NDArray[np.int64], shift: int, keys: Keys, suspects: Flags, known: Flags) -> None:
    """Mark the suspects that a sorted file has; starts[b] is where keys with the leading bits b begin."""
    for row in range(keys.shape[0]):
        if known[row] or not suspects[row]:
            continue
        low, high = keys[row, 0], keys[row, 1]
        page = np.int64(low >> np.uint64(shift))
        first, last = starts[page], starts[page + 1]
        while first < last:
            middle = (first + last) // 2
            if file[middle, 0] < low or (file[middle, 0] == low and file[middle, 1] < high):
                first = middle + 1
            else:
                last = middle
        known[row] = first < file.shape[0] and file[first, 0] == low and file[first, 1] == high


class SpillingKeys:
    """A KeySet of any size in `limit` bytes: a quarter each for the table and the filter, the rest is room to sort."""

    least = 1 << 20  # bytes

    def __init__(self, disk: Disk, limit: int) -> None:
        self._disk = disk
        self._part = 1 << (max(limit, self.least) // 4).bit_length() - 1  # bytes of the table and of the filter
        self._room = self._part // 16 * 2 // 3 - 1  # keys that fit into the table
        self._table = KeySet()
        self._filter = np.empty(0, np.uint64)
        self._files: list[tuple[Keys, NDArray[np.int64], int]] = []
        self._spilled = 0
        self.close()

    def __len__(self) -> int:
        return self._spilled + len(self._table)

    def add(self, keys: Keys, room: int | None = None) -> Flags:
        """Insert the keys, at most `room` new ones, and tell which were new: (n, 2) -> (n,) bool."""
        fresh = np.zeros(len(keys), np.bool_)
        for start in range(0, len(keys), self._room):
            some = slice(start, start + self._room)
            left = None if room is None else room - int(np.count_nonzero(fresh[:start]))
            fresh[some] = self._add(keys[some], left)
        return fresh

    def _add(self, keys: Keys, room: int | None) -> Flags:
        if len(self._table) + len(keys) > self._room:
            self._spill()
        known = np.zeros(len(keys), np.bool_)
        if self._files:
            suspects = np.empty(len(keys), np.bool_)
            _suspect(self._filter, leading(len(self._filter)), keys, suspects)
            for file, starts, shift in self._files:
                _look_up(file, starts, shift, keys, suspects, known)
        return self._table.add(keys, room, known)

    def _spill(self) -> None:
        """Make a sorted file of the table."""
        keys = np.empty((len(self._table), 2), np.uint64)
        _sort(self._table.table, leading(len(self._table.table)), keys)
        if not self._files:
            self._filter = np.zeros(self._part // 8, np.uint64)
        _enter(self._filter, leading(len(self._filter)), keys)
        pages = 1 << max(1, (len(keys) // PAGE).bit_length())
        shift = leading(pages)
        firsts = np.arange(pages, dtype=np.uint64) << np.uint64(shift)
        starts = np.append(np.searchsorted(keys[:, 0], firsts), len(keys)).astype(np.int64)
        name = f"{FOLDER}/{len(self._files):06}.npy"
        self._disk.write(name, npy(keys))
        self._files.append((self._disk.array(name), starts, shift))
        self._spilled += len(keys)
        self._table = KeySet()

    def close(self) -> None:
        """Remove the files."""
        self._files = []
        for name in self._disk.names(FOLDER):
            self._disk.remove(name)
        with suppress(OSError):
            (self._disk.root / FOLDER).rmdir()
