"""What it costs a run to record what its islands did, in CPU time: the same job with and without, in turn.

Without: no vitals but the lowest and the average cost, no ancestry, no migrations told, no event log. The solutions are
compared: they are the same. A ratio is the geometric mean of all pairs, with the 95% interval of Student's t.

Run: nice -n 10 python benchmarks/recording.py [--pairs 20] [--json FILE]
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from output import Result, machine, parser, publish, tell

from islands import Run, solve
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


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--pairs", type=int, default=20)
    given = arguments.parse_args()
    rows = [measured(name, job, given.pairs) for name, job in JOBS.items()]
    columns = ("job", "CPU s", "lines", "ratio", "low", "high", "same solutions")
    publish([Result("CPU time with recording, divided by that without", columns, rows)], machine("numba"), given.json)


def measured(name: str, job: dict[str, Any], pairs: int) -> dict[str, Any]:
    """Pairs of runs, the first one in turn; one pair before them compiles."""
    logs: list[float] = []
    same, spent, lines = True, 0.0, 0
    for pair in range(pairs + 1):
        times: dict[bool, float] = {}
        found: dict[bool, list[str]] = {}
        for recorded in (True, False) if pair % 2 else (False, True):
            with tempfile.TemporaryDirectory() as out, ExitStack() as stack:
                if not recorded:
                    stack.enter_context(unrecorded())
                begun = time.process_time()
                run = solve(**job, out=out, backend="inline")
                times[recorded] = time.process_time() - begun
                found[recorded] = ids(run)
                lines = len(run.events()) or lines
        same = same and found[True] == found[False]
        if pair:
            logs.append(math.log(times[True] / times[False]))
            spent += times[True]
    middle, low, high = (round(math.exp(value), 4) for value in interval(logs))
    row = {"job": name, "CPU s": round(spent / pairs, 2), "lines": lines, "ratio": middle, "low": low, "high": high,
           "same solutions": same}  # fmt: skip
    tell(row)
    return row


def ids(run: Run) -> list[str]:
    return [solution.id for solution in run]


@contextmanager
def unrecorded() -> Iterator[None]:
    """Runs that keep nothing of what their islands did but the two costs that the end of a run is about."""
    settled, kin = migration.Settled, ancestry.Kin.__init__

    def alone(self: ancestry.Kin, number: int, *, kept: bool) -> None:
        kin(self, number, kept=False)

    def costs_only(_: Any, costs: Any) -> dict[str, Any]:
        return {"best": int(costs.min()), "average": float(costs.mean())}

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
