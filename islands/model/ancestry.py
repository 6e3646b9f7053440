"""On which islands the ancestors of an individual lived: a bit for each island, in one number.

It tells what migration did, and nothing depends on it. Islands whose numbers differ by 64 share a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from islands.kernels.descent import inherit
from islands.model.breeding import Rows
from islands.model.messages import State

Ancestry = NDArray[np.uint64]
"""(n,): the bits of n individuals."""

BITS = 64
OFTEN = 16  # generations after which it is looked whether all have the same ancestry again


_NOBODY: Rows = np.empty(0, np.int64)


class Kin:
    """The ancestry of everyone who lives on one island; of nobody, unless it is `kept`."""

    def __init__(self, island: int, *, kept: bool) -> None:
        self.kept, self._own = kept, np.uint64(1 << island % BITS)
        self._masks: Ancestry = np.empty(0, np.uint64)
        self._common: Ancestry | None = None  # (1,) what all have, this island in it: then their children have it too
        self._passed = 0  # generations

    def settle(self, count: int) -> None:
        """These have no ancestors but here."""
        self._masks = np.full(count if self.kept else 0, self._own, np.uint64)
        self._common = np.array([self._own])

    def of(self, rows: Rows) -> Ancestry | None:
        return self._masks[rows] if self.kept else None

    def of_children(self, parents: Rows, rows: Rows) -> Ancestry | None:
        """Of these of the children, who are not yet chosen, from the rows of all their parents, (n, parents), -1: no
        parent; (1,) where all have the same."""
        if not self.kept:
            return None
        if self._common is not None and not _orphans(parents):
            return self._common
        masks: Ancestry = np.empty(len(rows), np.uint64)
        inherit(self._masks, self._own, parents, _NOBODY, _NOBODY, rows, masks)
        return masks

    def arrive(self, places: Sequence[int], masks: Ancestry | None) -> None:
        """Immigrants bring theirs along; a place is -1 where one was refused."""
        if self.kept and masks is not None:
            for place, mask in zip(places, masks, strict=True):  # few: NumPy would take longer
                if place >= 0:
                    self._masks[place] = mask
                    self._common = None

    def pass_on(self, parents: Rows, elite: Rows, others: Rows, chosen: Rows) -> None:
        """The elite, then the chosen of the others and, counted on from them, of the children."""
        if not self.kept:
            return
        count = len(elite) + len(chosen)
        if self._common is not None and count == len(self._masks) and not _orphans(parents):
            return
        old, self._masks = self._masks, np.empty(count, np.uint64)
        inherit(old, self._own, parents, elite, others, chosen, self._masks)
        self._passed += 1
        self._common = self._found_common() if self._passed % OFTEN == 0 else None

    def _found_common(self) -> Ancestry | None:
        first = self._masks[:1].copy()
        return first if (self._masks == first).all() and (first & self._own).all() else None

    def foreign(self, ranking: Callable[[], Rows], elite: int) -> float:
        """The share of the elite, or of the best one, that has an ancestor from elsewhere."""
        if not self.kept:
            return 0.0
        if self._common is not None:
            return float(self._common[0] != self._own)
        leaders = ranking()[: max(1, elite)]
        return float(np.count_nonzero(self._masks[leaders] != self._own) / len(leaders))

    def state(self) -> State:
        return {"ancestry": self._masks.copy()} if self.kept else {}

    def restore(self, state: State) -> None:
        """Continue from a `state()`; where an older version wrote none, nobody has ancestors but here."""
        if self.kept and "ancestry" in state:
            self._masks = state["ancestry"].copy()
            self._common = None
        else:
            self.settle(len(state["genomes"]))


def _orphans(parents: Rows) -> bool:
    """Whether some children have no parents: random newcomers, who come last."""
    return bool(len(parents)) and bool(parents[-1, 0] < 0)


def homes(masks: Ancestry) -> dict[int, int]:
    """How many individuals have ancestors on an island, for each that there are; of islands that share a bit, the
    first is named."""
    together = int(np.bitwise_or.reduce(masks))
    bits = [bit for bit in range(together.bit_length()) if together >> bit & 1]
    if together == int(np.bitwise_and.reduce(masks)):
        return dict.fromkeys(bits, len(masks))
    return {bit: int((masks >> np.uint64(bit) & np.uint64(1)).sum()) for bit in bits}
