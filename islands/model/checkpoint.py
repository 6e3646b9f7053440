"""A place to go on from: numbers for the manifest, arrays for a file. What a file says is checked here.

And who of those who live there is nearest to a solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from islands.model.island_status import Count, IslandStatus
from islands.model.messages import State
from islands.operators.space import Costs, Genomes

NEAREST = 20  # candidates that are kept of a run that ends inside an epoch
LOOKED_AT = 10_000  # of the best individuals, among which distinct ones are looked for
END, END_COSTS = "end/genomes", "end/costs"  # the names of their arrays

Epoch = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]


class Letter(NamedTuple):
    """What waits for one island at one epoch; its arrays are in the checkpoint's state file."""

    epoch: Count
    island: Count
    emigrate: bool
    immigrants: Count  # from how many islands
    fruitful: Count = 0  # the island's news
    until: Count = 0


class Sending(NamedTuple):
    """Where the schedule of one island's emigrants stands."""

    interval: Count  # epochs
    last: Epoch  # may lie before the first
    improved: bool


class Counters(BaseModel):
    """What the coordinator knows at a checkpoint, beside the states of the islands: JSON in the manifest."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    epoch: Count
    clocks: tuple[Count, ...]  # the next epoch of each island
    counted: Count
    tallies: dict[Count, tuple[tuple[float, ...], ...]] = {}  # of islands whose recipe estimates
    migrations: Count
    status: tuple[IslandStatus, ...]
    schedules: tuple[Sending, ...]
    mail: tuple[Letter, ...]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        islands = len(self.clocks)
        if not islands or len(self.status) != islands or len(self.schedules) != islands:
            raise ValueError("clocks, status and schedules are not of one number of islands")
        if any(letter.island >= islands for letter in self.mail) or any(island >= islands for island in self.tallies):
            raise ValueError("it is about an island that does not exist")
        if len({len(row) for tally in self.tallies.values() for row in tally}) > 1 or not all(self.tallies.values()):
            raise ValueError("the tallies have different shapes")
        return self


@dataclass(frozen=True)
class Nearest:
    """Distinct candidates, the lowest cost first: (n, length) and (n,)."""

    genomes: Genomes
    costs: Costs

    def __len__(self) -> int:
        return len(self.costs)

    def arrays(self) -> State:
        """As they are saved."""
        return {END: self.genomes, END_COSTS: self.costs} if len(self) else {}


def cheapest(states: Iterable[State], count: int) -> Nearest:
    """The nearest of all who live on these islands, at most `count`."""
    peopled = [state for state in states if len(state.get("costs", ()))]
    if not peopled:
        return Nearest(np.empty((0, 0), np.int32), np.empty(0, np.int64))
    costs = np.concatenate([state["costs"] for state in peopled])
    starts = np.cumsum([0, *(len(state["costs"]) for state in peopled)])
    chosen: dict[bytes, tuple[Genomes, int]] = {}
    for row in np.argsort(costs, kind="stable")[:LOOKED_AT].tolist():
        island = int(np.searchsorted(starts, row, "right")) - 1
        genome = peopled[island]["genomes"][row - starts[island]]
        chosen.setdefault(genome.tobytes(), (genome, int(costs[row])))
        if len(chosen) == count:
            break
    genomes, lowest = zip(*chosen.values(), strict=True)
    return Nearest(np.stack(genomes), np.array(lowest, np.int64))


@dataclass(frozen=True)
class Checkpoint:
    """All that is needed to go on from here: coordinator, islands, and how many solutions were known."""

    counters: Counters
    arrays: State  # island states and mail; and of a run that ended inside an epoch its nearest candidates
    rows: int

    def state_of(self, island: int) -> State:
        """The state of an island; empty where it has not worked yet."""
        head = f"{island}/"
        return {name.removeprefix(head): array for name, array in self.arrays.items() if name.startswith(head)}

    def nearest(self, count: int) -> Nearest:
        """The candidates of the lowest costs, at most `count`."""
        if END in self.arrays:
            return Nearest(self.arrays[END][:count], self.arrays[END_COSTS][:count])
        names = [name.removesuffix("/costs") for name in self.arrays if name.endswith("/costs")]
        return cheapest(
            ({part: self.arrays[f"{name}/{part}"] for part in ("genomes", "costs")} for name in names), count
        )
