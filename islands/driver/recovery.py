"""A damaged run finds its solutions again: the same seed finds them in the same order, from the beginning on.

Until it has, what can be read of the run stays as it is; the files of the recovery are beside it, so that it can be
interrupted and resumed, too. A race cannot be repeated: it goes on with what can be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from islands.clock.coordinator import Coordinator
from islands.clock.stopping import Owed
from islands.errors import Damaged
from islands.model.messages import Event
from islands.store.archive import Archive
from islands.store.manifest import Manifest
from islands.store.run import Run
from islands.store.writer import Writer

UNFINISHED = (None, "interrupted", "failed")  # reasons to stop that say nothing about what will be found


class Recovery:
    """What a damaged run had, until it has found it again; of a run without damage there is nothing to do."""

    def __init__(self, run: Run, writer: Writer, coordinator: Coordinator, lost: Sequence[Damaged]) -> None:
        self._run, self._writer, self._coordinator, self._lost = run, writer, coordinator, lost
        if writer.goal is not None and not run.job.race:
            coordinator.rules.owed = _owed(writer.goal)

    @property
    def goes_on(self) -> bool:
        return self._writer.goal is not None

    def beginning(self) -> list[Event]:
        """What is told when the run goes on."""
        goal = self._writer.goal
        if goal is None:
            return []
        names = [self._run.disk.short(damaged.name) for damaged in self._lost]
        return [{"event": "recovery", "files": names, "total": goal.total, "race": self._run.job.race}]

    def end(self, stopped: str | None) -> tuple[float, list[Event]] | None:
        """Take the place of the damaged run where everything was found again, or where nothing more will be.

        The age that the run had, and what is told of it; None as long as it is too early. The next commit makes it so.
        """
        goal, archive = self._writer.goal, self._coordinator.archive
        if goal is None or not (self._run.job.race or stopped not in UNFINISHED or self._is_reached()):
            return None
        assert isinstance(archive, Archive), "shards wait until everything was found again"
        self._coordinator.checkpoint = self._writer.adopt(archive, self._coordinator.checkpoint)
        self._coordinator.rules.owed = None
        missing = max(0, goal.total - len(archive))
        return goal.seconds, [{"event": "recovered", "total": len(archive), "missing": missing}]

    def pause(self) -> list[Event]:
        """What is told when the run stops before everything was found again."""
        goal = self._writer.goal
        if goal is None:
            return []
        return [{"event": "recovery-pause", "found": len(self._coordinator.archive), "total": goal.total}]

    def _is_reached(self) -> bool:
        """Whether the run is where it was before."""
        owed = self._coordinator.rules.owed
        return owed is None or (self._coordinator.found >= owed.found and self._coordinator.epoch >= owed.epoch)


def _owed(goal: Manifest) -> Owed:
    return Owed(goal.total, goal.total + goal.counted, goal.counters.epoch if goal.counters else 0)
