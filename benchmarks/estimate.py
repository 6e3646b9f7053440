"""How many magic squares are there? Estimates of many seeds against the known numbers of orders 5 and 6, and at order
7 against the best published estimate.

    python benchmarks/estimate.py [SEEDS] [GENERATIONS]

Every seed is an archipelago of its own, as `islands run magic-square --recipe estimate --islands 4` makes it. Printed
are how many of the 95% intervals cover the truth, the relative error, the width of the interval, and CPU seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from math import nan
from typing import Any

import numpy as np

from islands import solve

CLASSES = {5: 275_305_224 / 4, 6: 17_753_889_197_660_635_632 / 24, 7: 3.7982e34 / 24}
"""Squares over M-transforms. OEIS A006052: 5 by Schroeppel, 6 by Mino; 7 is Trump's estimate, (3.7982 +- 0.0004)e34."""
LONGER = {7: 4}  # times the generations: another algorithm, with shorter ones


def estimate(size: int, seed: int, generations: int) -> tuple[float, float, float, float]:
    """(value, low, high, CPU seconds) of one archipelago."""
    with tempfile.TemporaryDirectory() as out:
        started = time.process_time()
        options: dict[str, Any] = {
            "size": size,
            "distinct": "classes",
            "recipe": "estimate",
            "seed": seed,
            "generations": generations,
        }
        run = solve("magic-square", **options, islands=4, backend="inline", out=out)
        told = run.estimate()
        ends = (told.value, told.low, told.high) if told is not None else (nan, nan, nan)  # too short a run
        return *ends, time.process_time() - started


def main() -> None:
    seeds, generations = (int(word) for word in (*sys.argv[1:], "20", "300")[:2])
    print("| order | seeds | intervals that cover | mean / truth | error, median | half width, median | CPU s each |")
    print("|---|---|---|---|---|---|---|")
    for size, truth in CLASSES.items():
        estimate(size, 0, 1)  # compiles
        rows = np.array([estimate(size, seed, generations * LONGER.get(size, 1)) for seed in range(1, seeds + 1)])
        value, low, high, seconds = rows.T
        covered = int(((low <= truth) & (truth <= high)).sum())
        error, width = np.median(np.abs(value / truth - 1)), np.median((high - low) / 2 / truth)
        print(
            f"| {size} | {seeds} | {covered} | {value.mean() / truth:.4f} | {error:.2%} | {width:.2%} "
            f"| {np.median(seconds):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
