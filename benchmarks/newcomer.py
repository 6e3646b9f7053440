"""What a newcomer waits for the first answers, each in a fresh process, in CPU seconds and by the clock.

  help         islands --help, to its end
  first run    of each puzzle, with an empty cache of compiled kernels, to the first line of the result
  second run   the same again, with the cache that the first run has left, to the first line and to the end

The commands are `python -m cli ...` in an empty directory, with NUMBA_CACHE_DIR in a temporary one: a first run really
is one. The bytecode of the packages is there, as after any installation by pip.

Run: python benchmarks/newcomer.py [--repeats 3] [--json FILE]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil
from output import Result, machine, parser, publish

HERE = Path(__file__).resolve().parents[1]
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
COMMANDS = {
    "magic square, order 6": "run magic-square --size 6",
    "magic square, order 4, classic": "run magic-square --size 4 --recipe classic",
    "sudoku, 9x9": f"run sudoku {EASY}",
    "sudoku, 25x25": f"run sudoku {HERE}/problems/sudoku/data/25x25.txt",
    "letter grid": "run letter-grid --word LOVE",
    "mastermind": "run mastermind --history 1122:0,2",
    "crossword": f"run crossword {HERE}/examples/words.txt --generations 1",
    "queens, a file of one's own": f"run {HERE}/examples/queens.py",
}


class Waited(NamedTuple):
    """Seconds to the first line on stdout and to the end."""

    line: float  # of CPU
    clock: float  # by the clock, to the first line
    end: float  # of CPU


def wait(words: str, directory: Path, cache: Path) -> Waited:
    """How long a command takes."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "cli", *words.split()]
    started, before = time.perf_counter(), _of_children()
    with subprocess.Popen(
        command, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        clock = time.perf_counter() - started
        try:
            cpu = psutil.Process(running.pid).cpu_times()
            line = cpu.user + cpu.system
        except psutil.NoSuchProcess:
            line = 0.0
        _, errors = running.communicate()
    if not first:
        raise RuntimeError(f"{words} printed nothing: {errors.decode()}")
    end = _of_children() - before
    return Waited(min(line, end) or end, clock, end)


def _of_children() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--repeats", type=int, default=3, help="of each command (default 3)")
    given = options.parse_args()
    rows = []
    for name, words in {"help": "--help", **COMMANDS}.items():
        first, second = [], []
        for _ in range(given.repeats):
            with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as cache:
                first.append(wait(words, Path(directory), Path(cache)))
                second.append(wait(words, Path(directory), Path(cache)))
        rows.append(
            {
                "command": name,
                "first run, CPU s": None if name == "help" else statistics.median(waited.line for waited in first),
                "by the clock": None if name == "help" else statistics.median(waited.clock for waited in first),
                "second run, CPU s": statistics.median(waited.line for waited in second),
                "to its end": statistics.median(waited.end for waited in second),
            }
        )
    columns = ("command", "first run, CPU s", "by the clock", "second run, CPU s", "to its end")
    note = "Medians, to the first line of the result. Targets: first runs 6 s, second run of order 6 to its end 0.9."
    result = Result("What a newcomer waits", columns, rows, note)
    publish([result], machine("numba", "numpy", "pyarrow", "pydantic", "typer"), given.json)


if __name__ == "__main__":
    main()
