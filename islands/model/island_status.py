"""What is known of one island, from its reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from islands.model.messages import New, Report

Count = Annotated[int, Field(ge=0, le=1 << 62)]
"""A number that fits into every array, also when it comes from a file."""

Cost = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class IslandStatus:
    """The numbers a person sees, and those that decide when a run gives up."""

    recipe: str
    epoch: Count = 0
    generation: Count = 0
    evaluations: Count = 0
    best: Cost | None = None
    stale: Count = 0  # generations since its lowest cost became lower
    solutions: Count = 0
    fruitful: Count = 0  # the generation of its last globally new solution
    immigrants: Count = 0  # who stayed
    led: Count = 0  # immigrants that had a lower cost than everyone who lived there
    elite_deaths: Count = 0
    seconds: Seconds = 0.0

    def after(self, report: Report, new: New) -> IslandStatus:
        """The island after a report; `new` are those of its solutions that no island had found before."""
        best = self.best
        if report.best is not None and (best is None or report.best < best):
            best = report.best
        return IslandStatus(  # every report makes one: `replace` takes three times as long
            self.recipe,
            epoch=report.epoch + 1,
            generation=report.generation,
            evaluations=report.evaluations,
            best=best,
            stale=report.stale,
            solutions=self.solutions + new.number + report.counted,
            fruitful=new.latest if new.number else self.fruitful,
            immigrants=self.immigrants + report.immigrants,
            led=self.led + report.led,
            elite_deaths=self.elite_deaths + len(report.deaths),
            seconds=self.seconds + report.seconds,
        )
