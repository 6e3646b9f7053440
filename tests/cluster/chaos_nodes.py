"""A cluster of three or four nodes on loopback, whose processes can be killed and come back."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from random import Random

import psutil
from strikes import victims

from cluster.processes import end_session, session

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def quiet_port() -> int:
    """A free port that the system gives to nobody: a head that comes back finds it free."""
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Nodes:
    """A head and two more nodes of a Ray on loopback, each a session of its own; a fourth one may join."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, quiet_port()
        self.leaders: list[subprocess.Popen[bytes] | None] = [None] * 4  # the first is the head
        self.due = [0.0, 0.0, 0.0, inf]  # when a node that is away comes back
        self.environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": str(folder),
            "RAY_health_check_period_ms": "1000", "RAY_health_check_failure_threshold": "6",
        }  # fmt: skip

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def mend(self) -> None:
        """Start what is away and due: the head, and the others once it answers. Nodes end with their head."""
        head = self.leaders[0]
        for number, leader in enumerate(self.leaders):
            if leader is not None and (leader.poll() is not None or not victims(leader.pid, "raylet")):
                if leader.poll() is None and time.monotonic() < self.due[number]:
                    continue
                self.end(number, away=inf if number == 3 else 0.0)
            if self.leaders[number] is None and time.monotonic() >= self.due[number]:
                if number and (head is None or not self.answers()):
                    continue
                self._start(number)

    def _start(self, number: int) -> None:
        words = ["--address", self.address]
        if number == 0:
            for other in (1, 2, 3):  # they belong to the head that was lost
                self.end(other, away=inf if other == 3 else 0.0)
            dashboard = ["--include-dashboard=true", "--dashboard-host=127.0.0.1", f"--dashboard-port={free_port()}"]
            words = ["--head", "--node-ip-address=127.0.0.1", f"--port={self.port}", *dashboard]
        words += ["--num-cpus=1", f"--dashboard-agent-listen-port={free_port()}", "--object-store-memory=100000000"]
        with (self.folder / f"node{number}.log").open("ab") as log:
            self.leaders[number] = subprocess.Popen(
                [sys.executable, str(HERE / "loopback_ray.py"), "start", "--block", *words],
                env=self.environment, cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.due[number] = time.monotonic() + 120  # for its raylet to appear, on a busy machine

    def end(self, number: int, away: float = 0.0) -> None:
        """Kill all processes of a node, which comes back after `away` seconds."""
        leader, self.leaders[number] = self.leaders[number], None
        self.due[number] = time.monotonic() + away
        if leader is not None:
            end_session(leader.pid)
            leader.wait()

    def join(self) -> bool:
        """Let the fourth node join; False if it is there already."""
        if self.leaders[3] is not None or self.due[3] < inf:
            return False
        self.due[3] = 0.0
        return True

    def kill(self, random: Random) -> bool:
        """Kill one of the nodes that are there, but for the head."""
        there = [number for number in (1, 2, 3) if self.leaders[number] is not None]
        if not there:
            return False
        number = random.choice(there)
        self.end(number, away=inf if number == 3 else 15 * random.random())
        return True

    def find(self, target: str) -> list[psutil.Process]:
        """Processes of all nodes: worker, shard, collector, raylet, dashboard."""
        found = []
        for leader in self.leaders:
            if leader is None:
                continue
            if target != "dashboard":
                found += victims(leader.pid, target)
                continue
            for process in session(leader.pid):
                with suppress(psutil.Error):
                    if "dashboard.py" in " ".join(process.cmdline()) or "Dashboard" in process.name():
                        found.append(process)
        return found

    def actors(self, letters: str) -> list[psutil.Process]:
        """The actors of a run, not idle workers: islands (I), shards (S), collectors (C)."""
        found = []
        for process in [one for kind in ("worker", "shard", "collector") for one in self.find(kind)]:
            with suppress(psutil.Error):
                name = " ".join(process.cmdline())
                if name.startswith(tuple(f"ray::{letter}" for letter in letters)) and not name.startswith("ray::IDLE"):
                    found.append(process)
        return found
