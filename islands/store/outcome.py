"""How a run stands after it stopped: what a person wants to know at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from islands.model.capabilities import Census
from islands.model.entries import ALL
from islands.operators.estimate import Estimate
from islands.store.run import Run


@dataclass(frozen=True)
class Outcome:
    """How a run stands after it stopped."""

    reason: str
    found: int
    asked: int | None  # ALL = all there are
    exist: int | None  # how many there are, where mathematics or an exhausted search knows
    estimate: Estimate | None = None  # ... and what walks estimate
    census: Census | None = None  # what the puzzle counts beside the solutions

    @property
    def complete(self) -> bool:
        return self.found == self.exist

    @property
    def exit_code(self) -> int:
        """0 found what was asked for, 1 ended without it, 130 interrupted."""
        if self.reason == "interrupted":
            return 130
        satisfied = self.found > 0 and (self.complete or self.reason != "exhausted")
        if self.estimate is not None:
            satisfied = True
        if self.census is not None:
            satisfied = self.census.satisfied and self.reason == "exhausted"
        if self.asked is not None:
            satisfied = self.found >= self.asked or (self.asked == ALL and self.complete and self.found > 0)
        return 0 if satisfied else 1


def outcome(run: Run, reason: str, counted: int = 0, swept: int | None = None) -> Outcome:
    """What a person wants to know at the end; `swept` tasks of an exhaustive run are done."""
    found, problem = len(run) + counted, run.job.problem
    known = problem.known_total()
    exist = found if reason == "exhausted" and known is None else known
    parts = (part.genome.astype(np.int32, copy=False) for part in run.rows())
    sweeping = None if swept is None else problem.sweeping()
    census = sweeping.census(parts, swept) if sweeping and sweeping.census and swept is not None else None
    return Outcome(reason, found, run.job.stop.solutions, exist, run.estimate(), census)
