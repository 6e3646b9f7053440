"""How a walker cools: in cycles, each longer than the last, from a temperature that follows from the walk itself.

A walker's clock is a row of float64 numbers, part of its island's memory. Within a cycle the temperature falls
geometrically. A cycle that met nothing lower than it began with is followed by one that begins hotter; after one
that did, the next begins at a few times the temperature at which its lowest cost was met. So a walk that is stuck is
melted, and one that is on the way down is not.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel

Clock = NDArray[np.float64]

HOT, COLD, HOTTEST, LENGTH, USED, LOWEST, MET = range(7)
"""Temperatures at which this cycle began, every cycle ends, a cycle begins at most; evaluations of this cycle, and how
many of them were made; the lowest cost of this cycle, and the temperature at which it was met."""
FIELDS = 7

PROBES = 200  # random moves that tell by how much a move changes the cost
START = 0.5  # the first temperature, as a part of the mean change
AGAIN = 8.0  # times the temperature at which the lowest cost was met: where the next cycle begins
LONGER = 1.2  # each cycle than the last
BEAT = 16  # evaluations at one temperature


@kernel
def begin(clock: Clock, mean: float, least: float, end: float, length: float, cost: float) -> None:
    """Set a clock by the mean and the smallest change of the cost that a random move made (0: none changed it).

    `end` is the last temperature of every cycle, as a part of the smallest change; `length` that of the first cycle.
    """
    clock[COLD] = end * (least if least > 0 else 1.0)
    clock[HOTTEST] = max(START * mean, 2 * clock[COLD])
    clock[LENGTH] = length
    anew(clock, clock[HOTTEST], cost)


@kernel
def anew(clock: Clock, hot: float, cost: float) -> None:
    """A cycle begins, where the walker stands at `cost`."""
    clock[HOT] = clock[MET] = max(min(clock[HOTTEST], hot), 2 * clock[COLD])
    clock[USED] = 0.0
    clock[LOWEST] = cost


@kernel
def temperature(clock: Clock) -> float:
    """The temperature now."""
    part = min(clock[USED] / clock[LENGTH], 1.0)
    return float(clock[HOT] * (clock[COLD] / clock[HOT]) ** part)


@kernel
def note(clock: Clock, cost: float, heat: float) -> None:
    """The walker has come to stand at `cost`, at this temperature: it may be the lowest of the cycle."""
    if cost < clock[LOWEST]:
        clock[LOWEST], clock[MET] = cost, heat


@kernel
def advance(clock: Clock, evaluations: float, cost: float) -> None:
    """Further evaluations were made, and the walker stands at `cost`; at the end of a cycle the next one begins."""
    clock[USED] += evaluations
    if clock[USED] >= clock[LENGTH]:
        clock[LENGTH] *= LONGER
        anew(clock, AGAIN * clock[MET], cost)


@kernel
def restart(clock: Clock, cost: float) -> None:
    """After a solution the walker stands elsewhere, at `cost`: a cycle as long as the one that led to the solution."""
    anew(clock, AGAIN * clock[MET], cost)


def scale(changes: list[int]) -> tuple[float, float]:
    """The mean and the smallest change of the cost, of those that random moves made."""
    sizes = [abs(change) for change in changes]
    least = min((size for size in sizes if size), default=inf)
    return sum(sizes) / max(1, len(sizes)), 0.0 if least == inf else float(least)
