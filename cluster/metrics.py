"""The numbers of a run that Prometheus can read from a Ray cluster, through `ray.util.metrics`.

The driver makes them once a second from its snapshot, the bridge hands them to Ray. Ray puts `ray_` before every name
and `_total` behind that of a count. Without the extra `cluster` (core Ray) the same calls succeed and export nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from islands.driver.snapshot import Snapshot

PREFIX = "puzzle_islands_"
FEW = 64  # islands, up to which each has series of its own


@dataclass(frozen=True)
class Measure:
    """One number: what happened so far is a count, how things stand is not."""

    name: str
    says: str
    count: bool = False
    by_island: bool = False

    @property
    def exported(self) -> str:
        """The name that Prometheus sees."""
        return f"ray_{PREFIX}{self.name}{'_total' if self.count else ''}"


MEASURES = (
    Measure("evaluations", "candidates whose cost was computed, since the driver started", count=True),
    Measure("found", "new distinct solutions, since the driver started", count=True),
    Measure("migrations", "groups of emigrants sent to another island, since the driver started", count=True),
    Measure("elite_deaths", "times that an elite died of age, since the driver started", count=True),
    Measure("restarts", "islands that were lost and replayed, since the driver started", count=True),
    Measure("islands", "islands of the run"),
    Measure("islands_alive", "islands that have answered from the place where they live now"),
    Measure("solutions", "distinct solutions of the run so far, those before a resume included"),
    Measure("solutions_saved", "solutions that a crash of the driver would leave"),
    Measure("epoch", "epochs that every island has completed"),
    Measure("epoch_lag", "epochs that the slowest island is behind the foremost"),
    Measure("commit_seconds", "seconds that the last commit to the run directory took"),
    Measure("best_cost", "the lowest cost that any island has had"),
    Measure("island_epoch_lag", "epochs that this island is behind the foremost", by_island=True),
    Measure("island_best_cost", "the lowest cost that this island has had", by_island=True),
)


class Numbers(NamedTuple):
    """What is told of a run at one moment: by name for the run, and by name for each of a few islands."""

    run: dict[str, float]
    islands: tuple[dict[str, float], ...] = ()


def numbers(now: Snapshot, before: Snapshot) -> Numbers:
    """How a run stands `now`, and what has happened since `before`, which is what was told last."""
    told: dict[str, float] = {
        "evaluations": now.evaluations - before.evaluations,
        "found": now.found - before.found,
        "migrations": now.migrations - before.migrations,
        "elite_deaths": now.elite_deaths - before.elite_deaths,
        "restarts": now.lost - before.lost,
        "islands": len(now.islands),
        "islands_alive": sum(bool(place) for place in now.places),
        "solutions": now.found,
        "solutions_saved": now.saved,
        "epoch": now.epoch,
        "epoch_lag": max(now.behind),
        "commit_seconds": now.commit_seconds,
    }
    if now.best is not None:
        told["best_cost"] = now.best
    if len(now.islands) > FEW:
        return Numbers(told)
    islands = [{"island_epoch_lag": float(behind)} for behind in now.behind]
    for values, status in zip(islands, now.islands, strict=True):
        if status.best is not None:
            values["island_best_cost"] = status.best
    return Numbers(told, tuple(islands))


class Meters:
    """Hands the numbers of one run to Ray, which must have been started or joined. Lives in the bridge."""

    def __init__(self, run: str) -> None:
        from ray.util.metrics import Counter, Gauge

        self._run = run
        self._meters: dict[str, Any] = {}
        for measure in MEASURES:
            keys = ("run", "island") if measure.by_island else ("run",)
            kind = Counter if measure.count else Gauge
            self._meters[measure.name] = kind(PREFIX + measure.name, description=measure.says, tag_keys=keys)
        self._counts = {measure.name for measure in MEASURES if measure.count}

    def take(self, told: Numbers) -> None:
        """Hand these numbers on. Ray sends them every few seconds, from a thread of its own."""
        for name, value in told.run.items():
            if name not in self._counts:
                self._meters[name].set(value, tags={"run": self._run})
            elif value > 0:  # Ray refuses a count that does not grow
                self._meters[name].inc(value, tags={"run": self._run})
        for island, values in enumerate(told.islands):
            for name, value in values.items():
                self._meters[name].set(value, tags={"run": self._run, "island": str(island)})
