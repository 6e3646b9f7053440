"""What the driver asks a shard, and what it answers: values and arrays.

A shard that is new knows nothing: `Reset`, `Learn` as often as it takes, and `Begin` tell it what the run knew at its
last commit. Parts that come earlier wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.keys import Keys
from islands.model.job import Job
from islands.model.messages import New
from islands.store.solutions import Solutions

Turn = tuple[int, int]
"""An epoch and an island: reports are consumed in this order."""


@dataclass(frozen=True)
class ShardSpec:
    """All a worker needs to make a shard: the job as its file has it, never pickled puzzle objects."""

    index: int
    shards: int
    job: str  # JSON


@dataclass(frozen=True)
class Reset:
    """Forget everything but the parts that wait."""


@dataclass(frozen=True)
class Learn:
    """Solutions with these keys are known."""

    keys: Keys


@dataclass(frozen=True)
class Begin:
    """Consume parts from this epoch on. `rows` are those that the next commit writes again, encoded; empty: none."""

    epoch: int
    rows: bytes = b""


@dataclass(frozen=True)
class Count:
    """How many of which parts were new, from the `known`-th that was consumed on; answered when there is one."""

    known: int


@dataclass(frozen=True)
class Where:
    """Which rows of one part were new: a run that ends with its N-th solution cuts a report."""

    epoch: int
    island: int


@dataclass(frozen=True)
class Place:
    """A run directory that a shard may see as well, and the file to write there."""

    folder: str
    job: str  # the checksum of its job.json: a folder that has another one is another one
    name: str


@dataclass(frozen=True)
class Encode:
    """The rows of a commit: of the epochs from `start` on, before `end`; and those after them up to `last`, if any.

    What lies before `start` is sealed, and need not be kept any longer.
    """

    number: int  # which the answer repeats
    start: int
    end: int
    last: tuple[int, int, int] | None  # epoch, island, position
    seconds: dict[Turn, float] = field(repr=False)  # when each report since the last commit was consumed
    place: Place | None = None  # where the shard may write the file itself


Request = Reset | Learn | Begin | Count | Where | Encode


class Counted(NamedTuple):
    """What was new in one part."""

    epoch: int
    island: int
    new: New


@dataclass(frozen=True)
class Done:
    """Reset, Learn or Begin was carried out; or nothing, as the request was out of date."""

    asked: str


@dataclass(frozen=True)
class Counts:
    """The parts from the `known`-th on that were consumed, and the one that is next; there may be none."""

    known: int
    counted: tuple[Counted, ...]
    turn: Turn


@dataclass(frozen=True)
class Rows:
    """The new rows of one part: their positions in the report, generations and ancestries, in their order."""

    epoch: int
    island: int
    position: NDArray[np.int32]
    born: NDArray[np.int64]
    ancestry: NDArray[np.uint64] | None


@dataclass(frozen=True)
class Encoded:
    """The rows of a commit: how many and as a file, and those after the checkpoint. A file that the shard has written
    itself is told by its checksum."""

    number: int
    rows: int
    data: bytes
    tail: bytes
    written: str = ""  # the checksum; empty: whoever asked is to write the data
    newest: Solutions | None = None  # the last row of the commit


Answer = Done | Counts | Rows | Encoded


def spec_of(job: Job, index: int, shards: int) -> ShardSpec:
    return ShardSpec(index, shards, job.model_dump_json())


def job_of(spec: ShardSpec) -> Job:
    return Job.model_validate_json(spec.job)
