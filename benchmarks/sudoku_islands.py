"""Sudoku on several islands: seconds beside CaDiCaL, and what islands gain by telling each other.

The islands are the engine's own, with its coordinator, one after the other in this process; a clock of CPU time plays
that each has a core of its own: an epoch begins when all have ended the last one, the first solution ends the race.
(What Ray adds, starting and messages, is not in it: `islands run sudoku FILE --islands 2 --backend ray` has that.)

  seconds    --islands 2: time of the race, CaDiCaL's CPU time on the same instances
  sharing    --sharing: the same seeds with nothing told, phases, clauses, or both (the immigrants and the letters of an
             epoch are withheld from the islands). Work: million assignments of all islands together. A line for each
             arm against `nothing`, pair by pair: the ratio of the work (geometric mean, 95 % bootstrap interval), how
             many pairs were quicker and slower, and the sign test's probability

Run: python benchmarks/sudoku_islands.py [--islands 2] [--sets 36-47,49-40] [--data DIR] [--count 10] [--seeds 2]
     python benchmarks/sudoku_islands.py --sharing --islands 2,4 --sets 36-45,36-47 --count 15
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from output import Result, machine, parser, publish
from sudoku import COLUMNS, FRONTIER, Outcome, compared, described, instances, measured, rival, told

from islands.clock.coordinator import Coordinator
from islands.kernels.keys import KeySet
from islands.model.island import Island
from islands.model.job import Job
from islands.model.messages import Order
from islands.model.migration import MigrationPlan
from islands.model.stop import Stop
from islands.store.archive import Archive
from problems.sudoku import Sudoku
from problems.sudoku.learn import ASSIGNED

ARMS = ("nothing", "phases", "clauses", "phases and clauses")


def race(
    puzzle: Sudoku, islands: int, seed: int, limit: float, every: int | None = None, arm: str = ""
) -> tuple[Outcome, float]:
    """Until the first solution; with the million assignments of all islands. An arm withholds what it does not name."""
    job = Job(
        puzzle="sudoku",
        parameters={"box": puzzle.box, "givens": puzzle.givens},
        islands=islands,
        seed=seed,
        stop=Stop(solutions=1),
        migration=MigrationPlan(migrate_every=every),
    ).settled()
    coordinator = Coordinator(job, Archive(job.problem, KeySet()))
    homes, clock = _settled(job)
    solved = False
    while not solved and clock < limit:
        ends, found = [], []
        for number, home in enumerate(homes):
            order = coordinator.order(number)
            assert order is not None
            seconds, genome = _epoch(home, _withheld(order, arm) if arm else order, coordinator)
            ends.append(seconds)
            if genome is not None and puzzle.verify(genome):
                found.append(seconds)
        solved = bool(found)
        clock += min(found) if found else max(ends)
    work = sum(int(home.memory["counters"][ASSIGNED]) for home in homes if "counters" in home.memory)
    return (min(clock, limit), solved, clock), work / 1e6


def _race_only(islands: int, limit: float, every: int | None, puzzle: Sudoku, seed: int) -> Outcome:
    return race(puzzle, islands, seed, limit, every)[0]


def _settled(job: Job) -> tuple[list[Island], float]:
    """The islands, and how long the slowest took to be made."""
    homes, longest = [], 0.0
    for spec in job.specs():
        started = time.process_time()
        homes.append(Island(spec))
        longest = max(longest, time.process_time() - started)
    return homes, longest


def _epoch(home: Island, order: Order, coordinator: Coordinator) -> tuple[float, Any]:
    """CPU seconds and, once there is one, the solution; otherwise the coordinator has the report."""
    started = time.process_time()
    steps = home.steps(order)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            seconds = time.process_time() - started
            coordinator.accept(end.value, 0.0)
            return seconds, None
        if not home.costs.min():
            return time.process_time() - started, home.genomes[int(np.argmin(home.costs))]


def _withheld(order: Order, arm: str) -> Order:
    return replace(
        order,
        immigrants=order.immigrants if "phases" in arm else None,
        shared=order.shared if "clauses" in arm else (),
    )


def compared_arms(name: str, islands: int, work: dict[str, list[float]], solved: dict[str, int]) -> Iterator[Any]:
    """One row for each arm, the later ones against the first."""
    base = np.log(work[ARMS[0]])
    for arm in ARMS:
        row = {"set": name, "islands": islands, "told": arm, "solved": f"{solved[arm]} of {len(base)}"}
        row |= {"median M": float(np.median(work[arm])), "mean M": float(np.mean(work[arm]))}
        if arm != ARMS[0]:
            ratios = np.log(work[arm]) - base
            low, high = interval(ratios)
            less, more = int((ratios < -1e-9).sum()), int((ratios > 1e-9).sum())
            row |= {"ratio": math.exp(ratios.mean()), "from": math.exp(low), "to": math.exp(high)}
            row |= {"less": less, "more": more, "p": sign_test(less, more)}
        yield row


def interval(values: Any) -> tuple[float, float]:
    """95 % bootstrap interval of the mean."""
    random = np.random.default_rng(1)
    means = random.choice(values, (10_000, len(values))).mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def sign_test(less: int, more: int) -> float:
    """The probability that a fair coin is at least as one-sided."""
    n, few = less + more, min(less, more)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(few + 1)) / 2**n) if n else 1.0


def sharing(
    name: str, islands: int, puzzles: Sequence[Sudoku], seeds: range, limit: float, every: int | None
) -> list[dict[str, Any]]:
    work: dict[str, list[float]] = {arm: [] for arm in ARMS}
    solved = dict.fromkeys(ARMS, 0)
    for number, puzzle in enumerate(puzzles, 1):
        for seed in seeds:
            for arm in ARMS:
                outcome, effort = race(puzzle, islands, seed, limit, every, arm)
                work[arm].append(effort)
                solved[arm] += outcome[1]
            told(name, f"{islands} islands, M", number, seed, *(f"{work[arm][-1]:.2f}" for arm in ARMS))
    return list(compared_arms(name, islands, work, solved))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--islands", default="2", help="one or several numbers, as 2,4 (default 2)")
    options.add_argument("--sets", default=",".join(FRONTIER), help="size-percent (default %(default)s)")
    options.add_argument("--data", type=Path, metavar="DIR", help="instances; default: generated ones")
    options.add_argument("--count", type=int, default=10, help="instances of each set (default 10)")
    options.add_argument("--seeds", type=int, default=2, help="of our search (default 2)")
    options.add_argument("--limit", type=float, default=60.0, help="seconds of one race or search (default 60)")
    options.add_argument("--every", type=int, help="generations between two meetings (default: the recipe's)")
    options.add_argument("--alone", action="store_true", help="without CaDiCaL")
    options.add_argument("--sharing", action="store_true", help="instead: what islands gain by telling each other")
    given = options.parse_args()
    rows: list[dict[str, Any]] = []
    seeds, numbers = range(1, given.seeds + 1), [int(number) for number in given.islands.split(",")]
    for name in given.sets.split(","):
        puzzles = list(instances(name, given.data, given.count))
        race(puzzles[0], 2, 0, 1.0)  # compiles
        if given.sharing:
            for number in numbers:
                rows += sharing(name, number, puzzles, seeds, given.limit, given.every)
            continue
        table = []
        for number in numbers:
            solver, racing = f"{number} islands", partial(_race_only, number, given.limit, given.every)
            table.append(described(name, solver, measured(name, solver, puzzles, seeds, racing)))
        if not given.alone:
            rivalling = partial(rival, "cadical", given.limit)
            table.append(described(name, "cadical", measured(name, "cadical", puzzles, range(1), rivalling)))
        rows += compared(table)
    if given.sharing:
        columns: tuple[str, ...] = ("set", "islands", "told", "solved", "median M", "mean M", "ratio", "from", "to",
                                    "less", "more", "p")  # fmt: skip
        note = "ratio: work against nothing told, 95 % interval."
        result = Result("Islands that tell each other", columns, rows, note)
    else:
        result = Result("CPU seconds to the first solution, a core each", COLUMNS, rows, "x: how many times the first.")
    publish([result], machine("numba", "numpy", "python-sat"), given.json)


if __name__ == "__main__":
    main()
