"""Replays stay short, and reports small: at which epochs the islands send their states along.

The state of an island is by far the largest part of a report. In this process it costs next to nothing, and comes at
the end of every epoch. From elsewhere it comes when the run is to be saved, and often enough that an island which is
lost, or moves, has only a few seconds to live again. It never changes what is found.
"""

from __future__ import annotations

from collections.abc import Callable

from islands.clock.coordinator import Coordinator

REPLAY = 5.0  # seconds of search after which islands are asked for their states
LATE = 1.0  # seconds that a commit waits for them: solutions are not kept back by a long epoch
LAST = 1.0  # seconds before the end of a run from which on it may end with any report


class Replays:
    """Asks islands for the states from which they could be replayed."""

    def __init__(self, coordinator: Coordinator, clock: Callable[[], float]) -> None:
        self._coordinator, self._clock = coordinator, clock
        self._asked = clock()

    def keep_short(self, *, here: bool, save: bool, left: float) -> None:
        """Ask for states if it is time. `here`: the islands live in this process; `save`: the run is to be saved;
        `left` are the seconds until it ends.
        """
        coordinator, now = self._coordinator, self._clock()
        coordinator.dense = here or left < LAST
        if coordinator.dense or coordinator.awaits_states:
            return
        if save or coordinator.checkpoint is None or now - self._asked >= REPLAY:
            coordinator.ask_states()
            self._asked = now

    @property
    def nearly(self) -> bool:
        """Whether the states that were asked for are about to come."""
        return self._coordinator.awaits_states and self._clock() - self._asked < LATE
