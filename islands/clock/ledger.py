"""What the clock asks of an archive: how many of a report's solutions are new.

The archive is in the driver's process (store/archive.py), or in shards, which look up what islands send them
(shards/archive.py). The clock does not know which, and what it decides does not depend on it.
"""

from __future__ import annotations

from typing import Protocol

from islands.model.messages import New, Report
from islands.operators.space import Genomes


class Ledger(Protocol):
    """Every distinct solution exactly once; `len` is how many."""

    shards: int  # to which islands send what they find; 0: it comes with their reports

    @property
    def newest(self) -> Genomes | None:
        """The solution found last, where it is at hand."""

    def __len__(self) -> int: ...

    def count(self, report: Report, seconds: float, limit: int | None) -> New | None:
        """Those of a report that are new, at most `limit`; None: it is not known yet, ask again."""
