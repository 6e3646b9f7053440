"""How the costs of a run fell, in few points however long it was."""

from __future__ import annotations

import numpy as np
import pytest

from islands.clock.trend import POINTS, Trend
from islands.model.messages import Report, TrendPoint


def report(epoch: int, island: int = 0, best: int | None = 3, average: float = 5.0) -> Report:
    return Report(
        island=island,
        epoch=epoch,
        generation=10 * (epoch + 1),
        evaluations=0,
        best=best,
        average=average,
        immigrants=0,
        solutions=np.empty((0, 1), np.uint8),
        keys=np.empty((0, 2), np.uint64),
        born=np.empty(0, np.int64),
    )


def trend(epochs: int) -> Trend:
    made = Trend(1)
    for epoch in range(epochs):
        made.take(report(epoch, best=epochs - epoch))
    return made


def test_a_point_is_of_all_islands() -> None:
    made = Trend(2)
    made.take(report(0, 0, best=4, average=6.0))
    assert made.points() == ()
    made.take(report(0, 1, best=2, average=9.0))
    assert made.points() == (TrendPoint(epoch=0, generation=10, lowest=2, average=7.5),)


@pytest.mark.parametrize("epochs", [0, 1, POINTS, POINTS + 1, 1000, 12_345])
def test_points_are_few_and_evenly_spaced_and_the_last_is_among_them(epochs: int) -> None:
    points = trend(epochs).points()
    assert len(points) <= min(epochs, POINTS + 1)
    assert [point.epoch for point in points[-1:]] == [epochs - 1] * bool(epochs)
    assert len(set(np.diff([point.epoch for point in points[:-1]]).tolist())) <= 1
    assert len(points) >= min(epochs, POINTS // 2)


@pytest.mark.parametrize(("saved", "checkpoint"), [(3, 2), (130, 128), (131, 120), (700, 650)])
def test_a_run_that_goes_on_from_a_checkpoint_has_the_same_trend(saved: int, checkpoint: int) -> None:
    resumed = Trend(1)
    resumed.restore(trend(saved).points(), checkpoint)
    for epoch in range(checkpoint, 1000):
        resumed.take(report(epoch, best=1000 - epoch))
    assert [point.epoch for point in resumed.points()] == [point.epoch for point in trend(1000).points()]


def test_an_exhaustive_run_has_none() -> None:
    made = Trend(1)
    made.take(report(0, best=None))
    assert made.points() == ()
