"""New puzzles on their way to a file or to the screen; Ctrl-C keeps those that are made."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.text import Text

from islands.errors import UsageError
from islands.model.capabilities import Sheet
from islands.model.problem import Problem, formats, puzzle_name
from islands.terminal.export import entitled, suffix_of, whole, write_sheets
from islands.terminal.fitting import columns_of, fitted
from islands.terminal.plain import emit
from islands.terminal.studies import interruptible
from islands.writing.words import many

SHORT = 0.1  # seconds between two changes of what a terminal shows
PAUSE = 10.0  # seconds between two lines that say how far it is, where there is no terminal
MOST_REMARKS = 5  # lines about single puzzles


class Making:
    """Puzzles as they are made. A signal is their end: at once while one is made, else before the next one."""

    def __init__(self, sheets: Iterator[Sheet], asked: int) -> None:
        self.asked = asked
        self.count = 0
        self.remarks: list[str] = []
        self.is_interrupted = False
        self._sheets = sheets
        self._is_making = False
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._status = self._console.status("making puzzles") if self._console.is_terminal else None
        self._is_shown = False
        self._begun = self._told = time.monotonic()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """How far it is, on a terminal to which nothing else is written meanwhile."""
        if self._status is None or self._is_shown:
            yield
            return
        self._is_shown = True  # rich starts a thread for it, which takes longer than a small puzzle
        try:
            with self._status:
                yield
        finally:
            self._is_shown = False

    def interrupt(self) -> bool:
        """Make no more. False where the one that is under way is to be left as it is."""
        was, self.is_interrupted = self.is_interrupted, True
        return not (was or self._is_making)

    def __iter__(self) -> Iterator[Sheet]:
        while not self.is_interrupted:
            try:
                self._is_making = True
                with self.shown():
                    sheet = next(self._sheets)
            except StopIteration:
                return
            except KeyboardInterrupt:
                self.is_interrupted = True
                return
            finally:
                self._is_making = False
            self.count += 1
            if sheet.remark:
                self.remarks.append(f"puzzle {self.count}: {sheet.remark}" if self.asked > 1 else sheet.remark)
            self._tell()
            yield sheet

    def _tell(self) -> None:
        """How far it is: on a terminal all the time, elsewhere a line now and then."""
        now = time.monotonic()
        if now - self._told < (PAUSE if self._status is None else SHORT) or self.count == self.asked:
            return
        self._told = now
        line = f"making puzzles: {self.count:,} of {self.asked:,} after {now - self._begun:.0f} s"
        if self._status is not None:
            self._status.update(line)
        else:
            print(line, file=sys.stderr)

    def end(self, target: Path | None) -> int:
        """Say what is to be said of them all; the exit code."""
        for remark in self.remarks[:MOST_REMARKS]:
            print(remark, file=sys.stderr)
        if len(self.remarks) > MOST_REMARKS:
            print(f"the same of {len(self.remarks) - MOST_REMARKS:,} more; each says it in its file", file=sys.stderr)
        if self.is_interrupted:
            kept = f" and kept in {target}" if target else ""
            print(f"interrupted: {self.count:,} of {many(self.asked, 'puzzle')} made{kept}", file=sys.stderr)
        return 130 if self.is_interrupted else 0


def write_instances(
    sheets: Iterator[Sheet], asked: int, target: Path | None, stdout: TextIO, *, force: bool, title: str = ""
) -> int:
    """New puzzles, `asked` of them, as they are made, to a file, whose suffix says the format, or to the screen; the
    exit code."""
    if title and target is None:
        raise UsageError(f"`title={title}` is for a file: add for instance -o sheet.html")
    making = Making(sheets, asked)
    with interruptible(making):
        made = iter(making)
        first = next(made, None)
        if first is None:
            return making.end(None)
        if target is None:
            for number, sheet in enumerate(chain([first], made)):
                picture = fitted(sheet.puzzle, sheet.genome, columns_of(stdout))
                emit(Text("\n" if number else "") + picture + "\n", stdout)
            return making.end(None)
        _to_file(first.puzzle, chain([first], made), making, target, force=force, title=title)
    return making.end(target)


def _to_file(
    puzzle: Problem, sheets: Iterator[Sheet], making: Making, target: Path, *, force: bool, title: str
) -> None:
    known = formats(puzzle)
    if not known:
        raise UsageError(f"{puzzle_name(type(puzzle))} has no file formats of its own; leave -o out.")
    suffix = suffix_of(target, known, "format")
    format_ = entitled(known[suffix], suffix, title)
    with making.shown():
        count = whole(target, lambda draft: write_sheets(format_, sheets, draft), force=force)
    line = f"{many(count, 'puzzle')} written to {target}"
    is_less = count < making.asked and not making.is_interrupted
    print(line + (f": {suffix} holds no more; {making.asked:,} were asked for" if is_less else ""), file=sys.stderr)
