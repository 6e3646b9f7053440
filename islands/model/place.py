"""Where an island lives, in a word: `node:process`; the empty word for the process of the driver itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from islands.model.messages import Event


def node_of(place: str) -> str:
    """The machine of a place; empty for the driver's own process."""
    return place.rpartition(":")[0]


def islands_per_node(places: Iterable[str]) -> dict[str, int]:
    """How many islands each node hosts, in the order of the first of them; those in the driver's process left out."""
    hosted: dict[str, int] = {}
    for node in filter(None, map(node_of, places)):
        hosted[node] = hosted.get(node, 0) + 1
    return hosted


def last_places(events: Sequence[Event], count: int) -> list[str]:
    """Where each of `count` islands lived at last, by the event log of the run."""
    places = [""] * count
    numbers = set(map(str, range(count)))
    for event in events:
        changed = event.get("places") if event.get("event") == "placed" else None
        for island, place in changed.items() if isinstance(changed, dict) else ():
            if island in numbers:
                places[int(island)] = str(place)
    return places
