"""How the costs of a run fell, in a number of points that does not grow with the run."""

from __future__ import annotations

from islands.model.messages import Report, TrendPoint

POINTS = 128  # at most; beyond them every second one goes


class Trend:
    """A point for every epoch, then for every second, fourth, eighth ... and one for the last."""

    def __init__(self, islands: int) -> None:
        self._latest: list[Report | None] = [None] * islands
        self._kept: list[TrendPoint] = []
        self._last: TrendPoint | None = None
        self._every = 1

    def take(self, report: Report) -> None:
        """Note a report; that of the last island closes an epoch."""
        if report.best is None:
            return
        self._latest[report.island] = report
        if report.island == len(self._latest) - 1:
            known = [one for one in self._latest if one is not None]
            lowest = min(one.best for one in known if one.best is not None)
            average = sum(one.average for one in known) / len(known)
            self._note(TrendPoint(report.epoch, report.generation, lowest, average))

    def _note(self, point: TrendPoint) -> None:
        self._last = point
        if point.epoch % self._every:
            return
        self._kept.append(point)
        if len(self._kept) > POINTS:
            self._every *= 2
            self._kept = [one for one in self._kept if one.epoch % self._every == 0]

    def points(self) -> tuple[TrendPoint, ...]:
        """In their order; the last one is always there."""
        rest = [self._last] if self._last is not None and self._last not in self._kept[-1:] else []
        return (*self._kept, *rest)

    def restore(self, points: tuple[TrendPoint, ...], epoch: int) -> None:
        """Go on from the points of a saved run at an epoch: later ones come again."""
        self._every = max(1, points[1].epoch - points[0].epoch) if len(points) > 1 else 1
        for point in points:
            if point.epoch < epoch:
                self._note(point)
