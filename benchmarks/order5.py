"""Every magic square of order 5, counted: whole runs of `--exhaustive`, inline on one island and on Ray on two.

Each is a process of its own, from the command line to the last line, Ray's start included; kernels are compiled before.
  wall     seconds from start to end
  CPU      seconds of the process; only inline, Ray's workers are nobody's children
  in tasks seconds that the islands spent in their tasks, added up; by the clock, so that a busy machine makes them more
A run whose last line is not "275,305,224 of 275,305,224: complete" fails the benchmark.

Run: python benchmarks/order5.py [--only inline|ray] [--json FILE]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from output import Result, machine, parser, publish

from islands.store.run import Run
from problems.magic_square import enumeration

WANTED = "275,305,224 of 275,305,224: complete"
ROOT = Path(__file__).resolve().parent.parent


def measure(backend: str, islands: int) -> dict[str, Any]:
    """One whole run."""
    with tempfile.TemporaryDirectory() as out:
        words = f"run magic-square --size 5 --exhaustive --backend {backend} --islands {islands} --name all --out {out}"
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "cli", *words.split()], capture_output=True, text=True, cwd=ROOT, check=False
        )
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode or WANTED not in done.stderr.splitlines():
            raise SystemExit(f"{backend}: exit code {done.returncode}\n{done.stderr}")
        counters = Run.open("all", out).manifest().counters
    spent = sum(status.seconds for status in counters.status) if counters else 0.0
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if backend == "inline" else None
    speed = round(275_305_224 / wall)
    return {"backend": backend, "islands": islands, "wall": wall, "CPU": cpu, "in tasks": spent, "squares/s": speed}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--only", choices=("inline", "ray"), help="one of the two runs")
    given = options.parse_args()
    enumeration.squares(0)  # compiles
    runs = [(backend, islands) for backend, islands in (("inline", 1), ("ray", 2)) if given.only in (None, backend)]
    rows = [measure(backend, islands) for backend, islands in runs]
    columns = ("backend", "islands", "wall", "CPU", "in tasks", "squares/s")
    publish([Result("All 275,305,224 squares of order 5", columns, rows)], machine("numba", "numpy", "ray"), given.json)


if __name__ == "__main__":
    main()
