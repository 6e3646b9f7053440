"""A run as a person at a terminal sees it: solutions on stdout, everything else on stderr, Ctrl-C, a last line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from islands.api import check_address, conduct, create, new_stop
from islands.archipelago import Archipelago
from islands.errors import IslandsError
from islands.job import Job
from islands.messages import Event
from islands.problem import Census
from islands.run import Run
from islands.signals import interruptible
from islands.views.ending import nearly, summary, whereabouts
from islands.views.live import LiveView
from islands.views.plain import PlainView, QuietView
from islands.views.printer import Printer, as_json
from islands.views.text import announce_compilation, duration, in_all_units, many, number, unit


@dataclass(frozen=True)
class Manner:
    """How to speak: `json` prints objects, `quiet` only solutions and errors, `verbose` every event."""

    json: bool = False
    quiet: bool = False
    verbose: bool = False


def start(job: Job, out: Path, name: str | None, manner: Manner, note: str = "") -> int:
    """Start a run and see it through; returns the exit code. `note` says what was read."""
    with _stdout_kept() as stdout:
        if note and not manner.quiet:
            _to_stderr(note)
        if not manner.quiet:
            announce_compilation()
        return Session(create(job, out, name), manner, stdout).conduct()


def go_on(run: Run, manner: Manner, *, stop: dict[str, Any], place: dict[str, Any]) -> int:
    """Go on with a run, with its own stop rule or a new one. Where it runs may differ: that changes no result."""
    check_address(place["address"], place["backend"] or run.job.backend)
    new_stop(run, stop)
    run.job = run.job.model_copy(update={name: value for name, value in place.items() if value is not None})
    with _stdout_kept() as stdout:
        if not manner.quiet:
            announce_compilation()
        return Session(run, manner, stdout).conduct()


class Session:
    """One run and the person who watches it."""

    def __init__(self, run: Run, manner: Manner, stdout: TextIO) -> None:
        self.run, self.manner, self.stdout = run, manner, stdout
        self.view = self._view()
        self.printer = Printer(run, self._print, as_objects=manner.json)
        self._archipelago: Archipelago | None = None
        self._deaf = False  # the reader of our stdout has gone

    def conduct(self) -> int:
        """See the run through; returns the exit code."""
        try:
            outcome = conduct(self.run, listen=self._listen, watch=self._watch)
        except KeyboardInterrupt:
            found = many(len(self.run), unit(self.run.job.problem))
            self._tell(f"stopped at once with {found} saved\n{self.run.path} · go on: islands resume {self.run.path}")
            return 130
        except IslandsError:
            raise
        except Exception as error:
            _keep_traceback(self.run.path, error)
            raise
        if outcome.census is not None and not self.manner.quiet:
            Console(stderr=True).print(census_table(outcome.census, self.run.manifest().seconds))
            if outcome.census.note:
                self._tell(outcome.census.note)
        problem = self.run.job.problem
        if problem.tolerance and not self._deaf:
            self.printer.print_best(outcome.asked or 1)
        close = nearly(self.run) if not outcome.found else ""
        if close and not self._deaf:
            _to_stderr(close)  # to a quiet one, too: it is all that there is
        lines = [
            summary(self.run, outcome),
            in_all_units(problem, outcome.found) if outcome.found else "",
            problem.explain() if outcome.complete and not outcome.found else "",
            whereabouts(self.run, outcome, self.printer.unprinted),
        ]
        self._tell("\n".join(filter(None, lines)))
        if outcome.estimate is not None and self.manner.json:
            self._print(Text(as_json(outcome.estimate) + "\n"))
        return outcome.exit_code

    def _view(self) -> LiveView | PlainView | QuietView:
        if self.manner.quiet:
            return QuietView()
        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return LiveView(self.run.job, console, verbose=self.manner.verbose)
        return PlainView(self.run.job, _to_stderr, verbose=self.manner.verbose)

    @contextmanager
    def _watch(self, archipelago: Archipelago) -> Iterator[None]:
        self._archipelago = archipelago
        with interruptible(archipelago, self.view.say), self.view.watching(archipelago):
            yield

    def _listen(self, event: Event) -> None:
        if event["event"] == "checkpoint" and not self._deaf:
            try:
                self.printer.catch_up()
                self.stdout.flush()
            except BrokenPipeError:  # `| head` has seen enough: save and leave
                self._deaf = True
                if self._archipelago is not None:
                    self._archipelago.interrupted = True
        self.view.hear(event)

    def _print(self, text: Text) -> None:
        self.view.emit(text, self.stdout)

    def _tell(self, text: str) -> None:
        if not self.manner.quiet and not self._deaf:
            _to_stderr(text)


def census_table(census: Census, seconds: float) -> Table:
    """What a puzzle counts beside its solutions, side by side."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in (*census.counts, "time"):
        table.add_column(heading, justify="right")
    table.add_row(*(number(count) for count in census.counts.values()), duration(seconds))
    return table


@contextmanager
def _stdout_kept() -> Iterator[TextIO]:
    """The real stdout, for solutions alone: what Ray or a puzzle prints goes to stderr meanwhile."""
    stdout = sys.stdout
    with redirect_stdout(sys.stderr):
        yield stdout


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _keep_traceback(path: Path, error: Exception) -> None:
    """Leave the traceback in the run directory, for a bug report."""
    try:
        with (path / "log.txt").open("a", encoding="utf-8") as log:
            log.write("".join(traceback.format_exception(error)))
        error.add_note(str(path / "log.txt"))
    except OSError:
        pass  # the disk may be what is broken
