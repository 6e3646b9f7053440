"""`Study`: what a directory of compared runs tells, for Python, notebooks and the terminal."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from islands.store.frames import frame
from islands.studies.comparison import ArmSummary, Comparison, comparisons, summaries
from islands.studies.directory import Directory
from islands.studies.page import page
from islands.studies.plan import Plan
from islands.studies.verdict import verdicts

if TYPE_CHECKING:
    import pyarrow as pa


class Study:
    """Runs that were compared. `table()` has a row for each; `arms`, `comparisons` and `verdicts` what they tell."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory

    @classmethod
    def open(cls, reference: str | Path = "last", out: str | Path = "runs", *, trust: bool = False) -> Study:
        """A study by number, name, path or `last`."""
        return cls(Directory.open(reference, out, trust=trust))

    @property
    def plan(self) -> Plan:
        return self.directory.plan

    @property
    def place(self) -> str:
        """Its path or URL."""
        return self.directory.disk.place

    @property
    def done(self) -> bool:
        """Whether every run is there."""
        return not self.directory.todo

    @cached_property
    def arms(self) -> list[ArmSummary]:
        """What each arm did."""
        return summaries(self.plan, self.directory.done)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every other arm beside the first."""
        return comparisons(self.plan, self.directory.done)

    @property
    def verdicts(self) -> list[str]:
        """The same in words."""
        return verdicts(self.plan, self.arms, self.comparisons) + self.directory.notes

    def table(self) -> pa.Table:
        """A row for each run, as a pyarrow table."""
        return self.directory.table()

    def frame(self, library: str | None = None) -> Any:
        """A row for each run, as a frame of pandas or polars: `library`, or whichever is installed."""
        return frame(self.table(), library)

    def html(self) -> str:
        """The page: verdict, pictures and numbers; it needs nothing else."""
        found = self.directory
        return page(self.plan, found.title, self.place, found.done, self.arms, self.comparisons, found.notes)

    def _repr_html_(self) -> str:
        """The page, in a frame of its own: a notebook has another style."""
        return f'<iframe srcdoc="{escape(self.html())}" style="width: 100%; height: 900px; border: 0"></iframe>'

    def __repr__(self) -> str:
        plan = self.plan
        return f"<Study {self.place}: {len(plan.arms)} arms, {len(self.directory.done)} of {len(plan.runs)} runs>"
