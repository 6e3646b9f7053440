"""CPU seconds to the first square of each kind, with other numbers and with given cells; beside CP-SAT on some.

Ours: one individual, or all rungs of a ladder, from random permutations to the end of the improve step of `fast` that
solved one, on one core, kernels compiled before; every square is verified. A search that
takes longer than --limit counts as failed.
  pool       the first primes from 3 on, a sixth more than the square has cells: the search chooses
  primes     consecutive primes, the first that sum to a multiple of the order with the right parity
  half given every cell of a square of its own is given with probability 1/2; every seed is another square
CP-SAT: one worker, the usual model with the lines of the kind, no symmetries broken, --cpsat-seeds seeds.

Run: python benchmarks/variants.py [--seeds 20] [--limit 10] [--cpsat-seeds 1] [--cpsat-limit 10] [--json FILE]
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from ortools.sat.python import cp_model
from output import Result, machine, parser, publish

from islands.kernels.rng import Rng
from problems.magic_square import MagicSquare
from problems.magic_square.kinds import PAIRED, directions

PRIMES = [p for p in range(3, 1000) if all(p % q for q in range(2, int(p**0.5) + 1))]
BESIDE = {("pandiagonal", 8), ("associative", 8), ("ultramagic", 7), ("half given", 10), ("primes", 6)}


def search(puzzle: MagicSquare, seed: int, limit: float) -> tuple[float, Any]:
    """(CPU seconds, the square or None)."""
    recipe, rng = puzzle.recipes()["fast"], Rng(seed)
    assert recipe.improve is not None
    memory: dict[str, Any] = {}
    started = time.process_time()
    genomes = puzzle.space().sample(1 if recipe.travel else recipe.population, rng)
    costs = puzzle.costs(genomes)
    while costs.all() and time.process_time() - started < limit:
        recipe.improve(genomes, costs, rng, memory)
    seconds = time.process_time() - started
    best = genomes[np.argmin(costs)]
    assert costs.all() or puzzle.verify(best)
    return seconds, None if costs.all() else best


def consecutive_primes(n: int) -> list[int]:
    for first in range(len(PRIMES)):
        numbers = PRIMES[first : first + n * n]
        if sum(numbers) % n == 0 and (sum(numbers) // n - n) % 2 == 0:
            return numbers
    raise AssertionError


def half_given(n: int, seed: int) -> MagicSquare:
    _, square = search(MagicSquare(size=n), seed, 60)
    kept = np.where(np.random.default_rng(seed).random(n * n) < 0.5, square, 0).reshape(n, n)
    return MagicSquare(size=n, fixed=[[number or None for number in row] for row in kept.tolist()])


def cases(half: list[int]) -> list[tuple[str, int]]:
    plain = {"magic": (8, 10, 12), "semimagic": (8, 12), "pandiagonal": (5, 7, 8, 9, 11, 12, 16, 32),
             "associative": (5, 8, 12, 16, 32), "ultramagic": (7, 8, 9), "bimagic": (8,)}  # fmt: skip
    listed = [(kind, order) for kind, orders in plain.items() for order in orders]
    return (
        listed
        + [(name, order) for name in ("pool", "primes") for order in (6, 7, 8)]
        + [("half given", order) for order in half]
    )


def puzzle_of(name: str, n: int, seed: int) -> MagicSquare:
    if name == "half given":
        return half_given(n, seed)
    if name == "pool":
        return MagicSquare(size=n, numbers=PRIMES[: n * n + n * n // 6])
    if name == "primes":
        return MagicSquare(size=n, numbers=consecutive_primes(n))
    return MagicSquare(kind=name, size=n)


def cp_sat(puzzle: MagicSquare, seed: int, limit: float) -> float | None:
    """Seconds of CP-SAT to a first square; None when it found none."""
    n, model = puzzle.size, cp_model.CpModel()
    domain = cp_model.Domain.from_values(puzzle.pool.tolist())
    cells = [model.new_int_var_from_domain(domain, str(cell)) for cell in range(n * n)]
    model.add_all_different(cells)
    for family in directions(puzzle.kind, n):
        for line in family:
            model.add(sum(cells[cell] for cell in line) == puzzle.magic)
    if puzzle.kind in PAIRED:
        for cell in range(n * n // 2 + n % 2):
            model.add(cells[cell] + cells[n * n - 1 - cell] == 2 * puzzle.magic // n)
    for cell, number in puzzle.fixed_cells.items():
        model.add(cells[cell] == number)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, seed
    solver.parameters.max_time_in_seconds = limit
    started = time.process_time()
    status = solver.solve(model)
    return time.process_time() - started if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=20, help="of ours (default 20)")
    options.add_argument("--limit", type=float, default=10.0, help="CPU seconds for each search of ours (default 10)")
    options.add_argument("--half", default="10,12,14,16", help="orders with half the cells given")
    options.add_argument("--cpsat-seeds", type=int, default=1, help="of CP-SAT (default 1)")
    options.add_argument("--cpsat-limit", type=float, default=10.0, help="wall seconds for each (default 10)")
    given = options.parse_args()
    rows = []
    search(half_given(10, 8), 8, 60)  # the walk alone does not solve this one: the completion is compiled
    for name, n in cases([int(order) for order in given.half.split(",")]):
        search(puzzle_of(name, n, 0), 0, 0.1)  # compiles
        ours = [search(puzzle_of(name, n, seed), seed, given.limit) for seed in range(1, given.seeds + 1)]
        seconds = [spent for spent, _ in ours]
        seeds = range(1, given.cpsat_seeds + 1) if (name, n) in BESIDE else ()
        theirs = [cp_sat(puzzle_of(name, n, seed), seed, given.cpsat_limit) for seed in seeds]
        rows.append({
            "case": name, "order": n, "median": statistics.median(seconds), "worst": max(seconds),
            "failed": f"{sum(square is None for _, square in ours)} of {len(ours)}",
            "CP-SAT": ", ".join(f"> {given.cpsat_limit:g}" if s is None else f"{s:.3g}" for s in theirs),
            "seconds": seconds,
        })  # fmt: skip
    title = f"CPU seconds to the first square, {given.seeds} seeds, one core"
    columns = ("case", "order", "median", "worst", "failed", "CP-SAT")
    publish([Result(title, columns, rows)], machine("ortools", "numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
