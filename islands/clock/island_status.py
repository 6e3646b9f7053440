"""What is known of one island, from its reports."""

from __future__ import annotations

from dataclasses import dataclass

from islands.model.messages import Report


@dataclass
class IslandStatus:
    """The numbers a person sees, and those that decide when an elite dies and when a run gives up."""

    recipe: str
    epoch: int = 0
    generation: int = 0
    evaluations: int = 0
    best: int | None = None
    stale: int = 0  # generations since its lowest cost became lower
    waited: int = 0  # generations since its last globally new solution or elite death
    solutions: int = 0
    fruitful: int = 0  # the generation that ended with its last globally new solution
    immigrants: int = 0
    elite_deaths: int = 0
    seconds: float = 0.0

    def take(self, report: Report, new: int) -> bool:
        """Note a report with so many globally new solutions; whether the island has done better than before."""
        improved = new > 0 or (report.best is not None and (self.best is None or report.best < self.best))
        self.waited = 0 if new else self.waited + report.generation - self.generation
        self.epoch, self.generation, self.evaluations = report.epoch + 1, report.generation, report.evaluations
        if report.best is not None:
            self.best = report.best if self.best is None else min(report.best, self.best)
        self.stale = report.stale
        self.solutions += new + report.counted
        self.fruitful = report.generation if new else self.fruitful
        self.immigrants += report.immigrants
        self.seconds += report.seconds
        return improved
