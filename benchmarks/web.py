"""The live page: how long pages take with 200 runs and with a run of ten million solutions, how much memory the server
has, and what it costs a run to be watched.

    python benchmarks/web.py [--runs 200] [--solutions 10000000]
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import psutil

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 7


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

    def watch(self, path: str) -> http.client.HTTPConnection:
        """Somebody who watches: a stream that is read in a thread."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()

        def drain() -> None:
            try:
                while answer.read(65536):
                    pass
            except (OSError, ValueError, AttributeError):
                pass

        threading.Thread(target=drain, daemon=True).start()
        return connection

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
    server = Server(runs)
    print(f"server at rest: {server.megabytes:.0f} MB")
    for name, path in {
        f"list of {count + 1} runs": "/",
        f"run of {solutions:,}": "/runs/large",
        "its newest picture": f"/runs/large/pictures/{solutions}.svg",
        "its first picture": "/runs/large/pictures/1.svg",
        "form": "/new/magic-square",
    }.items():
        before = server.seconds
        first, size = server.get(path)
        begun, before = server.seconds - before, server.seconds
        times = sorted(server.get(path)[0] for _ in range(REPEATS))
        spent = (server.seconds - before) / REPEATS
        print(
            f"{name:>28}: first {first:.3f} s ({begun:.3f} of processor time), then {times[REPEATS // 2]:.3f} s "
            f"({spent:.3f}), "
            f"{size / 1000:.0f} kB, server {server.megabytes:.0f} MB"
        )
    server.end()


def watched(runs: Path, solutions: int, repeats: int) -> None:
    """The processor time of a run alone and while somebody watches it, and that of the server; in turns, and every
    second time the other way round, since other programs on the machine are felt, too."""
    ratios, shares = [], []
    for number in range(repeats):
        spent = {}
        for name in ("alone", "watched") if number % 2 else ("watched", "alone"):
            spent[name], share = _spent(runs, name, solutions)
            shares += [share] if share is not None else []
            shutil.rmtree(runs / name)
        ratios.append(spent["watched"] / spent["alone"])
        print(
            f"alone {spent['alone']:.2f} s of processor time, watched {spent['watched']:.2f} s (x {ratios[-1]:.3f}), "
            f"{solutions / spent['alone'] / 1e6:.2f} M solutions/s; the server {100 * shares[-1]:.2f}% of a processor",
            flush=True,
        )
    print(
        f"median ratio {median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}; server {100 * median(shares):.2f}%"
    )


def _spent(runs: Path, name: str, solutions: int) -> tuple[float, float | None]:
    """The processor time of a run, and the share of a processor that the server takes, if it is watched."""
    if name == "alone":
        return run(runs, name, "--solutions", str(solutions)), None
    server = Server(runs)
    server.get("/")
    connections: list[http.client.HTTPConnection] = []
    looker = threading.Thread(target=_look, args=(server, runs, name, connections))
    looker.start()
    before, began = server.seconds, time.perf_counter()
    seen = run(runs, name, "--solutions", str(solutions))
    share = (server.seconds - before) / (time.perf_counter() - began)
    looker.join()
    connections[0].close()
    server.end()
    return seen, share


def _look(server: Server, runs: Path, name: str, connections: list[http.client.HTTPConnection]) -> None:
    """Watch a run as soon as it is there."""
    while not (runs / name / "job.json").exists():
        time.sleep(0.02)
    connections.append(server.watch(f"/events/runs/{name}"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--solutions", type=int, default=10_000_000)
    parser.add_argument("--watched", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages(Path(folder), options.runs, options.solutions)
        watched(Path(folder), options.watched, options.repeats)


if __name__ == "__main__":
    main()
