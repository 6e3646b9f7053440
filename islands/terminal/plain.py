"""The view when nobody sits at a terminal: a plain line per important event, and a status line every ten seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.text import Text

from islands.driver.progress import Outlook, Progress
from islands.driver.snapshot import Snapshot
from islands.model.job import Job
from islands.model.messages import Event
from islands.model.problem import optimising
from islands.pages.news import opening, sentence
from islands.pages.text import cost_text, estimated, lowest
from islands.writing.words import compact, duration, number

PAUSE = 10.0  # seconds between two status lines
FEW = 20  # solutions, up to which each is worth a line

Say = Callable[[str], None]
Look = Callable[[], Snapshot]  # the run at this moment


def emit(text: Text, stdout: TextIO) -> None:
    """Print a text, with its styles where that is a terminal."""
    if stdout.isatty():
        Console(file=stdout, force_terminal=True).print(text, end="", soft_wrap=True)
    else:
        stdout.write(text.plain)


class PlainView:
    """Lines through `say`; driven by events alone."""

    def __init__(self, job: Job, say: Say, *, verbose: bool) -> None:
        self.job, self.say, self.verbose = job, say, verbose
        self._progress = Progress(job)
        self._look: Look | None = None
        self._spoken = 0.0
        self._found = 0

    @contextmanager
    def watching(self, look: Look) -> Iterator[None]:
        now = look()
        self._look, self._spoken, self._found = look, now.seconds, now.kept
        self._progress.take(now)
        self.say(opening(self.job))
        yield

    def emit(self, text: Text, stdout: TextIO) -> None:
        """Pass a solution on to stdout."""
        emit(text, stdout)

    def hear(self, event: Event) -> None:
        """Say it, if it matters."""
        line = sentence(event, self.job, self.verbose)
        if line is not None:
            self.say(line)
        if self._look is None or event["event"] not in ("epoch", "checkpoint"):
            return
        now = self._look()
        outlook = self._progress.take(now)
        few = event["event"] == "checkpoint" and self._found < now.kept <= FEW and not now.stopped
        if few or now.seconds - self._spoken >= PAUSE:
            self.say(self._status(now, outlook))
            self._spoken, self._found = now.seconds, now.kept

    def _status(self, now: Snapshot, outlook: Outlook) -> str:
        search = [f"{compact(now.evaluations / max(now.seconds, 1e-9))} evaluations/s"]
        if not optimising(self.job.problem):  # what is found is the best
            best = lowest(self.job.problem, now.islands)
            search.insert(0, "no cost yet" if best is None else f"best cost {cost_text(self.job.problem, best)}")
        parts = [
            duration(now.seconds),
            f"epoch {number(now.epoch)}",
            *(search if not self.job.stop.exhaustive else []),
            self._progress.found(now),
            *outlook.words(),
        ]
        if now.estimate is not None:
            parts.append(estimated(now.estimate))
        return " · ".join(parts)


class QuietView:
    """Nothing but solutions and errors."""

    @contextmanager
    def watching(self, look: Look) -> Iterator[None]:
        yield

    def say(self, line: str) -> None:
        pass

    def emit(self, text: Text, stdout: TextIO) -> None:
        emit(text, stdout)

    def hear(self, event: Event) -> None:
        pass
