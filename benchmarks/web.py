"""The live page: how long pages take with 200 runs and with a run of ten million solutions, how much memory the server
has, and what it costs a run to be watched.

    python benchmarks/web.py [--runs 200] [--solutions 10000000]
"""

from __future__ import annotations

import argparse
import http.client
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

from islands import solve
from islands.operators.estimate import interval

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 5


class Server:
    """`islands web` for a folder of runs."""

    def __init__(self, runs: Path) -> None:
        words = ["web", "--no-open", "--port", "0", str(runs)]
        self.process = subprocess.Popen(command(*words), stderr=subprocess.PIPE, text=True, env=environment())
        assert self.process.stderr is not None
        found = re.search(r":(\d+)/\?token", self.process.stderr.readline())
        assert found is not None
        self.port = int(found[1])
        self.known = psutil.Process(self.process.pid)

    def get(self, path: str) -> tuple[float, int]:
        """Seconds and bytes of a page."""
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        size = len(answer.read())
        assert answer.status == 200, path
        connection.close()
        return time.perf_counter() - began, size

    @property
    def megabytes(self) -> float:
        return float(self.known.memory_info().rss / 1e6)

    @property
    def seconds(self) -> float:
        """Of processor time."""
        times = self.known.cpu_times()
        return float(times.user + times.system)

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


def command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "cli", *words]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run(out: Path, name: str, *words: str) -> float:
    """A run to its end; returns its processor time."""
    given = ["run", "magic-square", "--size", "6", "--islands", "1", "--backend", "inline", *words]
    process = subprocess.Popen(
        command(*given, "--out", str(out), "--name", name, "--quiet"), env=environment(), stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


def pages(runs: Path, count: int, solutions: int) -> None:
    """Times of pages, and memory."""
    run(runs, "small", "--solutions", "1000")
    for number in range(1, count):
        shutil.copytree(runs / "small", runs / f"{number:03}-copy")
    spent = run(runs, "large", "--solutions", str(solutions))
    print(f"a run of {solutions:,} solutions: {spent:.1f} s of processor time")
    paths = {
        f"list of {count + 1} runs": "/",
        f"run of {solutions:,}": "/runs/large",
        "its newest picture": f"/runs/large/pictures/{solutions}.svg",
        "its first picture": "/runs/large/pictures/1.svg",
        "puzzles": "/new",
        "form": "/new/magic-square",
    }
    for name, path in paths.items():  # each is the first page that a server is asked for, then asked for again
        first, begun, again, each = list[float](), list[float](), list[float](), list[float]()
        for _ in range(REPEATS):
            server = Server(runs)
            rest, before = server.megabytes, server.seconds
            seconds, size = server.get(path)
            first.append(seconds)
            begun.append(server.seconds - before)
            before = server.seconds
            again += [server.get(path)[0] for _ in range(REPEATS)]
            each.append((server.seconds - before) / REPEATS)
            top = server.megabytes
            server.end()
        print(
            f"{name:>28}: first {median(first):.3f} s (at most {max(first):.3f}; {median(begun):.3f} CPU), "
            f"then {median(again):.3f} s (at most {max(again):.3f}; {median(each):.3f}), {size / 1000:.0f} kB, "
            f"server {rest:.0f} to {top:.0f} MB",
            flush=True,
        )


def watched(runs: Path, solutions: int, pairs: int) -> None:
    """The processor time of a run alone and while somebody watches it: pairs in one process, each the other way round
    than the one before. One pair before them compiles."""
    server = Server(runs)
    server.get("/")
    logs, shares, rates = list[float](), list[float](), list[float]()
    for pair in range(pairs + 1):
        spent: dict[str, float] = {}
        for name in ("alone", "watched") if pair % 2 else ("watched", "alone"):
            spent[name], share = _spent(server, runs, name, solutions)
            shares += [share] if name == "watched" and pair else []
            shutil.rmtree(runs / name)
        if pair:
            logs.append(math.log(spent["watched"] / spent["alone"]))
            rates.append(solutions / spent["alone"] / 1e6)
    server.end()
    ratio, low, high = (math.exp(value) for value in interval(logs))
    print(
        f"being watched: {pairs} pairs of {solutions:,} solutions, {median(rates):.2f} M a second of processor time; "
        f"ratio {ratio:.4f} ({low:.4f} to {high:.4f}); server {100 * median(shares):.2f}% of a processor "
        f"(up to {100 * max(shares):.2f}%)"
    )


def _spent(server: Server, runs: Path, name: str, solutions: int) -> tuple[float, float]:
    """The processor time of a run in this process, and the share of a processor that the server took meanwhile."""
    address = f"http://127.0.0.1:{server.port}/events/runs/{name}"
    watcher = subprocess.Popen([sys.executable, "-c", WATCH, str(runs / name / "job.json"), address]) if (
        name == "watched"
    ) else None  # fmt: skip
    time.sleep(0.5)  # it is waiting
    before, wall, began = server.seconds, time.perf_counter(), time.process_time()
    solve("magic-square", size=6, islands=1, backend="inline", solutions=solutions, out=runs, name=name)
    spent = time.process_time() - began
    share = (server.seconds - before) / (time.perf_counter() - wall)
    if watcher is not None:
        assert watcher.poll() is None, "nobody watched"
        watcher.kill()
        watcher.wait()
    return spent, share


WATCH = """
import sys, time, urllib.request
from pathlib import Path
while not Path(sys.argv[1]).exists():
    time.sleep(0.02)
with urllib.request.urlopen(sys.argv[2]) as stream:
    while stream.readline():
        pass
"""
"""Somebody who watches a run as soon as it is there."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--solutions", type=int, default=10_000_000)
    parser.add_argument("--watched", type=int, default=3_000_000)
    parser.add_argument("--pairs", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages(Path(folder), options.runs, options.solutions)
        watched(Path(folder), options.watched, options.pairs)


if __name__ == "__main__":
    main()
