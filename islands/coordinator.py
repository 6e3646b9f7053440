"""The logical clock: collect -> archive -> migrate / elite death -> stop. Pure policy: no time, no disk, no Ray.

Reports are consumed in (epoch, island) order, whatever order they arrive in. What the reports of epoch e decide takes
effect at epoch e + 1 + lag, so an island waits only when another is more than `lag` epochs behind. With `race`,
reports are consumed on arrival and take effect at once: faster on uneven machines, and not repeatable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.archive import Archive
from islands.estimate import Estimate
from islands.job import Job
from islands.mail import Mail, pack, unpack
from islands.messages import Order, Report, State
from islands.migration import Schedule
from islands.recipe import Recipe

Event = dict[str, Any]


@dataclass
class Status:
    """What is known of one island; the numbers a person sees."""

    recipe: str
    epoch: int = 0
    generation: int = 0
    evaluations: int = 0
    best: int | None = None
    stale: int = 0  # generations since the island's last globally new solution or elite death
    solutions: int = 0
    fruitful: int = 0  # the generation that ended with its last globally new solution
    immigrants: int = 0
    elite_deaths: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Checkpoint:
    """All that is needed to go on from here: coordinator, islands, and how many solutions were known."""

    counters: dict[str, Any]  # JSON
    arrays: State  # island states and mail
    rows: int


class Coordinator:
    """Decides what each island does next, from what all islands reported."""

    small_snapshot = 1 << 20  # bytes; a larger one is taken every few epochs only
    parts = 128  # into which the tasks of an exhaustive run are put together: each is the work of one epoch

    def __init__(self, job: Job, archive: Archive) -> None:
        recipes = job.recipes()
        self.job, self.archive, self.plan = job, archive, job.migration
        self.count = len(recipes)
        self.lengths = _epoch_lengths(recipes, self.plan.every)
        self.patience = [recipe.patience for recipe in recipes]
        self._gives_up = [recipe.stale for recipe in recipes]
        self._stale = [0] * self.count  # generations without a lower cost, of each island
        self._barren = [recipe.barren for recipe in recipes]
        self._usual = _usual_generations(job)
        self.ranks = self._usual > 0  # so many solutions are asked for, and the best of them
        self.ramp = max(length - 1 for length in self.lengths).bit_length()
        self.status = [Status(spec.recipe) for spec in job.specs()]
        self.epoch, self.turn = 0, 0  # the next report to consume
        self.issued = [0] * self.count  # the next epoch to order of each island
        self.counted = 0
        self.tallies: dict[int, NDArray[np.float64]] = {}  # of islands whose recipe estimates
        self.lost = 0
        self.migrations = 0
        self.stopped: str | None = None
        self.events: list[Event] = []
        self.checkpoint: Checkpoint | None = None
        self._inbox: dict[tuple[int, int], Report] = {}
        self._mail: dict[tuple[int, int], Mail] = {}  # by epoch and island
        self._snapshots: dict[int, State] = {}
        self._snapshot_every = 1
        self._matrix: NDArray[np.int64] | None = None
        self._total = job.problem.known_total()
        self._tasks = job.problem.tasks() if job.stop.exhaustive else 0
        self._chunk = max(1, min(self._tasks // self.parts, self._tasks // (8 * self.count)))
        epochs = -(-self.plan.every // max(self.lengths)) if self.plan.every else 1
        self._schedules = [
            Schedule(epochs, self.plan.schedule == "adaptive", self.ramp + epochs - 1) for _ in range(self.count)
        ]
        self._final = self._final_epoch()
        for epoch in range(0 if job.race else self.plan.lag + 1):
            for island in range(self.count):
                self._letter(epoch, island).emigrate = self._schedules[island].decide(epoch, False)

    @property
    def found(self) -> int:
        """Solutions in the archive and those that were only counted."""
        return len(self.archive) + self.counted

    def estimate(self) -> Estimate | None:
        """How many solutions there are, as far as walking islands have told."""
        return self.job.problem.estimate(list(self.tallies.values())) if self.tallies else None

    @property
    def swept(self) -> tuple[int, int] | None:
        """How many tasks of an exhaustive run are done, from the first on, and how many there are."""
        if not self._tasks:
            return None
        ahead = (self._first_task(status.epoch, island) for island, status in enumerate(self.status))
        return min(self._tasks, *ahead), self._tasks

    # What to do next

    def order(self, island: int) -> Order | None:
        """The next order for an idle island; None when it must wait or is done."""
        epoch = self.issued[island]
        waits = not self.job.race and epoch > self.epoch + self.plan.lag
        if self.stopped or waits or not self._works(epoch, island):
            return None
        self.issued[island] += 1
        snapshot = (epoch + 1) % self._snapshot_every == 0
        if self._tasks:
            first = self._first_task(epoch, island)
            tasks = tuple(range(first, min(first + self._chunk, self._tasks)))
            return Order(epoch=epoch, generations=0, tasks=tasks)
        mail = self._mail.get((epoch, island), Mail())
        return Order(
            epoch=epoch,
            generations=self._length(epoch, island),
            immigrants=np.concatenate(mail.immigrants) if mail.immigrants else None,
            shared=tuple(mail.shared),
            elite_death=mail.elite_death,
            emigrants=int(self._receivers(epoch, island).max()) if mail.emigrate else 0,
            snapshot=snapshot,
        )

    def accept(self, report: Report, seconds: float) -> None:
        """Take a report in, and consume all that are in turn. `seconds` is the run's age."""
        if self.job.race:
            self._consume(report, seconds)
            self._stop_when_done()
            self._remember()
            return
        self._inbox[report.epoch, report.island] = report
        while not self.stopped and (self.epoch, self.turn) in self._inbox:
            self._consume(self._inbox.pop((self.epoch, self.turn)), seconds)
            self._next_turn()

    def stop(self, reason: str) -> None:
        """End the run for a reason outside the clock: time is up, or somebody pressed Ctrl-C."""
        self.stopped = self.stopped or reason

    # The clock

    def _consume(self, report: Report, seconds: float) -> None:
        wanted = None if self.ranks else self.job.stop.solutions  # ranked ones are all kept, and the best are asked for
        new = self.archive.add(
            report.solutions,
            report.keys,
            report.born,
            island=report.island,
            epoch=report.epoch,
            seconds=seconds,
            room=None if wanted is None else wanted - len(self.archive),
        )
        self.counted += report.counted
        if report.tally is not None:
            self.tallies[report.island] = report.tally
        if report.snapshot is not None:
            self._snapshots[report.island] = report.snapshot
        status = self.status[report.island]
        improved = bool(len(new)) or (report.best is not None and (status.best is None or report.best < status.best))
        self._note(report, len(new))
        if not self._tasks:
            self._decide(report, improved)
        self._mail.pop((report.epoch, report.island), None)
        if wanted is not None and self.found >= wanted:
            self.stopped = "solutions"
        if self._total is not None and self.found >= self._total and not self._tasks:  # a sweep goes on: that proves it
            self.stopped = "complete"
        if report.total is not None and self.found >= report.total:
            self.stopped = "exhausted"

    def _next_turn(self) -> None:
        """Move the clock past islands that have nothing to do; the end of an epoch is a place to go on from.

        Where the run has just stopped is not: the last report's surplus was left out, a longer run would have it.
        """
        if self.stopped:
            return
        self.turn += 1
        while self.turn < self.count and not self._works(self.epoch, self.turn):
            self.turn += 1
        if self.turn < self.count:
            return
        self.epoch, self.turn = self.epoch + 1, 0
        self._stop_when_done()
        self._remember()

    def _stop_when_done(self) -> None:
        clocks = [status.epoch for status in self.status] if self.job.race else [self.epoch]
        if not any(self._works(epoch, island) for island, epoch in enumerate(clocks)):
            self.stop("exhausted" if self._tasks else "generations")
        if all(0 < limit <= stale for limit, stale in zip(self._gives_up, self._stale, strict=True)):
            self.stop("stale")
        wanted = self.job.stop.number
        if wanted is None:
            return
        usual = min(status.generation for status in self.status) >= self._usual
        if self.ranks and usual and self.found >= wanted:
            self.stop("solutions")
        pairs = zip(self._barren, self.status, strict=True)
        if all(0 < limit <= status.generation - status.fruitful for limit, status in pairs):
            self.stop("barren")

    def _decide(self, report: Report, improved: bool) -> None:
        """Where the emigrants go, and whether the elite dies."""
        island, status = report.island, self.status[report.island]
        effective = self.issued[island] if self.job.race else report.epoch + 1 + self.plan.lag
        mail = self._letter(effective, island)
        mail.emigrate = self._schedules[island].decide(effective, improved)
        if self.patience[island] and status.stale >= self.patience[island]:
            mail.elite_death = True
            status.stale = 0
            status.elite_deaths += 1
            self._say("elite-death", island=island, epoch=effective)
        if report.emigrants is None:
            return
        row = self._receivers(report.epoch, island)
        for target in np.flatnonzero(row).tolist():
            letter = self._letter(self.issued[target] if self.job.race else effective, target)
            letter.immigrants.append(report.emigrants[: row[target]])
            letter.shared += [report.shared] if report.shared else []
            self.migrations += 1

    def _note(self, report: Report, new: int) -> None:
        status = self.status[report.island]
        self._stale[report.island] = report.stale
        lived = report.generation - status.generation
        status.epoch, status.generation, status.evaluations = report.epoch + 1, report.generation, report.evaluations
        if report.best is not None:
            status.best = report.best if status.best is None else min(report.best, status.best)
        status.stale = 0 if new else status.stale + lived
        status.solutions += new + report.counted
        status.fruitful = report.generation if new else status.fruitful
        status.immigrants += report.immigrants
        status.seconds += report.seconds
        if new:
            self._say("solutions", island=report.island, epoch=report.epoch, new=new, total=len(self.archive))

    # Lengths of epochs

    def _length(self, epoch: int, island: int) -> int:
        """Epochs start with one generation and double: a quick puzzle answers quickly."""
        return min(self.lengths[island], 1 << min(epoch, 62))

    def _final_epoch(self) -> int | None:
        """The epoch in which every island reaches the generations asked for.

        It is lived to its end: a longer run lives it so too, and finds its solutions in the same order.
        """
        wanted = self.job.stop.generations
        if wanted is None:
            return None
        epoch, lived = 0, [self._length(0, island) for island in range(self.count)]
        while min(lived) < wanted:
            epoch += 1
            if epoch > self.ramp:  # all epochs are full from here on
                pairs = zip(lived, self.lengths, strict=True)
                return epoch - 1 + max(-(-(wanted - done) // length) for done, length in pairs)
            lived = [lived[island] + self._length(epoch, island) for island in range(self.count)]
        return epoch

    def _first_task(self, epoch: int, island: int) -> int:
        return (epoch * self.count + island) * self._chunk

    def _works(self, epoch: int, island: int) -> bool:
        """Whether this island has anything to do in this epoch."""
        if self._tasks:
            return self._first_task(epoch, island) < self._tasks
        return self._final is None or epoch <= self._final

    def _receivers(self, epoch: int, island: int) -> NDArray[np.int64]:
        """How many of this island's emigrants of this epoch each island receives, (islands,)."""
        if self.plan.topology == "random" or self._matrix is None:
            self._matrix = self.plan.matrix(self.count, self.job.seed, epoch)
        receivers: NDArray[np.int64] = self._matrix[island]
        return receivers

    # Memory

    def _letter(self, epoch: int, island: int) -> Mail:
        return self._mail.setdefault((epoch, island), Mail())

    def _say(self, event: str, **details: Any) -> None:
        self.events.append({"event": event, **details})

    def _remember(self) -> None:
        """Make a checkpoint when the last snapshots of all islands are of this moment."""
        if len(self._snapshots) < self.count and not self._tasks:  # of which there may be fewer than islands
            return
        clocks = [int(self._snapshots[i]["clock"][0]) if i in self._snapshots else 0 for i in range(self.count)]
        if not self.job.race and not self._tasks and min(clocks) < self.epoch:
            return
        largest = max(sum(array.nbytes for array in state.values()) for state in self._snapshots.values())
        self._snapshot_every = min(64, 1 + largest // self.small_snapshot)
        arrays = {f"{i}/{name}": array for i, state in self._snapshots.items() for name, array in state.items()}
        letters = {key: mail for key, mail in self._mail.items() if self.job.race or key[0] >= self.epoch}
        mails, mail_arrays = pack(letters)
        counters = {
            "epoch": self.epoch,
            "clocks": clocks,
            "counted": self.counted,
            "tallies": {str(island): tally.tolist() for island, tally in self.tallies.items()},
            "migrations": self.migrations,
            "status": [asdict(status) for status in self.status],
            "schedules": [schedule.state() for schedule in self._schedules],
            "mail": mails,
        }
        self.checkpoint = Checkpoint(counters, {**arrays, **mail_arrays}, len(self.archive))

    def restore(self, checkpoint: Checkpoint) -> list[State]:
        """Go on from a checkpoint; returns the state of each island."""
        counters, arrays = checkpoint.counters, checkpoint.arrays
        self.checkpoint = checkpoint
        self.epoch, self.turn = counters["epoch"], 0
        self.issued = list(counters["clocks"])
        self.counted, self.migrations = counters["counted"], counters["migrations"]
        self.tallies = {int(island): np.array(tally) for island, tally in counters.get("tallies", {}).items()}
        self.status = [Status(**status) for status in counters["status"]]
        for schedule, state in zip(self._schedules, counters["schedules"], strict=True):
            schedule.restore(state)
        self._mail = unpack(counters["mail"], arrays)
        states = [
            {name.partition("/")[2]: array for name, array in arrays.items() if name.startswith(f"{island}/")}
            for island in range(self.count)
        ]
        self._snapshots = {island: state for island, state in enumerate(states) if state}
        self._stop_when_done()
        return states


def _usual_generations(job: Job) -> int:
    """The work that a run for N solutions does in any case, where they differ in merit: what it does without the N.

    0 where it would end with a solution.
    """
    if job.stop.solutions is None or not job.problem.tolerance:
        return 0
    usual = job.problem.usual_stop(job.recipe)
    return 0 if "solutions" in usual else int(usual.get("generations", 0))


def _epoch_lengths(recipes: Sequence[Recipe], every: int | None) -> list[int]:
    """Generations per epoch of each island: the recipe's own, or an even part of the migration interval.

    Elite death is decided between epochs, so that an epoch is never longer than a recipe's patience.
    """
    own = [min(recipe.epoch, recipe.patience or recipe.epoch) for recipe in recipes]
    if every is None:
        return own
    parts = max(-(-every // length) for length in own)
    return [-(-every // parts)] * len(recipes)
