"""What the metrics for operators cost a run on Ray, in CPU time: they are told once a second.

  driver  the numbers of one moment are taken from the snapshot and packed for the bridge
  bridge  they are unpacked and handed to `ray.util.metrics`; what Ray does with them is in threads of its own

Run: nice -n 19 python benchmarks/metrics.py [--times 2000] [--json FILE]
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from output import Result, machine, parser, publish, tell

from cluster import connection, scratch
from cluster.metrics import Meters, numbers
from cluster.wire import pack
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.snapshot import Snapshot

ISLANDS = (2, 16, 64, 256)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--times", type=int, default=2000)
    given = arguments.parse_args()
    folder = scratch.make()
    connection.start(folder / scratch.RAY, 1)
    rows = [measured(islands, given.times) for islands in ISLANDS]
    title = "CPU microseconds per second of a run"
    publish([Result(title, ("islands", "bytes", "driver", "bridge"), rows)], machine("ray"), given.json)
    scratch.remove(folder)


def measured(islands: int, times: int) -> dict[str, float]:
    before, now = moments(islands)
    body, meters = pack(numbers(now, before)), Meters("benchmark")
    row = {
        "islands": islands,
        "bytes": len(body),
        "driver": microseconds(lambda: pack(numbers(now, before)), times),
        "bridge": microseconds(lambda: meters.take(pickle.loads(body)), times),
    }
    tell(row)
    return row


def moments(islands: int) -> tuple[Snapshot, Snapshot]:
    """A run of an order-4 square at its beginning and at its end."""
    with tempfile.TemporaryDirectory() as out:
        job = make_job("magic-square", {"size": 4, "islands": islands, "generations": 3, "backend": "inline"})
        archipelago = Archipelago(create(job, Path(out)), Inline())
        before = archipelago.look()
        archipelago.conduct()
        return before, archipelago.look()


def microseconds(task: Callable[[], object], times: int) -> float:
    started = time.thread_time()
    for _ in range(times):
        task()
    return round(1e6 * (time.thread_time() - started) / times, 1)


if __name__ == "__main__":
    main()
