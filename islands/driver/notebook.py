"""The progress of `solve` and `resume` in Jupyter and IPython, without an extension: a display that is drawn again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from islands.driver.progress import Progress
from islands.driver.snapshot import Snapshot
from islands.model.job import Job
from islands.model.messages import Event
from islands.model.title import title
from islands.pages.text import cost_text
from islands.writing.svg import legal
from islands.writing.words import compact, duration, many, number

PAUSE = 0.3  # seconds between two pictures
ROWS = 8  # islands in the table

Look = Callable[[], Snapshot]


def shell() -> Any:
    """The IPython that this code was typed into; None elsewhere. Nothing is imported for it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


class NotebookView:
    """Draws a run while it is under way: a line and a table in a notebook, a line in a terminal."""

    def __init__(self, job: Job) -> None:
        self.job, self._progress = job, Progress(job)
        self._look: Look | None = None
        self._handle: Any = None
        self._drawn = 0.0

    @contextmanager
    def watching(self, look: Look) -> Iterator[None]:
        """Draw while this lasts; afterwards the place is empty: the run itself is shown there."""
        self._look = look
        try:
            yield
        finally:
            if self._handle is not None:
                self._show("", "")

    def hear(self, event: Event) -> None:
        """Draw again, unless it was drawn a moment ago."""
        if self._look is None or event["event"] not in ("epoch", "checkpoint", "solutions", "start"):
            return
        if time.monotonic() - self._drawn < PAUSE:
            return
        self._drawn = time.monotonic()
        now = self._look()
        words = self._words(now)
        self._show(f"<div>{legal(words)}{_bar(self._progress.take(now).share)}</div>{_table(self.job, now)}", words)

    def _words(self, now: Snapshot) -> str:
        """magic-square size=6 · seed 1 · 3.1 s · 120 of 3,000 found · 40/s, 72 s left"""
        parts = [title(self.job), f"seed {self.job.seed}", duration(now.seconds), self._progress.found(now)]
        return " · ".join([*parts, *self._progress.take(now).words()])

    def _show(self, page: str, line: str) -> None:
        """In a notebook a page; where only text is shown, a line in place of the last one."""
        if not hasattr(shell(), "kernel"):
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
            self._handle = self
            return
        display = sys.modules["IPython"].display
        shown = {"text/html": page, "text/plain": line}
        if self._handle is None:
            self._handle = display.display(shown, raw=True, display_id=True)
        elif self._handle is not None:
            self._handle.update(shown, raw=True)


def _bar(share: float | None) -> str:
    return "" if share is None else f' <progress value="{share:.3f}" max="1"></progress>'


def _table(job: Job, now: Snapshot) -> str:
    """How the islands fare."""
    headings = ("island", "recipe", "generation", "evaluations", "lowest cost", "found")
    rows = [
        (
            str(index),
            island.recipe,
            number(island.generation),
            compact(island.evaluations),
            "" if island.best is None else cost_text(job.problem, island.best),
            number(island.solutions),
        )
        for index, island in enumerate(now.islands[:ROWS])
    ]
    lines = [_row("th", headings), *(_row("td", row) for row in rows)]
    left = len(now.islands) - len(rows)
    more = f"<div>and {many(left, 'island')} more</div>" if left else ""
    return f"<table>{''.join(lines)}</table>{more}"


def _row(tag: str, cells: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{legal(cell)}</{tag}>' for cell in cells)}</tr>"
