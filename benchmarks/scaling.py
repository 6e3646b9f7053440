"""What a second Ray island adds, and what an epoch costs beside the work in it.

Whole runs through the real system (Archipelago, Bridge, RayActors, run directory), stopped by --seconds; nothing
before the first --skip seconds after the first report counts, so that neither Ray's start nor compilation nor short
first epochs do. Wall time: both cores are meant to be busy, so that anything else that runs on the machine lowers the
efficiency, the more so as Ray's workers yield to others. Only a quiet machine tells.

  efficiency  evaluations per second of two islands on a ring, over twice those of one island; magic square of order 10,
              recipe fast. Runs of one and of two islands by turns; the median of the turns' own ratios
  overhead    wall time per epoch of one island less its own Report.seconds, with an epoch of one generation (some
              milliseconds of work): packing, Ray both ways, the coordinator, migrants, the archive, the event log
  cost        CPU time of the driver and of the bridge per report, two islands, recipe classic, epochs of one
              generation, reports of about 9, 80 and 960 kB; CPU time hardly depends on what else runs

Run: python benchmarks/scaling.py [--rounds 3] [--seconds 10] [--skip 2] [--size 10] [--json FILE]
"""

from __future__ import annotations

import pickle
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import psutil
from output import Result, machine, parser, publish, spread

from cluster.bridge import Bridge
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline, Told
from islands.driver.placement import Elsewhere
from islands.model.messages import Report
from islands.store.disk import Disk

ASKED = 50  # reports between two looks at the bridge's CPU time


class Entry(NamedTuple):
    """A report, when it came, and the CPU seconds that the driver and the bridge had used by then."""

    when: float
    report: Report
    driver: float
    bridge: float


@dataclass
class Diary:
    """When which report came."""

    entries: list[Entry] = field(default_factory=list)

    def steady(self, island: int, skip: float) -> list[Entry]:
        """The island's reports from `skip` seconds after the first of all."""
        begin = self.entries[0].when + skip
        return [entry for entry in self.entries if entry.report.island == island and entry.when >= begin]


class Watched(Bridge):
    """A bridge that keeps a diary."""

    def __init__(self, home: Disk, diary: Diary) -> None:
        super().__init__(address=None, home=home)
        self._diary, self._bridge = diary, 0.0

    def receive(self, timeout: float) -> Arrival | Told | None:
        arrival = super().receive(timeout)
        if isinstance(arrival, Arrival) and arrival.report is not None:
            if len(self._diary.entries) % ASKED == 0:
                spent = psutil.Process(self.pid).cpu_times()
                self._bridge = spent.user + spent.system
            self._diary.entries.append(Entry(time.perf_counter(), arrival.report, time.process_time(), self._bridge))
        return arrival


def run(islands: int, seconds: float, **options: Any) -> Diary:
    """One whole run on Ray that ends so many seconds after its first report."""
    diary = Diary()
    with tempfile.TemporaryDirectory() as out:
        job = make_job("magic-square", {"islands": islands, "backend": "ray", "seconds": 3600.0, **options})
        made = create(job, out)
        place = Elsewhere(lambda: Watched(made.disk, diary), required=True)
        archipelago = Archipelago(made, Inline(), elsewhere=place)

        def listen(_: Any) -> None:
            if diary.entries and time.perf_counter() - diary.entries[0].when >= seconds:
                archipelago.interrupt()

        archipelago.telling.listen = listen
        archipelago.conduct()
    return diary


def rate(diary: Diary, islands: int, skip: float) -> float:
    """Evaluations per wall second of all islands together."""
    total = 0.0
    for island in range(islands):
        entries = diary.steady(island, skip)
        first, last = entries[0], entries[-1]
        total += (last.report.evaluations - first.report.evaluations) / (last.when - first.when)
    return total


def waits(entries: list[Entry]) -> list[float]:
    """Seconds of every epoch that were not the island's own work."""
    return [after.when - before.when - after.report.seconds for before, after in pairwise(entries)]


def cost(seconds: float, skip: float) -> list[dict[str, Any]]:
    """A row for each size of reports."""
    rows = []
    for size, population in ((10, 20), (10, 200), (20, 600)):
        numbers = {"size": size, "population": population, "elite": 5, "migrate_every": 1, "solutions": 10**9}
        diary = run(2, seconds, recipe="classic", **numbers)
        entries = [entry for entry in diary.entries if entry.when >= diary.entries[0].when + skip]
        first, last = entries[::ASKED][0], entries[::ASKED][-1]
        count = entries.index(last)
        driver, bridge = last.driver - first.driver, last.bridge - first.bridge
        rows.append(
            {
                "kB": round(len(pickle.dumps(last.report, protocol=5)) / 1000),
                "reports": count,
                "driver ms": 1000 * driver / count,
                "bridge ms": 1000 * bridge / count,
                "together ms": 1000 * (driver + bridge) / count,
            }
        )
    return rows


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3, help="of one and of two islands, by turns (default 3)")
    options.add_argument("--seconds", type=float, default=10.0, help="of each run (default 10)")
    options.add_argument("--skip", type=float, default=2.0, help="at the beginning that do not count (default 2)")
    options.add_argument("--size", type=int, default=10, help="order of the square (default 10)")
    given = options.parse_args()

    measured: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(given.rounds):
        for islands, rounds in measured.items():
            rounds.append(rate(run(islands, given.seconds, size=given.size), islands, given.skip))
    ratios = [two / (2 * one) for one, two in zip(measured[1], measured[2], strict=True)]
    efficiency = [
        {
            "islands": islands,
            "evaluations/s": statistics.median(rounds),
            "spread": spread(rounds),
            "efficiency": statistics.median(ratios) if islands == 2 else None,
            "best round": max(ratios) if islands == 2 else None,
            "rounds": rounds,
        }
        for islands, rounds in measured.items()
    ]
    overhead = []
    for islands in measured:
        diary = run(islands, given.seconds, size=given.size, migrate_every=1)
        lost = [1000 * wait for island in range(islands) for wait in waits(diary.steady(island, given.skip))]
        overhead.append(
            {
                "islands": islands,
                "epochs": len(lost),
                "median ms": statistics.median(lost),
                "mean ms": statistics.fmean(lost),
                "worst ms": max(lost),
            }
        )
    results = [
        Result(
            f"Two Ray islands against one, order-{given.size} square, recipe fast, wall time",
            ("islands", "evaluations/s", "spread", "efficiency", "best round"),
            efficiency,
            "Target: an efficiency of 0.9.",
        ),
        Result(
            "Overhead of an epoch of one generation",
            ("islands", "epochs", "median ms", "mean ms", "worst ms"),
            overhead,
            "Target: 5 ms. Two islands also wait for each other here, where neither is more than an epoch ahead.",
        ),
        Result(
            "CPU time per report",
            ("kB", "reports", "driver ms", "bridge ms", "together ms"),
            cost(given.seconds, given.skip),
            "Target: 1.3 times the driver's time before there was a bridge.",
        ),
    ]
    publish(results, machine("ray", "numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
