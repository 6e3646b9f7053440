"""The CPU time of a run of many solutions on Ray, by who spends it: with the archive in the driver, and in shards.

    python benchmarks/shards.py --solutions 3000000 --shards 0 1 2

Magic squares of order 6, recipe `many`, two islands, on a Ray of its own. Counted from the first report after a warm-up
on, until the last report: neither starts count, nor the compilation of kernels, nor the last commit, in which the
driver itself writes the rows after the last checkpoint.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import psutil

from cluster.bridge import Bridge
from cluster.processes import session
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline, Told
from islands.driver.placement import Elsewhere
from islands.kernels.keys import keys_of
from islands.shards.messages import spec_of
from islands.store.run import Run

WARM = 500_000  # solutions before the first look
LOOK = 3.0  # seconds between two looks, which cost CPU time themselves
WHO = {"ray::I": "islands", "ray::S": "shards", "ray::C": "collectors", "raylet": "raylet", "gcs": "raylet"}
"""How a command line begins, and whose it is."""


@dataclass
class Spent:
    """CPU seconds by who spent them."""

    by: dict[str, float]

    def __sub__(self, other: Spent) -> Spent:
        return Spent({who: seconds - other.by.get(who, 0.0) for who, seconds in self.by.items()})


def spent(leader: int) -> Spent:
    """What the driver and all processes of a bridge's session have spent so far."""
    by: dict[str, float] = {"driver": time.process_time()}
    for process in session(leader):
        with suppress(psutil.Error):
            words = " ".join(process.cmdline())
            name = "bridge" if process.pid == leader else process.name()
            who = next((kind for begin, kind in WHO.items() if words.startswith(begin) or name.startswith(begin)), name)
            times = process.cpu_times()
            by[who] = by.get(who, 0.0) + times.user + times.system
    return Spent(by)


class Watched(Bridge):
    """A bridge whose session is looked at when the first report comes, and before it ends."""

    first: tuple[int, Spent] | None = None  # with the number of solutions
    last: tuple[int, Spent] | None = None
    archipelago: Archipelago | None = None
    looked = 0.0

    def receive(self, timeout: float) -> Arrival | Told | None:
        arrival = super().receive(timeout)
        there, now = self.archipelago, time.monotonic()
        if there is None or self.pid is None or not isinstance(arrival, Arrival) or now - self.looked < LOOK:
            return arrival
        self.looked, found = now, there.coordinator.found
        if found >= WARM and there.coordinator.stopped is None:
            self.last = found, spent(self.pid)
            self.first = self.first or self.last
        return arrival


def digest(run: Run) -> str:
    """Of the ids of all solutions, in their order."""
    total = sha256()
    for part in run.rows():
        total.update(keys_of(part.genome).tobytes())
    return total.hexdigest()[:12]


def measure(solutions: int, shards: int) -> tuple[dict[str, float], str]:
    """CPU milliseconds per million solutions, and the digest of what was found."""
    asked: dict[str, Any] = {"size": 6, "recipe": "many", "islands": 2, "solutions": solutions, "shards": shards}
    job = make_job("magic-square", asked)
    with tempfile.TemporaryDirectory() as folder:
        run = create(job, folder)
        specs = [spec_of(run.job, number, shards) for number in range(shards)]
        place = Watched(None, run.disk, shards=specs)
        place.archipelago = Archipelago(run, Inline(), elsewhere=Elsewhere(lambda: place, required=True))
        place.archipelago.conduct()
        assert place.first is not None
        assert place.last is not None
        (before, begin), (after, end) = place.first, place.last
        return {who: 1e9 * seconds / (after - before) for who, seconds in (end - begin).by.items()}, digest(run)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--solutions", type=int, default=3_000_000)
    parser.add_argument("--shards", type=int, nargs="+", default=[0, 1, 2])
    arguments = parser.parse_args()
    names = ("driver", "bridge", "islands", "shards", "raylet")
    print(f"| shards | driver + bridge | {' | '.join(names)} | ids |\n|---:|{'---:|' * (len(names) + 1)}---|")
    for shards in arguments.shards:
        each, ids = measure(arguments.solutions, shards)
        both = each["driver"] + each["bridge"]
        print(
            f"| {shards} | {both:.0f} | {' | '.join(f'{each.get(who, 0):.0f}' for who in names)} | {ids} |", flush=True
        )


if __name__ == "__main__":
    main()
