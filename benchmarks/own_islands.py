"""Walkers that copy the best of their neighbours beside walkers that do not: puzzles of a user's own, pairs of runs.

Four islands with a walker each, the engine's own with its coordinator, one after the other in this process; the arms
are `--topology ring`, the default, and `--topology none`. A run's length is what all four have evaluated, as if they
walked at the same time, when the first of them finds a solution. Runs are cut off at a limit and then count with it; a
pair in which both are cut off counts as equal. The ratio of the lengths is a geometric mean over the pairs with its
95% bootstrap interval; "shorter" and "longer" are pairs, p is the sign test's.

Migration is so frequent that there are about eight in a usual run (a generation is 20,000 evaluations with rules, 256
with a plain cost). With the recipes' own intervals, 100 and 50 generations, most of these runs end before the first.

Run: nice -n 19 python benchmarks/own_islands.py [PUZZLE ...] [--pairs 100] [--json FILE]
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import own_puzzles as own
from output import Result, machine, parser, publish, tell
from sudoku_islands import interval, sign_test

from islands import Problem
from islands.clock.coordinator import Coordinator
from islands.kernels.keys import KeySet
from islands.model.island import Island
from islands.model.job import Job
from islands.model.messages import Order, Report
from islands.model.migration import MigrationPlan
from islands.model.stop import Stop
from islands.store.archive import Archive

ISLANDS = 4
SAME = 0.001  # of the logarithm of a ratio: immigrants are evaluated even where nobody copies them


class Studied(NamedTuple):
    """A puzzle, the generations between migrations, and the evaluations of all islands at which a run is cut off."""

    problem: Problem
    every: int
    limit: int


PUZZLES = {
    "all-interval 20, one rule": Studied(own.OneRuleInterval(size=20), 2, 40_000_000),
    "Golomb 10": Studied(own.Golomb(marks=10), 2, 40_000_000),
    "knight 8, open, no colours": Studied(own.ColourlessKnight(size=8, open=True), 10, 60_000_000),
    "magic 10": Studied(own.Magic(size=10), 1, 40_000_000),
    "queen8_8, 9 colours": Studied(own.Colouring(board=8, colours=9), 1, 20_000_000),
    "plain all-interval 16": Studied(own.PlainInterval(size=16), 5, 1_000_000),
    "plain partition 40": Studied(own.PlainPartition(size=40), 2, 1_000_000),
    "plain Langford 16": Studied(own.PlainLangford(pairs=16), 5, 1_000_000),
    "Costas 16": Studied(own.Costas(size=16), 4, 40_000_000),
}


class Length(NamedTuple):
    """How long a run was."""

    evaluations: int
    solved: bool
    migrations: int


def run(studied: Studied, seed: int, topology: str) -> Length:
    """Until the first solution or the limit."""
    problem, every, limit = studied
    plan = MigrationPlan(topology=topology, migrate_every=every)
    job = Job(puzzle="own", islands=ISLANDS, recipe="fast", seed=seed, stop=Stop(solutions=1), migration=plan)
    job.__dict__["problem"] = problem
    islands = [Island(replace(spec, parameters={}), problem) for spec in job.specs()]
    coordinator = Coordinator(job, Archive(problem, KeySet()))
    lived = 0  # by one island
    while ISLANDS * lived < limit:
        ends: list[int] = []
        reports: list[Report] = []
        for number, island in enumerate(islands):
            order = coordinator.order(number)
            assert order is not None
            end, report = _epoch(island, order, min(ends, default=limit))
            ends += [end] if report is None else []
            reports += [] if report is None else [report]
        if ends:
            return Length(ISLANDS * (lived + min(ends)), True, coordinator.migrations)
        for report in reports:
            coordinator.accept(report, 0.0)
        lived = min(island.evaluations for island in islands)
    return Length(limit, False, coordinator.migrations)


def _epoch(island: Island, order: Order, least: int) -> tuple[int, Report | None]:
    """Live an epoch: a report, or none and after how many evaluations it was solved, or another island was before."""
    before, steps = island.evaluations, island.steps(order)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return 0, end.value
        if island.lowest == 0 or island.evaluations - before >= least:
            return island.evaluations - before, None


def compared(name: str, studied: Studied, pairs: int) -> dict[str, Any]:
    """A row: copying against none."""
    arms: dict[str, list[Length]] = {"ring": [], "none": []}
    for seed in range(1, pairs + 1):
        for topology, lengths in arms.items():
            lengths.append(run(studied, seed, topology))
    copying, alone = (np.array([length.evaluations for length in lengths]) for lengths in arms.values())
    ratios = np.log(copying) - np.log(alone)
    low, high = interval(ratios)
    shorter, longer = int((ratios < -SAME).sum()), int((ratios > SAME).sum())
    return {
        "puzzle": name,
        "pairs": pairs,
        "every": studied.every,
        "migrations": float(np.median([length.migrations for length in arms["ring"]])),
        "none, M": float(np.median(alone)) / 1e6,
        "copying, M": float(np.median(copying)) / 1e6,
        "cut off": f"{sum(not one.solved for one in arms['ring'])}, {sum(not one.solved for one in arms['none'])}",
        "ratio": math.exp(ratios.mean()),
        "from": math.exp(low),
        "to": math.exp(high),
        "shorter": shorter,
        "longer": longer,
        "p": sign_test(shorter, longer),
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("puzzles", nargs="*", default=list(PUZZLES), help=f"of {', '.join(PUZZLES)} (default: all)")
    options.add_argument("--pairs", type=int, default=100, help="of runs, with the same seed (default 100)")
    given = options.parse_args()
    rows = []
    for name in given.puzzles:
        rows.append(compared(name, PUZZLES[name], given.pairs))
        tell(rows[-1])
    columns = ("puzzle", "pairs", "every", "migrations", "none, M", "copying, M", "cut off", "ratio", "from", "to",
               "shorter", "longer", "p")  # fmt: skip
    note = "Medians in million evaluations of four walkers; migrations of all of them together; cut off: copying, none."
    publish([Result("Copying the best against none", columns, rows, note)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
