"""What the event log of a run tells, added up: a value that stays small, whatever the run did and however long.

Nothing in a log is believed before it was looked at: what is not an event as this product writes it is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from islands.model.messages import Event

POINTS = 400  # of a curve, at most: every second one goes beyond that
VITALS = ("best", "generations", "evaluations", "stale", "found", "lowest", "average", "spread", "diversity", "foreign")


class Moment(NamedTuple):
    """How the islands fared at one time: of each of VITALS a list with a number for every island, or None."""

    seconds: float
    vitals: dict[str, list[float | None]]


class Edge(NamedTuple):
    """All migrants from one island to another."""

    times: int
    sent: int
    stayed: int
    led: int  # had a lower cost than everyone who lived on the island


class Death(NamedTuple):
    """The end of an elite that had found nothing new for too long."""

    seconds: float
    island: int
    generation: int
    best: int  # the lowest cost before
    regained: int | None = None  # the generation in which that cost was reached again


class Journey(NamedTuple):
    """An island that moved, or was lost, or all of them."""

    seconds: float
    kind: str  # move, island-lost, hand-over, ray-ready, ray-lost ...
    event: Event


@dataclass
class History:
    """What happened in a run of so many islands."""

    islands: int
    moments: list[Moment] = field(default_factory=list)
    curve: list[tuple[float, int]] = field(default_factory=list)  # seconds, solutions up to then
    edges: dict[tuple[int, int], Edge] = field(default_factory=dict)  # by sender and receiver
    arrivals: list[tuple[float, int, int]] = field(default_factory=list)  # seconds, receiver, immigrants that led
    deaths: list[Death] = field(default_factory=list)
    deaths_in_all: int = 0
    ancestry: dict[tuple[int, int], int] = field(default_factory=dict)  # by finder and home of an ancestor
    finders: dict[int, int] = field(default_factory=dict)  # island -> solutions that no other had found before
    journeys: list[Journey] = field(default_factory=list)
    resumed: int = 0
    started: bool = False
    ended: Event | None = None

    @classmethod
    def of(cls, events: Iterable[Event], islands: int) -> History:
        """The history that a log tells. What was lived again after a resume counts once."""
        history = cls(islands)
        for event in lived_once(events):
            take = _TAKERS.get(event["event"])
            if take is not None and _is_time(event.get("seconds")):
                take(history, event)
        history.curve, history.moments = thinned(history.curve), thinned(history.moments)
        return history

    @property
    def led(self) -> int:
        """Migrants that mattered."""
        return sum(edge.led for edge in self.edges.values())

    def series(self, island: int, name: str) -> list[tuple[float, float]]:
        """How one number of an island went: (seconds, value)."""
        values = ((moment.seconds, moment.vitals[name][island]) for moment in self.moments if name in moment.vitals)
        return [(seconds, value) for seconds, value in values if value is not None]


def lived_once(events: Iterable[Event]) -> list[Event]:
    """Events without those that were lived again: after a resume a run goes on from the epoch of its checkpoint."""
    kept: list[Event] = []
    for event in events:
        again = event.get("epoch")
        if event["event"] == "resume" and isinstance(again, int):
            kept = [one for one in kept if one["event"] not in AGAIN or not _at_least(one.get("epoch"), again)]
        kept.append(event)
    return kept


AGAIN = ("migration", "elite-death", "elite-regained", "solutions", "epoch", "stop")


def thinned(points: list[Any]) -> list[Any]:
    """At most POINTS of them, evenly; the last one is always there."""
    while len(points) > POINTS:
        points = [*points[:-1:2], points[-1]]
    return points


def _at_least(value: object, least: int) -> bool:
    return isinstance(value, int) and value >= least


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e12


def _count(value: object) -> int:
    """A number that adds up; 0 where a log has something else."""
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else 0


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and abs(value) < 1e300 else None


def _vitals(history: History, event: Event) -> None:
    lists = {
        name: [_number(value) for value in event[name]]
        for name in VITALS
        if isinstance(event.get(name), list) and len(event[name]) == history.islands
    }
    if lists:
        history.moments.append(Moment(event["seconds"], lists))
    _total(history, event)


def _total(history: History, event: Event) -> None:
    """A point of the curve, which never falls: a replay counts from its checkpoint."""
    total, curve = _count(event.get("total")), history.curve
    if not curve or total > curve[-1][1]:
        curve.append((event["seconds"], total))


def _solutions(history: History, event: Event) -> None:
    _total(history, event)
    island = event.get("island")
    if not isinstance(island, int) or not 0 <= island < history.islands:
        return
    history.finders[island] = history.finders.get(island, 0) + _count(event.get("new"))
    homes = event.get("ancestry")
    for home, count in homes.items() if isinstance(homes, dict) else ():
        if str(home).isdecimal() and len(str(home)) < 6 and int(home) < history.islands:
            pair = island, int(home)
            history.ancestry[pair] = history.ancestry.get(pair, 0) + _count(count)


def _migration(history: History, event: Event) -> None:
    pair = event.get("from"), event.get("island")
    if not all(isinstance(one, int) and 0 <= one < history.islands for one in pair):
        return
    sender, receiver = int(pair[0] or 0), int(pair[1] or 0)
    old = history.edges.get((sender, receiver), Edge(0, 0, 0, 0))
    sent, stayed, led = (_count(event.get(name)) for name in ("sent", "stayed", "led"))
    times = _count(event.get("times", 1))
    history.edges[sender, receiver] = Edge(old.times + times, old.sent + sent, old.stayed + stayed, old.led + led)
    if led:
        history.arrivals.append((event["seconds"], receiver, led))


def _death(history: History, event: Event) -> None:
    island, best = event.get("island"), event.get("best")
    history.deaths_in_all += _count(event.get("times", 1))
    if isinstance(island, int) and 0 <= island < history.islands and isinstance(best, int):
        history.deaths.append(Death(event["seconds"], island, _count(event.get("generation")), best))


def _regained(history: History, event: Event) -> None:
    for place in range(len(history.deaths) - 1, max(-1, len(history.deaths) - 200), -1):
        death = history.deaths[place]
        if (death.island, death.generation) == (event.get("island"), event.get("death")):
            history.deaths[place] = death._replace(regained=_count(event.get("generation")))
            return


def _journey(history: History, event: Event) -> None:
    history.journeys.append(Journey(event["seconds"], event["event"], event))


def _start(history: History, event: Event) -> None:
    history.started = True
    history.ended = None
    if event["event"] == "resume":
        history.resumed += 1


def _stop(history: History, event: Event) -> None:
    _vitals(history, event)
    total = history.curve[-1][1] if history.curve else 0
    history.curve.append((event["seconds"], total))
    history.ended = event


_TAKERS: dict[str, Callable[[History, Event], None]] = {
    "start": _start,
    "resume": _start,
    "epoch": _vitals,
    "checkpoint": _total,
    "solutions": _solutions,
    "migration": _migration,
    "elite-death": _death,
    "elite-regained": _regained,
    "stop": _stop,
    **dict.fromkeys(
        ("move", "island-lost", "hand-over", "ray-ready", "ray-lost", "stay", "slow", "recovery", "recovered"), _journey
    ),
}
