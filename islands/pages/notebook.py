"""The report of a run as a notebook shows it: in a frame of its own, which the notebook's styles do not reach."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from islands.pages.drawing import text
from islands.pages.facts import facts_of
from islands.pages.report import report
from islands.store.run import Run

FRAME = '<iframe title="{title}" srcdoc="{page}" width="100%" height="{height}" frameborder="0" sandbox></iframe>'


@dataclass(frozen=True)
class Page:
    """A page about a run; a notebook shows it, `save` writes it to a file."""

    html: str = field(repr=False)
    title: str
    height: int = 900  # pixels in a notebook

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, whatever is there."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        return FRAME.format(title=text(self.title), page=escape(self.html), height=self.height)


def page_of(run: Run) -> Page:
    """What `Run.report` returns."""
    facts = facts_of(run)
    return Page(report([facts]), f"{facts.title}, {facts.name}")
