"""The view when nobody sits at a terminal: a plain line per important event, and a status line every ten seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.text import Text

from islands.driver.snapshot import Snapshot
from islands.errors import as_options
from islands.model.job import Job, cpus
from islands.model.messages import Event
from islands.model.problem import optimising
from islands.model.title import title
from islands.terminal.progress import Outlook, Progress
from islands.terminal.text import cost_text, estimated
from islands.writing.words import compact, duration, many, number

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


def opening(job: Job) -> str:
    """What begins: magic-square size=4 · 2 islands · recipe fast · seed 1"""
    parts = [title(job), many(job.islands or 1, "island"), f"recipe {job.recipe}"]
    return " · ".join([*parts, f"seed {job.seed}", *(["not repeatable (--race)"] if job.race else [])])


def sentence(event: Event, job: Job, verbose: bool) -> str | None:
    """An event in words; None for those that are not worth a line."""
    match event["event"]:
        case "hand-over":
            return f"joining the Ray cluster at {job.address} …" if job.address else "starting Ray …"
        case "ray-ready":
            where = f"the cluster at {job.address}" if job.address else many(cpus(), "CPU")
            return f"on Ray after {duration(event['took'])}: {many(job.islands or 1, 'island')} on {where}"
        case "ray-lost":
            return f"Ray was lost: {as_options(event['reason'])} The islands go on in this process until it is back"
        case "stay":
            return f"staying in this process: {as_options(event['reason'])}"
        case "recovery" if event["race"]:
            return f"{_damaged(event['files'])}; a race cannot be repeated, so that it goes on with what can be read"
        case "recovery":
            return f"{_damaged(event['files'])}; the run begins again from its seed and finds everything again"
        case "recovered" if event["missing"]:
            return f"{many(event['missing'], 'solution')} of the damaged files could not be found again"
        case "recovered":
            return f"everything is found again: {many(event['total'], 'solution')}"
        case "recovery-pause":
            found = f"{number(event['found'])} of {many(event['total'], 'solution')}"
            return f"{found} are found again so far; `islands resume` goes on with it"
        case "island-lost":
            return f"island {event['island']} was lost ({event['reason']}); it starts again from its last state"
        case "elite-death" if verbose:
            return f"island {event['island']}: elite death in generation {number(event['generation'])}"
        case "checkpoint" if verbose:
            return f"saved at epoch {number(event['epoch'])}, {number(event['total'])} found"
        case "solutions" if verbose:
            return f"island {event['island']}: {number(event['new'])} new at epoch {number(event['epoch'])}"
    return None


def _damaged(names: list[str]) -> str:
    """solutions/part-000004.parquet and 2 other files are damaged"""
    if len(names) == 1:
        return f"{names[0]} is damaged"
    return f"{names[0]} and {many(len(names) - 1, 'other file')} are damaged"


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
            best = "no cost yet" if now.best is None else f"best cost {cost_text(self.job.problem, now.best)}"
            search.insert(0, best)
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
