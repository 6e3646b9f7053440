"""Where the islands of a run live, and their moves: to a backend outside this process when that is ready, and back at
once when it is lost.

A move makes every island empty; the driver replays them. So a start elsewhere never costs the search, and the loss of
a whole backend costs no more than the loss of an island.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from islands.driver.backend import Arrival, Backend, Remote, Told
from islands.driver.snapshot import Snapshot
from islands.errors import BackendLost, ClusterError
from islands.model.messages import Event, IslandSpec

STARTS = 3  # in vain, one after the other, after which a run does without the other backend, or ends
PAUSE = 2.0  # seconds before another start after one in vain, and twice as many before the next


@dataclass(frozen=True)
class Elsewhere:
    """A place for islands outside this process."""

    make: Callable[[], Remote]
    required: bool = False  # somebody asked for it: the islands wait for the first start, and end without the place


class Placement:
    """The backend that hosts the islands now, and the one that is being started, if any."""

    def __init__(self, here: Backend, elsewhere: Elsewhere | None, clock: Callable[[], float]) -> None:
        self.backend = self.here = here
        self.events: list[Event] = []  # that nobody has read yet
        self._elsewhere, self._clock = elsewhere, clock
        self._specs: Sequence[IslandSpec] = ()
        self._made: Remote | None = None  # the last one that was started
        self._coming: Remote | None = None  # is being started
        self._begun = 0.0  # when that was
        self._vain = 0  # starts since the last one that succeeded
        self._not_before = 0.0
        self._moved = False
        self._there: Remote | None = None  # hosts the islands
        self._observed: Snapshot | None = None

    @property
    def has_elsewhere(self) -> bool:
        """Whether the islands may live outside this process."""
        return self._elsewhere is not None

    @property
    def required(self) -> bool:
        """Whether they must: after a loss they come there again, or the run ends."""
        return self._elsewhere is not None and self._elsewhere.required

    @property
    def where(self) -> str:
        """Where the islands live, in words."""
        if self._coming is None:
            return "in this process" if self.is_here else "on Ray"
        return "waiting, starting Ray …" if self.backend is self._coming else "in this process, starting Ray …"

    @property
    def is_here(self) -> bool:
        """Whether the islands live in this process, where a message costs nothing."""
        return self.backend is self.here

    @property
    def remote(self) -> Remote | None:
        """The place outside this process where the islands live, or wait for its first start."""
        return None if self.is_here else self._made

    @property
    def waiting(self) -> int:
        """How many arrivals `receive` gives at once; of islands in this process each takes an epoch."""
        remote = self.remote
        return 0 if remote is None else remote.waiting

    def start(self, specs: Sequence[IslandSpec]) -> None:
        """Make the islands here; or begin to make them elsewhere, if that is required."""
        self._specs = specs
        if self._elsewhere is None or not self._elsewhere.required:
            self.here.start(specs)
            return
        self.backend = self._coming = self._elsewhere.make()
        self._try(self._begin)

    def move(self, worth: bool) -> bool:
        """Bring the islands to where they should be by now; True if they have moved, and are empty.

        `worth` says whether the run is worth a start elsewhere; where that is required, it always is.
        """
        place = self._elsewhere
        idle = self.is_here and self._coming is None and self._clock() >= self._not_before
        if place is not None and idle and (worth or place.required):
            self._coming = place.make()
            self._try(self._begin)
        if self._coming is not None:
            self._try(self._look)
            self._hear()
        moved, self._moved = self._moved, False
        return moved

    def receive(self, timeout: float) -> Arrival | Told | None:
        """The next arrival from where the islands live; None also when that place was lost."""
        try:
            return self.backend.receive(timeout)
        except ClusterError as error:
            self._fail(error)
            return None
        finally:
            self._hear()

    def observe(self, now: Snapshot) -> None:
        """Tell the place where the islands live how the run fares; what no place was told is told to the next one."""
        if self._observed is None:
            self._observed = now
        elif self._there is not None and not _is_behind(now, self._observed):
            self._there.observe(now, self._observed)
            self._observed = now

    def stop(self) -> None:
        """End all islands, and a start that is under way."""
        for backend in {self.backend, self._coming or self.backend}:
            backend.stop()
        self._coming = None

    def _hear(self) -> None:
        """Take over what happened elsewhere."""
        if self._made is not None and self._made.events:
            self.events += self._made.events
            self._made.events = []

    def _try(self, step: Callable[[Remote], None]) -> None:
        """Do this with the backend that is being started; it may fail."""
        assert self._coming is not None
        try:
            step(self._coming)
        except ClusterError as error:
            self._fail(error)

    def _begin(self, remote: Remote) -> None:
        self.events.append({"event": "hand-over"})
        self._made, self._begun = remote, self._clock()
        remote.start(self._specs)

    def _look(self, remote: Remote) -> None:
        """See whether it is ready, and move there."""
        if not remote.ready():
            return
        self.events.append({"event": "ray-ready", "took": round(self._clock() - self._begun, 3)})
        self._there, self._coming, self._vain = remote, None, 0
        if self.backend is not remote:
            self.backend.stop()
            self.backend, self._moved = remote, True

    def _fail(self, error: ClusterError) -> None:
        """The islands' place, or the one that was coming, is gone: go on here, and try again or do without."""
        place, lost = self._elsewhere, self._coming or self.backend
        if place is None or lost is self.here:
            raise error
        lost.stop()
        first = self.backend is self._coming  # nobody has waited for anything else yet
        self._vain += self._coming is not None
        self._there = self._coming = None
        hopeless = self._vain >= STARTS or (not isinstance(error, BackendLost) and (first or not place.required))
        if hopeless and place.required:
            raise error if first else _given_up(self._vain, error)
        if not self.is_here:
            self.backend, self._moved = self.here, True
            self.here.start(self._specs)
        if hopeless:
            self._elsewhere = None
            self.events.append({"event": "stay", "reason": str(error)})
            return
        self.events.append({"event": "ray-lost", "reason": str(error)})
        self._not_before = self._clock() + (PAUSE * 2 ** (self._vain - 1) if self._vain else 0.0)


def _is_behind(now: Snapshot, before: Snapshot) -> bool:
    """Whether a run has gone back to its last commit, and is not yet where it was: counts are never told backwards."""
    names = ("evaluations", "found", "migrations", "elite_deaths")
    return any(getattr(now, name) < getattr(before, name) for name in names)


def _given_up(starts: int, error: ClusterError) -> ClusterError:
    return ClusterError(
        f"Ray did not start again, {starts} times in a row. The last time: {error} The run is saved: whoever goes "
        "on with it finds again what was found after its last commit. `backend=inline` goes on without Ray."
    )
