"""The archive as the driver sees it when it is in shards: numbers in place of solutions.

A report is consumed when every shard has counted its part of it. At the stop the positions of the last report's new
solutions say which of them still belong to the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from islands.model.messages import New, Report
from islands.operators.space import Genomes
from islands.shards.messages import Counted, Rows, Turn
from islands.store.archive import new_of


class ShardedArchive:
    """What the shards have said. `rows` are the solutions that were known at the checkpoint at which this begins;
    `after` those that were found after it before, of each report: they are found again, and stay the first."""

    newest: Genomes | None = None  # of the last commit

    def __init__(self, shards: int, rows: int, after: Mapping[Turn, int] | None = None) -> None:
        self.shards = shards
        self._count = rows
        self._after = dict(after or {})
        self.misplaced = False  # whether something new lies before what was found earlier
        self._said: dict[Turn, dict[int, New]] = {}  # of reports that were not consumed yet: shard -> what was new
        self._rows: dict[int, Rows] = {}  # of the report that is cut: shard -> its new rows
        self.wanted: Turn | None = None  # the report of which these are wanted
        self.seconds: dict[Turn, float] = {}  # when each report since the last commit was consumed
        self.last: tuple[int, int, int] | None = None  # epoch, island and position of the last solution that counts

    def __len__(self) -> int:
        return self._count

    def say(self, shard: int, counted: Sequence[Counted]) -> None:
        """A shard has counted these parts. Those of reports that were consumed are known: it was lost, and replays."""
        for epoch, island, new in counted:
            if (epoch, island) not in self.seconds:
                self._said.setdefault((epoch, island), {})[shard] = new

    def place(self, shard: int, rows: Rows) -> None:
        """A shard has said which rows are new in the report that is cut."""
        if (rows.epoch, rows.island) == self.wanted:
            self._rows[shard] = rows

    def lose(self, shard: int) -> None:
        """A shard was lost: what it has not said yet it will say again."""
        self._rows.pop(shard, None)

    @property
    def missing(self) -> list[int]:
        """The shards that have not said which rows are new in the report that is cut."""
        return [] if self.wanted is None else [shard for shard in range(self.shards) if shard not in self._rows]

    def count(self, report: Report, seconds: float, limit: int | None) -> New | None:
        """What of a report is new, at most `limit`; None until all shards have said it."""
        turn = report.epoch, report.island
        said = self._said.get(turn, {})
        if len(said) < self.shards:
            return None
        new, end = _together(list(said.values())), _EVERYTHING
        if limit is not None and new.number > limit:
            self.wanted = turn
            if self.missing:
                return None
            new, end = _cut(list(self._rows.values()), limit)
        del self._said[turn]
        self.seconds[turn], self.last = seconds, (*turn, end)
        self._count += new.number
        self._compare(turn, new.number)
        return new

    def _compare(self, turn: Turn, number: int) -> None:
        """A report has brought what it brought before; only of the last one there may be more. An epoch that is lived
        longer than before has more of every island's: then its rows have another order than that in which they were
        shown."""
        if self._after:
            before = self._after.pop(turn, 0)
            self.misplaced |= number < before or (number > before and bool(self._after))

    def forget(self, epoch: int) -> None:
        """Reports of earlier epochs were committed: no shard tells of them again."""
        self.seconds = {turn: age for turn, age in self.seconds.items() if turn[0] >= epoch}


_EVERYTHING = (1 << 31) - 1  # no position lies behind it


def _together(parts: Sequence[New]) -> New:
    """What is new in all parts of a report."""
    homes = [part.homes for part in parts if part.homes is not None]
    latest = max(part.latest for part in parts)
    return New(sum(part.number for part in parts), latest, dict(_sum(homes)) if homes else None)


def _sum(homes: Sequence[dict[int, int]]) -> Counter[int]:
    total: Counter[int] = Counter()
    for some in homes:
        total.update(some)
    return Counter(dict(sorted(total.items())))


def _cut(parts: Sequence[Rows], limit: int) -> tuple[New, int]:
    """The first `limit` new rows of a report, and the position of the last of them."""
    positions = np.concatenate([part.position for part in parts])
    chosen = np.argsort(positions)[:limit]
    born = np.concatenate([part.born for part in parts])[chosen]
    known = [part.ancestry for part in parts if part.ancestry is not None]
    ancestry = np.concatenate(known)[chosen] if known else None
    return new_of(born, ancestry), int(positions[chosen[-1]])
