"""What of a run is written to its event log, so that the log stays small however long the run lives.

Rare events are written as they come. Of frequent ones the first are; later ones are added up and written now and then,
and so is how the islands fare: the older the run and the more islands it has, the longer the intervals.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from math import inf

from islands.model.messages import Event

FIRST = 1_000  # events of a frequent kind that are written one by one ...
PACE = 200  # ... and of a young run as many for every second of its age
SHORTEST = 1.0  # seconds between two lines on how the islands fare ...
EARLY = 10  # ... and in the life of a young run: its age divided by this
FIRST_PAUSE = 0.1  # seconds, at least
DENSITY = 4_000  # such lines times islands while the age of a run grows by a factor of e

LATEST = ("epoch", "checkpoint")  # of which the last one says it all
SUMMED = {"solutions": ("new",), "migration": ("sent", "stayed", "led"), "elite-death": (), "elite-regained": ()}
"""Frequent events, and the numbers of them that add up; of the others the last one is kept."""

FREQUENT = frozenset((*LATEST, *SUMMED))


class Journal:
    """Chooses the lines of one run's event log."""

    def __init__(self, islands: int) -> None:
        self._islands = islands
        self._written: Counter[str] = Counter()
        self._waiting: dict[tuple[object, ...], Event] = {}
        self._last = -inf  # the age of the run when what waits was written

    def take(self, events: list[Event], seconds: float) -> list[Event]:
        """The events that are to be written now, at this age of the run."""
        lines: list[Event] = []
        for event in events:
            kind = event["event"]
            if kind in LATEST:
                self._waiting.pop((kind,), None)  # it goes to the end
                self._waiting[kind,] = event
            elif kind in SUMMED and self._written[kind] >= min(FIRST, PACE * (1 + seconds)):
                self._add(kind, event)
            else:
                lines += self._due() if kind == "stop" else []
                lines.append(event)
                self._written[kind] += 1
        if self._waiting and seconds - self._last >= pause(seconds, self._islands):
            self._last = seconds
            lines += self._due()
        return lines

    def _add(self, kind: str, event: Event) -> None:
        """Add an event to those of its kind and islands that wait."""
        key = (kind, event["island"], event.get("from"))
        before, sums = self._waiting.get(key, {}), {**event}
        for name in SUMMED[kind]:
            sums[name] += before.get(name, 0)
        if "ancestry" in event:
            total: Counter[int] = Counter(before.get("ancestry", {}))
            total.update(event["ancestry"])
            sums["ancestry"] = dict(total)
        sums["times"] = before.get("times", 0) + 1
        self._waiting[key] = sums

    def _due(self) -> list[Event]:
        lines, self._waiting = list(self._waiting.values()), {}
        return lines


def pause(seconds: float, islands: int) -> float:
    """Seconds between two lines on how the islands fare, in a run of this age: a short run has some, a long one few."""
    young = min(SHORTEST, max(FIRST_PAUSE, seconds / EARLY))
    return max(young, seconds * islands / DENSITY)


def line_of(event: Event) -> str:
    """The line of the log that says it, with the time as a person reads it."""
    moment = datetime.fromtimestamp(event["time"], UTC).isoformat(timespec="milliseconds")
    return json.dumps({**event, "time": moment}) + "\n"


def events_of(lines: Iterable[bytes]) -> list[Event]:
    """The events of these lines of a log; what is no event is passed over."""
    events: list[Event] = []
    for line in lines:
        try:
            event = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            events.append(event)
    return events
