"""Who travels, from where to where, and when.

A topology is a matrix: how many emigrants of island i (row) island j (column) receives. Named ones are made here; a
job file may give its own.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from islands.errors import UsageError, unknown
from islands.kernels.rng import Rng
from islands.model.breeding import Rows
from islands.model.checkpoint import Sending
from islands.model.entries import Whole
from islands.model.messages import Crossing
from islands.operators.space import Costs, Genomes

Matrix = NDArray[np.int64]

MOST = 1_000_000  # migrants from one island to another


def ring(n: int) -> Matrix:
    """Each island sends to the next one."""
    return np.roll(np.eye(n, dtype=np.int64), 1, axis=1)


def torus(n: int) -> Matrix:
    """A grid as square as n allows, edges joined; each island sends right and down."""
    rows = next(r for r in range(isqrt(n), 0, -1) if n % r == 0)
    place = np.arange(n).reshape(rows, n // rows)
    matrix = np.zeros((n, n), np.int64)
    for axis in (0, 1):
        matrix[place.ravel(), np.roll(place, -1, axis=axis).ravel()] = 1
    return matrix


def full(n: int) -> Matrix:
    """Everyone sends to everyone."""
    return np.ones((n, n), np.int64)


def star(n: int) -> Matrix:
    """Island 0 is the hub: everyone sends to it and receives from it."""
    matrix = np.zeros((n, n), np.int64)
    matrix[0, :] = matrix[:, 0] = 1
    return matrix


def none(n: int) -> Matrix:
    """Nobody travels: the control arm."""
    return np.zeros((n, n), np.int64)


TOPOLOGIES: dict[str, Callable[[int], Matrix]] = {
    "ring": ring, "torus": torus, "full": full, "star": star, "none": none,
}  # fmt: skip


class MigrationPlan(BaseModel, frozen=True, extra="forbid"):
    """The schedule and the rules of travel."""

    topology: str | list[list[int]] = "ring"
    migrants: Annotated[Whole, Field(ge=0, le=MOST)] = 2  # how many travel each time
    migrate_every: Annotated[Whole, Field(ge=1)] | None = None  # generations; None = every epoch of the recipe
    schedule: Literal["fixed", "adaptive"] = "fixed"
    leave: Literal["best", "random", "different"] = "best"
    replace: Literal["worst", "random", "similar"] = "worst"
    lag: Annotated[Whole, Field(ge=0)] = 1

    def matrix(self, islands: int, seed: int, epoch: int) -> Matrix:
        """How many of island i's emigrants of this epoch island j receives, (islands, islands)."""
        if isinstance(self.topology, list):
            matrix = np.array(self.topology, np.int64)
        elif self.topology == "random":
            order = Rng(seed, islands, epoch).numpy.permutation(islands)
            matrix = none(islands)
            matrix[order, np.roll(order, -1)] = self.migrants
        else:
            matrix = TOPOLOGIES[self.topology](islands) * self.migrants
        np.fill_diagonal(matrix, 0)
        return matrix

    def check(self, islands: int) -> None:
        """UsageError where the topology is unknown or a user's matrix does not fit the number of islands."""
        if isinstance(self.topology, str):
            if self.topology not in (*TOPOLOGIES, "random"):
                raise unknown("topology", self.topology, (*TOPOLOGIES, "random"))
        elif [len(row) for row in self.topology] != [islands] * islands or not all(
            0 <= number <= MOST for row in self.topology for number in row
        ):
            raise UsageError(
                f"the topology matrix must have {islands} rows of {islands} numbers, 0 or more: "
                "row i, column j says how many emigrants of island i island j receives."
            )


class Schedule:
    """When one island sends: every `base` epochs, or adaptively rarer while nothing improves, sooner when it does."""

    SLOWEST = 16  # times the base interval

    def __init__(self, base: int, adaptive: bool, first: int) -> None:
        self.base, self.adaptive = base, adaptive
        self.interval, self.last, self.improved = base, first - base, False

    def decide(self, epoch: int, improved: bool) -> bool:
        """Whether the report of this epoch is to carry emigrants; asked once per epoch, in order."""
        self.improved |= improved
        if self.adaptive and improved:
            self.interval = max(self.base, self.interval // 2)
        if epoch - self.last < self.interval:
            return False
        if self.adaptive and not self.improved:
            self.interval = min(self.interval * 2, self.SLOWEST * self.base)
        self.last, self.improved = epoch, False
        return True

    def state(self) -> Sending:
        return Sending(self.interval, self.last, self.improved)

    def restore(self, state: Sending) -> None:
        self.interval, self.last, self.improved = state


def emigrants(genomes: Genomes, ranked: Callable[[], Rows], count: int, rule: str, rng: Rng) -> Rows:
    """The rows of the `count` that leave: the best, random ones, or the most different of the better half; `ranked`
    gives all rows, the best first."""
    count = min(count, len(genomes))
    if rule == "random":
        return rng.numpy.choice(len(genomes), count, replace=False)
    ranking = ranked()
    if rule == "best":
        return ranking[:count]
    fit = ranking[: max(count, len(ranking) // 2)]
    chosen = [fit[0]]
    gap = np.full(len(fit), genomes.shape[1] + 1)
    while len(chosen) < count:
        gap = np.minimum(gap, (genomes[fit] != genomes[chosen[-1]]).sum(axis=1))
        chosen.append(fit[int(np.argmax(gap))])
    return np.array(chosen)


class Settled(NamedTuple):
    """What became of n immigrants."""

    places: list[int]  # the row that each took; -1: refused
    led: list[bool]  # who stayed and had a lower cost than everyone who lived here

    def crossings(self, senders: NDArray[np.int64], costs: Costs) -> list[Crossing]:
        """The same, by the island that they left."""
        told: dict[int, list[int]] = {}
        for sender, place, led, cost in zip(senders.tolist(), self.places, self.led, costs.tolist(), strict=True):
            sums = told.setdefault(sender, [0, 0, 0, cost])  # few: NumPy would take longer
            sums[0] += 1
            sums[1] += place >= 0
            sums[2] += led
            sums[3] = min(sums[3], cost)
        return [Crossing(sender, *told[sender]) for sender in sorted(told)]


def settle(genomes: Genomes, costs: Costs, arrivals: Genomes, arrival_costs: Costs, rule: str, rng: Rng) -> Settled:
    """Put immigrants in place of the worst, of random ones, or of those most similar to them; in place.

    An immigrant who is here already is refused, and two immigrants never take the same place.
    """
    open_place = np.ones(len(genomes), np.bool_)
    lowest = costs.min()
    taken, led = [-1] * len(arrivals), [False] * len(arrivals)
    for number, (newcomer, cost) in enumerate(zip(arrivals, arrival_costs, strict=True)):
        difference = (genomes != newcomer).sum(axis=1)
        if not difference.all() or not open_place.any():
            continue
        places = np.flatnonzero(open_place)
        if rule == "worst":
            place = places[np.argmax(costs[places])]
        elif rule == "random":
            place = rng.numpy.choice(places)
        else:
            place = places[np.argmin(difference[places])]
        genomes[place], costs[place] = newcomer, cost
        open_place[place] = False
        taken[number], led[number] = int(place), bool(cost < lowest)
    return Settled(taken, led)
