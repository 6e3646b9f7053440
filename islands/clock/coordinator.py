"""The logical clock: collect -> archive -> migrate -> stop. Pure policy: no time, no disk, no Ray.

Reports are consumed in (epoch, island) order, whatever order they arrive in. What the reports of epoch e decide takes
effect at epoch e + 1 + lag, so an island waits only when another is more than `lag` epochs behind. With `race`,
reports are consumed on arrival and take effect at once: faster on uneven machines, and not repeatable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.clock.chronicle import Chronicle
from islands.clock.ledger import Ledger
from islands.clock.pending_mail import NO_MAIL, Mail, Migrants, pack, unpack
from islands.clock.stopping import StopRules
from islands.clock.trend import Trend
from islands.clock.workload import Workload
from islands.model.checkpoint import NEAREST, Checkpoint, Counters, cheapest
from islands.model.island_status import IslandStatus
from islands.model.job import Job
from islands.model.messages import Event, New, News, Order, Report, State
from islands.model.migration import Schedule
from islands.operators.estimate import Estimate

WAYS = 8  # epochs whose random ways are at hand


class Ways(NamedTuple):
    """Who receives the emigrants of an island."""

    receivers: list[tuple[int, int]]  # and how many each
    most: int  # of these


class Coordinator:
    """Decides what each island does next, from what all islands reported."""

    small_snapshot = 1 << 20  # bytes; a larger one is taken every few epochs only

    def __init__(self, job: Job, archive: Ledger) -> None:
        recipes = job.recipes()
        self.job, self.archive, self.plan = job, archive, job.migration
        self.count = len(recipes)
        self.rules = StopRules(job, recipes)
        self._workload = Workload(job, recipes)
        self._estimate = next((recipe.estimate for recipe in recipes if recipe.estimate is not None), None)
        self.lost = 0
        self.bettered: float | None = None  # the age of the run when its lowest cost was met
        self.stopped: str | None = None
        self.events: list[Event] = []
        self.chronicle = Chronicle(self.count)
        self.dense = True  # whether islands send their states at the end of every epoch, or only when they are asked
        self._snapshot_every = 1
        self._ways: dict[int, list[Ways]] = {}  # by epoch, of each island
        self._begin()

    def _begin(self) -> None:
        """Nothing was reported yet."""
        self.status = [IslandStatus(spec.recipe) for spec in self.job.specs()]
        self._lowest: int | None = None  # cost of all islands
        self.epoch, self.turn = 0, 0  # the next report to consume
        self.issued = [0] * self.count  # the next epoch to order of each island
        self.counted = 0
        self.tallies: dict[int, NDArray[np.float64]] = {}  # of islands whose recipe estimates
        self.migrations = 0
        self.checkpoint: Checkpoint | None = None
        self.trend = Trend(self.count)
        self._inbox: dict[tuple[int, int], Report] = {}
        self._mail: dict[tuple[int, int], Mail] = {}  # by epoch and island
        self._asked = -1  # the last epoch for whose end they were
        self._snapshots: dict[int, State] = {}
        self._clocks = [0] * self.count  # the epoch that follows each of these
        self._ends: dict[int, State] = {}  # of epochs that were cut, from which nothing goes on
        every = -(-self.plan.migrate_every // self._workload.longest) if self.plan.migrate_every else 1
        first = self._workload.ramp + every - 1
        self._schedules = [Schedule(every, self.plan.schedule == "adaptive", first) for _ in range(self.count)]
        for epoch in range(0 if self.job.race else self.plan.lag + 1):
            for island in range(self.count):
                self._letter(epoch, island).emigrate = self._schedules[island].decide(epoch, False)

    @property
    def found(self) -> int:
        """Solutions in the archive and those that were only counted."""
        return len(self.archive) + self.counted

    def estimate(self) -> Estimate | None:
        """How many solutions there are, as far as the tallies of walking islands say."""
        return self._estimate(list(self.tallies.values())) if self.tallies and self._estimate is not None else None

    @property
    def swept(self) -> tuple[int, int] | None:
        """How many tasks of an exhaustive run are done, from the first on, and how many there are."""
        tasks = self._workload.tasks
        return (self._workload.swept([status.epoch for status in self.status]), tasks) if tasks else None

    # What to do next

    def order(self, island: int) -> Order | None:
        """The next order for an idle island; None when it must wait or is done."""
        epoch = self.issued[island]
        waits = not self.job.race and epoch > self.epoch + self.plan.lag
        if self.stopped or waits or not self._workload.has_work(epoch, island):
            return None
        self.issued[island] += 1
        if self._workload.tasks:
            shards = self.archive.shards
            return Order(epoch=epoch, generations=0, tasks=self._workload.tasks_of(epoch, island), shards=shards)
        mail = self._mail.get((epoch, island), NO_MAIL)
        return Order(
            epoch=epoch,
            generations=self._workload.generations(epoch, island),
            **mail.immigration(),
            shared=tuple(mail.shared),
            news=mail.news,
            emigrants=self._ways_from(epoch, island).most if mail.emigrate else 0,
            snapshot=self._tells_state(epoch) or self._workload.is_cut(epoch, island),
            shards=self.archive.shards,
        )

    @property
    def awaits_states(self) -> bool:
        """Whether islands were asked for their states of one epoch, and not all have sent them."""
        return self.epoch <= self._asked

    def ask_states(self) -> None:
        """Ask all islands for their states at the end of the first epoch that none of them has begun."""
        self._asked = max(self.issued)

    def _tells_state(self, epoch: int) -> bool:
        """Whether an island is to send its state at the end of this epoch. It never changes what is found."""
        if self.dense or self.job.race:
            return (epoch + 1) % self._snapshot_every == 0
        return epoch == self._asked or self._workload.is_last_whole(epoch)

    def accept(self, report: Report, seconds: float) -> None:
        """Take a report in, and consume all that are in turn. `seconds` is the run's age."""
        if not self.job.race:
            self._inbox[report.epoch, report.island] = report
            return self.go_on(seconds)
        new = self._count(report, seconds)
        assert new is not None, "a race has its archive in this process"
        self._consume(report, new, seconds)
        self._stop_when_done()
        return self._remember()

    def go_on(self, seconds: float) -> None:
        """Consume all reports that are in turn, as far as the archive has counted them."""
        while not self.stopped and (report := self.in_turn) is not None:
            new = self._count(report, seconds)
            if new is None:
                return
            del self._inbox[self.epoch, self.turn]
            self._consume(report, new, seconds)
            self._next_turn()

    @property
    def in_turn(self) -> Report | None:
        """The next report to consume, if it is there."""
        return self._inbox.get((self.epoch, self.turn))

    def stop(self, reason: str) -> None:
        """End the run for a reason outside the clock: time is up, or somebody pressed Ctrl-C."""
        self.stopped = self.stopped or reason

    # The clock

    def _count(self, report: Report, seconds: float) -> New | None:
        """What of a report is new; None while shards have not said it."""
        limit = self.rules.limit
        return self.archive.count(report, seconds, None if limit is None else limit - len(self.archive))

    def _consume(self, report: Report, new: New, seconds: float) -> None:
        self.counted += report.counted
        self.trend.take(report)
        if report.tally is not None:
            self.tallies[report.island] = report.tally
        if report.snapshot is not None:
            self._keep_state(report, report.snapshot)
        known = self.status[report.island]
        status = self.status[report.island] = known.after(report, new)
        if status.best is not None and (self._lowest is None or status.best < self._lowest):
            self._lowest, self.bettered = status.best, seconds
        self.events += self.chronicle.happened(report, new, len(self.archive))
        if not self._workload.tasks:
            self._decide(report, new.number > 0 or status.best != known.best)
        self._mail.pop((report.epoch, report.island), None)
        self.stopped = self.rules.after_report(self.found, report.total, report.best) or self.stopped

    def _next_turn(self) -> None:
        """Move the clock past islands that have nothing to do; the end of an epoch is a place to go on from.

        When the run has just stopped, this is no such place: the surplus of the last report was left out, and a
        longer run would keep it.
        """
        if self.stopped:
            return
        self.turn += 1
        while self.turn < self.count and not self._workload.has_work(self.epoch, self.turn):
            self.turn += 1
        if self.turn < self.count:
            return
        self.epoch, self.turn = self.epoch + 1, 0
        self._stop_when_done()
        self._remember()

    def _stop_when_done(self) -> None:
        clocks = [status.epoch for status in self.status] if self.job.race else [self.epoch]
        reason = self.rules.after_epoch(self.found, self.status)
        if not any(self._workload.has_work(epoch, island) for island, epoch in enumerate(clocks)):
            reason = "exhausted" if self._workload.tasks else "generations"
        if reason is not None:
            self.stop(reason)

    def _decide(self, report: Report, improved: bool) -> None:
        """Where the emigrants go, and what the island hears of its solutions."""
        island, status = report.island, self.status[report.island]
        effective = self.issued[island] if self.job.race else report.epoch + 1 + self.plan.lag
        mail = self._letter(effective, island)
        mail.emigrate = self._schedules[island].decide(effective, improved)
        mail.news = News(status.fruitful, status.generation)
        if report.emigrants is None:
            return
        for target, many in self._ways_from(report.epoch, island).receivers:
            letter = self._letter(self.issued[target] if self.job.race else effective, target)
            some = slice(None, many)
            ancestry = None if report.emigrated is None else report.emigrated[some]
            letter.immigrants.append(Migrants(report.emigrants[some], ancestry, island))
            letter.shared += [report.shared] if report.shared else []
            self.migrations += 1

    def _ways_from(self, epoch: int, island: int) -> Ways:
        """Who receives this island's emigrants of this epoch."""
        moment = epoch if self.plan.topology == "random" else 0  # the others are the same at all times
        if moment not in self._ways:
            matrix = self.plan.matrix(self.count, self.job.seed, epoch)
            rows = [[(target, int(row[target])) for target in np.flatnonzero(row).tolist()] for row in matrix]
            ways = [Ways(row, max((many for _, many in row), default=0)) for row in rows]
            self._ways = {**{before: self._ways[before] for before in list(self._ways)[-WAYS:]}, moment: ways}
        return self._ways[moment][island]

    # Memory

    def _letter(self, epoch: int, island: int) -> Mail:
        mail = self._mail.get((epoch, island))
        if mail is None:
            mail = self._mail[epoch, island] = Mail()
        return mail

    def _keep_state(self, report: Report, state: State) -> None:
        """The state of an island at the end of an epoch: a place to go on from, unless a longer run would not stop."""
        if not self._workload.tasks and self._workload.is_cut(report.epoch, report.island):
            self._ends[report.island] = state
        else:
            self._snapshots[report.island], self._clocks[report.island] = state, int(state["clock"][0])

    def _remember(self) -> None:
        """Make a checkpoint when the last snapshots of all islands are of this moment."""
        if len(self._snapshots) < self.count and not self._workload.tasks:  # of which there may be fewer than islands
            return
        if not self.job.race and not self._workload.tasks and min(self._clocks) < self.epoch:
            return
        largest = max(sum(array.nbytes for array in state.values()) for state in self._snapshots.values())
        self._snapshot_every = min(64, 1 + largest // self.small_snapshot)
        arrays = {f"{i}/{name}": array for i, state in self._snapshots.items() for name, array in state.items()}
        letters = {key: mail for key, mail in self._mail.items() if self.job.race or key[0] >= self.epoch}
        mail, mail_arrays = pack(letters)
        counters = Counters(
            epoch=self.epoch,
            clocks=tuple(self._clocks),
            counted=self.counted,
            tallies=self._tallies(),
            migrations=self.migrations,
            status=tuple(self.status),
            schedules=tuple(schedule.state() for schedule in self._schedules),
            mail=mail,
        )
        self.checkpoint = Checkpoint(counters, {**arrays, **mail_arrays}, len(self.archive))

    def last_checkpoint(self) -> Checkpoint | None:
        """The checkpoint, with what is known beside it where the run ends inside an epoch: who lives, the tallies."""
        if self.checkpoint is None or not self._ends:
            return self.checkpoint
        nearest = cheapest({**self._snapshots, **self._ends}.values(), NEAREST)
        counters = self.checkpoint.counters.model_copy(update={"tallies": self._tallies()})
        return replace(self.checkpoint, counters=counters, arrays={**self.checkpoint.arrays, **nearest.arrays()})

    def _tallies(self) -> dict[int, tuple[tuple[float, ...], ...]]:
        return {island: tuple(map(tuple, tally.tolist())) for island, tally in self.tallies.items()}

    def rewind(self, archive: Ledger, checkpoint: Checkpoint | None) -> list[State]:
        """Go back to a checkpoint, None: to the beginning, and on from there with an archive that knows what was known
        then; returns the state of each island. What has happened since is found again."""
        self.archive, self.stopped = archive, None
        self._begin()
        return [{} for _ in range(self.count)] if checkpoint is None else self.restore(checkpoint)

    def restore(self, checkpoint: Checkpoint) -> list[State]:
        """Go on from a checkpoint; returns the state of each island. ValueError where it is not one of this job's."""
        counters, arrays = checkpoint.counters, checkpoint.arrays
        if [status.recipe for status in counters.status] != [status.recipe for status in self.status]:
            raise ValueError("it is of other islands than the job's")
        self.checkpoint = checkpoint
        self.epoch, self.turn = counters.epoch, 0
        self.issued = list(counters.clocks)
        self.counted, self.migrations = counters.counted, counters.migrations
        self.tallies = {island: np.array(tally) for island, tally in counters.tallies.items()}
        self.status = list(counters.status)
        self._lowest = min((one.best for one in self.status if one.best is not None), default=None)
        for schedule, state in zip(self._schedules, counters.schedules, strict=True):
            schedule.restore(state)
        self._mail = unpack(counters.mail, arrays)
        states = [checkpoint.state_of(island) for island in range(self.count)]
        self._snapshots = {island: state for island, state in enumerate(states) if state}
        self._clocks = [int(state["clock"][0]) if state else 0 for state in states]
        self._stop_when_done()
        return states
