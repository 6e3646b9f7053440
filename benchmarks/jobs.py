"""Jobs on a cluster by typed commands: how soon the first solution is saved there, and how fast a run comes home.

A head on loopback with a dashboard and a token, as cluster/deploy/head.sh starts it; commands in processes of their
own. Wall time: head, driver, islands and client share the machine's cores. CPU time and memory are the client's alone.

  submit   from typing the command to its end, and until the first solution of an order-6 square is saved on the cluster
  status   one job
  collect  a run of --megabytes, the whole; once more, when nothing is new

Run: nice -n 19 python benchmarks/jobs.py [--rounds 3] [--megabytes 120] [--json FILE]
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
from output import Result, machine, parser, publish, tell

from islands.store.local_disk import LocalDisk
from islands.store.run import Run

ROOT = Path(__file__).resolve().parents[1]
ROW = 130  # bytes of a solution of order 12 on disk, about


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--megabytes", type=int, default=120)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="islands-jobs-") as folder, head(Path(folder)) as laptop:
        waits = [first_solution(laptop, number) for number in range(given.rounds)]
        home = collected(laptop, given.megabytes * 1_000_000 // ROW, given.rounds)
    columns = ("command", "wall s", "slowest", "CPU s", "MB", "MB/s wall", "MB/s CPU", "peak MB")
    publish([Result("jobs", columns, [*summed(waits), *home])], machine("ray"), given.json)


class Laptop:
    """Types commands for the cluster whose dashboard is at `url`; the cluster's home is `home`."""

    def __init__(self, folder: Path, home: Path, url: str, variables: dict[str, str]) -> None:
        self.folder, self.home, self.variables = folder, home, {**variables, "RAY_ADDRESS": url}

    def islands(self, *words: str) -> tuple[str, float, float]:
        """What a command prints, its wall time and its CPU time."""
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-P", "-m", "cli", *words]
        done = subprocess.run(command, cwd=self.folder, env=self.variables, text=True, capture_output=True, check=True)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def run(self, name: str) -> Path:
        """The directory of a job's run, on the cluster."""
        return self.home / "islands-runs" / "runs" / name

    def await_end(self, name: str) -> None:
        while json.loads(self.islands("status", name, "--json")[0])["state"] in ("pending", "running"):
            time.sleep(1)


def first_solution(laptop: Laptop, number: int) -> dict[str, float]:
    """Submit a job, wait for its first solution, and look at it."""
    began, name = time.perf_counter(), f"first-{number}"
    _, submit, cpu = laptop.islands("submit", "magic-square", "--size", "6", "--solutions", "20", "--name", name)
    manifest = laptop.run(name) / "checkpoint" / "manifest.json"
    while not manifest.exists() or not json.loads(manifest.read_bytes())["total"]:
        time.sleep(0.01)
    saved = time.perf_counter() - began
    laptop.await_end(name)
    _, status, looked = laptop.islands("status", name)
    row = {"submit": submit, "first solution": saved, "status": status, "submit CPU": cpu, "status CPU": looked}
    tell(row)
    return row


def summed(waits: list[dict[str, float]]) -> list[dict[str, Any]]:
    def row(text: str, wall: str, cpu: str | None) -> dict[str, Any]:
        walls = [wait[wall] for wait in waits]
        spent = statistics.median(wait[cpu] for wait in waits) if cpu is not None else None
        return {"command": text, "wall s": statistics.median(walls), "slowest": max(walls), "CPU s": spent}

    return [
        row("submit", "submit", "submit CPU"),
        row("... until the first solution is saved", "first solution", None),
        row("status of one job", "status", "status CPU"),
    ]


def collected(laptop: Laptop, solutions: int, rounds: int) -> list[dict[str, Any]]:
    """A run is found on the cluster and brought home, `rounds` times to a new place; and once more to the last one."""
    words = ("--size", "12", "--recipe", "many", "--solutions", str(solutions), "--name", "large")
    laptop.islands("submit", "magic-square", *words)
    laptop.await_end("large")
    whole = []
    for number in range(rounds):
        out, wall, cpu = laptop.islands("collect", "large", "--json", "-o", f"home-{number}")
        size = json.loads(out)["bytes"] / 1e6
        whole.append({"wall s": wall, "CPU s": cpu, "MB": size})
        tell(whole[-1])
        assert len(Run(LocalDisk(laptop.folder / f"home-{number}"))) == solutions
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    _, wall, cpu = laptop.islands("collect", "large", "--json", "-o", f"home-{rounds - 1}")
    middle = {name: statistics.median(row[name] for row in whole) for name in whole[0]}
    rates = {"MB/s wall": middle["MB"] / middle["wall s"], "MB/s CPU": middle["MB"] / middle["CPU s"]}
    slowest = max(row["wall s"] for row in whole)
    return [
        {"command": "collect", **middle, "slowest": slowest, **rates, "peak MB": peak},
        {"command": "collect again", "wall s": wall, "CPU s": cpu},
    ]


@contextmanager
def head(folder: Path) -> Iterator[Laptop]:
    """A cluster of this machine alone, on loopback."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(4)]
        port, dashboard, client, agent = (probe.getsockname()[1] for probe in probes)
    home, laptop, scratch = folder / "cluster", folder / "laptop", Path(f"/tmp/islands-bench-{port}")
    home.mkdir()
    laptop.mkdir()
    variables = {
        **os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "HOME": str(home), "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "ab" * 32, "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    }  # fmt: skip
    command = [
        sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}", "--num-cpus=2",
        "--node-ip-address=127.0.0.1", "--dashboard-host=127.0.0.1", f"--dashboard-port={dashboard}",
        f"--ray-client-server-port={client}", f"--dashboard-agent-listen-port={agent}", "--min-worker-port=0",
        "--max-worker-port=0", f"--temp-dir={scratch}",
    ]  # fmt: skip
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=home, env=variables, stdout=output, stderr=output)
    try:
        while "Ray runtime started" not in log.read_text():
            time.sleep(0.1)
        yield Laptop(laptop, home, f"http://127.0.0.1:{dashboard}", variables)
    finally:
        for each in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            each.kill()
        process.wait()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
