"""Large magic squares from random permutations: seconds of the repair, and of the whole command.

  repair     CPU time of the improve step of recipe fast on one random permutation, which is drawn before; kernels
             are compiled before; every square is verified afterwards
  first      how many permutations became a square without a second one
  command    wall time of `islands run magic-square --size N` in a fresh process, kernels cached

Adaptive Search's figures are those its authors published for their C code on a machine of their own: they give the
order of magnitude of the ratio, no more. No construction is compared: if any square will do, one is faster.

Run: python benchmarks/big_squares.py [--seeds 20] [--repeats 3] [--orders 20,50,...] [--json FILE]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from output import Result, machine, parser, publish

from islands.kernels.rng import Rng
from problems.magic_square import MagicSquare

ADAPTIVE_SEARCH = {50: 0.5, 100: 3.5, 200: 24.0}  # seconds, published
COMMANDS = (100, 1000, 4000)
ROOT = Path(__file__).resolve().parents[1]


def repair(order: int, seed: int) -> tuple[float, int]:
    """(seconds, permutations tried) for one square."""
    puzzle, rng = MagicSquare(size=order), Rng(seed, order)
    improve = puzzle.recipes()["fast"].improve
    assert improve is not None
    genomes = puzzle.space().sample(1, rng)
    costs = puzzle.costs(genomes)
    started = time.process_time()
    attempts = improve(genomes, costs, rng, {})
    seconds = time.process_time() - started
    assert puzzle.verify(genomes[0])
    return seconds, attempts


def describe(order: int, measured: list[tuple[float, int]]) -> dict[str, Any]:
    """One line of the table."""
    seconds = [pair[0] for pair in measured]
    published, median = ADAPTIVE_SEARCH.get(order), statistics.median(seconds)
    return {
        "order": order,
        "seeds": len(measured),
        "median s": median,
        "max s": max(seconds),
        "first": f"{sum(pair[1] == 1 for pair in measured)} of {len(measured)}",
        "Adaptive Search s": published,
        "ratio": published / median if published else None,
        "seconds": seconds,
    }


def command(order: int) -> float:
    """Wall seconds of the whole command."""
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        words = [sys.executable, "-m", "cli", "run", "magic-square", "--size", str(order)]
        started = time.perf_counter()
        subprocess.run(words, cwd=directory, env=environment, check=True, capture_output=True)
        return time.perf_counter() - started


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seeds", type=int, default=20, help="of each order (default 20; a quarter from 2000 on)")
    options.add_argument("--repeats", type=int, default=3, help="of each command (default 3)")
    options.add_argument("--orders", default="20,50,100,200,500,1000,2000,4000", help="(default %(default)s)")
    given = options.parse_args()
    repair(20, 0)  # compiles
    rows = []
    for order in (int(word) for word in given.orders.split(",")):
        seeds = given.seeds if order < 2000 else max(1, given.seeds // 4)
        rows.append(describe(order, [repair(order, seed) for seed in range(1, seeds + 1)]))
    columns = ("order", "seeds", "median s", "max s", "first", "Adaptive Search s", "ratio")
    note = "Adaptive Search: published, C, another machine."
    results = [Result("CPU seconds of the repair, one core", columns, rows, note)]
    whole = []
    for order in COMMANDS if given.repeats else ():
        command(order)  # fills the caches
        seconds = [command(order) for _ in range(given.repeats)]
        whole.append({"order": order, "median s": statistics.median(seconds), "longest s": max(seconds)})
    results.append(Result("Wall seconds of `islands run magic-square`", ("order", "median s", "longest s"), whole))
    publish(results, machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
