"""A run that somebody else conducts, followed by its directory: its event log as it grows, and what it says now."""

from __future__ import annotations

from islands.clock.workload import Workload
from islands.errors import IslandsError
from islands.model.messages import Event
from islands.operators.space import Genomes
from islands.pages.facts import NOT_BEGUN, RUNNING, Facts, facts_of
from islands.store.files import EVENTS
from islands.store.journal import events_of
from islands.store.run import Run

FEW = 20_000  # rows of a segment that is read for the newest solution


class Follower:
    """Reads what a run has written since it was asked last."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._read = 0  # bytes of the log

    def news(self) -> list[Event]:
        """The events that are new, oldest first; a line that is still being written comes the next time."""
        try:
            data = self.run.disk.read_log(EVENTS)
        except OSError:  # it has none yet
            return []
        if len(data) < self._read:  # a log that was cut off by a crash is written on from there
            self._read = 0
        end = data.rfind(b"\n") + 1
        lines, self._read = data[self._read : end].splitlines(), max(end, self._read)
        return events_of(lines)

    def facts(self) -> Facts:
        """What is known of the run now; a commit that comes in between is waited for."""
        return facts_of(self.run, sample=0)

    def is_over(self, now: Facts) -> bool:
        """Whether nobody writes it any more; a run that has not begun may still begin."""
        return now.stands not in (RUNNING, NOT_BEGUN) and not self.run.disk.is_locked()

    def newest(self) -> Genomes | None:
        """The solution saved last, where it is quickly read."""
        try:
            last = self.run.manifest().segments[-1:]
            if not last or last[0].rows > FEW or self.run.is_large or self.run.job.is_withheld:
                return None
            genome: Genomes = next(self.run.rows(len(self.run) - 1)).genome[-1].astype("int32")
            return genome
        except (IslandsError, StopIteration):
            return None

    def swept(self, now: Facts) -> tuple[int, int] | None:
        """Of an exhaustive run the tasks that are done, as of its last commit, and how many there are."""
        counters, job = self.run.manifest().counters, now.job
        if not job.stop.exhaustive or job.is_withheld:
            return None
        workload = Workload(job, job.recipes())
        return (0 if counters is None else workload.swept(counters.clocks)), workload.tasks
