"""Rows of the shards of one commit in the order found, without having all of them in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from islands.operators.space import Space
from islands.store.solutions import Solutions

Place = tuple[int, int, int]  # epoch, island, position in the report


def merged(sources: Sequence[Iterator[Solutions]], space: Space, start: int = 0) -> Iterator[Solutions]:
    """The rows of several shards, from number `start` on, part by part; each shard brings its own in their order."""
    heads = {number: rows for number, source in enumerate(sources) if (rows := _next(source)) is not None}
    while heads:
        bound = min(map(_last, heads.values()))  # nobody brings anything before this any more
        parts = []
        for number, rows in list(heads.items()):
            count = _up_to(rows, bound)
            parts.append(rows[:count])
            rest = rows[count:] if count < len(rows) else _next(sources[number])
            if rest is None:
                del heads[number]
            else:
                heads[number] = rest
        part = Solutions.merged(parts, space)
        if start < len(part):
            yield part[start:] if start else part
        start = max(0, start - len(part))


def _next(source: Iterator[Solutions]) -> Solutions | None:
    return next((rows for rows in source if len(rows)), None)


def _last(rows: Solutions) -> Place:
    assert rows.position is not None
    return int(rows.epoch[-1]), int(rows.island[-1]), int(rows.position[-1])


def _up_to(rows: Solutions, bound: Place) -> int:
    """How many rows are not behind this place."""
    assert rows.position is not None
    epoch, island, position = bound
    first = int(np.searchsorted(rows.epoch, epoch, "left"))
    last = int(np.searchsorted(rows.epoch, epoch, "right"))
    islands = rows.island[first:last]
    first, last = (
        first + int(np.searchsorted(islands, island, "left")),
        first + int(np.searchsorted(islands, island, "right")),
    )
    return first + int(np.searchsorted(rows.position[first:last], position, "right"))
