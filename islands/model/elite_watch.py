"""When the elite of an island has lived too long without a new solution.

Whether a solution is new to the whole archipelago only the coordinator knows, and its word comes one or two epochs
later. Until then an island takes for new what it has never found itself. So the elite of a single island, and of one
that finds nothing, dies in the very generation; where other islands were first, it lives on until that is known.
"""

from __future__ import annotations

import numpy as np

from islands.kernels.keys import Keys, KeySet
from islands.model.messages import NO_NEWS, News, State

LARGEST = 1 << 16  # keys that an island remembers, a megabyte; whatever it finds beyond may be new


class EliteWatch:
    """Counts the generations since the last solution that was new, or since the elite last died."""

    def __init__(self, period: int) -> None:
        self.period = period
        self.deaths: list[tuple[int, int]] = []  # of this epoch: the generation, and the lowest cost before
        self.regained: list[tuple[int, int]] = []  # of this epoch: a death, and in which generation it was made good
        self._news = NO_NEWS
        self._hope = self._died = 0  # generations: of the last solution that may be new, and of the last death
        self._missed: int | None = None  # the lowest cost before that death, until it is reached again
        self._known = KeySet()
        self._keys: list[Keys] = []  # of what is known, as they came

    def hear(self, news: News) -> None:
        """An epoch begins with what the archipelago made of earlier solutions."""
        self._news, self.deaths, self.regained = news, [], []

    def found(self, keys: Keys, generation: int) -> None:
        """Solutions of this generation, (n, 2) keys."""
        limit = LARGEST - len(self._known)
        fresh = self._known.add(keys, limit)
        self._keys += [keys[fresh]] if fresh.any() else []
        if fresh.any() or (len(keys) and not limit):
            self._hope = generation

    def dies(self, generation: int) -> bool:
        """Whether the elite dies in this generation: `period` of them have passed without a new solution."""
        hope = self._hope if self._hope > self._news.until else 0
        if generation - 1 - max(self._news.fruitful, hope, self._died) < self.period:
            return False
        self._died = generation
        return True

    def mourn(self, lowest: int) -> None:
        """The elite that has just died had this cost."""
        self.deaths.append((self._died, lowest))
        self._missed = lowest

    def live(self, generation: int, lowest: int) -> None:
        """A generation has ended, with this lowest cost."""
        if self._missed is not None and lowest <= self._missed:
            self.regained.append((self._died, generation))
            self._missed = None

    def state(self) -> State:
        """Everything that decides later deaths, as arrays."""
        self._keys = [np.concatenate([np.empty((0, 2), np.uint64), *self._keys])]
        missed = [] if self._missed is None else [self._missed]
        return {"elite": np.array([self._hope, self._died, *missed], np.int64), "elite.known": self._keys[0]}

    def restore(self, state: State, generation: int) -> None:
        """Continue from a `state()`; where an older version wrote none, the count begins with this generation."""
        self._hope, self._died, *missed = map(int, state["elite"]) if "elite" in state else (0, generation)
        self._missed = missed[0] if missed else None
        self._known, self._keys = KeySet(), []
        if "elite.known" in state:
            self._keys = [state["elite.known"].copy()]
            self._known.add(self._keys[0])
