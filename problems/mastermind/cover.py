"""The fewest turns that no code agrees with, in games whose codes can all be looked at.

Each turn rules some codes out; together they must rule out all. A code that few turns rule out leaves few choices, so
such codes come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from problems.mastermind.game import Turn

SMALL = 2_000_000  # codes of a game times turns
WORK = 2_000_000_000  # bits that are looked at: about a second
OVERHEAD = 20_000  # bits that could be looked at in the time that a call takes


def fewest(pegs: int, colours: int, history: Sequence[Turn]) -> list[int] | None:
    """The places of the fewest turns that no code agrees with, or of few where that takes long; None where some code
    agrees with all."""
    against = _against(pegs, colours, history)
    times = against.sum(axis=0)
    if not times.all():
        return None
    return sorted(_Cover(against[:, np.argsort(times, kind="stable")]).fewest())


def _against(pegs: int, colours: int, history: Sequence[Turn]) -> NDArray[np.bool_]:
    """Which codes each turn rules out, (turns, codes)."""
    codes = np.indices((colours,) * pegs, dtype=np.uint8).reshape(pegs, -1)
    counts = [(codes == colour).sum(axis=0, dtype=np.uint8) for colour in range(colours)]
    against = np.empty((len(history), codes.shape[1]), np.bool_)
    for row, (guess, feedback) in zip(against, history, strict=True):
        blacks: Any = sum((codes[peg] == colour).astype(np.uint8) for peg, colour in enumerate(guess))
        common: Any = sum(np.minimum(counts[colour], guess.count(colour)) for colour in sorted(set(guess)))
        row[:] = (blacks != feedback.blacks) | (common != sum(feedback))
    return against


class _Cover:
    """A search for the fewest sets that cover everything; sets (n, elements)."""

    def __init__(self, sets: NDArray[np.bool_]) -> None:
        self.sets = sets
        packed = np.packbits(sets, axis=1, bitorder="little")
        self.bits = [int.from_bytes(row.tobytes(), "little") for row in packed]
        self.largest = max(bits.bit_count() for bits in self.bits)
        self.left = WORK // (sets.shape[1] + OVERHEAD)

    def fewest(self) -> list[int]:
        """By their numbers; where the work is at an end before, few of which none can be left out."""
        few, whole = self._few(), (1 << self.sets.shape[1]) - 1
        for size in range(1, len(few)):
            found = self._within(whole, size)
            if found is not None:
                return found
        return few

    def _few(self) -> list[int]:
        few, rest = list[int](), np.ones(self.sets.shape[1], np.bool_)
        while rest.any():
            few.append(int((self.sets & rest).sum(axis=1).argmax()))
            rest &= ~self.sets[few[-1]]
        for number in tuple(few):
            others = [other for other in few if other != number]
            if self.sets[others].any(axis=0).all():
                few = others
        return few

    def _within(self, rest: int, size: int) -> list[int] | None:
        """At most `size` sets that cover the rest; None where no such sets exist, or the work is at an end."""
        if not rest:
            return []
        self.left -= 1
        if self.left < 0 or rest.bit_count() > size * self.largest:
            return None
        first = (rest & -rest).bit_length() - 1
        for number in np.flatnonzero(self.sets[:, first]).tolist():
            found = self._within(rest & ~self.bits[number], size - 1)
            if found is not None:
                return [number, *found]
        return None
