"""What the log, the views and Ray's metrics hear of a run under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from islands.clock.coordinator import Coordinator
from islands.driver.age import Age
from islands.driver.fleet import Fleet
from islands.driver.keeper import Keeper
from islands.driver.placement import Placement
from islands.driver.snapshot import Snapshot
from islands.model.messages import Event
from islands.store.journal import pause
from islands.store.writer import Writer

LOOK = 0.1  # seconds between two snapshots for the views
DESCRIBE = 1.0  # seconds, at most, between two descriptions of how the islands fare; in a young run as its log wants
OBSERVE = 1.0  # seconds between two snapshots for a place outside this process, which makes metrics of them


class Telling:
    """Events, and the state of the run at one moment."""

    def __init__(
        self,
        writer: Writer,
        coordinator: Coordinator,
        fleet: Fleet,
        keeper: Keeper,
        placement: Placement,
        age: Age,
        clock: Callable[[], float],
    ) -> None:
        self._writer, self._coordinator, self._fleet = writer, coordinator, fleet
        self._keeper, self._placement = keeper, placement
        self._age, self._clock = age, clock
        self.listen: Callable[[Event], None] | None = None
        self._described = self._observed = clock()
        self.commit_seconds = 0.0  # that the last commit took

    def begin(self) -> None:
        """The run was taken up."""
        self.take_snapshot()
        self._placement.observe(self._snapshot)

    def look(self) -> Snapshot:
        """The run at this moment, for any thread; what it found and did is LOOK seconds old at the most."""
        return replace(self._snapshot, seconds=self._age.seconds)

    def take_snapshot(self) -> None:
        self._looked, manifest = self._clock(), self._writer.manifest
        self._snapshot = Snapshot.of(
            self._coordinator,
            seconds=self._age.seconds,
            saved=manifest.total + manifest.counted,
            where=self._placement.where,
            commit_seconds=self.commit_seconds,
            behind=self._fleet.behind,
            places=self._fleet.whereabouts.places,
        )

    def go_on(self) -> None:
        """Pass on what happened, and once a second, or more often in a young run, how every island fares."""
        coordinator, now = self._coordinator, self._clock()
        self.pass_on()
        if now - self._looked >= LOOK:
            self.take_snapshot()
        if now - self._observed >= OBSERVE:
            self._observed = now
            self._placement.observe(self._snapshot)
        if now - self._described < min(DESCRIBE, pause(self._age.seconds, 4 * coordinator.count)):
            return
        self._described = now
        state = coordinator.chronicle.state(coordinator.status)
        counts = {"migrations": coordinator.migrations, "total": coordinator.found}
        self.announce(
            [
                *self._fleet.whereabouts.news(),
                {"event": "epoch", "epoch": coordinator.epoch, **state, **counts},
            ]
        )

    def pass_on(self) -> None:
        """Tell what nobody has read yet."""
        for source in (self._placement, self._fleet, self._coordinator, self._keeper):
            self.announce(source.events)
            source.events = []

    def announce(self, events: list[Event]) -> None:
        """Write events down and tell the view; what is about no epoch gets that of the clock."""
        if not events:
            return
        events = [event if "epoch" in event else {**event, "epoch": self._coordinator.epoch} for event in events]
        self._writer.record(events, self._age.seconds)
        if self.listen is not None:
            for event in events:
                self.listen(event)
