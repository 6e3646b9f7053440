"""The figures of docs/tutorial.md and docs/choosing-a-space.md, in a few minutes.

Each puzzle file that a page shows is searched by its first recipe, one island, in one process. Printed: evaluations per
second of CPU time, and the median CPU time until the first solution; a search that found none counts as the longest.
Kernels are compiled before.

Run: nice -n 19 python benchmarks/tutorial.py
"""

from __future__ import annotations

import re
import statistics
import time
from pathlib import Path

from islands.model.island import Island
from islands.model.loading import build
from islands.model.messages import Order
from islands.model.problem import Problem

DOCS = Path(__file__).resolve().parents[1] / "docs"
SEEDS = 10
MOST = 4.0  # CPU seconds of one search

PAGES = {
    "tutorial.md": [("size", 10), ("size", 13), ("size", 15)],
    "choosing-a-space.md": [("pairs", 8), ("pairs", 16), ("pairs", 24)],
}
"""The sizes that are measured."""


def main() -> None:
    for page, sizes in PAGES.items():
        text = (DOCS / page).read_text(encoding="utf-8")
        for name, source in re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            slow = False
            for field, size in sizes:
                if not slow:
                    slow = measured(name, build(name, source, {field: size}), size)


def measured(name: str, problem: Problem, size: int) -> bool:
    """Print a line; whether a larger size would take too long."""
    recipe = next(iter(problem.recipes()))
    Island.alone(problem, recipe, SEEDS).evolve(Order(epoch=0, generations=1, snapshot=False))
    results = [searched(problem, recipe, seed) for seed in range(SEEDS)]
    found = [seconds for seconds, _, solved in results if solved]
    rate = sum(made for _, made, _ in results) / sum(seconds for seconds, _, _ in results)
    middle = statistics.median([*found, *[MOST] * (SEEDS - len(found))])
    print(f"{name} {size}: {rate:,.0f}/s, {len(found)} of {SEEDS} found, median {1000 * middle:,.1f} ms", flush=True)
    return len(found) < SEEDS


def searched(problem: Problem, recipe: str, seed: int) -> tuple[float, int, bool]:
    """CPU seconds, evaluations, and whether there is a solution."""
    island, started, epoch, solved = Island.alone(problem, recipe, seed), time.process_time(), 0, False
    while not solved and time.process_time() - started < MOST:
        solved = len(island.evolve(Order(epoch=epoch, generations=1, snapshot=False)).solutions) > 0
        epoch += 1
    return time.process_time() - started, island.evaluations, solved


if __name__ == "__main__":
    main()
