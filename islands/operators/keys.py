"""128-bit keys of genomes, and a set of them that holds 100 million in a few bytes each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.operators.jit import kernel
from islands.space import Genomes

Keys = NDArray[np.uint64]


@kernel
def _mix(word: np.uint64) -> np.uint64:
    """The finaliser of splitmix64: every input bit reaches every output bit."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def _hash_rows(genomes: Genomes, keys: Keys) -> None:
    for row in range(genomes.shape[0]):
        low = np.uint64(0x243F6A8885A308D3)
        high = np.uint64(0x13198A2E03707344)
        for i in range(genomes.shape[1]):
            word = np.uint64(np.int64(genomes[row, i]) & 0xFFFFFFFF)
            low = _mix((low ^ word) + np.uint64(0x9E3779B97F4A7C15))
            high = _mix((high + word) ^ low)
        keys[row, 0] = low
        keys[row, 1] = high


@kernel
def _insert(table: Keys, keys: Keys, fresh: NDArray[np.bool_], room: int) -> int:
    """Insert keys in order until `room` were new; mark the new ones. An all-zero slot is empty."""
    mask = np.uint64(table.shape[0] - 1)
    added = 0
    for row in range(keys.shape[0]):
        if added >= room:
            break
        low, high = keys[row, 0], keys[row, 1]
        slot = low & mask
        while table[slot, 0] != 0 or table[slot, 1] != 0:
            if table[slot, 0] == low and table[slot, 1] == high:
                break
            slot = (slot + np.uint64(1)) & mask
        else:
            table[slot, 0] = low
            table[slot, 1] = high
            fresh[row] = True
            added += 1
    return added


def keys_of(genomes: Genomes) -> Keys:
    """The 128-bit key of each row, (n, length) -> (n, 2) uint64."""
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
        self._table: Keys = np.zeros((_slots(capacity), 2), np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, keys: Keys, room: int | None = None) -> NDArray[np.bool_]:
        """Insert the keys, at most `room` new ones, and tell which were new: (n, 2) -> (n,) bool."""
        if (needed := _slots(self._count + len(keys))) > len(self._table):
            full = self._table[self._table.any(axis=1)]
            self._table = np.zeros((needed, 2), np.uint64)
            _insert(self._table, full, np.zeros(len(full), np.bool_), len(full))
        fresh = np.zeros(len(keys), np.bool_)
        self._count += _insert(self._table, keys, fresh, len(keys) if room is None else room)
        return fresh


def _slots(count: int) -> int:
    """The table size for `count` keys: a power of two, at most 2/3 full."""
    return 1 << max(6, (count * 3 // 2).bit_length())
