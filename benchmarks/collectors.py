"""The CPU time of the driver and the bridge per report of a light island, with many islands on one machine.

    python benchmarks/collectors.py --islands 2 8 32 64

Magic squares of order 10, recipe `classic`, twenty individuals, epochs of one generation: an epoch takes less than a
millisecond, and a report has some 2 kB. Counted between two looks, the first of which comes when every island has
reported several times: neither starts count nor the compilation of kernels.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
from itertools import product
from typing import Any

from shards import spent

from cluster.bridge import Bridge
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline, Told
from islands.driver.placement import Elsewhere

WARM = 20  # reports of every island before the first look
LIGHT = {"size": 10, "recipe": "classic", "population": 20, "elite": 5, "migrate_every": 1, "solutions": 10**9}


class Watched(Bridge):
    """A bridge whose session is looked at twice: after the warm-up, and after `reports` more."""

    warm, reports = 0, 0
    archipelago: Archipelago
    profile: cProfile.Profile | None = None

    def look_twice(self, warm: int, reports: int) -> None:
        self.warm, self.reports, self.taken = warm, reports, 0
        self.looks: list[tuple[int, dict[str, float]]] = []

    def receive(self, timeout: float) -> Arrival | Told | None:
        arrival = super().receive(timeout)
        if not isinstance(arrival, Arrival) or arrival.report is None or self.pid is None:
            return arrival
        self.taken += 1
        if self.taken in (self.warm, self.warm + self.reports):
            if self.profile is not None:
                (self.profile.disable if self.looks else self.profile.enable)()
            self.looks.append((self.taken, spent(self.pid).by))
            if len(self.looks) == 2:
                self.archipelago.interrupt()
        return arrival


def measure(
    islands: int,
    reports: int,
    profile: cProfile.Profile | None = None,
    asked: tuple[str, dict[str, Any]] = ("magic-square", LIGHT),
    warm: int = WARM,
    **options: Any,
) -> dict[str, float]:
    """CPU milliseconds per report of this puzzle with these options, after `warm` reports of every island."""
    puzzle, given = asked
    job = make_job(puzzle, {**given, "islands": islands})
    with tempfile.TemporaryDirectory() as folder:
        run = create(job, folder)
        place = Watched(None, run.disk, **options)
        place.look_twice(warm * islands, reports)
        place.profile = profile
        place.archipelago = Archipelago(run, Inline(), elsewhere=Elsewhere(lambda: place, required=True))
        place.archipelago.conduct()
        (first, begin), (last, end) = place.looks
        return {who: 1000 * (seconds - begin.get(who, 0.0)) / (last - first) for who, seconds in end.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--islands", type=int, nargs="+", default=[2, 8, 32, 64])
    parser.add_argument("--reports", type=int, default=20_000)
    parser.add_argument("--crowd", type=int, nargs="+", default=[1 << 30, 8], help="islands that share a collector")
    parser.add_argument("--profile", action="store_true", help="where the driver's time goes")
    arguments = parser.parse_args()
    names = ("driver", "bridge", "collectors", "islands", "raylet")
    print(f"| islands | collectors | driver + bridge | {' | '.join(names)} |\n|---:|---|{'---:|' * (len(names) + 1)}")
    for islands, crowd in product(arguments.islands, arguments.crowd):
        profile = cProfile.Profile() if arguments.profile else None
        each = measure(islands, arguments.reports, profile, crowd=crowd)
        both = each["driver"] + each["bridge"]
        numbers = " | ".join(f"{each.get(who, 0):.3f}" for who in names)
        print(f"| {islands} | {'yes' if islands >= crowd else 'no'} | {both:.3f} | {numbers} |", flush=True)
        if profile is not None:
            pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
