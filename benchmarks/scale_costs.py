"""What messages cost: real runs with 2 to 64 islands on this machine, by who spends the CPU time.

    python benchmarks/scale_costs.py --runs classic:2 classic:8 classic:32 classic:64 many:2:0 many:2:2 many:8:4
    python benchmarks/scale_costs.py --fit costs.jsonl
    python benchmarks/scale_costs.py --check others.jsonl

Each run is PUZZLE:ISLANDS[:SHARDS], on a Ray of its own, and gives a line of JSON: reports, solutions and seconds from
the first look to the last one, and CPU seconds by process. `--fit` finds by least squares what a report, a million
solutions, a part, an exchange with a collector and a second of waiting cost each of them: the numbers in `scale.py`,
which `--check` compares with other runs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scale import WORKLOADS
from shards import Spent, spent
from sudoku import generated

from cluster.bridge import CROWD, Bridge
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Arrival, Inline, Told
from islands.driver.placement import Elsewhere
from islands.shards.messages import spec_of

WARM, MEASURED = 3, 400  # reports of each island before the first look, and of all of them until the last one
ROLES = ("driver", "bridge", "islands", "shards", "collectors", "raylet")


def jobs() -> dict[str, tuple[str, dict[str, Any]]]:
    """Puzzle and options of what is measured, by name."""
    hard = generated(36, 50, 3)  # which is not solved while it is measured
    return {
        "classic": ("magic-square", {"size": 10, "recipe": "classic", "solutions": 10**6}),
        "many": ("magic-square", {"size": 6, "recipe": "many", "solutions": 10**9}),
        "sudoku": ("sudoku", {"box": hard.box, "givens": hard.givens, "solutions": 10**6}),
    }


class Watched(Bridge):
    """A bridge that counts reports, and looks at who has spent how much."""

    archipelago: Archipelago | None = None
    reports = 0
    measured = MEASURED
    looks: list[tuple[float, int, int, Spent]]  # when, reports, solutions

    def receive(self, timeout: float) -> Arrival | Told | None:
        arrival = super().receive(timeout)
        there = self.archipelago
        if there is None or self.pid is None or not isinstance(arrival, Arrival):
            return arrival
        self.reports += arrival.report is not None
        warm = WARM * len(there.fleet.links)
        if self.reports >= (warm + self.measured if self.looks else warm) and len(self.looks) < 2:
            seen = spent(self.pid)
            if not self.looks:
                seen.by["driver"] = time.process_time()  # without this look, which costs CPU time itself
            self.looks.append((time.monotonic(), self.reports, there.coordinator.found, seen))
            if len(self.looks) == 2:
                there.interrupt()
        return arrival


def measure(name: str, islands: int, shards: int, measured: int) -> dict[str, Any]:
    """One run: what happened between the first look and the last, and the CPU seconds of each role."""
    puzzle, options = jobs()[name]
    job = make_job(puzzle, {**options, "islands": islands, "seed": 1, "shards": shards})
    with tempfile.TemporaryDirectory() as folder:
        run = create(job, folder)
        specs = [spec_of(run.job, number, shards) for number in range(shards)]
        place = Watched(None, run.disk, shards=specs)
        place.looks, place.measured = [], measured
        place.archipelago = Archipelago(run, Inline(), elsewhere=Elsewhere(lambda: place, required=True))
        place.archipelago.conduct()
    (begun, reports, found, before), (ended, more, total, after) = place.looks[0], place.looks[-1]
    by = (after - before).by
    return {
        "run": name, "islands": islands, "shards": shards, "reports": more - reports, "found": total - found,
        "seconds": ended - begun, "cpu": {role: by.get(role, 0.0) for role in ROLES},
    }  # fmt: skip


def fitted(lines: list[dict[str, Any]], role: str, names: tuple[str, ...]) -> dict[str, float]:
    """What each of these costs a role, in milliseconds: least squares of relative errors, and none below zero."""

    def column(line: dict[str, Any], name: str) -> float:
        more = {"parts": line["reports"] * line["shards"], "millions": line["found"] / 1e6}
        more["exchanges"] = line["reports"] / line["islands"]  # where all share a collector
        return float({**line, **more}[name])

    spent = np.array([line["cpu"][role] for line in lines])
    table = np.array([[column(line, name) for name in names] for line in lines]) / spent[:, None]
    costs = np.linalg.lstsq(table, np.ones(len(lines)), rcond=None)[0]
    if costs.min() < 0 and len(names) > 1:
        return fitted(lines, role, tuple(name for name, cost in zip(names, costs, strict=True) if cost > 0))
    return {name: round(1e3 * cost, 2) for name, cost in zip(names, costs.tolist(), strict=True)}


def _kind(line: dict[str, Any]) -> tuple[str, bool, bool]:
    """What is fitted together: the puzzle, whether there are shards, whether there are collectors."""
    return line["run"], bool(line["shards"]), line["islands"] >= CROWD


def check(lines: list[dict[str, Any]]) -> None:
    """What the model says that driver and bridge, shards and islands spend, beside what was measured."""
    print("| run | islands | shards | | CPU ms per report | by the model | error |\n|---|---:|---:|---|---:|---:|---:|")
    for line in lines:
        work, islands, shards = WORKLOADS[line["run"]], line["islands"], line["shards"]
        found, waited = line["found"] / line["reports"] / 1e6, line["seconds"] / line["reports"]
        each = work.driver_report + work.bridge_report
        if islands >= CROWD:
            each = work.driver_merged + work.merged + work.exchange / islands
        counts = shards / islands * (work.driver_count + work.bridge_count)
        central = each + counts + work.waiting * waited
        if not shards:
            central += (work.driver_million + work.bridge_million) * found
        says = {"driver, bridge": central, "islands": work.epoch + work.island_shards * bool(shards)}
        if shards:
            together = islands if islands >= CROWD else 1  # parts in one message
            parts = work.shard_part + work.shard_message / together
            says["shards"] = shards * parts + work.shard_million * found
        cpu = {**line["cpu"], "driver, bridge": line["cpu"]["driver"] + line["cpu"]["bridge"]}
        for who, said in says.items():
            real = cpu[who] / line["reports"]
            told = f"{1e3 * real:.2f} | {1e3 * said:.2f} | {said / real - 1:+.0%}"
            print(f"| {line['run']} | {islands} | {shards} | {who} | {told} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", nargs="*", default=[], metavar="PUZZLE:ISLANDS[:SHARDS]")
    parser.add_argument("--reports", type=int, default=MEASURED, help="that are measured, of all islands together")
    parser.add_argument("--fit", type=Path, metavar="FILE", help="the lines of runs that were measured before")
    parser.add_argument("--check", type=Path, metavar="FILE", help="lines of runs to compare the model with")
    given = parser.parse_args()
    for words in given.runs:
        name, islands, *shards = words.split(":")
        print(json.dumps(measure(name, int(islands), int(shards[0]) if shards else 0, given.reports)), flush=True)
    file = given.check or given.fit
    lines = [json.loads(line) for line in file.read_text().splitlines() if line.startswith("{")] if file else []
    if given.check is not None:
        check(lines)
        lines = []
    for name, sharded, collected in sorted({_kind(line) for line in lines}):
        some = [line for line in lines if _kind(line) == (name, sharded, collected)]
        terms = {"driver": ("reports", "seconds"), "bridge": ("reports", "seconds"), "islands": ("reports",)}
        terms["shards"] = ("millions", "parts")
        if collected:
            terms |= {"bridge": ("exchanges", "seconds"), "collectors": ("reports",)}
        if name == "many" and not sharded:
            terms |= {"driver": ("millions",), "bridge": ("millions",)}
        for role, names in terms.items():
            if all(line["cpu"][role] for line in some):
                print(
                    f"{name}, {'shards' if sharded else 'no shards'}, {'' if collected else 'no '}collectors, {role}:",
                    "ms for each of",
                    fitted(some, role, names),
                )


if __name__ == "__main__":
    main()
