"""The shards of a run, as its driver knows them: what they were told, what they have counted, their commits.

A shard that is lost learns from the run's files what was known at the last commit; the islands replay from there, and
the other shards ignore what they know. Where all of it is lost, the run goes back to the last commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex

import numpy as np

from islands.clock.coordinator import Coordinator
from islands.driver.backend import Remote, Told
from islands.errors import IslandsError
from islands.kernels.keys import Keys, keys_of
from islands.model.checkpoint import Checkpoint
from islands.model.island_status import IslandStatus
from islands.model.messages import Event, State, TrendPoint
from islands.shards.archive import ShardedArchive
from islands.shards.messages import (
    Begin,
    Count,
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
from islands.shards.parts import divided_keys
from islands.store.files import checksum, shard_name
from islands.store.local_disk import LocalDisk
from islands.store.manifest import Segment
from islands.store.run import Run
from islands.store.segments import decoded, opened
from islands.store.solutions import Solutions
from islands.store.writer import Writer

LOSSES = 8  # of a shard in a row, without a single count in between
PORTION = 1 << 19  # keys, at least, that shards learn at a time
OVERDUE = 120.0  # seconds that a report waits for the shards, after which the islands send their parts again


@dataclass
class _Loading:
    """Shards that are told what the run knows, step by step: each waits until all have done it."""

    shards: set[int]
    steps: Iterator[dict[int, Request]]
    waiting: set[int] = field(default_factory=set)
    holds: bool = False  # islands wait until all were reset: what came earlier would be taken for known parts


@dataclass
class _Commit:
    """A commit under way."""

    number: int
    commit: int  # for the names of its files
    checkpoint: Checkpoint | None
    seconds: float
    trend: tuple[TrendPoint, ...]
    is_last: bool
    mark: str = field(default_factory=lambda: token_hex(4))
    answers: dict[int, Encoded] = field(default_factory=dict)


class Sharding:
    """The archive of a run in shards, while it is."""

    def __init__(self, run: Run, writer: Writer, coordinator: Coordinator, clock: Callable[[], float]) -> None:
        self._run, self._writer, self._coordinator, self._clock = run, writer, coordinator, clock
        self.archive: ShardedArchive | None = None  # None: it is in this process
        self.remote: Remote | None = None  # where the shards live
        self.events: list[Event] = []  # that nobody has read yet
        self._requests = 0
        self.used = False  # whether there ever were shards
        self._shared = True  # whether shards may write into the run's directory
        self._leave()

    def _leave(self) -> None:
        self.archive = self.remote = None
        self._tokens: list[int] = []
        self._losses: list[int] = []
        self._known: list[int] = []  # how many counts each has told
        self._turns: list[Turn] = []  # what each consumes next
        self._counting: set[int] = set()  # shards that were asked for their counts
        self._placing: set[int] = set()  # ... and for the rows of the report that is cut
        self._loading: list[_Loading] = []
        self._commit: _Commit | None = None
        self._sealed: tuple[Segment, ...] = ()  # segments that stay
        self._group: dict[int, Segment] = {}  # of each shard the segment that the next commit replaces
        self._owners: dict[str, int] = {}  # of segments that these shards wrote
        self._start = 0  # the first epoch of that group
        self._since, self._patience = self._clock(), OVERDUE
        self._awaited: Turn | None = None

    # Coming and going

    def enter(self, remote: Remote, after: Mapping[Turn, int]) -> list[State]:
        """Give the archive to the shards; everything up to the checkpoint is sealed on disk, and so many rows of each
        report `after` it are on disk as well. Returns the states of the islands: the run goes back to the checkpoint.
        """
        checkpoint, manifest, count = self._coordinator.checkpoint, self._writer.manifest, remote.shards
        self._leave()
        self.used = True
        self.remote, self.archive = remote, ShardedArchive(count, checkpoint.rows if checkpoint else 0, after)
        states = self._coordinator.rewind(self.archive, checkpoint)
        self._coordinator.trend.restore(manifest.trend, self._coordinator.epoch)
        self._tokens = [self._token() for _ in range(count)]
        self._losses, self._known, self._turns = [0] * count, [0] * count, [(0, 0)] * count
        self._sealed, self._start = manifest.sealed, self._coordinator.epoch
        self._load(range(count), holds=True)
        self.events.append({"event": "shards", "shards": count})
        return states

    def leave(self) -> None:
        """The shards are gone, or not wanted any longer."""
        self._leave()
        self.events.append({"event": "shards", "shards": 0})

    def _token(self) -> int:
        self._requests += 1
        return self._requests

    @property
    def holds(self) -> bool:
        """Whether islands get no orders yet."""
        return any(loading.holds for loading in self._loading)

    @property
    def is_misplaced(self) -> bool:
        """Whether shards would show what is on disk in another order than before."""
        return self.archive is not None and self.archive.misplaced

    # What shards are told

    def _ask(self, shard: int, request: Request) -> None:
        assert self.remote is not None
        self.remote.ask(shard, self._tokens[shard], request)

    def _load(self, shards: Sequence[int], *, holds: bool = False) -> None:
        loading = _Loading(set(shards), self._steps(tuple(shards)))
        self._loading.append(loading)
        self._advance(loading)
        loading.holds = holds

    def _steps(self, shards: tuple[int, ...]) -> Iterator[dict[int, Request]]:
        """What tells shards all that was known at the last commit."""
        yield {shard: Reset() for shard in shards}
        for segment in (*self._sealed, *self._group.values()):
            if self._owners.get(segment.name, shards[0]) not in shards:
                continue
            groups = opened(self._run.disk, segment, self._run.space)
            for keys in _portions(keys_of(rows.genome) for rows in groups):
                assert self.archive is not None
                yield {shard: Learn(some) for shard, some in divided_keys(keys, self.archive.shards, shards).items()}
        counters = self._writer.manifest.counters
        yield {shard: Begin(0 if counters is None else counters.epoch, self._rows_of(shard)) for shard in shards}

    def _rows_of(self, shard: int) -> bytes:
        """The rows of a shard that the next commit writes again, as a file."""
        segment = self._group.get(shard)
        return b"" if segment is None else self._run.disk.read_checked(segment.name, segment.checksum)

    def _advance(self, loading: _Loading) -> None:
        """The next step, if all have done the last one."""
        while not loading.waiting and loading.shards:
            loading.holds = False
            requests = next(loading.steps, None)
            if requests is None:
                break
            for shard in sorted(loading.shards):
                self._ask(shard, requests[shard])
            loading.waiting = set(loading.shards)
        if not loading.waiting:
            self._loading.remove(loading)

    # What shards tell

    def hear(self, told: Told) -> bool:
        """Take in an answer; True if the islands are to be replayed, because a shard was lost."""
        shard, archive = told.shard, self.archive
        if archive is None or told.token != self._tokens[shard]:
            return False
        match told.answer:
            case None:
                self._lose(shard, told.reason)
                return True
            case Done():
                for loading in [one for one in self._loading if shard in one.waiting]:
                    loading.waiting.discard(shard)
                    self._advance(loading)
            case Counts():
                self._counting.discard(shard)
                self._known[shard] += len(told.answer.counted)
                self._turns[shard] = told.answer.turn
                self._losses[shard] = 0 if told.answer.counted else self._losses[shard]
                archive.say(shard, told.answer.counted)
            case Rows():
                archive.place(shard, told.answer)
            case Encoded():
                self._take_rows(shard, told.answer)
        return False

    def _take_rows(self, shard: int, answer: Encoded) -> None:
        """Take a shard's part of a commit. If a file that it wrote is not to be seen here, this process writes all of
        them from now on, and the commit is asked for again: the shard may see a copy of the run."""
        commit = self._commit
        if commit is None or commit.number != answer.number:
            return
        if answer.written and not self._run.disk.exists(shard_name(commit.commit, shard, commit.mark)):
            self._shared, self._commit = False, None
            return
        commit.answers[shard] = answer

    def _lose(self, shard: int, reason: str) -> None:
        """A shard comes back empty."""
        assert self.archive is not None
        self._losses[shard] += 1
        self.events.append({"event": "shard-lost", "shard": shard, "reason": reason})
        if self._losses[shard] >= LOSSES:
            raise IslandsError(
                f"shard {shard} was lost {self._losses[shard]} times in a row ({reason}). Is memory short? `memory` "
                "limits what a shard keeps there; `islands resume --shards 0` goes on without shards."
            )
        self._tokens[shard], self._known[shard], self._turns[shard] = self._token(), 0, (0, 0)
        self._counting.discard(shard)
        self._placing.discard(shard)
        self._commit = None
        self.archive.lose(shard)
        for loading in [one for one in self._loading if shard in one.shards]:
            loading.shards.discard(shard)
            loading.waiting.discard(shard)
            self._advance(loading)
        self._load((shard,))

    def go_on(self, seconds: float) -> bool:
        """Consume what was counted, and ask for more; True if the islands are to send their parts again."""
        archive = self.archive
        if archive is None:
            return False
        self._coordinator.go_on(seconds)
        told = {shard for loading in self._loading for shard in loading.shards}
        for shard in range(archive.shards):
            if shard not in told and shard not in self._counting:
                self._counting.add(shard)
                self._ask(shard, Count(self._known[shard]))
        for shard in archive.missing:
            wanted = archive.wanted
            if wanted is not None and shard not in self._placing and self._turns[shard] > wanted:
                self._placing.add(shard)
                self._ask(shard, Where(*wanted))
        return self._is_overdue()

    def _is_overdue(self) -> bool:
        """Whether a report has waited too long for the shards: a part may have been lost on its way."""
        report, now = self._coordinator.in_turn, self._clock()
        turn = None if report is None else (report.epoch, report.island)
        if turn is None or turn != self._awaited:
            self._awaited, self._since = turn, now
            self._patience = OVERDUE
            return False
        if now - self._since < self._patience:
            return False
        self._since, self._patience = now, 2 * self._patience
        return True

    # Commits

    def begin_commit(self, seconds: float) -> bool:
        """Let the shards encode what was found up to the last checkpoint, if there is anything new."""
        checkpoint, manifest = self._coordinator.checkpoint, self._writer.manifest
        if checkpoint is None or self._commit is not None:
            return False
        epoch = checkpoint.counters.epoch
        saved = 0 if manifest.counters is None else manifest.counters.epoch
        if epoch <= saved or checkpoint.rows < manifest.total or not self._have_consumed((epoch, 0)):
            return False
        self._encode(checkpoint, epoch, seconds, None)
        return True

    def _have_consumed(self, turn: Turn) -> bool:
        """Whether every shard has consumed all that comes before this."""
        return not self._loading and all(next_turn >= turn for next_turn in self._turns)

    def _encode(
        self,
        checkpoint: Checkpoint | None,
        end: int,
        seconds: float,
        last: tuple[int, int, int] | None,
        *,
        is_last: bool = False,
    ) -> None:
        assert self.archive is not None
        number, ages = self._token(), dict(self.archive.seconds)
        trend, commit = self._coordinator.trend.points(), self._writer.manifest.commit + 1
        self._commit = _Commit(number, commit, checkpoint, seconds, trend, is_last)
        for shard in range(self.archive.shards):
            self._ask(shard, Encode(number, self._start, end, last, ages, self._place(self._commit, shard)))

    def _place(self, commit: _Commit, shard: int) -> Place | None:
        """Where a shard may write its file itself; None where only this process can."""
        disk, name = self._run.disk, shard_name(commit.commit, shard, commit.mark)
        if not self._shared or not isinstance(disk, LocalDisk):
            return None
        return Place(str(disk.root.resolve()), self._run.job_checksum, name)

    def finish_commit(self) -> Checkpoint | None:
        """Write what the shards have encoded, once it is all there; the checkpoint from which replays now start."""
        commit, archive = self._commit, self.archive
        if commit is None or archive is None or len(commit.answers) < archive.shards or commit.checkpoint is None:
            return None
        self._commit = None
        answers = [commit.answers[shard] for shard in range(archive.shards)]
        nothing = Solutions.empty(self._run.space)
        files = self._writer.commit_shards(
            self._sealed, self._files(commit), nothing, commit.checkpoint, commit.seconds, None, trend=commit.trend
        )
        writers = [shard for shard, answer in enumerate(answers) if answer.rows]
        self._group = dict(zip(writers, files, strict=True))
        self._owners = {file.name: self._owners[file.name] for file in self._sealed if file.name in self._owners}
        self._owners |= {file.name: shard for shard, file in self._group.items()}
        if sum(answer.rows for answer in answers) >= self._writer.enough:
            self._sealed, self._group = (*self._sealed, *files), {}
            self._start = commit.checkpoint.counters.epoch
        archive.forget(commit.checkpoint.counters.epoch)
        return commit.checkpoint

    def _files(self, commit: _Commit) -> list[tuple[Segment, bytes]]:
        """What shards have written, or have encoded for this process to write."""
        answers = sorted(commit.answers.items())
        named = [(shard_name(commit.commit, shard, commit.mark), one) for shard, one in answers]
        return [
            (Segment(name=name, rows=one.rows, checksum=one.written or checksum(one.data)), one.data)
            for name, one in named
            if one.rows
        ]

    def begin_last(self, seconds: float) -> bool:
        """Let the shards encode everything that counts, as soon as they have consumed it; True once they were asked."""
        archive, checkpoint = self.archive, self._coordinator.checkpoint
        assert archive is not None
        if archive.last is None:  # nothing was consumed since the last commit
            return self._have_consumed((self._start, 0)) and self._begin_last(checkpoint, seconds)
        epoch, island, _ = archive.last
        return self._have_consumed((epoch, island + 1)) and self._begin_last(checkpoint, seconds)

    def _begin_last(self, checkpoint: Checkpoint | None, seconds: float) -> bool:
        assert self.archive is not None
        end = 0 if checkpoint is None else checkpoint.counters.epoch
        self._encode(checkpoint, end, seconds, self.archive.last, is_last=True)
        return True

    @property
    def is_idle(self) -> bool:
        """Whether nothing was consumed since the shards have the archive."""
        return self.archive is None or self.archive.last is None

    @property
    def is_encoding(self) -> bool:
        """Whether the last commit is under way; a lost shard ends it."""
        return self._commit is not None and self._commit.is_last

    @property
    def is_encoded(self) -> bool:
        """Whether the last commit only has to be written."""
        commit, archive = self._commit, self.archive
        return commit is not None and archive is not None and commit.is_last and len(commit.answers) == archive.shards

    def finish_last(self, stopped: str, seconds: float, islands: tuple[IslandStatus, ...]) -> bool:
        """Write everything that counts; False where that is less than was shown before: then the last commit stands."""
        commit, archive = self._commit, self.archive
        assert commit is not None
        assert archive is not None
        answers = [commit.answers[shard] for shard in range(archive.shards)]
        if len(archive) < self._writer.manifest.total or archive.misplaced:
            return False
        tail = Solutions.merged([decoded(one.tail) for one in answers if one.tail], self._run.space)
        self._writer.commit_shards(
            self._sealed,
            self._files(commit),
            tail,
            self._coordinator.last_checkpoint(),
            seconds,
            stopped,
            islands=islands,
            trend=commit.trend,
        )
        return True


def _portions(parts: Iterable[Keys]) -> Iterator[Keys]:
    """The same keys in larger parts."""
    some: list[Keys] = []
    for part in parts:
        some.append(part)
        if sum(map(len, some)) >= PORTION:
            yield np.concatenate(some)
            some = []
    if some:
        yield np.concatenate(some)
