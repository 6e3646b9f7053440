"""Changes of the search with declared rules beside the search as it is, and beside that search with other seeds.

One island, evaluations until the first solution, cut off at the budget of the section of own.py. Every arm is a process
with a kernel cache of its own, in which constants or kernels were replaced before they are compiled. The arm "other
seeds" is the null: the unchanged search, from which a change must differ by more to mean anything. The ratio is that
of geometric means, to the search as it is, with a 95% bootstrap interval; instances are the same in all arms.

Run: nice -n 19 python benchmarks/own_variants.py [rules hard held-out second] [--seeds 20] [--only TEXT,...]
     [--change islands.rules.focus:GREED=0.2,...] [--json FILE]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import own
import own_puzzles
from output import Result, machine, parser, publish, tell

from islands.kernels.jit import kernel
from islands.rules.kernels import _any_cell

HERE = Path(__file__).resolve().parents[1]
OTHER = 1000  # added to the seeds of the null

ARMS: dict[str, tuple[str, ...]] = {
    "as it is": (),
    "other seeds": (),
    "no exchanges": ("islands.rules.focus:EXCHANGED=0.0",),
    "any cell of a sum": ("islands.rules.kernels:_helpful=any_cell",),
}
"""What is replaced: module:NAME=value, or the name of a kernel below."""

SECTIONS: dict[str, Callable[[], list[own.Puzzle]]] = {
    "rules": own.rules,
    "hard": own.hard,
    "held-out": lambda: [puzzle for puzzle in own.held_out_rules() if puzzle.budget == own.RULES],
    "second": own.second_rules,
}


@kernel
def any_cell(genome: Any, t: int, too_high: bool, flat: Any, state: Any) -> Any:
    """In place of a cell that can help: any cell of the term."""
    return _any_cell(t, flat, state)


def replace(change: str) -> None:
    """Make a change, before anything is compiled."""
    place, _, value = change.partition("=")
    module, _, name = place.partition(":")
    new = globals()[value] if value in globals() else type(getattr(import_module(module), name))(json.loads(value))
    setattr(import_module(module), name, new)


def live(sections: Sequence[str], only: str, seeds: range) -> Iterator[list[Any]]:
    """A row for each run: puzzle, evaluations, solved, CPU seconds."""
    for puzzle in (puzzle for section in sections for puzzle in SECTIONS[section]()):
        if any(text in puzzle.name for text in only.split(",")):
            for seed in seeds:
                made = own.ours(puzzle.budget)(puzzle.of(seed % OTHER), seed)
                assert made is not None
                yield [puzzle.name, made.evaluations, made.cost == 0, made.seconds]


def arm(name: str, changes: Sequence[str], given: Any, cache: str) -> dict[str, list[Any]]:
    """All runs of an arm, by puzzle, in a process of its own."""
    first = 1 + (OTHER if name == "other seeds" else 0)
    told = json.dumps([given.sections, given.only, first, given.seeds, list(changes)])
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(HERE)}
    done = subprocess.run(
        [sys.executable, __file__, "--arm", told], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    runs: dict[str, list[Any]] = {}
    for line in done.stdout.splitlines():
        puzzle, *rest = json.loads(line)
        runs.setdefault(puzzle, []).append(rest)
    return runs


def compared(name: str, runs: dict[str, list[Any]], base: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(1)
    for puzzle, mine in runs.items():
        logs = [np.log([max(1, evaluations) for evaluations, _, _ in them]) for them in (mine, base[puzzle])]
        means = [random.choice(one, (10_000, len(one))).mean(axis=1) for one in logs]
        low, high = np.exp(np.quantile(means[0] - means[1], (0.025, 0.975)))
        yield {
            "puzzle": puzzle,
            "arm": name,
            "solved": f"{sum(solved for _, solved, _ in mine)} of {len(mine)}",
            "evaluations": round(float(np.exp(logs[0].mean()))),
            "ratio": float(np.exp(logs[0].mean() - logs[1].mean())),
            "from": float(low),
            "to": float(high),
            "median ms": float(1000 * np.median([seconds for _, _, seconds in mine])),
        }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("sections", nargs="*", default=list(SECTIONS), help=f"of {', '.join(SECTIONS)} (default: all)")
    options.add_argument("--seeds", type=int, default=20, help="of every arm (default 20)")
    options.add_argument("--only", default="", metavar="TEXT,...", help="puzzles whose names contain one of these")
    options.add_argument("--change", action="append", default=[], metavar="MODULE:NAME=VALUE,...", help="another arm")
    options.add_argument("--arm", help=None)
    given = options.parse_args()
    if given.arm:
        sections, only, first, seeds, changes = json.loads(given.arm)
        for change in changes:
            replace(change)
        own.ours(1000)(own_puzzles.Langford(pairs=4), 1)  # compiles
        for run in live(sections, only, range(first, first + seeds)):
            print(json.dumps(run), flush=True)
        return
    arms: dict[str, Sequence[str]] = dict(ARMS)
    if given.change:
        arms = {"as it is": (), "other seeds": (), **{one: one.split(",") for one in given.change}}
    rows: list[dict[str, Any]] = []
    base: dict[str, list[Any]] = {}
    for name, changes in arms.items():
        with tempfile.TemporaryDirectory() as cache:
            runs = arm(name, changes, given, cache)
        base = base or runs
        for row in compared(name, runs, base):
            rows.append(row)
            tell(row)
    rows.sort(key=lambda row: [*base].index(row["puzzle"]))
    columns = ("puzzle", "arm", "solved", "evaluations", "ratio", "from", "to", "median ms")
    publish([Result("Changes of the search", columns, rows)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
