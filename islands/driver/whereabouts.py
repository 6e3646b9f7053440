"""Which island lives where, and how long it takes there: kept from reports, told as events when something changes.

Nothing here decides anything about results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from islands.model.messages import Event, Report

SLOW = 3.0  # times as long as the others for the same work, and an island is told to be slow
ENOUGH = 5.0  # seconds of work at one place, from which on an island is judged


@dataclass
class Stay:
    """An island at one place."""

    place: str = ""  # node:process; empty in the process of the driver
    told: str = ""  # the place that was announced last
    began: int | None = None  # evaluations of its life when it came there; None = it has not answered from there
    evaluations: int = 0  # of its life
    seconds: float = 0.0  # of work at this place
    slow: bool = False  # that was announced

    @property
    def pace(self) -> float | None:
        """Seconds per evaluation; None where too little is known."""
        done = self.evaluations - (self.began or 0)
        return self.seconds / done if self.seconds >= ENOUGH and done > 0 else None


class Whereabouts:
    """Every island's place."""

    def __init__(self, recipes: Sequence[str]) -> None:
        self._recipes = recipes
        self._stays = [Stay() for _ in recipes]

    @property
    def places(self) -> tuple[str, ...]:
        """Where each island lives, as far as it has answered from there."""
        return tuple(stay.place for stay in self._stays)

    def hear(self, place: str, report: Report) -> None:
        """An island has reported from this place."""
        stay = self._stays[report.island]
        if stay.began is None or place != stay.place:  # its first report from there: the work before it is not known
            stay.place, stay.began, stay.seconds, stay.slow = place, report.evaluations, 0.0, False
        else:
            stay.seconds += report.seconds
        stay.evaluations = report.evaluations

    def leave(self, island: int) -> str:
        """An island is gone from where it lived, and comes back elsewhere; returns the old place."""
        stay = self._stays[island]
        place, stay.place, stay.began = stay.place, "", None
        return place

    def news(self) -> list[Event]:
        """The islands that have another place than was told, and those that turned out to be slow."""
        moved = {str(island): stay for island, stay in enumerate(self._stays) if self._has_moved(stay)}
        for stay in moved.values():
            stay.told = stay.place
        events: list[Event] = []
        if moved:
            events.append({"event": "placed", "places": {island: stay.place for island, stay in moved.items()}})
        return events + self._slow()

    def _has_moved(self, stay: Stay) -> bool:
        return stay.began is not None and stay.place != stay.told

    def _slow(self) -> list[Event]:
        """Islands that take much longer than most others of their recipe; each is told once at a place."""
        paces = [stay.pace for stay in self._stays]
        events: list[Event] = []
        for island, (stay, pace) in enumerate(zip(self._stays, paces, strict=True)):
            peers = [
                other for i, other in enumerate(paces) if i != island and self._recipes[i] == self._recipes[island]
            ]
            known = [other for other in peers if other is not None]
            if pace is None or stay.slow or not stay.place or 2 * len(known) < len(peers) or not known:
                continue
            times = pace / median(known)
            if times >= SLOW:
                stay.slow = True
                events.append({"event": "slow", "island": island, "place": stay.place, "times": round(times, 1)})
        return events
