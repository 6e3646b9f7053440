"""The age of a run: how long it has searched."""

from __future__ import annotations

from collections.abc import Callable

from islands.driver.backend import Inline

LONGEST_START = 30.0  # seconds before the first report that do not count


class Age:
    """Time of search: pauses between resumes do not count, nor does what comes before the work of the first report, the
    compilation of kernels and the start of Ray."""

    def __init__(self, before: float, clock: Callable[[], float], here: Inline, wait: float | None) -> None:
        """A run that was `before` seconds old, and waits up to `wait` seconds for a cluster. `here` are the islands
        that live in this very thread."""
        self._before, self._clock, self._here = before, clock, here
        self._started = clock()
        self._alive: float | None = None  # since the work of the first report: compiling kernels is no search
        self._longest = LONGEST_START + (wait or 0.0)

    @property
    def seconds(self) -> float:
        now, begun = self._clock(), self._alive
        if begun is None:
            begun = max(self._started, now - self._here.worked)
        return self._before + (now - self._started - min(begun - self._started, self._longest))

    @property
    def has_begun(self) -> bool:
        """Whether any island has reported since this process took up the run."""
        return self._alive is not None

    @property
    def lived(self) -> float:
        """Seconds since the work of the first report began."""
        return 0.0 if self._alive is None else self._clock() - self._alive

    def begin(self, work: float) -> None:
        """Something was lived just now that took so many seconds; the first that was counts from its beginning."""
        if self._alive is None:
            self._alive = max(self._started, self._clock() - work)

    def become(self, seconds: float) -> None:
        """Be so old from now on."""
        self._before += seconds - self.seconds
