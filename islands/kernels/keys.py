"""128-bit keys of genomes, and a set of them that holds 100 million in a few bytes each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel

Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]

AHEAD = 32  # keys whose slots are read before the first of them is looked up: the reads wait for memory together


@kernel
def _mix(word: np.uint64) -> np.uint64:
    """The finaliser of splitmix64: every input bit reaches every output bit."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def _hash_rows(genomes: NDArray[np.integer[Any]], keys: Keys) -> None:
    """Two numbers at a time through two chains; a step of a chain is a bijection for every pair of numbers."""
    half, low_bits = np.uint64(32), np.int64(0xFFFFFFFF)
    for row in range(genomes.shape[0]):
        low = np.uint64(0x243F6A8885A308D3)
        high = np.uint64(0x13198A2E03707344)
        for i in range(0, genomes.shape[1], 2):
            word = np.uint64(np.int64(genomes[row, i]) & low_bits)
            if i + 1 < genomes.shape[1]:
                word |= np.uint64(np.int64(genomes[row, i + 1]) & low_bits) << half
            low = (low ^ word) * np.uint64(0x9E3779B97F4A7C15)
            low ^= low >> half
            high = (high ^ word) * np.uint64(0xD6E8FEB86659FD93)
            high ^= high >> half
        keys[row, 0] = _mix(low)
        keys[row, 1] = _mix(high ^ low)


@kernel
def _insert(table: Keys, shift: int, keys: Keys, known: Flags, fresh: Flags, limit: int) -> int:
    """Insert keys in order until `limit` were new; mark the new ones. An all-zero slot is empty.

    A key's slot is its leading bits: the table is all but sorted.
    """
    bits, mask = np.uint64(shift), np.int64(table.shape[0] - 1)
    added = 0
    touched = np.uint64(0)
    for row in range(keys.shape[0]):
        if row % AHEAD == 0:
            for later in range(row, min(row + AHEAD, keys.shape[0])):
                touched |= table[np.int64(keys[later, 0] >> bits), 0]
        if known[row]:
            continue
        if added >= limit:
            break
        low, high = keys[row, 0], keys[row, 1]
        slot = np.int64(low >> bits)
        while table[slot, 0] != 0 or table[slot, 1] != 0:
            if table[slot, 0] == low and table[slot, 1] == high:
                break
            slot = (slot + 1) & mask
        else:
            table[slot, 0] = low
            table[slot, 1] = high
            fresh[row] = True
            added += 1
    return added if touched or added else 0  # else the compiler would leave out the reading ahead


@kernel
def _move(old: Keys, table: Keys, shift: int) -> None:
    """Every key of one table into another, larger one. Both are walked through from front to back."""
    bits, mask = np.uint64(shift), np.int64(table.shape[0] - 1)
    for row in range(old.shape[0]):
        low, high = old[row, 0], old[row, 1]
        if low == 0 and high == 0:
            continue
        slot = np.int64(low >> bits)
        while table[slot, 0] != 0 or table[slot, 1] != 0:
            slot = (slot + 1) & mask
        table[slot, 0] = low
        table[slot, 1] = high


def keys_of(genomes: NDArray[np.integer]) -> Keys:
    """The 128-bit key of each row, (n, length) -> (n, 2) uint64; the same for every integer type."""
    keys = np.empty((len(genomes), 2), np.uint64)
    _hash_rows(np.ascontiguousarray(genomes, dtype=np.int32), keys)
    return keys


def key_text(key: Keys) -> str:
    """A key as 32 hexadecimal digits."""
    return f"{int(key[1]):016x}{int(key[0]):016x}"


def key_from(text: str) -> tuple[int, int]:
    """The key of 32 hexadecimal digits, as the two words of a row of keys."""
    return int(text[16:], 16), int(text[:16], 16)


class KeySet:
    """An open-addressing set of 128-bit keys, at most 2/3 full: 24-48 bytes a key."""

    def __init__(self, capacity: int = 64) -> None:
        self._table = _empty(_slots(capacity))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def table(self) -> Keys:
        """The slots, (n, 2), all zero where empty, in the order of the keys but for neighbours."""
        return self._table

    def add(self, keys: Keys, limit: int | None = None, known: Flags | None = None) -> Flags:
        """Insert the keys, at most `limit` new ones, and tell which were new: (n, 2) -> (n,) bool.

        Those that are `known` from elsewhere are not new.
        """
        if (needed := _slots(self._count + len(keys))) > len(self._table):
            old, self._table = self._table, _empty(needed)
            _move(old, self._table, leading(len(self._table)))
        fresh, known = np.zeros(len(keys), np.bool_), np.zeros(len(keys), np.bool_) if known is None else known
        limit = len(keys) if limit is None else limit
        self._count += _insert(self._table, leading(len(self._table)), keys, known, fresh, limit)
        return fresh


def _empty(slots: int) -> Keys:
    """An empty table. `np.zeros` would get it in small pages, which takes many times as long."""
    table = np.empty((slots, 2), np.uint64)
    table.fill(0)
    return table


def _slots(count: int) -> int:
    """The table size for `count` keys: a power of two, at most 2/3 full."""
    return 1 << max(6, (count * 3 // 2).bit_length())


def leading(slots: int) -> int:
    """By how much to shift a word so that its leading bits are a slot; `slots` is a power of two."""
    return 65 - slots.bit_length()
