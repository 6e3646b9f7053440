"""When a run under way is saved, and how: by this process, or by its shards while the search goes on."""

from __future__ import annotations

from collections.abc import Callable

from islands.clock.coordinator import Coordinator
from islands.driver.age import Age
from islands.driver.fleet import Fleet
from islands.driver.keeper import Keeper
from islands.driver.recovery import Recovery
from islands.driver.replays import Replays
from islands.driver.sharding import Sharding
from islands.driver.telling import Telling
from islands.model.checkpoint import Checkpoint
from islands.store.writer import Writer

COMMIT_FOUND = 1.0  # seconds between commits while solutions come in
COMMIT_IDLE = 10.0  # ... and while they do not, or while a commit takes long


class Saving:
    """The commits of a run."""

    def __init__(
        self,
        writer: Writer,
        coordinator: Coordinator,
        keeper: Keeper,
        recovery: Recovery,
        replays: Replays,
        fleet: Fleet,
        telling: Telling,
        age: Age,
        clock: Callable[[], float],
    ) -> None:
        self._writer, self._coordinator, self._keeper = writer, coordinator, keeper
        self._recovery, self._replays, self._fleet = recovery, replays, fleet
        self._telling, self._age, self._clock = telling, age, clock
        self._committed = clock()

    @property
    def is_due(self) -> bool:
        """Whether it is time to save the run."""
        manifest, cost = self._writer.manifest, self._telling.commit_seconds
        found = self._coordinator.found > manifest.total + manifest.counted
        pause = min(max(COMMIT_FOUND if found else COMMIT_IDLE, 20 * cost), COMMIT_IDLE)
        return self._clock() - self._committed >= pause

    @property
    def is_full(self) -> bool:
        """Whether rows only wait in memory."""
        return self._keeper.sharding is None and self._are_enough(len(self._coordinator.archive))

    def _are_enough(self, rows: int) -> bool:
        return rows - self._writer.manifest.sealed_rows >= self._writer.enough

    def go_on(self, due: bool) -> None:
        """Save the run if it is `due`, and can be."""
        if self._keeper.sharding is not None:
            self._with_shards(self._keeper.sharding, due)
            return
        checkpoint = self._coordinator.checkpoint
        if checkpoint is not None and (self._are_enough(checkpoint.rows) or (due and not self._replays.nearly)):
            self._save(None)

    def hand_over(self) -> None:
        """Let shards have the archive where the islands' place hosts some, and nothing is in the way."""
        remote = self._keeper.remote
        if remote is None:
            return
        started, coordinator = self._clock(), self._coordinator
        trend = coordinator.trend.points()
        after = self._writer.hand_over(self._keeper.own, coordinator.checkpoint, self._age.seconds, trend)
        if after is not None:
            self._note(started)
            self._tell()
            self._keeper.hand_over(remote, after)

    def end(self, stopped: str) -> None:
        """Save everything that counts at the end of the run, as far as it is known."""
        sharding = self._keeper.sharding
        if sharding is None:
            self._save(stopped)
            return
        seconds, islands, started = self._age.seconds, tuple(self._coordinator.status), self._clock()
        if sharding.commits.is_ended and sharding.commits.finish_last(stopped, seconds, islands):
            self._note(started)
            self._tell()
        else:
            self._writer.note_end(stopped, seconds)

    def _save(self, stopped: str | None) -> None:
        """Save what the archive in this process has, once a replay has found again what is on disk."""
        if (recovered := self._recovery.end(stopped)) is not None:
            age, events = recovered
            self._age.become(age)
            self._telling.announce(events)
        coordinator, started = self._coordinator, self._clock()
        written = self._writer.commit(
            self._keeper.own,
            coordinator.last_checkpoint() if stopped else coordinator.checkpoint,
            self._age.seconds,
            stopped,
            islands=tuple(coordinator.status) if stopped else (),  # until then the checkpoint has them
            trend=coordinator.trend.points(),
        )
        self._note(started)
        if written:
            self._tell()

    def _with_shards(self, sharding: Sharding, due: bool) -> None:
        """Save what shards have found, step by step."""
        commits, started = sharding.commits, self._clock()
        if due and not self._replays.nearly and commits.begin(sharding.have_consumed, self._age.seconds):
            self._committed = started
        checkpoint: Checkpoint | None = commits.finish()
        if checkpoint is not None:
            self._fleet.rebase(checkpoint)
            self._note(started)
            self._tell()

    def _note(self, started: float) -> None:
        """A commit took from then until now."""
        self._committed = self._clock()
        self._telling.commit_seconds = self._committed - started

    def _tell(self) -> None:
        """The run was saved."""
        manifest = self._writer.manifest
        total = manifest.total + manifest.counted
        self._telling.take_snapshot()
        self._telling.announce([{"event": "checkpoint", "epoch": self._coordinator.epoch, "total": total}])
