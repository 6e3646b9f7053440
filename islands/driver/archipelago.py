"""The driver: carries orders and reports between the coordinator and a backend, and everything durable to the run.

A lost island is replayed: its last snapshot and the orders since. Moving all islands to another backend is the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import NoReturn

from islands.clock.coordinator import Coordinator
from islands.driver.backend import Abandoned, Arrival, Backend, Inline, Remote, Told
from islands.driver.link import Link
from islands.driver.placement import Elsewhere, Placement
from islands.driver.recovery import Recovery
from islands.driver.replays import Replays
from islands.driver.sharding import Sharding
from islands.driver.snapshot import Snapshot
from islands.driver.whereabouts import Whereabouts
from islands.errors import IslandsError, RunError
from islands.kernels.keys import KeySet
from islands.model.checkpoint import Checkpoint
from islands.model.messages import Event, State
from islands.store.archive import Archive
from islands.store.damage import damage
from islands.store.journal import pause
from islands.store.run import Run
from islands.store.spilled_keys import SpillingKeys
from islands.store.writer import Writer

HAND_OVER = 2.0  # seconds of life after which a job is worth a Ray start
RAY_START = 10.0  # seconds that a Ray start may take
LONGEST_START = 30.0  # seconds before the first report that do not count
COMMIT_FOUND = 1.0  # seconds between commits while solutions come in
COMMIT_IDLE = 10.0  # ... and while they do not, or while a commit takes long
LOOK = 0.1  # seconds between two snapshots for the views
DESCRIBE = 1.0  # seconds, at most, between two descriptions of how the islands fare; in a young run as its log wants
OBSERVE = 1.0  # seconds between two snapshots for a place outside this process, which makes metrics of them
PATIENCE = 1.0  # seconds that a generation may still take when the run is over
LOSSES = 8  # in a row, without a single report in between
SPARE = 1 << 30  # bytes that the keys of many solutions get where shards had them before
LAST_WORDS = 1.0  # seconds that a run which is over by the clock, or by Ctrl-C, waits for what shards have found
ENDING = 120.0  # ... and any other one, after which it finds it again


class Archipelago:
    """One run under way."""

    many = 20_000_000  # solutions, whose keys are better with shards

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
        self._here = backend if isinstance(backend, Inline) else Inline()  # what lives in this very thread
        lost = damage(run)
        self.writer = Writer(run, lost)
        self.archive = self._own_archive()
        self.coordinator = Coordinator(run.job, self.archive)
        self.sharding = Sharding(run, self.writer, self.coordinator, clock)
        self.replays = Replays(self.coordinator, clock)
        self.links = [Link() for _ in range(self.coordinator.count)]
        self.whereabouts = Whereabouts([status.recipe for status in self.coordinator.status])
        self._interrupted = self._abandoned = False
        self._keeps_order = True  # whether shards find what is on disk in the order in which it was shown
        manifest = self.writer.manifest
        self._age = manifest.seconds
        self._started = clock()
        self._committed = self._started
        self._described = self._observed = self._started
        self._alive: float | None = None  # since the work of the first report: compiling kernels is no search
        self._commit_cost = 0.0
        self._saved, self._sealed = manifest.total + manifest.counted, manifest.sealed_rows
        self.recovery = Recovery(run, self.writer, self.coordinator, lost)
        self._resume()
        self._take_snapshot()
        self.placement.observe(self._snapshot)

    @property
    def seconds(self) -> float:
        """The run's age, which is time of search: pauses between resumes do not count, nor does what comes before the
        work of the first report, the compilation of kernels and the start of Ray."""
        now, begun = self.clock(), self._alive
        if begun is None:
            begun = max(self._started, now - self._here.worked)
        longest = LONGEST_START + (self.run.job.wait or 0.0)
        return self._age + (now - self._started - min(begun - self._started, longest))

    @property
    def reported(self) -> bool:
        """Whether any island has reported since this process took up the run."""
        return self._alive is not None

    def look(self) -> Snapshot:
        """The run at this moment, for any thread; what it found and did is LOOK seconds old at the most."""
        return replace(self._snapshot, seconds=self.seconds)

    def tell(self, event: Event) -> None:
        """Let this be an event of the run, once it goes on."""
        self.coordinator.events.append(event)

    def interrupt(self) -> bool:
        """Let the run finish and save, from any thread or signal handler. False when it was asked to before."""
        first, self._interrupted = not self._interrupted, True
        if not first:
            self.coordinator.stop("interrupted")  # what the run directory will say, however this process ends
        return first

    @property
    def overdue(self) -> bool:
        """Whether the run is over and a generation that takes long is still under way in this process."""
        return self._here.busy > PATIENCE and self._is_over()

    def abandon(self) -> NoReturn:
        """Give up the generation under way, from a signal handler that has interrupted it: Abandoned.

        Nothing is lost but time: its epoch is lived again when the run is resumed.
        """
        if self._alive is None:
            self._alive = self.clock() - self._here.worked
        self._abandoned = True
        raise Abandoned

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
            while not (self.coordinator.stopped and self._have_all()):
                with suppress(Abandoned):
                    self._step()
        finally:
            reason = self.coordinator.stopped or "failed"
            try:
                self._pass_on()
                self._announce(self.whereabouts.news())
                self._announce(self._unused_shards())
                self._commit(reason)
                self._take_snapshot()
                saved = self.writer.manifest
                self._announce(self.recovery.pause())
                failure = {"error": f"{type(error).__name__}: {error}"} if (error := sys.exception()) else {}
                state = self.coordinator.chronicle.state(self.coordinator.status)
                last = {"migrations": self.coordinator.migrations, **state, **failure}
                self._announce([{"event": "stop", "reason": reason, "total": saved.total + saved.counted, **last}])
            finally:
                self.placement.stop()
                self._close_keys()
        return reason

    def _resume(self) -> None:
        """Take up a run where its last checkpoint left it."""
        checkpoint = self.writer.load(self.archive)
        if checkpoint is None:
            return
        try:
            states = self.coordinator.restore(checkpoint)
            self.coordinator.trend.restore(self.writer.manifest.trend, self.coordinator.epoch)
            self._relink(states)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise RunError(f"{self.run.place}: the checkpoint is damaged ({type(error).__name__}: {error}).") from error

    def _relink(self, states: list[State], *, held: bool = False) -> None:
        """Expect empty islands everywhere, which go on from these states."""
        for island, state in enumerate(states):
            link = self.links[island] = Link(token=self.links[island].token + 1, held=held)
            begun = self.coordinator.checkpoint is not None and not self.run.job.stop.exhaustive
            if state or begun:  # an island that has not worked yet has none
                link.base, link.delivered = state, int(state["clock"][0])

    # The archive, in this process or in shards

    def _own_archive(self, *, spare: bool = False) -> Archive:
        """An archive in this process, which knows nothing yet. `spare`: shards had it, and may have had more memory."""
        memory: int | None = self.run.job.memory
        if memory is None and spare and self.writer.manifest.total > self.many:
            memory = SPARE
        self.keys = KeySet() if memory is None else SpillingKeys(self.run.disk.scratch(), memory)
        return Archive(self.run.job.problem, self.keys)

    def _close_keys(self) -> None:
        if isinstance(self.keys, SpillingKeys):
            self.keys.close()

    def _place_archive(self) -> None:
        """Let shards have the archive where the islands' place hosts some, and take it back when they are gone. What is
        known is read here only where it is looked up here: a run that waits for its shards never has it."""
        remote, sharding = self.placement.remote, self.sharding
        if sharding.archive is not None and (remote is not sharding.remote or sharding.is_misplaced):
            self._take_archive_back()
        elif sharding.archive is None and remote is not None and self._suits(remote):
            self._hand_archive_over(remote)
        if sharding.archive is None and not self._waits:
            self.archive.learn()

    def _suits(self, remote: Remote) -> bool:
        """Whether the archive may be in shards there now."""
        fit = remote.shards and not self.run.is_large and not self.run.job.race
        return bool(fit and (self._keeps_order or self.writer.is_whole))

    def _hand_archive_over(self, remote: Remote) -> None:
        checkpoint, trend = self.coordinator.checkpoint, self.coordinator.trend.points()
        after = self.writer.hand_over(self.archive, checkpoint, self.seconds, trend)
        if after is None:
            return
        self._announce_commit()
        self._close_keys()
        self._relink(self.sharding.enter(remote, after), held=True)
        self.keys = KeySet()
        self.archive = Archive(self.run.job.problem, self.keys)

    @property
    def _waits(self) -> bool:
        """Whether the islands, who are back here without their shards, wait for their place: to read what is known
        would take as long, and much memory."""
        placement = self.placement
        comes_again = placement.is_here and placement.required and self.sharding.used
        return comes_again and self.writer.manifest.total > self.many

    def _unused_shards(self) -> list[Event]:
        """What is said of shards that somebody asked for, where the run has ended before it had any."""
        unfit = self.run.is_large or self.run.job.race or not self.placement.has_elsewhere
        if self.run.job.shards <= 0 or self.sharding.used or unfit:  # of the unfit this was said at the beginning
            return []
        return [{"event": "no-shards", "reason": "the run has ended before its islands lived on Ray"}]

    def _take_archive_back(self) -> None:
        """Go back to the last commit, with an archive in this process."""
        self._keeps_order = not self.sharding.is_misplaced
        self.sharding.leave()
        self.archive = self._own_archive(spare=True)
        checkpoint = self.writer.load(self.archive)
        states = self.coordinator.rewind(self.archive, checkpoint)
        self.coordinator.trend.restore(self.writer.manifest.trend, self.coordinator.epoch)
        self._relink(states)

    def _have_all(self) -> bool:
        """Whether all that was found is in this process, or will not be any more: the run ends. Shards that are lost at
        the end of a run cost time: it goes back to the last commit, and ends again."""
        if self.sharding.archive is None:
            return True
        begun, sharding = self.clock(), self.sharding
        while self.placement.remote is sharding.remote and not sharding.is_misplaced:
            hurried = self._interrupted or self.coordinator.stopped == "seconds"
            limit = (0.0 if sharding.is_idle else LAST_WORDS) if hurried else ENDING
            if self.clock() - begun >= limit:
                break
            if not sharding.is_encoding:
                sharding.begin_last(self.seconds)
            if sharding.is_encoded:
                return True
            self._exchange(0.2)
        if self._interrupted or self.coordinator.stopped == "seconds":
            self.coordinator.stopped = "interrupted" if self._interrupted else "seconds"
            return True
        self._take_archive_back()
        return False

    def _exchange(self, timeout: float) -> None:
        """Carry orders and answers: all that have arrived, so that whatever is done once is done for many islands."""
        if not (self.sharding.holds or self._waits):
            self._dispatch()
        arrival = self.placement.receive(timeout)
        while arrival is not None and not self._abandoned:  # a puzzle's code may have caught what was raised
            self._take(arrival)
            arrival = self.placement.receive(0.0) if self.placement.waiting else None
        if self.sharding.go_on(self.seconds):
            self._replay_all()

    def _replay_all(self) -> None:
        for link in self.links:
            link.renew()

    def _step(self) -> None:
        limit = self._limit
        if self._is_over():
            return self.coordinator.stop("interrupted" if self._interrupted else "seconds")
        if self.placement.move(self.placement.is_here and self._outlives(limit)):
            for island in range(len(self.links)):
                self._renew(island)
        self._place_archive()
        due, sharded = self._is_due(), self.sharding.archive is not None
        # rows would only wait in memory
        full = not sharded and len(self.archive) - self._sealed >= self.writer.enough
        left = inf if limit is None else limit - self.seconds
        self.replays.keep_short(here=self.placement.is_here, save=due or full, left=left)
        self._exchange(max(0.0, min(0.2, left)))
        self._announce_epoch()
        checkpoint = self.coordinator.checkpoint
        if sharded:
            self._commit_shards(due)
        elif checkpoint is not None:
            full = checkpoint.rows - self._sealed >= self.writer.enough
            if full or (due and not self.replays.nearly):
                self._commit(None)
        return None

    def _is_due(self) -> bool:
        """Whether it is time to save the run."""
        found = self.coordinator.found > self._saved
        pause = min(max(COMMIT_FOUND if found else COMMIT_IDLE, 20 * self._commit_cost), COMMIT_IDLE)
        return self.clock() - self._committed >= pause

    @property
    def _limit(self) -> float | None:
        """Seconds after which the run ends; None while it finds again what was lost."""
        return None if self.recovery.goes_on else self.run.job.stop.seconds

    def _is_over(self) -> bool:
        limit = self._limit
        return self._interrupted or (limit is not None and self.seconds >= limit)

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

    def _take(self, arrival: Arrival | Told) -> None:
        if isinstance(arrival, Told):
            if self.sharding.hear(arrival):
                self._replay_all()
            return
        link = self.links[arrival.island]
        if arrival.token != link.token:
            return  # from a dead incarnation
        if arrival.moved:
            place = self._renew(arrival.island)
            self._announce([{"event": "move", "island": arrival.island, "from": place, "to": arrival.place}])
            return
        if arrival.report is None:
            link.losses += 1
            self.coordinator.lost += 1
            place = self._renew(arrival.island)
            lost = {"event": "island-lost", "island": arrival.island, "epoch": link.delivered, "reason": arrival.reason}
            self._announce([{**lost, "place": place} if place else lost])
            if link.losses >= LOSSES:
                raise IslandsError(
                    f"island {arrival.island} was lost {link.losses} times in a row ({arrival.reason}). Is memory "
                    "short? Try fewer `islands` or a smaller `population`; `islands resume` goes on from here."
                )
            return
        report = arrival.report
        if not link.is_answer(report):
            return  # delivered twice
        self.whereabouts.hear(arrival.place, report)
        if self._alive is None:
            self._alive = max(self._started, self.clock() - report.seconds)
        if not link.take(report):
            return
        if report.trace:
            self.writer.keep_trace(report.island, report.epoch, report.trace)
        self.coordinator.accept(report, self.seconds)

    def _renew(self, island: int) -> str:
        """Expect an empty island at the other end, and replay; returns the place that it has left."""
        self.links[island].renew()
        return self.whereabouts.leave(island)

    def _announce_epoch(self) -> None:
        """Pass on what happened, and once a second, or more often in a young run, how every island fares."""
        coordinator = self.coordinator
        self._pass_on()
        if self.clock() - self._looked >= LOOK:
            self._take_snapshot()
        if self.clock() - self._observed >= OBSERVE:
            self._observed = self.clock()
            self.placement.observe(self._snapshot)
        if self.clock() - self._described < min(DESCRIBE, pause(self.seconds, 4 * len(self.links))):
            return
        self._described = self.clock()
        self._announce(
            [
                *self.whereabouts.news(),
                {
                    "event": "epoch",
                    "epoch": coordinator.epoch,
                    **coordinator.chronicle.state(coordinator.status),
                    "migrations": coordinator.migrations,
                    "total": coordinator.found,
                },
            ]
        )

    def _pass_on(self) -> None:
        for source in (self.placement, self.coordinator, self.sharding):
            self._announce(source.events)
            source.events = []

    def _take_snapshot(self) -> None:
        self._looked = self.clock()
        foremost = max(link.delivered for link in self.links)
        self._snapshot = Snapshot.of(
            self.coordinator,
            seconds=self.seconds,
            saved=self._saved,
            where=self.placement.where,
            commit_seconds=self._commit_cost,
            behind=tuple(foremost - link.delivered for link in self.links),
            places=self.whereabouts.places,
        )

    def _commit(self, stopped: str | None) -> None:
        if self.sharding.archive is not None:
            self._end_shards(stopped or "failed")
            return
        if (end := self.recovery.end(stopped)) is not None:
            age, events = end
            self._age += age - self.seconds
            self._announce(events)
        self._commit_own(self.coordinator.last_checkpoint() if stopped else self.coordinator.checkpoint, stopped)

    def _commit_own(self, checkpoint: Checkpoint | None, stopped: str | None) -> None:
        """Save what the archive in this process has, once a replay has found again what is on disk."""
        started = self.clock()
        written = self.writer.commit(
            self.archive,
            checkpoint,
            self.seconds,
            stopped,
            islands=tuple(self.coordinator.status) if stopped else (),  # until then the checkpoint has them
            trend=self.coordinator.trend.points(),
        )
        self._committed = self.clock()
        self._commit_cost = self._committed - started
        if written:
            self._announce_commit()

    def _commit_shards(self, due: bool) -> None:
        """Save what shards have found, step by step: the search goes on meanwhile."""
        if due and not self.replays.nearly and self.sharding.begin_commit(self.seconds):
            self._committed = self.clock()
        started = self.clock()
        checkpoint = self.sharding.finish_commit()
        if checkpoint is None:
            return
        self._committed = self.clock()
        self._commit_cost = self._committed - started
        for island, link in enumerate(self.links):
            epoch = checkpoint.counters.clocks[island]
            state = checkpoint.state_of(island)
            link.rebase(state or None, epoch)
        self._announce_commit()

    def _end_shards(self, stopped: str) -> None:
        """Save what shards have found until the end of the run, as far as they have said it."""
        status = tuple(self.coordinator.status)
        if self.sharding.is_encoded and self.sharding.finish_last(stopped, self.seconds, status):
            self._announce_commit()
        else:
            self.writer.note_end(stopped, self.seconds)

    def _announce_commit(self) -> None:
        manifest = self.writer.manifest
        self._saved, self._sealed = manifest.total + manifest.counted, manifest.sealed_rows
        self._take_snapshot()
        self._announce([{"event": "checkpoint", "epoch": self.coordinator.epoch, "total": self._saved}])

    def _announce(self, events: list[Event]) -> None:
        """Write events down and tell the view; what is about no epoch gets that of the clock."""
        if not events:
            return
        events = [event if "epoch" in event else {**event, "epoch": self.coordinator.epoch} for event in events]
        self.writer.record(events, self.seconds)
        if self.listen is not None:
            for event in events:
                self.listen(event)
