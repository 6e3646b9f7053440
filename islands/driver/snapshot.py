"""The state of a run under way as one read-only value.

The driver replaces it as a whole, with one assignment: whoever reads it, from whichever thread, sees one moment of the
run, and needs nothing else of the driver.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from islands.clock.coordinator import Coordinator
from islands.model.island_status import IslandStatus
from islands.operators.estimate import Estimate
from islands.operators.space import Genomes


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """One moment of a run."""

    seconds: float  # the run's age: time of search, which is what `seconds` of a stop rule counts
    epoch: int
    kept: int  # solutions in the archive
    counted: int  # solutions that an exhaustive run counted without keeping them
    saved: int  # solutions that a crash would leave
    migrations: int
    lost: int  # how many times an island was lost and restored
    swept: tuple[int, int] | None  # tasks of an exhaustive run that are done, and how many there are
    estimate: Estimate | None
    stopped: str | None  # the reason; None while the run goes on
    where: str  # the islands live: "in this process", "on Ray"
    commit_seconds: float  # that the last commit took
    islands: tuple[IslandStatus, ...]
    behind: tuple[int, ...]  # epochs that the last report of each island is behind the foremost one's
    places: tuple[str, ...]  # host:process of each island that has reported from elsewhere; otherwise empty
    bettered: float | None = None  # the run's age when its lowest cost was met; None: before it was resumed
    newest: Genomes | None = field(default=None, compare=False, repr=False)  # the solution found last, if at hand

    @classmethod
    def of(cls, coordinator: Coordinator, **rest: Any) -> Snapshot:
        """What the coordinator knows, and what the driver adds to it."""
        return cls(
            epoch=coordinator.epoch,
            kept=len(coordinator.archive),
            counted=coordinator.counted,
            migrations=coordinator.migrations,
            lost=coordinator.lost,
            swept=coordinator.swept,
            estimate=coordinator.estimate(),
            stopped=coordinator.stopped,
            islands=tuple(coordinator.status),
            bettered=coordinator.bettered,
            newest=coordinator.archive.newest,
            **rest,
        )

    @property
    def found(self) -> int:
        """Solutions in the archive and those that were only counted."""
        return self.kept + self.counted

    @property
    def best(self) -> int | None:
        """The lowest cost that any island has had."""
        return min((island.best for island in self.islands if island.best is not None), default=None)

    @property
    def evaluations(self) -> int:
        return sum(island.evaluations for island in self.islands)

    @property
    def elite_deaths(self) -> int:
        return sum(island.elite_deaths for island in self.islands)

    @property
    def generation(self) -> int:
        """How many generations every island has lived at least."""
        return min(island.generation for island in self.islands)

    def json(self) -> dict[str, Any]:
        """All of it but the newest genome, which may have millions of numbers: the run directory has it."""
        apart = ("newest", "places", "behind", "islands", "bettered")
        data = {name: value for name, value in vars(self).items() if name not in apart}
        data["found"] = self.found
        data["swept"] = None if self.swept is None else list(self.swept)
        data["estimate"] = None if self.estimate is None else self.estimate.json()
        data["islands"] = [
            {"island": number, **asdict(island), "place": place, "behind": behind}
            for number, (island, place, behind) in enumerate(zip(self.islands, self.places, self.behind, strict=True))
        ]
        return data
