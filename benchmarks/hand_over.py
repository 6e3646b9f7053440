"""What a start and a loss of Ray cost a run, and how soon it ends when it is told to.

Whole runs of an order-6 magic square under recipe classic (epochs of some 30 to 80 ms), two islands, in this process
and on a Ray of their own.
Wall time: the search, Ray's start and everything else on the machine share its cores.

  hand-over  --backend auto: the longest time without a report before the start of Ray, during it, when the islands
             move, and afterwards; seconds from the beginning of the start to the first report from Ray
  faults     a process is killed, in mid-run or while Ray starts: seconds until the next report from this process, and
             until the first from Ray again
  ends       seconds from Ctrl-C to the end of the command, and from kill -9 of the driver until no process and no
             scratch directory is left; while Ray starts, and in mid-run

Run: python benchmarks/hand_over.py [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
from output import Result, machine, parser, publish, tell

from cluster.bridge import Bridge
from cluster.processes import session
from islands.driver import archipelago as driver
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.placement import Elsewhere
from islands.model.messages import Event, Report

JOB = {"size": 6, "recipe": "classic", "islands": 2, "solutions": 10**6, "seconds": 3600.0}
AFTER = 2.0  # seconds on Ray after which a run ends, or is struck


@dataclass
class Diary:
    """When reports came, and what happened when."""

    reports: list[float] = field(default_factory=list)
    events: list[tuple[float, str]] = field(default_factory=list)
    struck: float = 0.0

    def when(self, event: str, number: int = 0) -> float:
        return [when for when, name in self.events if name == event][number]

    def happened(self, event: str) -> bool:
        return any(name == event for _, name in self.events)

    def next_report(self, after: float) -> float:
        return min(when for when in self.reports if when > after)

    def longest(self, begin: float, end: float) -> float:
        """The longest time without a report between two moments."""
        inside = [begin, *(when for when in self.reports if begin < when < end), end]
        return max(after - before for before, after in pairwise(inside))


def conduct(target: str | None = None, moment: str = "mid-run", *, required: bool = False) -> Diary:
    """A run until AFTER seconds on Ray; with a target it is killed at that moment, and the run waits for Ray again."""
    diary = Diary()
    with tempfile.TemporaryDirectory() as out:
        run = create(make_job("magic-square", {**JOB, "backend": "ray"}), out)
        bridges: list[Bridge] = []

        def make() -> Bridge:
            bridges.append(Bridge(None, run.disk))
            if target is not None and moment == "start" and len(bridges) == 1:
                threading.Thread(target=strike_at_start, daemon=True).start()
            return bridges[-1]

        def strike_at_start() -> None:
            while not strike():
                time.sleep(0.01)

        def strike() -> bool:
            leader = bridges[-1].pid
            victims = [process for process in session(leader) if target in _name(process)] if leader and target else []
            for process in victims[:1]:
                diary.struck = time.perf_counter()
                os.kill(process.pid, signal.SIGKILL)
            return bool(victims)

        def listen(event: Event) -> None:
            now = time.perf_counter()
            diary.events.append((now, event["event"]))
            ready = [when for when, name in diary.events if name == "ray-ready"]
            if not ready or now - ready[-1] < AFTER or now - diary.struck < AFTER:
                return
            if target is not None and not diary.struck:
                strike()
            elif target is None or moment == "start" or len(ready) > 1 or diary.happened("island-lost"):
                whole.interrupt()

        whole = Archipelago(run, Inline(), elsewhere=Elsewhere(make, required), listen=listen)
        accept = whole.coordinator.accept

        def accepted(report: Report, seconds: float) -> None:
            diary.reports.append(time.perf_counter())
            accept(report, seconds)

        whole.coordinator.accept = accepted  # type: ignore[method-assign]
        whole.conduct()
    return diary


def _name(process: psutil.Process) -> str:
    """bridge, gcs_server, raylet, IslandActor ..."""
    try:
        return "bridge" if process.pid == os.getsid(process.pid) else process.name()
    except (psutil.Error, OSError):
        return ""


def hand_over() -> dict[str, Any]:
    diary = conduct()
    begun, ready = diary.when("hand-over"), diary.when("ray-ready")
    return {
        "before": diary.longest(diary.reports[0], begun),
        "while Ray starts": diary.longest(diary.next_report(begun), ready),
        "when they move": diary.next_report(ready) - max(when for when in diary.reports if when <= ready),
        "afterwards": diary.longest(diary.next_report(ready), diary.reports[-1]),
        "first from Ray after": diary.next_report(ready) - begun,
    }


def fault(target: str, moment: str) -> dict[str, Any]:
    diary = conduct(target, moment)
    back = [when for when, name in diary.events if name == "ray-ready" and when > diary.struck]
    return {
        "killed": target,
        "moment": moment,
        "next report after": diary.next_report(diary.struck) - diary.struck,
        "Ray again after": diary.next_report(back[0]) - diary.struck if back and diary.happened("ray-lost") else None,
    }


def end(number: signal.Signals, moment: str) -> dict[str, Any]:
    """The command line, told to end."""
    words = ["run", "magic-square", "--size", "6", "--recipe", "classic", "--islands", "2", "--solutions", "1000000"]
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "cli", *words, "--out", out]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            wanted = "starting Ray" if moment == "start" else "on Ray after"
            next(line for line in process.stderr if wanted in line)
            time.sleep(1.0)
            leaders = [child.pid for child in psutil.Process(process.pid).children()]
            begun = time.perf_counter()
            process.send_signal(number)
            process.wait()
            while any(map(session, leaders)) or list(Path(tempfile.gettempdir()).glob(f"islands-{process.pid}-*")):
                time.sleep(0.01)
    return {"signal": number.name, "moment": moment, "nothing left after": time.perf_counter() - begun}


def rounds(count: int, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The median of each figure, and the largest."""
    rows = [measure() for _ in range(count)]
    result: dict[str, Any] = {}
    for name, value in rows[0].items():
        values = [row[name] for row in rows if row[name] is not None]
        if isinstance(value, float):
            result |= {name: statistics.median(values), f"{name}, longest": max(values)}
        else:
            result[name] = value
    tell(result)
    return result


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3, help="of everything (default 3)")
    given = options.parse_args()
    driver.RAY_START = 0.0
    moves = [rounds(given.rounds, hand_over)]
    kills = [("bridge", "mid-run"), ("bridge", "start"), ("gcs_server", "mid-run"), ("gcs_server", "start"),
             ("raylet", "mid-run"), ("raylet", "start"), ("IslandActor", "mid-run")]  # fmt: skip
    faults = [rounds(given.rounds, partial(fault, *kill)) for kill in kills]
    ends = [
        rounds(given.rounds, partial(end, number, moment))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
        for moment in ("start", "mid-run")
    ]
    publish(
        [
            Result(
                "Longest time without a report, seconds",
                tuple(moves[0]),
                moves,
                "Target: 0.2 s until the islands have moved.",
            ),
            Result("A process of the bridge is killed, seconds", tuple(faults[0]), faults),
            Result("The end of a run, seconds", tuple(ends[0]), ends, "Target: 1 s."),
        ],
        machine("ray", "numba", "numpy"),
        given.json,
    )


if __name__ == "__main__":
    main()
