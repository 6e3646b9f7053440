"""Seconds to the first magic square of order 4 to 12 on one core: recipe fast beside CP-SAT with one worker.

CPU time of this process, in one run, order by order; kernels are compiled before.
  island   from making the Island to the report that holds a square; epochs double as in a real run (1, 2, 4 ...
           generations), and an epoch ends only with its last generation
  kernel   the part of it that the Metropolis kernel ran, up to the end of the generation that found the square
  CP-SAT   Solve() of the usual model: all numbers different, every line sums to the magic number, and the symmetries
           of the square broken at the corners; one worker, several random seeds, at most --limit wall seconds each

Run: python benchmarks/first_square.py [--seeds 20] [--cpsat-seeds 5] [--limit 60] [--orders 4-12] [--json FILE]
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from typing import Any

from ortools.sat.python import cp_model
from output import Result, machine, parser, publish, quantile

from islands.model.island import Island
from islands.model.messages import Order
from islands.operators.recipe import Improve
from problems.magic_square import MagicSquare


class Stopwatch:
    """An improve step that knows how long it ran until it first solved something."""

    def __init__(self, improve: Improve) -> None:
        self.improve, self.seconds, self.found = improve, 0.0, False

    def __call__(self, genomes: Any, costs: Any, rng: Any, memory: Any) -> int:
        if self.found:
            return self.improve(genomes, costs, rng, memory)
        started = time.process_time()
        evaluations = self.improve(genomes, costs, rng, memory)
        self.seconds += time.process_time() - started
        self.found = bool((costs == 0).any())
        return evaluations


def ours(order: int, seed: int) -> tuple[float, float]:
    """(seconds of the island, seconds of the kernel) to a first square."""
    started = time.process_time()
    island = Island.alone(MagicSquare(size=order), "fast", seed)
    assert island.recipe.improve is not None
    watch = Stopwatch(island.recipe.improve)
    longest = island.recipe.epoch
    island.recipe = dataclasses.replace(island.recipe, improve=watch)
    while True:
        report = island.evolve(Order(epoch=island.epoch, generations=min(longest, 1 << min(island.epoch, 30))))
        if len(report.solutions):
            break
    seconds = time.process_time() - started
    assert island.problem.verify(report.solutions[0])
    return seconds, watch.seconds


def cp_sat(order: int, seed: int, limit: float) -> float | None:
    """Seconds of CP-SAT to a first square; None when it found none."""
    n, magic = order, (order + order**3) // 2
    model = cp_model.CpModel()
    cells = [[model.new_int_var(1, n * n, f"{i},{j}") for j in range(n)] for i in range(n)]
    model.add_all_different(cell for row in cells for cell in row)
    lines = [*cells, *(list(column) for column in zip(*cells, strict=True))]
    lines += [[cells[i][i] for i in range(n)], [cells[i][n - 1 - i] for i in range(n)]]
    for line in lines:
        model.add(sum(line) == magic)
    for corner in (cells[0][-1], cells[-1][0], cells[-1][-1]):
        model.add(cells[0][0] < corner)
    model.add(cells[0][1] < cells[1][0])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.max_time_in_seconds = limit
    started = time.process_time()
    status = solver.solve(model)
    return time.process_time() - started if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None


def describe(order: int, mine: list[tuple[float, float]], theirs: list[float | None], limit: float) -> dict[str, Any]:
    """One line of the table."""
    island, kernel = [pair[0] for pair in mine], [pair[1] for pair in mine]
    solved = [seconds for seconds in theirs if seconds is not None]
    waited = sorted(seconds if seconds is not None else float("inf") for seconds in theirs)
    middle = waited[len(waited) // 2] if waited else None
    return {
        "order": order,
        "kernel median": statistics.median(kernel),
        "island median": statistics.median(island),
        "p95": quantile(island, 0.95),
        "max": max(island),
        "CP-SAT median": f"> {limit:g}" if middle == float("inf") else middle,
        "CP-SAT max": f"> {limit:g}" if len(solved) < len(theirs) else max(solved, default=None),
        "CP-SAT solved": f"{len(solved)} of {len(theirs)}",
        "island seconds": island,
        "kernel seconds": kernel,
        "CP-SAT seconds": theirs,
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=20, help="of ours (default 20)")
    options.add_argument("--cpsat-seeds", type=int, default=5, help="of CP-SAT (default 5)")
    options.add_argument("--limit", type=float, default=60.0, help="wall seconds for each solve of CP-SAT (default 60)")
    options.add_argument("--orders", default="4-12", help="first-last (default 4-12)")
    given = options.parse_args()
    first, last = (int(order) for order in given.orders.split("-"))
    ours(4, 0)  # compiles
    rows = []
    for order in range(first, last + 1):
        mine = [ours(order, seed) for seed in range(1, given.seeds + 1)]
        theirs = [cp_sat(order, seed, given.limit) for seed in range(1, given.cpsat_seeds + 1)]
        rows.append(describe(order, mine, theirs, given.limit))
    columns = ("order", "kernel median", "island median", "p95", "max", "CP-SAT median", "CP-SAT max", "CP-SAT solved")
    title = f"CPU seconds to the first square, {given.seeds} seeds, one core"
    note = "An unsolved run of CP-SAT counts as longer than the limit."
    publish([Result(title, columns, rows, note)], machine("ortools", "numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
