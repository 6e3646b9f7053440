"""Collecting all 288 grids of a four-letter word by evolution, and the first grid of longer words.

Whole runs on one island in this process, without Ray, as `islands run letter-grid --word LOVE --solutions 288` makes
them, with their run directory and the verifier. CPU time, kernels compiled before. A run ends with 288 grids or after
`--evaluations`; `found` is the median of the seeds, `all` how many of them found all. The rows of classic say what
collecting needs: the seed document's algorithm as it is, then without duplicates, with elite death, and with both, at
its own population and at a larger one with a larger elite.

Then the first grid of a word with a target, recipe fast; `any` and others as in `--target`.

Run: python benchmarks/letter_grid.py [--seeds 10] [--evaluations 300000] [--rows 1,9] [--json FILE]
"""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any

from output import Result, machine, parser, publish, tell

from islands import solve

GRIDS = 288
LARGE = {"population": 5000, "elite": 2500}
DISTINCT, MORTAL = {"duplicates": False}, {"elite_death": 20}
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("fast", {"recipe": "fast"}),
    ("classic, population 100, elite 4", {}),
    ("... without duplicates", DISTINCT),
    ("... with elite death", MORTAL),
    ("... with both", {**DISTINCT, **MORTAL}),
    ("classic, population 5,000, elite 2,500", LARGE),
    ("... without duplicates", {**LARGE, **DISTINCT}),
    ("... with elite death", {**LARGE, **MORTAL}),
    ("... with both", {**LARGE, **DISTINCT, **MORTAL}),
]
FIRST: list[tuple[str, dict[str, Any]]] = [
    ("DUMBWAITE", {}),
    ("DUMBWAITE", {"target": "row", "line": 5}),
    ("DUMBWAITE", {"target": "diagonal", "line": 1}),
    ("DUMBWAITE", {"target": "any", "reversed": True}),
    ("ABCDEFGHIJKLMNOP", {"target": "diagonal", "line": 1}),
    ("ABCDEFGHIJKLMNOPQRSTUVWXY", {"target": "diagonal", "line": 1}),
]


def live(**options: Any) -> tuple[int, float]:
    """How many grids a run found, each verified once more, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        run = solve("letter-grid", out=folder, backend="inline", islands=1, **options)
        seconds = time.process_time() - started
        assert all(run.job.problem.verify(one.genome) for one in run)
        return len(run), seconds


def collect(name: str, numbers: dict[str, Any], seeds: int, evaluations: int) -> dict[str, Any]:
    recipe = {"recipe": "classic", "generations": evaluations // numbers.get("population", 100), **numbers}
    lives = [live(solutions=GRIDS, seed=seed, **recipe) for seed in range(1, seeds + 1)]
    complete = [seconds for found, seconds in lives if found == GRIDS]
    row = {
        "recipe": name,
        "found": int(statistics.median(found for found, _ in lives)),
        "least": min(found for found, _ in lives),
        "all": f"{len(complete)} of {seeds}",
        "CPU s": statistics.median(complete) if complete else None,
        "longest": max(complete, default=None),
    }
    tell(row)
    return row


def first(word: str, options: dict[str, Any], seeds: int) -> dict[str, Any]:
    lives = [live(word=word, seed=seed, **options) for seed in range(1, seeds + 1)]
    times = [seconds for _, seconds in lives]
    target = " ".join(str(value) if name != "reversed" else "reversed" for name, value in options.items())
    size = f"{len(word)}x{len(word)}"
    row = {"grid": f"{size} {target or 'no target'}", "found": f"{sum(found for found, _ in lives)} of {seeds}",
           "CPU s": statistics.median(times), "longest": max(times)}  # fmt: skip
    tell(row)
    return row


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=10, help="runs of each row (10)")
    arguments.add_argument("--evaluations", type=int, default=300_000, help="of each run of classic (300,000)")
    arguments.add_argument("--rows", help="only these of the first table, from 1: 1,9")
    given = arguments.parse_args()
    on = machine("numba", "numpy")
    for word, recipe in (("LOVE", "fast"), ("LOVE", "classic"), ("ABCDEFGHIJKLMNOPQRSTUVWXY", "fast")):
        live(word=word, recipe=recipe, duplicates=recipe == "fast")  # compiles
    rows = [ROWS[int(number) - 1] for number in given.rows.split(",")] if given.rows else ROWS
    collecting = [collect(name, numbers, given.seeds, given.evaluations) for name, numbers in rows]
    single = [first(word, options, given.seeds) for word, options in FIRST] if not given.rows else []
    publish(
        [
            Result("All 288 grids of LOVE", ("recipe", "found", "least", "all", "CPU s", "longest"), collecting),
            Result("The first grid", ("grid", "found", "CPU s", "longest"), single),
        ],
        on,
        given.json,
    )


if __name__ == "__main__":
    main()
