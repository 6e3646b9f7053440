"""The live page: how long pages take with 200 runs and with a run of ten million solutions, how much memory the server
has, and what it costs a run to be watched.

    python benchmarks/web.py [--runs 200] [--solutions 10000000] [--rounds 20] [--only watched]
"""

from __future__ import annotations

import argparse
import gc
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
NULL = subprocess.DEVNULL


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


KINDS = ("alone", "control", "page", "watch")


def watched(runs: Path, solutions: int, rounds: int) -> None:
    """The processor time of a run alone, alone once more as a control, with its page open, and with `islands watch`:
    rounds in one process, the first one in turn. One round before them compiles. Being looked at is compared with the
    mean of both runs alone."""
    server = Server(runs)
    server.get("/")
    logs: dict[str, list[float]] = {kind: [] for kind in KINDS[1:]}
    shares, rates = list[float](), list[float]()
    for number in range(rounds + 1):
        spent: dict[str, float] = {}
        for kind in KINDS[number % 4 :] + KINDS[: number % 4]:
            spent[kind], share = _spent(server, runs, kind, solutions)
            shares += [share] if kind == "page" and number else []
            shutil.rmtree(runs / kind)
        if number:
            both = math.sqrt(spent["alone"] * spent["control"])
            for kind, several in logs.items():
                several.append(math.log(spent[kind] / (spent["alone"] if kind == "control" else both)))
            rates.append(solutions / spent["alone"] / 1e6)
    server.end()
    print(f"{rounds} rounds of {solutions:,} solutions, {median(rates):.2f} M a second of processor time")
    for kind, several in logs.items():
        ratio, low, high = (math.exp(value) for value in interval(several))
        print(f"{kind:>10}: {ratio:.4f} ({low:.4f} to {high:.4f})")
    print(f"the server took {100 * median(shares):.2f}% of a processor (up to {100 * max(shares):.2f}%)")


def _spent(server: Server, runs: Path, kind: str, solutions: int) -> tuple[float, float]:
    """The processor time of a run in this process, and the share of a processor that the server took meanwhile."""
    looking = {
        "page": [sys.executable, "-c", WATCH, str(runs / kind), f"http://127.0.0.1:{server.port}/events/runs/{kind}"],
        "watch": [sys.executable, "-c", WATCH, str(runs / kind), *command("watch", str(runs / kind))],
    }
    watcher = subprocess.Popen(looking[kind], env=environment(), stdin=NULL, stdout=NULL) if kind in looking else None
    time.sleep(0.5)  # it is waiting
    gc.collect()
    before, wall, began = server.seconds, time.perf_counter(), time.process_time()
    solve("magic-square", size=6, islands=1, backend="inline", solutions=solutions, out=runs, name=kind)
    spent = time.process_time() - began
    share = (server.seconds - before) / (time.perf_counter() - wall)
    if watcher is not None:
        assert kind == "watch" or watcher.poll() is None, "nobody watched"
        watcher.kill()
        watcher.wait()
    return spent, share


WATCH = """
import os, pty, sys, time, urllib.request
from pathlib import Path
while not (Path(sys.argv[1]) / "job.json").exists():
    time.sleep(0.02)
if sys.argv[2].startswith("http:"):
    with urllib.request.urlopen(sys.argv[2]) as stream:
        while stream.readline():
            pass
else:
    pty.spawn(sys.argv[2:], lambda terminal: os.read(terminal, 4096) and b".", lambda _: b"")
"""
"""Somebody who looks at a run as soon as it is there: at its page, or in a terminal."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--solutions", type=int, default=10_000_000)
    parser.add_argument("--watched", type=int, default=3_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", choices=("pages", "watched"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "watched":
            pages(Path(folder), options.runs, options.solutions)
        if options.only != "pages":
            watched(Path(folder), options.watched, options.rounds)


if __name__ == "__main__":
    main()
