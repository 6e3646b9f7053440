"""The view when nobody sits at a terminal: a plain line per important event, and a status line every ten seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.text import Text

from islands.driver.archipelago import Archipelago
from islands.errors import as_options
from islands.model.job import Job, cpus
from islands.model.messages import Event
from islands.terminal.text import cost_text, estimated, title
from islands.writing.words import compact, duration, many, number

PAUSE = 10.0  # seconds between two status lines
FEW = 20  # so many solutions are worth a line each

Say = Callable[[str], None]


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
            where = f"the cluster at {job.address}" if job.address else many(cpus(), "CPU")
            return f"moving to Ray: {many(job.islands or 1, 'island')} on {where}"
        case "stay":
            return f"staying in this process: {as_options(event['reason'])}"
        case "island-lost":
            return f"island {event['island']} was lost ({event['reason']}); it starts again from its last state"
        case "elite-death" if verbose:
            return f"island {event['island']}: elite death at epoch {number(event['epoch'])}"
        case "checkpoint" if verbose:
            return f"saved at epoch {number(event['epoch'])}, {number(event['total'])} found"
        case "solutions" if verbose:
            return f"island {event['island']}: {number(event['new'])} new at epoch {number(event['epoch'])}"
    return None


def progress(found: int, asked: int | None, exist: int | None, swept: tuple[int, int] | None = None) -> str:
    """12 of 20 found, 880 exist, 3 of 16 tasks done"""
    wanted = f" of {number(asked)}" if asked is not None else ""
    known = f", {number(exist)} exist" if exist is not None else ""
    done = f", {number(swept[0])} of {number(swept[1])} tasks done" if swept else ""
    return f"{number(found)}{wanted} found{known}{done}"


class PlainView:
    """Lines through `say`; driven by events alone."""

    def __init__(self, job: Job, say: Say, *, verbose: bool) -> None:
        self.job, self.say, self.verbose = job, say, verbose
        self._total = job.problem.known_total()
        self._archipelago: Archipelago | None = None
        self._spoken = 0.0
        self._found = 0

    @contextmanager
    def watching(self, archipelago: Archipelago) -> Iterator[None]:
        self._archipelago, self._spoken, self._found = archipelago, archipelago.seconds, len(archipelago.archive)
        self.say(opening(self.job))
        yield

    def emit(self, text: Text, stdout: TextIO) -> None:
        """Pass a solution on to stdout."""
        emit(text, stdout)

    def hear(self, event: Event) -> None:
        """Say it, if it matters."""
        line = sentence(event, self.job, self.verbose)
        archipelago = self._archipelago
        if line is not None:
            self.say(line)
        if archipelago is None or event["event"] not in ("epoch", "checkpoint"):
            return
        found = len(archipelago.archive)
        few = event["event"] == "checkpoint" and self._found < found <= FEW and not archipelago.coordinator.stopped
        if few or archipelago.seconds - self._spoken >= PAUSE:
            self.say(self._status(archipelago))
            self._spoken, self._found = archipelago.seconds, found

    def _status(self, archipelago: Archipelago) -> str:
        coordinator = archipelago.coordinator
        costs = [status.best for status in coordinator.status if status.best is not None]
        evaluations = sum(status.evaluations for status in coordinator.status)
        search = [
            f"best cost {cost_text(self.job.problem, min(costs))}" if costs else "no cost yet",
            f"{compact(evaluations / max(archipelago.seconds, 1e-9))} evaluations/s",
        ]
        parts = [
            duration(archipelago.seconds),
            f"epoch {number(coordinator.epoch)}",
            *(search if not self.job.stop.exhaustive else []),
            progress(coordinator.found, self.job.stop.number, self._total, coordinator.swept),
        ]
        estimate = coordinator.estimate()
        if estimate is not None:
            parts.append(estimated(estimate))
        return " · ".join(parts)


class QuietView:
    """Nothing but solutions and errors."""

    @contextmanager
    def watching(self, archipelago: Archipelago) -> Iterator[None]:
        yield

    def say(self, line: str) -> None:
        pass

    def emit(self, text: Text, stdout: TextIO) -> None:
        emit(text, stdout)

    def hear(self, event: Event) -> None:
        pass
