"""The driver: carries orders and reports between the coordinator and a backend, and everything durable to the run.

A lost island is replayed: its last snapshot and the orders since. Moving all islands to another backend is the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf

from islands.clock.coordinator import Coordinator
from islands.driver.backend import Arrival, Backend
from islands.driver.placement import Elsewhere, Placement
from islands.driver.recovery import Recovery
from islands.driver.snapshot import Snapshot
from islands.errors import IslandsError, RunError
from islands.kernels.keys import KeySet
from islands.model.messages import Event, Order, State
from islands.store.archive import Archive
from islands.store.damage import damage
from islands.store.run import Run
from islands.store.spilled_keys import SpillingKeys
from islands.store.writer import Writer

HAND_OVER = 2.0  # seconds of life after which a job is worth a Ray start
RAY_START = 10.0  # seconds that a Ray start may take
LONGEST_START = 30.0  # seconds before the first report that do not count
COMMIT_FOUND = 1.0  # seconds between commits while solutions come in
COMMIT_IDLE = 10.0  # ... and while they do not, or while a commit takes long
LOOK = 0.1  # seconds between two snapshots for the views
DESCRIBE = 1.0  # seconds between two lines of the event log on how the islands fare
LOSSES = 8  # in a row, without a single report in between


@dataclass
class Link:
    """The driver's end of the link to one island."""

    base: State | None = None  # where a replay starts; None = from nothing
    orders: list[Order] = field(default_factory=list)  # since then
    sent: int = 0  # how many of them this incarnation has been given
    done: int = 0  # how many of them this incarnation has answered
    delivered: int = 0  # the next epoch the coordinator wants
    token: int = 0
    losses: int = 0
    fresh: bool = True  # this incarnation has not been given its state yet
    place: str = ""  # of this incarnation, once it has answered


class Archipelago:
    """One run under way."""

    def __init__(
        self,
        run: Run,
        backend: Backend,
        *,
        elsewhere: Elsewhere | None = None,
        clock: Callable[[], float] = time.monotonic,
        listen: Callable[[Event], None] | None = None,
    ) -> None:
        self.run, self.clock, self.listen = run, clock, listen
        self.placement = Placement(backend, elsewhere, clock)
        lost = damage(run)
        self.writer = Writer(run, lost)
        memory = run.job.memory
        self.keys = KeySet() if memory is None else SpillingKeys(run.disk, memory)
        self.archive = Archive(run.job.problem, self.keys)
        self.coordinator = Coordinator(run.job, self.archive)
        self.links = [Link() for _ in range(self.coordinator.count)]
        self._interrupted = False
        manifest = self.writer.manifest
        self._age = manifest.seconds
        self._started = clock()
        self._committed = self._started
        self._described = self._started
        self._alive: float | None = None  # since the work of the first report: compiling kernels is no search
        self._commit_cost = 0.0
        self._saved, self._sealed = manifest.total + manifest.counted, manifest.sealed_rows
        self.recovery = Recovery(run, self.writer, self.coordinator, lost)
        self._resume()
        self._take_snapshot()

    @property
    def seconds(self) -> float:
        """The run's age, which is time of search: pauses between resumes do not count, nor does what comes before the
        work of the first report, the compilation of kernels and the start of Ray."""
        now = self.clock()
        waited = (now if self._alive is None else self._alive) - self._started
        return self._age + (now - self._started - min(waited, LONGEST_START))

    @property
    def reported(self) -> bool:
        """Whether any island has reported since this process took up the run."""
        return self._alive is not None

    def look(self) -> Snapshot:
        """The run at this moment, for any thread; what it found and did is LOOK seconds old at the most."""
        return replace(self._snapshot, seconds=self.seconds)

    def interrupt(self) -> bool:
        """Let the run finish and save, from any thread or signal handler. False when it was asked to before."""
        first, self._interrupted = not self._interrupted, True
        if not first:
            self.coordinator.stop("interrupted")  # what the run directory will say, however this process ends
        return first

    def conduct(self) -> str:
        """Evolve until the run stops; returns the reason. Whatever happens, what was found is saved."""
        self._announce([{"event": "start" if self.coordinator.checkpoint is None else "resume"}])
        self._announce(self.recovery.beginning())
        try:
            enough = self.coordinator.rules.at_once(self.writer.manifest.total)
            if enough is not None:
                self.coordinator.stop(enough)
            elif not self.coordinator.stopped:
                self.placement.start(self.run.job.specs())
            while not self.coordinator.stopped:
                self._step()
        finally:
            reason = self.coordinator.stopped or "failed"
            try:
                self._pass_on()
                self._commit(reason)
                self._take_snapshot()
                saved = self.writer.manifest
                self._announce(self.recovery.pause())
                self._announce([{"event": "stop", "reason": reason, "total": saved.total + saved.counted}])
            finally:
                self.placement.stop()
                if isinstance(self.keys, SpillingKeys):
                    self.keys.close()
        return reason

    def _resume(self) -> None:
        """Take up a run where its last checkpoint left it."""
        checkpoint = self.writer.load(self.archive)
        if checkpoint is None:
            return
        try:
            states = self.coordinator.restore(checkpoint)
            self.coordinator.trend.restore(self.writer.manifest.trend, self.coordinator.epoch)
            for link, state in zip(self.links, states, strict=True):
                if state or not self.run.job.stop.exhaustive:  # an island that has not worked yet has none
                    link.base, link.delivered = state, int(state["clock"][0])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise RunError(f"{self.run.path}: the checkpoint is damaged ({type(error).__name__}: {error}).") from error

    def _step(self) -> None:
        limit = None if self.recovery.goes_on else self.run.job.stop.seconds
        if self._interrupted:
            return self.coordinator.stop("interrupted")
        if limit is not None and self.seconds >= limit:
            return self.coordinator.stop("seconds")
        if self.placement.move(self._outlives(limit)):
            for link in self.links:
                self._renew(link)
        self._dispatch()
        arrival = self.placement.receive(0.2 if limit is None else max(0.0, min(0.2, limit - self.seconds)))
        if arrival is not None:
            self._take(arrival)
        self._announce_epoch()
        checkpoint = self.coordinator.checkpoint
        if checkpoint is not None:
            found = self.coordinator.found > self._saved
            pause = min(max(COMMIT_FOUND if found else COMMIT_IDLE, 20 * self._commit_cost), COMMIT_IDLE)
            full = checkpoint.rows - self._sealed >= self.writer.enough  # it would only wait in memory
            if full or self.clock() - self._committed >= pause:
                self._commit(None)
        return None

    def _outlives(self, limit: float | None) -> bool:
        """Whether this job is worth a Ray start: it has lived for a while, and has longer to live than the start."""
        if self._alive is None or self.clock() - self._alive < HAND_OVER:
            return False
        return min(self._generations_take(), inf if limit is None else limit - self.seconds) > RAY_START

    def _generations_take(self) -> float:
        """Seconds until all generations asked for are lived, at the present pace."""
        wanted = self.run.job.stop.generations
        lived = min(status.generation for status in self.coordinator.status)
        if wanted is None or not lived:
            return inf
        return self.seconds * (wanted - lived) / lived

    def _dispatch(self) -> None:
        """Give every island that can take one its next order; those with two never wait for this process."""
        backend = self.placement.backend
        for island, link in enumerate(self.links):
            while link.sent - link.done < backend.depth:
                if link.sent == len(link.orders):
                    order = self.coordinator.order(island)
                    if order is None:
                        break
                    link.orders.append(order)
                state = (link.base or {}) if link.fresh else None
                backend.send(island, link.token, link.orders[link.sent], state)
                link.fresh = False
                link.sent += 1

    def _take(self, arrival: Arrival) -> None:
        link = self.links[arrival.island]
        if arrival.token != link.token:
            return  # from a dead incarnation
        if arrival.report is None:
            link.losses += 1
            self.coordinator.lost += 1
            self._announce([{"event": "island-lost", "island": arrival.island, "reason": arrival.reason}])
            if link.losses >= LOSSES:
                raise IslandsError(
                    f"island {arrival.island} was lost {link.losses} times in a row ({arrival.reason}). Is memory "
                    "short? Try fewer `islands` or a smaller `population`; `islands resume` goes on from here."
                )
            self._renew(link)
            return
        report = arrival.report
        if link.done == link.sent or report.epoch != link.orders[link.done].epoch:
            return  # delivered twice
        link.losses, link.place = 0, arrival.place
        if self._alive is None:
            self._alive = max(self._started, self.clock() - report.seconds)
        link.done += 1
        if report.snapshot is not None:
            link.base = report.snapshot
            link.orders = link.orders[link.done :]
            link.sent, link.done = link.sent - link.done, 0
        if report.epoch < link.delivered:
            return  # a replay of what is known already
        link.delivered = report.epoch + 1
        if report.trace:
            self.writer.keep_trace(report.island, report.epoch, report.trace)
        self.coordinator.accept(report, self.seconds)

    def _renew(self, link: Link) -> None:
        """Expect an empty island at the other end, and replay."""
        link.token += 1
        link.sent = link.done = 0
        link.fresh = True
        link.place = ""

    def _announce_epoch(self) -> None:
        """Pass on what happened, and once a second how every island fares."""
        coordinator = self.coordinator
        self._pass_on()
        if self.clock() - self._looked >= LOOK:
            self._take_snapshot()
        if self.clock() - self._described < DESCRIBE:
            return
        self._described = self.clock()
        self._announce(
            [
                {
                    "event": "epoch",
                    "epoch": coordinator.epoch,
                    "best": [status.best for status in coordinator.status],
                    "generations": [status.generation for status in coordinator.status],
                    "evaluations": sum(status.evaluations for status in coordinator.status),
                    "migrations": coordinator.migrations,
                    "total": coordinator.found,
                }
            ]
        )

    def _pass_on(self) -> None:
        for source in (self.placement, self.coordinator):
            self._announce(source.events)
            source.events = []

    def _take_snapshot(self) -> None:
        self._looked = self.clock()
        self._snapshot = Snapshot.of(
            self.coordinator,
            seconds=self.seconds,
            saved=self._saved,
            where=self.placement.where,
            places=tuple(link.place for link in self.links),
        )

    def _commit(self, stopped: str | None) -> None:
        started = self.clock()
        if (end := self.recovery.end(stopped)) is not None:
            age, events = end
            self._age += age - self.seconds
            self._announce(events)
        written = self.writer.commit(
            self.archive,
            self.coordinator.checkpoint,
            self.seconds,
            stopped,
            islands=tuple(self.coordinator.status) if stopped else (),  # until then the checkpoint has them
            trend=self.coordinator.trend.points(),
        )
        self._committed = self.clock()
        self._commit_cost = self._committed - started
        if written:
            manifest = self.writer.manifest
            self._saved, self._sealed = len(self.archive) + manifest.counted, manifest.sealed_rows
            self._take_snapshot()
            self._announce([{"event": "checkpoint", "epoch": self.coordinator.epoch, "total": self._saved}])

    def _announce(self, events: list[Event]) -> None:
        self.writer.record(events, self.seconds)
        if self.listen is not None:
            for event in events:
                self.listen(event)
