"""Seconds a newcomer waits for the first answers, each in a fresh process, wall time.

  help         islands --help
  first run    islands run magic-square --size 6, with an empty cache of compiled kernels
  second run   the same again, with the cache the first run has left

The commands are `python -m cli ...` in an empty directory, with NUMBA_CACHE_DIR in a temporary one: a first run really
is one. The bytecode of the packages is there, as after any installation by pip.

Run: python benchmarks/newcomer.py [--repeats 5] [--json FILE]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from output import Result, machine, parser, publish

HELP = ("--help",)
SQUARE = ("run", "magic-square", "--size", "6")
TARGETS = {"help": 0.5, "first run": None, "second run": 2.0}


def wait(words: tuple[str, ...], directory: Path, cache: Path) -> float:
    """The seconds until the command has ended; it must end well."""
    here = str(Path(__file__).resolve().parents[1])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": here}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "cli", *words], cwd=directory, env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - started


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--repeats", type=int, default=5, help="of each command, by turns (default 5)")
    given = options.parse_args()
    waited: dict[str, list[float]] = {name: [] for name in TARGETS}
    for repeat in range(given.repeats + 1):
        with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as cache:
            measured = {
                "help": wait(HELP, Path(directory), Path(cache)),
                "first run": wait(SQUARE, Path(directory), Path(cache)),
                "second run": wait(SQUARE, Path(directory), Path(cache)),
            }
        if repeat:  # the first round only brings everything into the memory of the machine
            for name, seconds in measured.items():
                waited[name].append(seconds)
    rows = [
        {
            "command": name,
            "median s": statistics.median(seconds),
            "longest s": max(seconds),
            "target s": TARGETS[name],
            "repeats": seconds,
        }
        for name, seconds in waited.items()
    ]
    result = Result("What a newcomer waits, wall time", ("command", "median s", "longest s", "target s"), rows)
    publish([result], machine("numba", "numpy", "pyarrow", "pydantic", "typer"), given.json)


if __name__ == "__main__":
    main()
