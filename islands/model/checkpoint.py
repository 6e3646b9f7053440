"""A place to go on from: numbers for the manifest, arrays for a file. What a file says is checked here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from islands.model.island_status import Count, IslandStatus
from islands.model.messages import State

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
class Checkpoint:
    """All that is needed to go on from here: coordinator, islands, and how many solutions were known."""

    counters: Counters
    arrays: State  # island states and mail
    rows: int
