"""How far a run is, how fast it finds, and how long it will take."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from islands.driver.snapshot import Snapshot
from islands.model.job import Job
from islands.model.problem import optimising, tolerance
from islands.pages.text import cost_text, unit
from islands.writing.words import duration, frequency, number

WINDOW = 5.0  # seconds over which found per second is taken at least ...
FEW = 10  # ... and solutions: what comes once a minute needs more time
PAUSE = 5.0  # times the usual distance of two solutions, after which the next one cannot be foreseen
BASIS = 1.0  # seconds of search from which on a pace says something about the time left


@dataclass(frozen=True)
class Outlook:
    """What can be said at one moment; None where nothing can."""

    rate: float | None  # solutions per second
    share: float | None  # of the run that is done, by whichever of its limits is nearest
    left: float | None  # seconds until the first of its limits

    def words(self) -> list[str]:
        """4.1/s, 2.0 s left"""
        parts = [frequency(self.rate)] if self.rate is not None else []
        return parts + ([f"{duration(self.left)} left"] if self.left is not None else [])


class Progress:
    """The progress of a run, from one snapshot after the other."""

    def __init__(self, job: Job) -> None:
        self.stop, self.exist = job.stop, job.problem.known_total()
        self._ends_by_number = job.problem.ranking() is None and not job.stop.exhaustive
        self._problem, self._optimises = job.problem, optimising(job.problem)
        self._samples: deque[tuple[float, int]] = deque()  # seconds and solutions, whenever there were more

    def found(self, now: Snapshot) -> str:
        """12 of 20 found, 880 exist, 3 of 16 tasks done; or best 5,740, met after 2.1 s"""
        if self._optimises:
            return self._best(now)
        wanted = f" of {number(self.stop.number)}" if self.stop.number is not None else ""
        known = f", {number(self.exist)} exist" if self.exist is not None else ""
        done = f", {number(now.swept[0])} of {number(now.swept[1])} tasks done" if now.swept else ""
        return f"{number(now.found)}{wanted} found{known}{done}"

    def take(self, now: Snapshot) -> Outlook:
        """Look at the run again."""
        rate, stop = None if self._optimises else self._rate(now), self.stop
        work = [now.generation / stop.generations] if stop.generations is not None else []
        work += [now.swept[0] / now.swept[1]] if now.swept is not None else []
        shares = list(work)
        times = [now.seconds * (1 - share) / share for share in work if share > 0 and now.seconds >= BASIS]
        if stop.seconds is not None:
            shares.append(now.seconds / stop.seconds)
            times.append(stop.seconds - now.seconds)
        wanted = min((n for n in (stop.number, self.exist) if n), default=None) if self._ends_by_number else None
        if wanted is not None and wanted > 1:
            shares.append(now.found / wanted)
            known = rate is not None and now.seconds >= BASIS and not self._dry(now)
            times += [(wanted - now.found) / rate] if rate is not None and known else []
        return Outlook(rate, min(1.0, max(shares)) if shares else None, max(0.0, min(times)) if times else None)

    def _best(self, now: Snapshot) -> str:
        """The lowest cost and after how much search it was met; a cost that is not tolerated is not a solution."""
        if now.best is None:
            return "nothing yet"
        cost = cost_text(self._problem, now.best)
        if now.best > tolerance(self._problem):
            return f"no {unit(self._problem)} yet, lowest cost {cost}"
        met = "before the run was resumed" if now.bettered is None else f"after {duration(now.bettered)}"
        return f"best {cost}, met {met}"

    def _dry(self, now: Snapshot) -> bool:
        """Whether nothing came for much longer than usual: perhaps there is no more, and nobody knows how long."""
        (then, before), (last, found) = self._samples[0], self._samples[-1]
        return found > before and now.seconds - last > PAUSE * (last - then) / (found - before)

    def _rate(self, now: Snapshot) -> float | None:
        samples = self._samples
        if not samples or now.found != samples[-1][1]:
            samples.append((now.seconds, now.found))
        while len(samples) > 2 and now.seconds - samples[1][0] >= WINDOW and now.found - samples[1][1] >= FEW:
            samples.popleft()
        then, before = samples[0]
        return (now.found - before) / (now.seconds - then) if now.found > before and now.seconds > then else None
