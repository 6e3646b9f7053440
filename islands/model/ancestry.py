"""On which islands the ancestors of an individual lived: a bit for each island, in one number.

It tells what migration did, and nothing depends on it. Islands whose numbers differ by 64 share a bit.
"""

from __future__ import annotations

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
        self._alike = False  # all have the same, this island in it: then their children have it too
        self._passed = 0  # generations

    def settle(self, count: int) -> None:
        """These have no ancestors but here."""
        self._masks = np.full(count if self.kept else 0, self._own, np.uint64)
        self._alike = True

    def of(self, rows: Rows) -> Ancestry | None:
        return self._masks[rows] if self.kept else None

    def of_children(self, parents: Rows) -> Ancestry | None:
        """Of children who are not yet chosen, from the rows of their parents, (n, parents); -1: no parent."""
        if not self.kept:
            return None
        if self._alike and not _orphans(parents):
            return np.repeat(self._masks[:1], len(parents))
        masks: Ancestry = np.empty(len(parents), np.uint64)
        inherit(self._masks, self._own, parents, _NOBODY, _NOBODY, np.arange(len(parents)), masks)
        return masks

    def arrive(self, places: Rows, masks: Ancestry | None) -> None:
        """Immigrants bring theirs along; a place is -1 where one was refused."""
        if self.kept and masks is not None:
            stayed = places >= 0
            self._masks[places[stayed]] = masks[stayed]
            self._alike = False

    def pass_on(self, parents: Rows, elite: Rows, others: Rows, chosen: Rows) -> None:
        """The elite, then the chosen of the others and, counted on from them, of the children."""
        if not self.kept or (self._alike and len(elite) + len(chosen) == len(self._masks) and not _orphans(parents)):
            return
        old, self._masks = self._masks, np.empty(len(elite) + len(chosen), np.uint64)
        inherit(old, self._own, parents, elite, others, chosen, self._masks)
        self._passed += 1
        first = self._masks[:1]
        self._alike = self._passed % OFTEN == 0 and bool((self._masks == first).all() and (first & self._own).all())

    def foreign(self, costs: NDArray[np.int64], elite: int) -> float:
        """The share of the elite, or of the best one, that has an ancestor from elsewhere."""
        if not self.kept:
            return 0.0
        if self._alike:
            return float(self._masks[0] != self._own)
        leaders = np.argsort(costs, kind="stable")[: max(1, elite)]
        return float((self._masks[leaders] != self._own).mean())

    def state(self) -> State:
        return {"ancestry": self._masks.copy()} if self.kept else {}

    def restore(self, state: State) -> None:
        """Continue from a `state()`; where an older version wrote none, nobody has ancestors but here."""
        if self.kept and "ancestry" in state:
            self._masks = state["ancestry"].copy()
            self._alike = False
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
    return {bit: int((masks >> np.uint64(bit) & np.uint64(1)).sum()) for bit in bits}
