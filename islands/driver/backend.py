"""Where islands live: the contract of Inline (here), Bridge (cluster/) and the tests' Simulated backend."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from islands.driver.snapshot import Snapshot
from islands.kernels.numba_internals import compile_time
from islands.model.island import Island
from islands.model.messages import Event, IslandSpec, Order, Report, State
from islands.shards.messages import Answer, Request


class Arrival(NamedTuple):
    """A report; or, without one, the news that an island was lost, or has `moved`, and comes back empty."""

    island: int
    token: int  # of the order it answers; answers to a dead incarnation are recognised by it
    report: Report | None
    reason: str = ""
    place: str = ""  # where the island lives, host:process; empty: in this process
    moved: bool = False  # by the backend itself, to `place`: nothing went wrong


class Told(NamedTuple):
    """What a shard answers; or, without an answer, the news that it was lost, and comes back empty."""

    shard: int
    token: int  # of the request, as in `Arrival`
    answer: Answer | None
    reason: str = ""


class Backend(Protocol):
    """Hosts islands. Each has at most `depth` orders, and answers them in their order."""

    depth: int

    def start(self, specs: Sequence[IslandSpec]) -> None:
        """Make the islands, all empty."""

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        """Begin an epoch: from `state` ({} = anew), or where the island stands (None)."""

    def receive(self, timeout: float) -> Arrival | Told | None:
        """The next arrival; None if nothing arrives within `timeout` seconds. Raises what a puzzle's code raised."""

    def stop(self) -> None:
        """End all islands. May come at any time, and twice; after it, `start` makes them anew."""


class Remote(Backend, Protocol):
    """A backend outside this process: its `start` returns at once, and it may be lost as a whole.

    `ready` and `receive` raise BackendLost when all islands are gone and another start may succeed, and another
    ClusterError when it would not. Orders that are sent before it is ready wait.
    """

    events: list[Event]  # what happened there, for the event log; the driver empties it
    shards: int  # of the archive, which live there, too; 0: none do

    @property
    def waiting(self) -> int:
        """Arrivals that `receive` gives at once, as far as is known: the driver takes them in together."""

    def ready(self) -> bool:
        """Whether every island waits for orders, warmed up: its first report will take no longer than the others."""

    def ask(self, shard: int, token: int, request: Request) -> None:
        """Ask a shard, which answers requests one after the other, but for `Count`: that waits for something to tell.

        An island whose order says so sends what it finds to the shards, before its report.
        """

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        """Let those who operate this place see how the run fares, and what has happened since `before`."""


class Abandoned(BaseException):
    """Raised by a signal handler in the midst of a generation: the run is over, and nobody waits for its epoch."""


class Inline:
    """Every island in this process, one epoch at a time, in the order of the orders."""

    depth = 1
    waiting = 0  # every arrival takes an epoch

    def __init__(self) -> None:
        self._worked = 0.0
        self._working: Callable[[], float] | None = None  # what is to be added, while an epoch is under way
        self._generation: float | None = None  # when the one under way began
        self._islands: list[Island] = []
        self._queue: deque[tuple[int, int, Order, State | None]] = deque()
        self._epoch: Generator[None, None, Report] | None = None  # under way, of the first in the queue

    def start(self, specs: Sequence[IslandSpec]) -> None:
        self._islands = [Island(spec) for spec in specs]
        self._worked = 0.0

    @property
    def busy(self) -> float:
        """Seconds since the generation under way began; 0: there is none."""
        began = self._generation  # read once: the caller may be another thread
        return 0.0 if began is None else time.monotonic() - began

    @property
    def worked(self) -> float:
        """Seconds of search since `start`; compiling kernels does not count."""
        working = self._working
        return self._worked + (0.0 if working is None else working())

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        self._queue.append((island, token, order, state))

    def receive(self, timeout: float) -> Arrival | None:
        """Go on with the epoch under way, for `timeout` seconds at the most and one generation at the least."""
        if not self._queue:
            time.sleep(timeout)  # the islands wait for a place elsewhere
            return None
        index, token, order, state = self._queue[0]
        if self._epoch is None:
            if state is not None:
                self._islands[index].restore(state)
            self._epoch = self._islands[index].steps(order)
        with self._at_work():
            deadline = time.monotonic() + timeout
            while True:
                self._generation = time.monotonic()
                try:
                    next(self._epoch)
                except StopIteration as end:
                    self._queue.popleft()
                    self._epoch = None
                    return Arrival(index, token, end.value)
                if time.monotonic() >= deadline:
                    return None

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Keep `busy` and `worked`."""
        began = time.monotonic()
        with compile_time() as compiling:
            self._working = lambda: time.monotonic() - began - compiling()
            try:
                yield
            finally:
                self._generation, self._worked, self._working = None, self.worked, None

    def stop(self) -> None:
        self._queue.clear()
        self._epoch = None
