"""`islands watch`: the live view of a run that another process or a cluster conducts, from its directory alone."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TextIO

from rich.console import Console

from islands.driver.snapshot import Snapshot
from islands.errors import Damaged
from islands.model.island_status import IslandStatus
from islands.pages.advice import advice
from islands.pages.endings import ending, state, whereabouts
from islands.pages.facts import NOT_BEGUN, RUNNING, Facts
from islands.pages.following import Follower
from islands.store.places import is_url
from islands.store.run import Run
from islands.terminal.live import LiveView
from islands.terminal.plain import PlainView

LOOK = 0.5  # seconds between two looks at a directory ...
FAR = 5.0  # ... and at object storage, where a log is written so often
BEGIN = 60.0  # seconds that a run may take to begin
EVERY = 1.0  # seconds between two objects with --json


def watch_run(run: Run, stdout: TextIO, *, as_objects: bool, verbose: bool) -> int:
    """Show a run until it ends; returns the exit code that the run itself has. Ctrl-C leaves it alone."""
    follower = Follower(run)
    follower.news()  # what happened before is not news
    first = follower.facts()
    if first.stands not in (RUNNING, NOT_BEGUN):
        return _say_how_it_ended(run, "it is not running: ")
    watcher = Watcher(run, follower, stdout if as_objects else None, verbose=verbose)
    try:
        watcher.follow(first)
    except KeyboardInterrupt:
        print(f"you have left; the run goes on: islands watch {run.typed}", file=sys.stderr)
        return 0
    return _say_how_it_ended(run)


class Watcher:
    """One run, and the person who looks at it from outside."""

    def __init__(self, run: Run, follower: Follower, objects: TextIO | None, *, verbose: bool) -> None:
        self.run, self.follower, self.objects = run, follower, objects
        self._view = _view(run, verbose) if objects is None else None
        self._pause = FAR if is_url(run.place) else LOOK
        self._now: Snapshot | None = None
        self._taken = self._told = time.monotonic()

    def follow(self, now: Facts) -> None:
        """Look again and again until the run is over."""
        begun = time.monotonic()
        self._take(now)
        if self._view is None:
            self._loop(now, begun)
            return
        with self._view.watching(self._look):
            self._loop(now, begun)

    def _loop(self, now: Facts, begun: float) -> None:
        while not self.follower.is_over(now):
            if now.stands == NOT_BEGUN and time.monotonic() - begun > BEGIN:
                return
            time.sleep(self._pause)
            events = self.follower.news()
            try:
                now = self.follower.facts()
            except Damaged:  # files of a commit that has just been replaced
                continue
            self._take(now)
            if self._view is None:
                self._tell()
                continue
            for event in events:
                self._view.hear(event)

    def _take(self, now: Facts) -> None:
        self._now, self._taken = snapshot_of(now, self.follower), time.monotonic()

    def _look(self) -> Snapshot:
        """The last look; time goes on meanwhile."""
        assert self._now is not None
        return replace(self._now, seconds=self._now.seconds + time.monotonic() - self._taken)

    def _tell(self) -> None:
        if self.objects is not None and self._now is not None and time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            print(json.dumps(self._now.json(), ensure_ascii=False), file=self.objects, flush=True)


def _view(run: Run, verbose: bool) -> LiveView | PlainView:
    console = Console(stderr=True)
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(run.job, console, verbose=verbose)
    return PlainView(run.job, lambda line: print(line, file=sys.stderr, flush=True), verbose=verbose)


def snapshot_of(now: Facts, follower: Follower) -> Snapshot:
    """The moment that a run's directory tells, as the views know it."""
    statuses = [status_now(now, index) for index in range(now.history.islands)]
    counted = follower.run.manifest().counted
    elsewhere = any(now.places)
    return Snapshot(
        seconds=now.seconds,
        epoch=max((one.epoch for one in statuses), default=0),
        kept=now.found - counted,
        counted=counted,
        saved=now.outcome.found,
        migrations=sum(edge.times for edge in now.history.edges.values()),
        lost=sum(journey.kind == "island-lost" for journey in now.history.journeys),
        swept=follower.swept(now),
        estimate=now.outcome.estimate,
        stopped=None if now.stands == RUNNING else now.outcome.reason,
        where="on Ray" if elsewhere else "in another process",
        commit_seconds=0.0,
        islands=tuple(statuses),
        behind=(0,) * len(statuses),
        places=_padded(now.places, len(statuses)),
        bettered=bettered(now),
        newest=follower.newest(),
    )


def _padded(places: Sequence[str], count: int) -> tuple[str, ...]:
    return (*places, *[""] * count)[:count]


def bettered(now: Facts) -> float | None:
    """The age of the run when its lowest cost was met, as far as the log tells."""
    lows = [
        (moment.seconds, min((cost for cost in moment.vitals.get("best", []) if cost is not None), default=None))
        for moment in now.history.moments
    ]
    known = [(seconds, cost) for seconds, cost in lows if cost is not None]
    return min(known, key=lambda pair: (pair[1], pair[0]))[0] if known else None


def status_now(now: Facts, index: int) -> IslandStatus:
    """An island as of the last line of the log, which is younger than the last commit."""
    saved = now.islands[index] if index < len(now.islands) else IslandStatus(recipe=now.job.recipe or "")
    if not now.history.moments:
        return saved
    latest = {name: values[index] for name, values in now.history.moments[-1].vitals.items()}
    numbers = {"generation": "generations", "evaluations": "evaluations", "stale": "stale", "solutions": "found"}
    told: dict[str, Any] = {
        field: int(value) for field, name in numbers.items() if (value := latest.get(name)) is not None
    }
    best = latest.get("best")
    arrived = [edge for (_, receiver), edge in now.history.edges.items() if receiver == index]
    told |= {name: max(value, getattr(saved, name)) for name, value in told.items() if name != "stale"}
    return replace(
        saved,
        **told,
        best=saved.best if best is None else int(best),
        immigrants=max(saved.immigrants, sum(edge.stayed for edge in arrived)),
        led=max(saved.led, sum(edge.led for edge in arrived)),
    )


def _say_how_it_ended(run: Run, before: str = "") -> int:
    ended = ending(run)
    lines = [f"{before}{state(run, ended)}"]
    if run.manifest().stopped is not None:
        lines += advice(run, ended) if ended.reason != "interrupted" else []
    lines.append(whereabouts(run, ended, 0))
    print("\n".join(filter(None, lines)), file=sys.stderr)
    return ended.exit_code
