"""Who keeps the archive of a run: this process, or shards where the islands live; and what it takes to change that.

The solutions that are known are read here only where they are looked up here: a run that waits for its shards, or has
them, passes them on from its files and never holds them as a whole.
"""

from __future__ import annotations

from collections.abc import Callable

from islands.clock.coordinator import Coordinator
from islands.driver.backend import Remote
from islands.driver.fleet import Fleet
from islands.driver.placement import Placement
from islands.driver.sharding import Sharding
from islands.errors import RunError
from islands.kernels.keys import KeySet
from islands.model.messages import Event
from islands.shards.archive import ShardedArchive
from islands.store.archive import Archive
from islands.store.run import Run
from islands.store.spilled_keys import SpillingKeys
from islands.store.writer import Turns, Writer

SPARE = 1 << 30  # bytes that the keys of many solutions get where shards had them before


def own_archive(run: Run, memory: int | None) -> Archive:
    """An archive in this process, which knows nothing yet; its keys have so many bytes, None: all they need."""
    keys = KeySet() if memory is None else SpillingKeys(run.disk.scratch(), memory)
    return Archive(run.job.problem, keys)


class Keeper:
    """The archive of a run under way, wherever it is."""

    many = 20_000_000  # solutions: to read so many takes as long as a start of Ray

    def __init__(
        self,
        run: Run,
        writer: Writer,
        coordinator: Coordinator,
        fleet: Fleet,
        placement: Placement,
        clock: Callable[[], float],
    ) -> None:
        self._run, self._writer, self._coordinator = run, writer, coordinator
        self._fleet, self._placement, self._clock = fleet, placement, clock
        self.sharding: Sharding | None = None  # None: the archive is in this process
        self._had_shards = False
        self._keeps_order = True  # whether shards find what is on disk in the order in which it was shown
        self._told = 0  # the last token of a request to shards
        self.events: list[Event] = []  # that nobody has read yet

    @property
    def own(self) -> Archive:
        """The archive in this process."""
        archive = self._coordinator.archive
        assert isinstance(archive, Archive), "shards have it"
        return archive

    def resume(self) -> None:
        """Take up a run where its last checkpoint left it."""
        checkpoint = self._writer.load(self.own)
        if checkpoint is None:
            return
        try:
            states = self._coordinator.restore(checkpoint)
            self._coordinator.trend.restore(self._writer.manifest.trend, self._coordinator.epoch)
            self._fleet.relink(states)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            place = self._run.place
            raise RunError(f"{place}: the checkpoint is damaged ({type(error).__name__}: {error}).") from error

    @property
    def remote(self) -> Remote | None:
        """The place whose shards are about to get the archive; None where nothing is to change."""
        remote, run = self._placement.remote, self._run
        if self.sharding is not None or remote is None or not remote.shards or run.is_large or run.job.race:
            return None
        return remote if self._keeps_order or self._writer.is_whole else None

    def hand_over(self, remote: Remote, after: Turns) -> None:
        """Let shards have the archive: everything up to the checkpoint is sealed on disk, and so many rows of each
        report `after` it are on disk as well. The run goes back to the checkpoint."""
        coordinator, checkpoint = self._coordinator, self._coordinator.checkpoint
        self.close()
        archive = ShardedArchive(remote.shards, checkpoint.rows if checkpoint else 0, after)
        states = coordinator.rewind(archive, checkpoint)
        coordinator.trend.restore(self._writer.manifest.trend, coordinator.epoch)
        self.sharding = Sharding(
            self._run, self._writer, coordinator, self._clock, remote, archive, self._told, self._happened
        )
        self._had_shards = True
        self._happened({"event": "shards", "shards": remote.shards, "total": coordinator.found})
        self._fleet.relink(states, held=True)

    def _happened(self, event: Event) -> None:
        self.events.append(event)

    @property
    def is_failing(self) -> bool:
        """Whether the shards are gone, or would show what is on disk in another order than before."""
        sharding = self.sharding
        return sharding is not None and (self._placement.remote is not sharding.remote or sharding.archive.misplaced)

    def take_back(self) -> None:
        """Go back to the last commit, with an archive in this process."""
        sharding, manifest, memory = self.sharding, self._writer.manifest, self._run.job.memory
        assert sharding is not None
        archive = own_archive(self._run, SPARE if memory is None and manifest.total > self.many else memory)
        checkpoint = self._writer.load(archive)  # where that fails, the run ends without either archive
        self._keeps_order, self._told, self.sharding = not sharding.archive.misplaced, sharding.last_token, None
        states = self._coordinator.rewind(archive, checkpoint)
        self._coordinator.trend.restore(manifest.trend, self._coordinator.epoch)
        self._happened({"event": "shards", "shards": 0, "total": self._coordinator.found, "waits": self.waits})
        self._fleet.relink(states)

    @property
    def waits(self) -> bool:
        """Whether the islands, who are back here without their shards, wait for their place: to read what is known
        would take as long, and much memory."""
        comes_again = self._placement.is_here and self._placement.required and self._had_shards
        return comes_again and self._writer.manifest.total > self.many

    @property
    def holds(self) -> bool:
        """Whether islands get no orders yet."""
        return self.waits or (self.sharding is not None and self.sharding.lessons.holds)

    def learn(self) -> None:
        """Read what is known, before anything is looked up here."""
        if self.sharding is None and not self.waits:
            self.own.learn()

    def unused(self) -> list[Event]:
        """What is said of shards that somebody asked for, where the run has ended before it had any."""
        run = self._run
        unfit = run.is_large or run.job.race or not self._placement.has_elsewhere
        if run.job.shards <= 0 or self._had_shards or unfit:  # of the unfit this was said at the beginning
            return []
        lived = self._placement.remote is not None
        when = "while what is on disk was still being found again" if lived else "before its islands lived on Ray"
        return [{"event": "no-shards", "reason": f"the run has ended {when}"}]

    def close(self) -> None:
        """Remove what the archive in this process has in scratch files."""
        if self.sharding is None:
            self.own.close()
