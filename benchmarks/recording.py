"""What it costs a run to record what its islands did, in CPU time: the same job with and without, in turn.

Without: no vitals but the lowest and the average cost, no ancestry, no migrations told, no event log. The solutions are
compared: they are the same. In each round the job runs with, without, and without once more as a control, the first one
in turn. A ratio is the geometric mean of all rounds, with the 95% interval of Student's t; that of the control is one
where there is nothing but noise. "Of the fastest" is the ratio of the quickest runs, which a busy machine disturbed
least.

Run: chrt -i 0 python benchmarks/recording.py [--rounds 60] [--only TEXT] [--json FILE]
"""

from __future__ import annotations

import gc
import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
from output import Result, machine, parser, publish, tell

from islands import solve
from islands.clock.chronicle import Chronicle
from islands.model import ancestry, island, migration
from islands.operators.estimate import interval
from islands.store.writer import Writer

JOBS: dict[str, dict[str, Any]] = {
    "magic square 4, classic, 4 x 1,000 generations": {
        "puzzle": "magic-square", "size": 4, "recipe": "classic", "generations": 1000, "islands": 4,
    },
    "the same, migration every 5 generations": {
        "puzzle": "magic-square", "size": 4, "recipe": "classic", "generations": 1000, "islands": 4, "migrate_every": 5,
    },
    "magic square 4, all 880": {"puzzle": "magic-square", "size": 4, "solutions": "all", "islands": 2},
    "magic square 6, fast, 1,500": {"puzzle": "magic-square", "size": 6, "solutions": 1500, "islands": 4},
    "letter grid, classic": {
        "puzzle": "letter-grid", "recipe": "classic", "generations": 150, "islands": 4, "population": 1000,
    },
}  # fmt: skip


KINDS = ("with", "without", "control")


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--only", default="", help="the jobs with this in their name")
    given = arguments.parse_args()
    rows = [measured(name, job, given.rounds) for name, job in JOBS.items() if given.only in name]
    columns = (
        "job",
        "CPU s",
        "lines",
        "ratio",
        "low",
        "high",
        "control",
        "control low",
        "control high",
        "same solutions",
    )
    publish([Result("CPU time with recording, divided by that without", columns, rows)], machine("numba"), given.json)


def measured(name: str, job: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Rounds of runs; one before them compiles."""
    logs: list[float] = []
    control: list[float] = []
    same, lines = True, 0
    all_times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(rounds + 1):
        times: dict[str, float] = {}
        found: dict[str, list[str]] = {}
        for kind in KINDS[number % 3 :] + KINDS[: number % 3]:
            times[kind], found[kind], told = lived(job, recorded=kind == "with")
            lines = max(lines, told)
        same = same and found["with"] == found["without"]
        if number:
            logs.append(math.log(times["with"] / times["without"]))
            control.append(math.log(times["control"] / times["without"]))
            for kind, several in all_times.items():
                several.append(times[kind])
    middle, low, high = (round(math.exp(value), 4) for value in interval(logs))
    null, null_low, null_high = (round(math.exp(value), 4) for value in interval(control))
    fastest = {kind: min(several) for kind, several in all_times.items()}
    row = {
        "job": name, "CPU s": round(median(all_times["with"]), 3), "lines": lines, "ratio": middle,
        "low": low, "high": high, "control": null, "control low": null_low, "control high": null_high,
        "of the fastest": round(fastest["with"] / fastest["without"], 4), "same solutions": same,
    }  # fmt: skip
    tell(row)
    return row


def lived(job: dict[str, Any], *, recorded: bool) -> tuple[float, list[str], int]:
    """The CPU seconds of one run, the ids of its solutions, and how many lines its log has."""
    with tempfile.TemporaryDirectory() as out, ExitStack() as stack:
        if not recorded:
            stack.enter_context(unrecorded())
        gc.collect()
        begun = time.process_time()
        run = solve(**job, out=out, backend="inline")
        spent = time.process_time() - begun
        return spent, [solution.id for solution in run], len(run.events())


@contextmanager
def unrecorded() -> Iterator[None]:
    """Runs that keep nothing of what their islands did but the two costs that the end of a run is about."""
    settled, kin = migration.Settled, ancestry.Kin.__init__

    def alone(self: ancestry.Kin, number: int, *, kept: bool) -> None:
        kin(self, number, kept=False)

    def costs_only(_: Any, costs: Any) -> dict[str, Any]:
        return {"best": int(costs.min()), "average": float(np.add.reduce(costs, dtype=np.float64)) / len(costs)}

    with (
        patch.object(island, "vitals", costs_only),
        patch.object(ancestry.Kin, "__init__", alone),
        patch.object(settled, "crossings", lambda *_: ()),
        patch.object(Chronicle, "happened", lambda *_: ()),
        patch.object(Chronicle, "state", lambda *_: {}),
        patch.object(Writer, "record", lambda *_: None),
    ):
        yield


if __name__ == "__main__":
    main()
