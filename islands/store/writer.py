"""The one writer of a run directory: the event log, traces, and commits that make everything found durable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from time import time
from typing import Any

import numpy as np

from islands.errors import Damaged, RunError
from islands.kernels.keys import Keys, key_from, keys_of
from islands.model.checkpoint import Checkpoint
from islands.model.island_status import IslandStatus
from islands.model.messages import Event, TrendPoint
from islands.store.archive import Archive
from islands.store.damage import damage
from islands.store.files import EVENTS, MANIFEST, RECOVERY, is_ours, segment_name, state_name, trace_name
from islands.store.journal import FREQUENT, Journal, line_of
from islands.store.manifest import Manifest, Segment, packed
from islands.store.run import Run
from islands.store.segments import write_segment
from islands.store.solutions import Solutions
from islands.store.states import write_state
from islands.store.sweeping import sweep, sweep_leftovers

Turns = dict[tuple[int, int], int]
"""How many rows each report has brought, by epoch and island."""

DELAY = 0.2  # seconds that frequent events may wait for a place in the log, so that it is written in one go


class Writer:
    """Whoever holds the run's lock writes through this."""

    seal = 1_000_000  # rows; a fuller open segment is sealed and never written again
    seal_bytes = 1 << 26  # of genomes; so is one with more

    def __init__(self, run: Run, lost: Sequence[Damaged] = ()) -> None:
        """`lost` are the files of the run that are damaged: its solutions are found again from the beginning then.

        Until they are, everything goes to files of its own and to the manifest RECOVERY, and what can be read stays.
        """
        self.run, self.disk = run, run.disk
        self.manifest = run.manifest()  # of the last commit
        self.goal: Manifest | None = None  # what a damaged run had, until it has found it again
        if lost:
            self.goal, self.manifest = self.manifest, self._recovery(self.manifest)
        self._saved: Checkpoint | None = None
        self._earlier: tuple[Solutions, int] | None = None  # rows after the checkpoint, and the open row they begin at
        self._journal = Journal(len(run.job.specs()))
        self._heard: list[tuple[list[Event], float, float]] = []  # events, the age of the run, the time
        self._listened = -inf  # the age of the run when lines of the event log were made of what was heard
        self._traces: dict[str, int] | None = None  # sizes of the trace files
        self._sweep()  # the last writer may have been killed after its commit, and nothing may be left to commit
        sweep_leftovers(self.disk)

    def _recovery(self, goal: Manifest) -> Manifest:
        """How far it was found again before; nothing in a race, whose solutions are not found in the same order."""
        nothing = Manifest(job=(self.run.job_checksum,), commit=goal.commit)
        try:
            begun = self.run.manifest(RECOVERY)
        except RunError:
            return nothing
        usable = not self.run.job.race and begun.commit > goal.commit and not damage(self.run, begun)
        return begun if usable else nothing

    @property
    def enough(self) -> int:
        """How many rows make a segment that is sealed."""
        space = self.run.space
        return max(1, min(self.seal, self.seal_bytes // (space.dtype.itemsize * space.length)))

    def record(self, events: list[Event], seconds: float) -> None:
        """Append what is worth a line to the event log; each says of which run it is, for logs of many together, and
        when it happened, which may be earlier than it is written."""
        if not events:
            return
        self._heard.append((events, seconds, time()))
        urgent = any(event["event"] not in FREQUENT for event in events)
        if not urgent and seconds - self._listened < DELAY:
            return
        heard, self._heard, self._listened = self._heard, [], seconds
        lines: list[Event] = []
        for some, age, now in heard:
            always = {"time": now, "run": self.run.name, "seconds": round(age, 3)}
            lines += self._journal.take([{**always, **event} for event in some], age)
        if lines:
            self.disk.append(EVENTS, "".join(map(line_of, lines)).encode())

    def keep_trace(self, island: int, epoch: int, data: bytes) -> None:
        """One file per island and epoch, so that a replay writes the same again; the oldest go beyond the limit."""
        if self._traces is None:
            self._traces = {name: self.disk.size(name) for name in self.disk.names("trace") if is_ours(name)}
        name = trace_name(epoch, island)
        self.disk.write(name, data)
        self._traces[name] = len(data)
        while sum(self._traces.values()) > self.run.job.trace_limit * 1_000_000 and self._traces:
            oldest = min(self._traces)
            self.disk.remove(oldest)
            del self._traces[oldest]

    def load(self, archive: Archive) -> Checkpoint | None:
        """Fill an archive with what was known at the last checkpoint, to go on from there; that checkpoint.

        Rows after the checkpoint stay on disk until the replay has found them again; a race finds nothing again, so
        that there everything counts as known.
        """
        manifest, race = self.manifest, self.run.job.race
        if race and self.goal is not None:
            self._keep_readable(archive, self.goal)
            return self._readable_checkpoint(self.goal, len(archive))
        known = manifest.total if race else manifest.rows
        unsealed = self.run.segment(manifest.open) if manifest.open else Solutions.empty(self.run.space)
        start = max(0, known - manifest.sealed_rows)
        archive.load(self._sealed_keys(manifest), manifest.sealed_rows, unsealed[:start])
        self._earlier = (unsealed[start:], start) if start < len(unsealed) else None
        return self.run.checkpoint(manifest)

    def adopt(self, archive: Archive, checkpoint: Checkpoint | None) -> Checkpoint | None:
        """What was found again takes the place of the damaged run, with all that can be read of it and is not there.

        That happens with the next commit; the checkpoint that is to be committed then.
        """
        goal, self.goal = self.goal, None
        if goal is None or not self._keep_readable(archive, goal) or checkpoint is None:
            return checkpoint
        return replace(checkpoint, rows=len(archive))  # other versions: a replay would not find these again

    def _keep_readable(self, archive: Archive, goal: Manifest) -> int:
        """Keep the solutions of a damaged run that can be read: how many are new."""
        kept = 0
        for segment in goal.segments:
            with suppress(Damaged):
                kept += archive.keep(self.run.segment(segment, 0, []))
        return kept

    def _readable_checkpoint(self, goal: Manifest, rows: int) -> Checkpoint | None:
        """The checkpoint of a damaged race; none for a sweep that would not come again to what was lost."""
        if self.run.job.stop.exhaustive and rows < goal.total:
            return None
        try:
            checkpoint = self.run.checkpoint(goal)
        except Damaged:
            return None
        return None if checkpoint is None else replace(checkpoint, rows=rows)

    def _sealed_keys(self, manifest: Manifest) -> Iterator[Keys]:
        """The keys of all rows in sealed segments, segment by segment, (n, 2) each."""
        if manifest.large:
            words = [key_from(id_) for id_ in manifest.large[: manifest.sealed_rows]]
            yield np.array(words, np.uint64).reshape(-1, 2)
        else:
            yield from (keys_of(self.run.segment(segment).genome) for segment in manifest.sealed)

    def commit(
        self,
        archive: Archive,
        checkpoint: Checkpoint | None,
        seconds: float,
        stopped: str | None,
        *,
        islands: tuple[IslandStatus, ...] = (),
        trend: tuple[TrendPoint, ...] = (),
    ) -> bool:
        """Make everything found so far durable. A crash at any point leaves the last commit or this one.

        False while a replay has not yet found again what is on disk: nothing is written then, the last commit stands.
        """
        if len(archive) < self.manifest.total or not self._in_order(archive, at_any_rate=stopped is not None):
            return False
        self._commit(archive, checkpoint, seconds, stopped, islands, trend, self.enough)
        return True

    def _commit(
        self,
        archive: Archive,
        checkpoint: Checkpoint | None,
        seconds: float,
        stopped: str | None,
        islands: tuple[IslandStatus, ...],
        trend: tuple[TrendPoint, ...],
        enough: int,
    ) -> None:
        """Write what an archive has; `enough` rows of the checkpoint make a segment that is sealed."""
        rows = checkpoint.rows if checkpoint else 0
        solutions, rest = self._write_solutions(archive, self.manifest.commit + 1, rows, enough)
        self._finish(solutions, len(archive), checkpoint, seconds, stopped, islands, trend)
        archive.open = rest
        self._sweep()

    def hand_over(
        self, archive: Archive, checkpoint: Checkpoint | None, seconds: float, trend: tuple[TrendPoint, ...]
    ) -> Turns | None:
        """Leave no row of the checkpoint open: from there on the archive is another one's, which finds again what comes
        after it. How many rows of each report that is, in their order; None while it would get another order, or the
        run is damaged, or finds something again: then nothing is written.
        """
        earlier = None if self._earlier is None else self._earlier[0]
        if self.goal is not None or (earlier is not None and len(archive) > self.manifest.rows):
            return None
        rows = Solutions.joined([*archive.open, *([] if earlier is None else [earlier])], self.run.space)
        turns = rows[(checkpoint.rows if checkpoint else 0) - self.manifest.sealed_rows :].turns()
        if turns is None:
            return None
        if earlier is not None:
            archive.restore(earlier)
            self._earlier = None
        self._commit(archive, checkpoint, seconds, None, (), trend, 1)
        return turns

    def commit_shards(
        self,
        sealed: tuple[Segment, ...],
        group: Sequence[tuple[Segment, bytes]],
        tail: Solutions,
        checkpoint: Checkpoint | None,
        seconds: float,
        stopped: str | None,
        *,
        islands: tuple[IslandStatus, ...] = (),
        trend: tuple[TrendPoint, ...] = (),
    ) -> tuple[Segment, ...]:
        """The same where shards have encoded what was found: behind the `sealed` segments comes the `group`, each with
        its data, empty where the shard has written it itself. `tail` are the rows after the checkpoint. Returns the
        segments of the group.
        """
        for segment, data in group:
            if data:
                self.disk.write(segment.name, data)
        files, last = tuple(segment for segment, _ in group), None
        if len(tail):
            name = segment_name(self.manifest.commit + 1, sealed=False)
            last, _ = write_segment(self.disk, name, [tail], False)
        solutions = {"sealed": (*sealed, *files), "open": last}
        kept = sum(segment.rows for segment in (*sealed, *files))
        assert kept == (checkpoint.rows if checkpoint else 0), f"{kept} rows were encoded up to {checkpoint}"
        self._finish(solutions, kept + len(tail), checkpoint, seconds, stopped, islands, trend)
        self._sweep()
        return files

    def note_end(self, stopped: str, seconds: float) -> None:
        """Write down why a run stopped whose last commit stands: what came after it is found again."""
        manifest = self.manifest.model_copy(
            update={"commit": self.manifest.commit + 1, "stopped": stopped, "seconds": seconds}
        )
        self.disk.confirm()
        self.disk.write(MANIFEST, packed(manifest))
        self.manifest = manifest
        self._sweep()

    def close(self) -> None:
        """Remove what shards have left that were ended in the middle of a commit: no more of them write."""
        sweep_leftovers(self.disk, ("solutions",))

    @property
    def is_whole(self) -> bool:
        """Whether all rows on disk were found again, in a run that is not damaged."""
        return self.goal is None and self._earlier is None

    def _finish(
        self,
        solutions: dict[str, Any],
        total: int,
        checkpoint: Checkpoint | None,
        seconds: float,
        stopped: str | None,
        islands: tuple[IslandStatus, ...],
        trend: tuple[TrendPoint, ...],
    ) -> None:
        """Write the state and the manifest: from here on it counts."""
        number, rows, state = self.manifest.commit + 1, checkpoint.rows if checkpoint else 0, self.manifest.state
        if checkpoint is not None and checkpoint is not self._saved:
            state = write_state(self.disk, state_name(number), checkpoint.arrays)
        manifest = Manifest(
            job=(self.run.job_checksum,),
            commit=number,
            rows=rows,
            total=total,
            **solutions,
            state=state,
            counters=checkpoint.counters if checkpoint else None,
            islands=islands,
            trend=trend,
            seconds=seconds,
            stopped=stopped,
        )
        self.disk.confirm()
        self.disk.write(RECOVERY if self.goal else MANIFEST, packed(manifest))
        self.manifest, self._saved = manifest, checkpoint

    def _in_order(self, archive: Archive, *, at_any_rate: bool) -> bool:
        """Whether a replay is done, and its rows are where readers know them."""
        if self._earlier is not None:
            rows, start = self._earlier
            if not archive.keep_order(rows, start, at_any_rate=at_any_rate):
                return False
            self._earlier = None
        return True

    def _write_solutions(
        self, archive: Archive, number: int, rows: int, enough: int
    ) -> tuple[dict[str, Any], list[Solutions]]:
        """What the manifest says of the files of the solutions, and the rows that stay open.

        The first `rows` belong to the checkpoint: they are sealed once there are `enough` of them.
        """
        old = self.manifest
        sealed, last, large = old.sealed, old.open, old.large
        ready = rows - old.sealed_rows
        full, rest = archive.cut(ready if ready >= enough else 0)
        if not full and len(archive) == old.total:
            return {"sealed": sealed, "open": last, "large": large}, rest
        last, large = None, large[: old.sealed_rows]
        if full:
            segment, ids = write_segment(self.disk, segment_name(number, sealed=True), full, self.run.is_large)
            sealed, large = (*sealed, segment), large + ids
        if rest:
            last, ids = write_segment(self.disk, segment_name(number, sealed=False), rest, self.run.is_large)
            large += ids
        return {"sealed": sealed, "open": last, "large": large}, rest

    def _sweep(self) -> None:
        """Remove the files of other commits, and what shards have left: no commit is under way."""
        named = {*self.manifest.names, *((RECOVERY, *self.goal.names) if self.goal else ())}
        sweep(self.disk, named)
