"""The commits of a run whose archive is in shards: these encode what they have found, and the driver makes it count.

Shards keep their rows until the manifest is written, so that a commit may fail or be begun again at any point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from secrets import token_hex

import numpy as np

from islands.clock.coordinator import Coordinator
from islands.model.checkpoint import Checkpoint
from islands.model.island_status import IslandStatus
from islands.model.messages import TrendPoint
from islands.shards.archive import ShardedArchive
from islands.shards.messages import Encode, Encoded, Place, Request
from islands.store.files import checksum, shard_name
from islands.store.local_disk import LocalDisk
from islands.store.manifest import Segment
from islands.store.run import Run
from islands.store.segments import decoded
from islands.store.solutions import Solutions
from islands.store.writer import Writer


@dataclass
class _Commit:
    """A commit under way."""

    number: int  # which the shards' answers repeat
    commit: int  # for the names of its files
    checkpoint: Checkpoint | None
    seconds: float
    trend: tuple[TrendPoint, ...]
    is_last: bool
    mark: str = field(default_factory=lambda: token_hex(4))
    answers: dict[int, Encoded] = field(default_factory=dict)


class ShardCommits:
    """Those of one archive, which begins with what is sealed on disk."""

    def __init__(
        self,
        run: Run,
        writer: Writer,
        coordinator: Coordinator,
        archive: ShardedArchive,
        ask: Callable[[int, Request], None],
    ) -> None:
        self._run, self._writer, self._coordinator = run, writer, coordinator
        self._archive, self._ask = archive, ask
        self._shared = True  # whether shards may write into the run's directory
        self._commit: _Commit | None = None  # under way
        self._numbers = 0
        self._sealed = writer.manifest.sealed  # segments that stay
        self._group: dict[int, Segment] = {}  # of each shard the segment that the next commit replaces
        self._owners: dict[str, int] = {}  # of segments that these shards wrote
        self.start = coordinator.epoch  # the first epoch of that group

    # The files

    def segments_of(self, shards: Sequence[int]) -> Iterator[Segment]:
        """Those that hold what one of these shards must know."""
        for segment in (*self._sealed, *self._group.values()):
            if self._owners.get(segment.name, shards[0]) in shards:
                yield segment

    def open_rows(self, shard: int) -> bytes:
        """The rows of a shard that the next commit writes again, as a file."""
        segment = self._group.get(shard)
        return b"" if segment is None else self._run.disk.read_checked(segment.name, segment.checksum)

    # A commit on the way

    def begin(self, have_consumed: Callable[[tuple[int, int]], bool], seconds: float) -> bool:
        """Let the shards encode what was found up to the last checkpoint, if there is anything new."""
        checkpoint, manifest = self._coordinator.checkpoint, self._writer.manifest
        if checkpoint is None or self._commit is not None:
            return False
        epoch = checkpoint.counters.epoch
        saved = 0 if manifest.counters is None else manifest.counters.epoch
        if epoch <= saved or checkpoint.rows < manifest.total or not have_consumed((epoch, 0)):
            return False
        self._encode(checkpoint, epoch, seconds, None)
        return True

    def begin_last(self, have_consumed: Callable[[tuple[int, int]], bool], seconds: float) -> None:
        """Let the shards encode everything that counts, as soon as they have consumed it."""
        checkpoint, last = self._coordinator.checkpoint, self._archive.last
        # where there is none, nothing was consumed since the last commit
        if have_consumed((self.start, 0) if last is None else (last[0], last[1] + 1)):
            end = 0 if checkpoint is None else checkpoint.counters.epoch
            self._encode(checkpoint, end, seconds, last, is_last=True)

    def _encode(
        self,
        checkpoint: Checkpoint | None,
        end: int,
        seconds: float,
        last: tuple[int, int, int] | None,
        *,
        is_last: bool = False,
    ) -> None:
        self._numbers += 1
        number, ages = self._numbers, dict(self._archive.seconds)
        trend, commit = self._coordinator.trend.points(), self._writer.manifest.commit + 1
        self._commit = _Commit(number, commit, checkpoint, seconds, trend, is_last)
        for shard in range(self._archive.shards):
            self._ask(shard, Encode(number, self.start, end, last, ages, self._place(self._commit, shard)))

    def _place(self, commit: _Commit, shard: int) -> Place | None:
        """Where a shard may write its file itself; None where only this process can."""
        disk, name = self._run.disk, shard_name(commit.commit, shard, commit.mark)
        if not self._shared or not isinstance(disk, LocalDisk):
            return None
        return Place(str(disk.root.resolve()), self._run.job_checksum, name)

    def take(self, shard: int, answer: Encoded) -> None:
        """Take a shard's part of a commit. If a file that it wrote is not to be seen here, this process writes all of
        them from now on, and the commit is asked for again: the shard may see a copy of the run."""
        commit = self._commit
        if commit is None or commit.number != answer.number:
            return
        if answer.written and not self._run.disk.exists(shard_name(commit.commit, shard, commit.mark)):
            self._shared, self._commit = False, None
            return
        commit.answers[shard] = answer

    def give_up(self) -> None:
        """A shard was lost: the commit under way is begun again later."""
        self._commit = None

    @property
    def is_ending(self) -> bool:
        """Whether the last commit is under way; a lost shard ends it."""
        return self._commit is not None and self._commit.is_last

    @property
    def is_ended(self) -> bool:
        """Whether the last commit only has to be written."""
        commit = self._commit
        return commit is not None and commit.is_last and len(commit.answers) == self._archive.shards

    # What makes it count

    def finish(self) -> Checkpoint | None:
        """Write what the shards have encoded, once it is all there; the checkpoint from which replays now start."""
        commit, archive = self._commit, self._archive
        if commit is None or len(commit.answers) < archive.shards or commit.checkpoint is None:
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
            self.start = commit.checkpoint.counters.epoch
        archive.forget(commit.checkpoint.counters.epoch)
        self._show_newest(answers)
        return commit.checkpoint

    def finish_last(self, stopped: str, seconds: float, islands: tuple[IslandStatus, ...]) -> bool:
        """Write everything that counts; False where that is less than was shown before, or in another order: then the
        last commit stands."""
        commit, archive = self._commit, self._archive
        assert commit is not None
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
        self._show_newest(answers)
        return True

    def _show_newest(self, answers: Sequence[Encoded]) -> None:
        """Have the solution that was found last at hand for the views."""
        rows = Solutions.merged([one.newest for one in answers if one.newest is not None], self._run.space)
        if len(rows):
            self._archive.newest = rows.genome[-1].astype(np.int32, copy=False)

    def _files(self, commit: _Commit) -> list[tuple[Segment, bytes]]:
        """What shards have written, or have encoded for this process to write."""
        answers = sorted(commit.answers.items())
        named = [(shard_name(commit.commit, shard, commit.mark), one) for shard, one in answers]
        return [
            (Segment(name=name, rows=one.rows, checksum=one.written or checksum(one.data)), one.data)
            for name, one in named
            if one.rows
        ]
