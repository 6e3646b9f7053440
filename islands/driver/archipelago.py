"""The driver: carries orders and reports between the coordinator and a backend, until the run stops.

A lost island is replayed: its last snapshot and the orders since. Moving all islands to another backend is the same.
What else it does has modules of its own: the islands and their replays (fleet), who keeps the archive (keeper), when
the run is saved (saving), what is told of it (telling).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import NoReturn

from islands.clock.coordinator import Coordinator
from islands.driver.age import Age
from islands.driver.backend import Abandoned, Arrival, Backend, Inline, Told
from islands.driver.fleet import Fleet
from islands.driver.keeper import Keeper, own_archive
from islands.driver.placement import Elsewhere, Placement
from islands.driver.recovery import Recovery
from islands.driver.replays import Replays
from islands.driver.saving import Saving
from islands.driver.snapshot import Snapshot
from islands.driver.telling import Telling
from islands.errors import PuzzleError
from islands.model.messages import Event
from islands.store.damage import damage
from islands.store.run import Run
from islands.store.writer import Writer

HAND_OVER = 2.0  # seconds of life after which a job is worth a Ray start
RAY_START = 10.0  # seconds that a Ray start may take
PATIENCE = 1.0  # seconds that a generation may still take when the run is over
LAST_WORDS = 1.0  # seconds that a run which is over by the clock, or by Ctrl-C, waits for what shards have found
ENDING = 120.0  # ... and any other one, after which it finds it again


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
        self.run, self.clock = run, clock
        self.placement = Placement(backend, elsewhere, clock)
        self._here = backend if isinstance(backend, Inline) else Inline()  # what lives in this very thread
        lost = damage(run)
        self.writer = Writer(run, lost)
        self.age = Age(self.writer.manifest.seconds, clock, self._here, run.job.wait)
        self.coordinator = Coordinator(run.job, own_archive(run, run.job.memory))
        self.fleet = Fleet(self.coordinator, self.age)
        self.keeper = Keeper(run, self.writer, self.coordinator, self.fleet, self.placement, clock)
        self.replays = Replays(self.coordinator, clock)
        self.recovery = Recovery(run, self.writer, self.coordinator, lost)
        self.telling = Telling(self.writer, self.coordinator, self.fleet, self.keeper, self.placement, self.age, clock)
        self.telling.listen = listen
        self.saving = Saving(
            self.writer,
            self.coordinator,
            self.keeper,
            self.recovery,
            self.replays,
            self.fleet,
            self.telling,
            self.age,
            clock,
        )
        self._interrupted = self._abandoned = False
        self.keeper.resume()
        self.telling.begin()

    @property
    def seconds(self) -> float:
        """The run's age, in seconds of search."""
        return self.age.seconds

    @property
    def reported(self) -> bool:
        """Whether any island has reported since this process took up the run."""
        return self.age.has_begun

    def look(self) -> Snapshot:
        """The run at this moment, for any thread."""
        return self.telling.look()

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
        self.age.begin(self._here.worked)
        self._abandoned = True
        raise Abandoned

    def conduct(self) -> str:
        """Evolve until the run stops; returns the reason. Whatever happens, what was found is saved."""
        telling = self.telling
        telling.announce([{"event": "start" if self.coordinator.checkpoint is None else "resume"}])
        telling.announce(self.recovery.beginning())
        try:
            enough = self.coordinator.rules.at_once(self.writer.manifest.total)
            if enough is not None:
                self.coordinator.stop(enough)
            elif not self.coordinator.stopped:
                self.placement.start(self.run.job.specs())
            while not (self.coordinator.stopped and self._have_all()):
                with self._abandoning():
                    self._step()
        finally:
            reason = self.coordinator.stopped or "failed"
            try:
                telling.pass_on()
                telling.announce(self.fleet.whereabouts.news())
                telling.announce(self.keeper.unused())
                self.saving.end(reason)
                telling.take_snapshot()
                saved = self.writer.manifest
                telling.announce(self.recovery.pause())
                failure = {"error": f"{type(error).__name__}: {error}"} if (error := sys.exception()) else {}
                state = self.coordinator.chronicle.state(self.coordinator.status)
                last = {"migrations": self.coordinator.migrations, **state, **failure}
                telling.announce([{"event": "stop", "reason": reason, "total": saved.total + saved.counted, **last}])
            finally:
                self.placement.stop()
                self.keeper.close()
                self.writer.close()
        return reason

    @contextmanager
    def _abandoning(self) -> Iterator[None]:
        """Whether a generation ends by Abandoned, or by what a compiler or a puzzle makes of that, is the same."""
        try:
            yield
        except Abandoned:
            pass
        except PuzzleError:
            if not self._abandoned:
                raise

    def _step(self) -> None:
        limit = self._limit
        if self._is_over():
            self.coordinator.stop("interrupted" if self._interrupted else "seconds")
            return
        if self.placement.move(self.placement.is_here and self._outlives(limit)):
            self.fleet.move()
        if self.keeper.is_failing:
            self.keeper.take_back()
        self.saving.hand_over()
        self.keeper.learn()
        due, full = self.saving.is_due, self.saving.is_full
        left = inf if limit is None else limit - self.seconds
        self.replays.keep_short(here=self.placement.is_here, save=due or full, left=left)
        self._exchange(max(0.0, min(0.2, left)))
        self.telling.go_on()
        if not self.keeper.is_failing:  # a place that was lost in this step is asked for nothing more
            self.saving.go_on(due)

    def _exchange(self, timeout: float) -> None:
        """Carry orders and answers: all that have arrived, so that whatever is done once is done for many islands."""
        if not self.keeper.holds:
            self.fleet.dispatch(self.placement.backend)
        arrival = self.placement.receive(timeout)
        while arrival is not None and not self._abandoned:  # a puzzle's code may have caught what was raised
            self._take(arrival)
            arrival = self.placement.receive(0.0) if self.placement.waiting else None
        sharding = None if self.keeper.is_failing else self.keeper.sharding
        if sharding is not None and sharding.go_on(self.seconds):
            self.fleet.replay()

    def _take(self, arrival: Arrival | Told) -> None:
        if isinstance(arrival, Told):
            if self.keeper.sharding is not None and self.keeper.sharding.hear(arrival):
                self.fleet.replay()
            return
        report = self.fleet.take(arrival)
        if report is None:
            return
        if report.trace:
            self.writer.keep_trace(report.island, report.epoch, report.trace)
        self.coordinator.accept(report, self.seconds)

    def _have_all(self) -> bool:
        """Whether all that was found is in this process, or will not be any more: the run ends. Shards that are lost at
        the end of a run cost time: it goes back to the last commit, and ends again."""
        sharding = self.keeper.sharding
        if sharding is None:
            return True
        begun = self.clock()
        while not self.keeper.is_failing:
            idle = sharding.archive.last is None  # nothing was consumed since the shards have the archive
            limit = (0.0 if idle else LAST_WORDS) if self._is_hurried else ENDING
            if self.clock() - begun >= limit:
                break
            if not sharding.commits.is_ending:
                sharding.commits.begin_last(sharding.have_consumed, self.seconds)
            if sharding.commits.is_ended:
                return True
            self._exchange(0.2)
        if self._is_hurried:
            self.coordinator.stopped = "interrupted" if self._interrupted else "seconds"
            return True
        self.keeper.take_back()
        return False

    @property
    def _is_hurried(self) -> bool:
        return self._interrupted or self.coordinator.stopped == "seconds"

    @property
    def _limit(self) -> float | None:
        """Seconds after which the run ends; None while it finds again what was lost."""
        return None if self.recovery.goes_on else self.run.job.stop.seconds

    def _is_over(self) -> bool:
        limit = self._limit
        return self._interrupted or (limit is not None and self.seconds >= limit)

    def _outlives(self, limit: float | None) -> bool:
        """Whether this job is worth a Ray start: it has lived for a while, and has longer to live than the start."""
        if not self.age.has_begun or self.age.lived < HAND_OVER:
            return False
        return min(self._generations_take(), inf if limit is None else limit - self.seconds) > RAY_START

    def _generations_take(self) -> float:
        """Seconds until all generations asked for are lived, at the present pace."""
        wanted = self.run.job.stop.generations
        lived = min(status.generation for status in self.coordinator.status)
        if wanted is None or not lived:
            return inf
        return self.seconds * (wanted - lived) / lived
