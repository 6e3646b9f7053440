"""A set of keys that outgrows a memory limit: the newest in a table, the others in sorted files behind a filter.

Exact: a key is new only if neither the table nor a file has it. Of most new keys the filter says that no file does; for
the others, and for every duplicate, a page of each file is read. The files can be made again from the solutions, so
that they are scratch: a resumed run begins without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.keys import Flags, Keys, KeySet, leading
from islands.store.disk import npy_head
from islands.store.files import is_ours, keys_name
from islands.store.local_disk import LocalDisk
from islands.store.nameless import Nameless

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


@kernel
def _merge(one: Keys, other: Keys, done: NDArray[np.int64], merged: Keys) -> int:
    """The next keys of two sorted files into `merged`, until it is full or both are at their ends: how many.

    `done` are the keys of each that were merged before; it is brought up to date.
    """
    i, j, count = done[0], done[1], 0
    while count < merged.shape[0] and (i < one.shape[0] or j < other.shape[0]):
        first = j == other.shape[0] or (
            i < one.shape[0] and (one[i, 0] < other[j, 0] or (one[i, 0] == other[j, 0] and one[i, 1] < other[j, 1]))
        )
        if first:
            merged[count, 0], merged[count, 1] = one[i, 0], one[i, 1]
            i += 1
        else:
            merged[count, 0], merged[count, 1] = other[j, 0], other[j, 1]
            j += 1
        count += 1
    done[0], done[1] = i, j
    return count


@dataclass(frozen=True)
class _Sorted:
    """A file of sorted keys, mapped, and where in it the keys with each value of their leading bits begin."""

    name: str
    keys: Keys
    starts: NDArray[np.int64]
    shift: int

    @classmethod
    def opened(cls, disk: LocalDisk | Nameless, name: str) -> _Sorted:
        keys = disk.array(name)
        pages = 1 << max(1, (len(keys) // PAGE).bit_length())
        shift = leading(pages)
        firsts = np.arange(pages, dtype=np.uint64) << np.uint64(shift)
        return cls(name, keys, np.append(np.searchsorted(keys[:, 0], firsts), len(keys)).astype(np.int64), shift)


class SpillingKeys:
    """A KeySet of any size in `limit` bytes: a quarter each for the table and the filter, the rest is for sorting.

    A file that is not twice as large as the one after it is merged with it, so that n tables make log2(n) files, each
    with its descriptor, and a key is written log2(n) times.
    """

    least = 1 << 20  # bytes

    def __init__(self, disk: LocalDisk | Nameless, limit: int) -> None:
        self._disk = disk
        self._part = 1 << (max(limit, self.least) // 4).bit_length() - 1  # bytes of the table and of the filter
        self._fitting = self._part // 16 * 2 // 3 - 1  # keys that fit into the table
        self._table = KeySet()
        self._filter = np.empty(0, np.uint64)
        self._files: list[_Sorted] = []  # the largest first
        self._written = 0  # files so far, which gives each a name of its own
        self._spilled = 0
        self.close()

    def __len__(self) -> int:
        return self._spilled + len(self._table)

    def add(self, keys: Keys, limit: int | None = None) -> Flags:
        """Insert the keys, at most `limit` new ones, and tell which were new: (n, 2) -> (n,) bool."""
        fresh = np.zeros(len(keys), np.bool_)
        for start in range(0, len(keys), self._fitting):
            some = slice(start, start + self._fitting)
            left = None if limit is None else limit - int(np.count_nonzero(fresh[:start]))
            fresh[some] = self._add(keys[some], left)
        return fresh

    def _add(self, keys: Keys, limit: int | None) -> Flags:
        if len(self._table) + len(keys) > self._fitting:
            self._spill()
        known = np.zeros(len(keys), np.bool_)
        if self._files:
            suspects = np.empty(len(keys), np.bool_)
            _suspect(self._filter, leading(len(self._filter)), keys, suspects)
            for file in self._files:
                _look_up(file.keys, file.starts, file.shift, keys, suspects, known)
        return self._table.add(keys, limit, known)

    def _spill(self) -> None:
        """Make a sorted file of the table."""
        keys = np.empty((len(self._table), 2), np.uint64)
        _sort(self._table.table, leading(len(self._table.table)), keys)
        if not self._files:
            self._filter = np.zeros(self._part // 8, np.uint64)
        _enter(self._filter, leading(len(self._filter)), keys)
        self._files.append(self._kept(len(keys), [keys]))
        self._spilled += len(keys)
        self._table = KeySet()
        del keys
        while len(self._files) > 1 and len(self._files[-2].keys) < 2 * len(self._files[-1].keys):
            small, large = self._files.pop(), self._files.pop()
            self._files.append(self._kept(len(small.keys) + len(large.keys), self._merged(large.keys, small.keys)))
            for old in (small, large):
                self._disk.remove(old.name)

    def _kept(self, count: int, parts: Iterable[Keys]) -> _Sorted:
        """A file of `count` sorted keys, written part by part."""
        name = keys_name(self._written)
        self._written += 1
        head = npy_head(np.dtype("<u8"), (count, 2))
        self._disk.write_parts(name, chain([head], (part.data for part in parts)), durable=False)
        return _Sorted.opened(self._disk, name)

    def _merged(self, one: Keys, other: Keys) -> Iterator[Keys]:
        """The keys of two sorted files in their order, as many at a time as fit into the table."""
        done, merged = np.zeros(2, np.int64), np.empty((self._fitting, 2), np.uint64)
        while count := _merge(one, other, done, merged):
            yield merged[:count]

    def close(self) -> None:
        """Remove the files."""
        self._files = []
        for name in self._disk.names(FOLDER):
            if is_ours(name):
                self._disk.remove(name)
        self._disk.remove_folder(FOLDER)
