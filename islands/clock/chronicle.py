"""What the reports of the islands tell, as events for the log. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from islands.model.island_status import IslandStatus
from islands.model.messages import Event, New, Report


class Chronicle:
    """The last report of every island, and what happened."""

    def __init__(self, islands: int) -> None:
        self._latest: list[Report | None] = [None] * islands
        self._told = [-1] * islands  # the last epoch of which this was told; a run that goes back does not repeat it

    def happened(self, report: Report, new: New, total: int) -> Iterator[Event]:
        """What is worth a line in a report, of which these solutions are new."""
        self._latest[report.island] = report
        if report.epoch <= self._told[report.island]:
            return
        self._told[report.island] = report.epoch
        where = {"island": report.island, "epoch": report.epoch}
        if new.number:
            ancestry = {} if new.homes is None else {"ancestry": new.homes}
            yield {"event": "solutions", **where, "new": new.number, "total": total, **ancestry}
        for sender, sent, stayed, led, best in report.crossings:
            told = {"from": sender, **where, "sent": sent, "stayed": stayed, "led": led, "best": best}
            yield {"event": "migration", **told}
        for generation, best in report.deaths:
            yield {"event": "elite-death", **where, "generation": generation, "best": best}
        for death, generation in report.regained:
            yield {"event": "elite-regained", **where, "death": death, "generation": generation}

    def state(self, status: Sequence[IslandStatus]) -> Event:
        """How every island fares: of each `best`, the lowest cost ever, and of those who live now `lowest`, `average`,
        `spread`, `diversity` and `foreign`, the share of the elite with ancestors from elsewhere."""
        latest = self._latest
        return {
            "best": [one.best for one in status],
            "generations": [one.generation for one in status],
            "evaluations": [one.evaluations for one in status],
            "stale": [one.stale for one in status],
            "found": [one.solutions for one in status],
            "lowest": [None if one is None else one.best for one in latest],
            "average": [None if one is None else round(one.average, 3) for one in latest],
            "spread": [None if one is None else round(one.spread, 3) for one in latest],
            "diversity": [None if one is None else round(one.diversity, 4) for one in latest],
            "foreign": [None if one is None else round(one.foreign, 4) for one in latest],
        }
