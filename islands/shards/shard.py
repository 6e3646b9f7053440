"""One shard: consumes the parts of its keys in (epoch, island) order, and keeps the rows until they are sealed on disk.

The order of parts decides which island found a solution first, so that shards and the clock count alike, each for
itself and without waiting for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from islands.clock.workload import Workload
from islands.errors import IslandsError
from islands.kernels.keys import KeySet, keys_of
from islands.model.job import Job
from islands.shards.messages import (
    Answer,
    Begin,
    Count,
    Counted,
    Counts,
    Done,
    Encode,
    Encoded,
    Learn,
    Place,
    Request,
    Reset,
    Rows,
    Turn,
    Where,
)
from islands.shards.parts import Part
from islands.store.archive import Archive, new_of
from islands.store.files import JOB, checksum
from islands.store.local_disk import LocalDisk
from islands.store.segments import decoded, encoded
from islands.store.solutions import Solutions, origins_column
from islands.store.spilled_keys import SpillingKeys


@dataclass(frozen=True)
class _Found:
    """The new rows of one part; the time at which they were consumed is told by the driver, with the next commit."""

    epoch: int
    island: int
    rows: Solutions

    @property
    def turn(self) -> Turn:
        return self.epoch, self.island

    def aged(self, seconds: Mapping[Turn, float]) -> _Found:
        """With the time at which the driver has consumed it, if that is told."""
        if self.turn not in seconds:
            return self
        return replace(self, rows=replace(self.rows, seconds=np.full(len(self.rows), seconds[self.turn])))


@dataclass(frozen=True)
class Gathered:
    """The rows of a commit, up to the checkpoint and after it."""

    number: int
    group: Solutions
    tail: Solutions
    place: Place | None

    def encoded(self) -> Encoded:
        """As files, which takes long: whoever waits for other answers of the shard need not wait for this one."""
        group, tail = (bytes(encoded(rows)) if len(rows) else b"" for rows in (self.group, self.tail))
        written = _write(self.place, group) if self.place is not None and group else ""
        last = self.tail[-1:] if len(self.tail) else self.group[-1:]
        return Encoded(
            self.number, len(self.group), b"" if written else group, tail, written, last if len(last) else None
        )


class Shard:
    """The solutions of a settled job whose keys belong to one shard. `keys` makes an empty set of those it knows."""

    def __init__(self, job: Job, keys: Callable[[], KeySet | SpillingKeys] = KeySet) -> None:
        recipes = job.recipes()
        self._islands, self._workload = len(recipes), Workload(job, recipes)
        self._keys = keys
        self._archive = Archive(job.problem, keys())
        self._space = self._archive.space
        self._waiting: dict[Turn, Part] = {}
        self._turn: Turn | None = None  # the next part to consume; None: it has not begun
        self._found: list[_Found] = []  # in their order
        self._counted: list[Counted] = []  # since it began; those that the driver knows are gone
        self._known = 0  # how many of them are gone
        self._token = 0  # the highest that came with a request

    def warm(self) -> None:
        """Load the kernels that look keys up."""
        genomes = np.zeros((1, self._space.length), self._space.dtype)
        KeySet().add(keys_of(genomes))

    # What the driver asks

    def answer(self, request: Request, token: int = 0) -> Answer | Gathered:
        """Do what is asked, at once; the rows of a commit are still to be encoded.

        Where a request with a higher token came before, whoever asked has another archive now, of which this must not
        take anything: a question for counts waits, and is overtaken by a Reset. Nobody reads its answer.
        """
        if token < self._token:
            return Done("nothing")
        self._token = token
        match request:
            case Count():
                return self.counts(request)
            case Where():
                return self.where(request)
            case Encode():
                return self.gather(request)
            case Reset():
                self.reset()
            case Learn():
                self._archive.know(request.keys)  # they were verified before they were written
            case Begin():
                self.begin(request)
        return Done(type(request).__name__)

    def reset(self) -> None:
        """Know nothing. Parts that wait are what they always are, and stay."""
        self._archive = Archive(self._archive.problem, self._keys())
        self._turn, self._found, self._counted, self._known = None, [], [], 0

    def begin(self, asked: Begin) -> None:
        """Consume parts from an epoch on."""
        rows = decoded(asked.rows) if asked.rows else Solutions.empty(self._space)
        turns = rows.epoch * self._islands + rows.island
        starts = np.flatnonzero(np.diff(turns, prepend=-1))
        for start, end in pairwise([*starts.tolist(), len(rows)]):
            self._found.append(_Found(int(rows.epoch[start]), int(rows.island[start]), rows[start:end]))
        self._turn = self._from((asked.epoch, 0))
        self._waiting = {turn: part for turn, part in self._waiting.items() if turn >= (asked.epoch, 0)}
        self._consume()

    def put(self, part: Part) -> None:
        """Take a part in, and consume all that are in turn. One that was consumed before, or waits, is dropped."""
        turn = part.epoch, part.island
        if turn not in self._waiting and (self._turn is None or turn >= self._turn):
            self._waiting[turn] = part
            self._consume()

    def has_counted(self, asked: Count) -> bool:
        """Whether anything was counted since then."""
        return self._known + len(self._counted) > asked.known

    def has_counted_epoch(self, asked: Count) -> bool:
        """Whether all parts of the epoch of the first count that is to be told were consumed, or there is no count to
        tell: a good moment to answer, as nothing depends on a part of an epoch."""
        told = asked.known - self._known
        return told >= len(self._counted) or self._turn is None or self._turn[0] > self._counted[told].epoch

    def counts(self, asked: Count) -> Counts:
        """What was counted since then."""
        self._counted, self._known = self._counted[asked.known - self._known :], asked.known
        return Counts(asked.known, tuple(self._counted), self._turn or (0, 0))

    def where(self, asked: Where) -> Rows:
        """The new rows of a part that was counted and is not sealed."""
        for found in self._found:
            if found.turn == (asked.epoch, asked.island):
                rows = found.rows
                assert rows.position is not None
                return Rows(asked.epoch, asked.island, rows.position, rows.generation, rows.ancestry)
        return Rows(asked.epoch, asked.island, np.empty(0, np.int32), np.empty(0, np.int64), None)

    def gather(self, asked: Encode) -> Gathered:
        """The rows of a commit. They are kept: the commit may fail."""
        self._found = [found.aged(asked.seconds) for found in self._found if found.epoch >= asked.start]
        group = self._joined([found for found in self._found if found.epoch < asked.end])
        tail = Solutions.empty(self._space)
        if asked.last is not None:
            epoch, island, position = asked.last
            late = [found for found in self._found if asked.end <= found.epoch and found.turn <= (epoch, island)]
            tail = self._joined([_cut(one, position) if one.turn == (epoch, island) else one for one in late])
        return Gathered(asked.number, group, tail, asked.place)

    # Parts

    def _from(self, turn: Turn) -> Turn:
        """The first turn from this one on at which an island has something to do."""
        epoch, island = turn
        while island < self._islands and not self._workload.has_work(epoch, island):
            island += 1
        return (epoch, island) if island < self._islands else (epoch + 1, 0)

    def _consume(self) -> None:
        while self._turn is not None and (part := self._waiting.pop(self._turn, None)) is not None:
            fresh = self._archive.fresh(part.genomes, part.keys)
            rows = np.flatnonzero(fresh)
            count, origins = len(rows), origins_column(part.origins)
            new = Solutions(
                part.genomes[rows],
                np.full(count, part.island, np.int32),
                np.full(count, part.epoch, np.int64),
                part.born[rows],
                np.zeros(count, np.float64),
                None if origins is None else origins[rows],
                None if part.ancestry is None else part.ancestry[rows],
                part.position[rows],
            )
            if count:
                self._found.append(_Found(part.epoch, part.island, new))
            self._counted.append(Counted(part.epoch, part.island, new_of(new.generation, new.ancestry)))
            self._turn = self._from((part.epoch, part.island + 1))

    def _joined(self, some: list[_Found]) -> Solutions:
        return Solutions.joined([found.rows for found in some], self._space)


def _write(place: Place, data: bytes) -> str:
    """Write a file into the run's directory, if this process sees it: its checksum. Empty where it does not, or cannot:
    then the driver writes it, who has the words for what goes wrong."""
    disk = LocalDisk(Path(place.folder))
    try:
        if checksum(disk.read(JOB)) != place.job:
            return ""
        disk.write(place.name, data)
    except (OSError, IslandsError):
        return ""
    return checksum(data)


def _cut(found: _Found, position: int) -> _Found:
    """Without the rows behind a position."""
    assert found.rows.position is not None
    return replace(found, rows=found.rows[found.rows.position <= position])  # type: ignore[index]
