"""A run as a person at a terminal sees it: solutions on stdout, everything else on stderr, Ctrl-C, a last line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from islands.driver.api import conduct, create, new_stop
from islands.driver.archipelago import Archipelago
from islands.driver.backends import check_address, check_wait, environment_address
from islands.driver.signals import interruptible
from islands.errors import ClusterError, DiskError, IslandsError, as_options
from islands.kernels.announcement import announce_compilation
from islands.model.job import Job
from islands.model.messages import Event
from islands.pages.advice import advice
from islands.pages.endings import headline, nearly, whereabouts
from islands.pages.facts import facts_of
from islands.pages.news import opening, rounded_population, sentence
from islands.pages.report import report
from islands.pages.text import in_all_units, unit
from islands.store.disk import Disk
from islands.store.files import JOB, LOG, REPORT
from islands.store.outcome import Outcome
from islands.store.places import moved_words
from islands.store.run import Run
from islands.terminal.fitting import columns_of
from islands.terminal.live import LiveView
from islands.terminal.plain import PlainView, QuietView
from islands.terminal.printer import Printer, as_json
from islands.terminal.summary import census_table, closing, print_parts
from islands.terminal.tables import console_for
from islands.writing.words import many


@dataclass(frozen=True)
class OutputOptions:
    """How to speak: `json` prints objects, `quiet` only solutions and errors, `verbose` every event.

    Solutions go to `stdout`, everything else to stderr.
    """

    stdout: TextIO
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    input: str | None = None  # in a batch: what each object says that it belongs to
    report: bool = False  # write a page about the run when it ends


def start(job: Job, out: str, name: str | None, output: OutputOptions, note: str = "") -> int:
    """Start a run and see it through; returns the exit code. `note` says what was read."""
    named = environment_address(job.backend) if job.address is None else None
    if named is not None and not output.quiet:
        _to_stderr(_named_by_environment(named))
    for line in filter(None, (moved_words(out), note)):
        if not output.quiet:
            _to_stderr(line)
    if not output.quiet:
        announce_compilation()

    def listen(event: Event) -> None:
        line = sentence(event, job, output.verbose)
        if line is not None and not output.quiet:
            _to_stderr(line)

    return WatchedRun(create(job, out, name, listen), output, new=True).conduct()


def go_on(run: Run, output: OutputOptions, *, stop: dict[str, Any], place: dict[str, Any]) -> int:
    """Go on with a run, with its own stop rule or a new one. Where it runs may differ: that changes no result."""
    named = environment_address(place["backend"] or run.job.backend) if place["address"] is None else None
    place = {**place, "address": named if place["address"] is None else place["address"]}
    check_address(place["address"], place["backend"] or run.job.backend)
    check_wait(place.get("wait"), place["address"] or run.job.address)
    new_stop(run, stop)
    run.job = run.job.model_copy(update={name: value for name, value in place.items() if value is not None})
    if named is not None and not output.quiet:
        _to_stderr(_named_by_environment(named))
    if not output.quiet:
        announce_compilation()
    return WatchedRun(run, output).conduct()


class WatchedRun:
    """One run and the person who watches it. A `new` one may be refused, and leaves nothing then."""

    def __init__(self, run: Run, output: OutputOptions, *, new: bool = False) -> None:
        self.run, self.output, self.stdout, self.new = run, output, output.stdout, new
        self.view = self._view()
        self.printer = Printer(
            run, self._print, as_objects=output.json, input=output.input, columns=lambda: columns_of(output.stdout)
        )
        self._interrupt: Callable[[], object] = lambda: None  # ends the run that is under way
        self._deaf = False  # the reader of our stdout has gone

    def conduct(self) -> int:
        """See the run through; returns the exit code."""
        job = self.run.job
        if job.recipe_reason and not self.run.manifest().commit:  # it begins here
            self._tell(f"recipe {job.recipe}: {as_options(job.recipe_reason)}")
        if job.stretch > 1 and not job.stop.exhaustive and not self.run.manifest().commit:
            told = f"{many(job.islands or 1, 'island')}: epochs are {job.stretch} times as long as the recipe says"
            self._tell(f"{told}, so that one process can serve them (--stretch)")
        if (rounded := rounded_population(job)) and not self.run.manifest().commit:
            self._tell(rounded)
        try:
            outcome = conduct(self.run, listen=self._listen, watch=self._watch, new=self.new)
        except KeyboardInterrupt:
            found = many(len(self.run), unit(self.run.job.problem))
            self._tell(f"stopped at once with {found} saved\n{self.run.place} · go on: islands resume {self.run.typed}")
            return 130
        except ClusterError as error:
            if not self.run.disk.exists(JOB):  # refused: there is nothing to go on with
                raise
            raise ClusterError(f"{error}\n{self.run.place} · go on: islands resume {self.run.typed}") from error
        except IslandsError:
            raise
        except Exception as error:
            _keep_traceback(self.run.disk, error)
            raise
        if outcome.census is not None and not self.output.quiet:
            Console(stderr=True).print(census_table(outcome.census, self.run.manifest().seconds))
            if outcome.census.note:
                self._tell(outcome.census.note)
        problem = self.run.job.problem
        if problem.ranking() is not None and not self._deaf:
            self.printer.print_best(outcome.asked or 1)
        close = nearly(self.run) if not outcome.found else ""
        if close and not self._deaf:
            _to_stderr(close)  # to a quiet one, too: it is all that there is
        closing = self._print_closing(outcome)
        lines = [
            headline(self.run, outcome),
            in_all_units(problem, outcome.found) if outcome.found else "",
            problem.wording().explain() if outcome.complete and not outcome.found else "",
            *closing,
            whereabouts(self.run, outcome, self.printer.unprinted),
        ]
        self._tell("\n".join(filter(None, lines)))
        if outcome.estimate is not None and self.output.json:
            self._print(Text(as_json(outcome.estimate) + "\n"))
        if self.output.report:
            self.run.disk.write(REPORT, report([facts_of(self.run)]).encode())
            self._tell(f"the page about it: {self.run.disk.full(REPORT)}")
        return outcome.exit_code

    def _print_closing(self, outcome: Outcome) -> list[str]:
        """How the islands fared and the nearest candidate; returns the advice that follows from it."""
        if self.output.quiet or self._deaf or self.output.input is not None:  # of a batch it would be too much
            return []
        console = console_for(sys.stderr)
        parts = list(closing(self.run, outcome, console.width))
        if parts and isinstance(self.view, LiveView):  # which has gone, and with it what was run
            parts.insert(0, Text(opening(self.run.job)))
        print_parts(console, parts)
        return advice(self.run, outcome) if outcome.reason != "interrupted" else []

    def _view(self) -> LiveView | PlainView | QuietView:
        if self.output.quiet:
            return QuietView()
        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return LiveView(self.run.job, console, verbose=self.output.verbose)
        return PlainView(self.run.job, _to_stderr, verbose=self.output.verbose)

    @contextmanager
    def _watch(self, archipelago: Archipelago) -> Iterator[None]:
        self._interrupt = archipelago.interrupt
        with interruptible(archipelago, self.view.say), self.view.watching(archipelago.look):
            yield

    def _listen(self, event: Event) -> None:
        if event["event"] == "checkpoint" and not self._deaf:
            try:
                self.printer.catch_up()
                self.stdout.flush()
            except BrokenPipeError:  # `| head` has seen enough: save and leave
                self._deaf = True
                self._interrupt()
        self.view.hear(event)

    def _print(self, text: Text) -> None:
        self.view.emit(text, self.stdout)

    def _tell(self, text: str) -> None:
        if not self.output.quiet and not self._deaf:
            _to_stderr(text)


def _named_by_environment(address: str) -> str:
    return f"RAY_ADDRESS={address} counts as --address {address}; RAY_ADDRESS=local uses this machine alone"


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _keep_traceback(disk: Disk, error: Exception) -> None:
    """Leave the traceback in the run directory, for a bug report."""
    with suppress(DiskError):  # the disk may be what is broken
        disk.append(LOG, "".join(traceback.format_exception(error)).encode())
        error.add_note(disk.full(LOG))
