"""Very many distinct squares: whole commands, from the first word to verified Parquet files, on two Ray islands.

    python benchmarks/many_squares.py                                 # 20 million of each order 5 to 9
    python benchmarks/many_squares.py --orders 6 --squares 100000000  # what a laptop can hold

`wall` is the command's, Ray's start and end included; `steady` the squares per second of the run's own time after its
first report. Memory is the driver's peak: the set of 128-bit keys, and what waits for the next commit. The files are
then opened with pandas, polars and DuckDB, where they are installed, and their rows counted.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from output import Result, machine, parser, publish

from islands import Run


def driver_peak(pid: int) -> int:
    """The most memory a process has had so far, in bytes; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def rows(folder: Path) -> dict[str, int]:
    """How many rows other tools see in a run's files."""
    seen: dict[str, int] = {}
    if find_spec("pandas"):
        pandas = import_module("pandas")
        seen["pandas"] = sum(len(pandas.read_parquet(file, columns=["island"])) for file in folder.glob("*.parquet"))
    if find_spec("polars"):
        polars = import_module("polars")
        seen["polars"] = polars.scan_parquet(folder / "*.parquet").select(polars.len()).collect().item()
    if find_spec("duckdb"):
        query = f"select count(*) from '{folder}/*.parquet' where octet_length(genome) > 0"
        seen["duckdb"] = import_module("duckdb").sql(query).fetchall()[0][0]
    return seen


def collect(order: int, squares: int, extra: list[str]) -> dict[str, Any]:
    """One command; its figures."""
    out = Path(tempfile.mkdtemp(prefix="many-", dir="."))
    options = ["--size", str(order), "--recipe", "many", "--solutions", str(squares), "--islands", "2", *extra]
    command = [
        sys.executable,
        "-m",
        "cli",
        "run",
        "magic-square",
        *options,
        "--backend",
        "ray",
        "--out",
        str(out),
        "-q",
    ]
    try:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, driver_peak(process.pid))
            time.sleep(0.05)
        wall = time.perf_counter() - started
        run = Run.open("last", out)
        events = [event for event in run.events() if event["event"] in ("solutions", "stop")]
        first, last = events[0], events[-1]
        folder = run.path / "solutions"
        size = sum(file.stat().st_size for file in folder.iterdir())
        return {
            "order": order,
            "squares": len(run),
            "wall s": wall,
            "squares/s": len(run) / wall,
            "steady/s": (last["total"] - first["total"]) / (last["seconds"] - first["seconds"]),
            "bytes each on disk": size / len(run),
            "driver GB": peak / 1e9,
            "bytes each in memory": peak / len(run),
            "opened by": ", ".join(tool for tool, count in rows(folder).items() if count == len(run)),
        }
    finally:
        shutil.rmtree(out)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--orders", default="5,6,7,8,9", help="which orders (5,6,7,8,9)")
    options.add_argument("--squares", type=int, default=20_000_000, help="how many of each (20 million)")
    options.add_argument("--memory", help="the limit of the set of keys, such as 500MB")
    given = options.parse_args()
    extra = ["--memory", given.memory] if given.memory else []
    table = [collect(int(order), given.squares, extra) for order in given.orders.split(",")]
    result = Result("Distinct squares modulo 8, verified, in Parquet", tuple(table[0]), table)
    publish([result], machine("ray", "numba", "pyarrow"), given.json)


if __name__ == "__main__":
    main()
