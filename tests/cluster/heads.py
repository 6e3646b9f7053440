"""Heads of clusters on loopback, started as cluster/deploy/head.sh does it, with ports and a directory of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
TOKEN = "0123456789abcdef" * 4
PRIVATE = {
    "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": TOKEN, "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}  # fmt: skip


@dataclass(frozen=True)
class Head:
    """A cluster of one machine: its dashboard, and the home of who started it."""

    url: str
    home: Path


def wait_until(condition: Callable[[], bool], what: str) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"no {what} within five minutes")


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


@contextmanager
def head(folder: Path) -> Iterator[Head]:
    """A head with a dashboard and two CPUs, until the end of the block."""
    port, dashboard, client, agent = free_ports(4)
    scratch = Path(f"/tmp/islands-head-{port}")  # short: sockets have their files in it
    command = [
        sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}", "--num-cpus=2",
        "--node-ip-address=127.0.0.1", "--include-dashboard=true", "--dashboard-host=127.0.0.1",
        f"--dashboard-port={dashboard}", f"--ray-client-server-port={client}", f"--dashboard-agent-listen-port={agent}",
        "--min-worker-port=0", "--max-worker-port=0", f"--temp-dir={scratch}",
    ]  # fmt: skip
    folder.mkdir()
    paths = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    variables = {**os.environ, **PRIVATE, **paths, "HOME": str(folder)}
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=folder, env=variables, stdout=output, stderr=output)
    try:
        wait_until(lambda: "Ray runtime started" in log.read_text(), "head")
        yield Head(f"http://127.0.0.1:{dashboard}", folder)
    finally:
        started = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for each in started:
            each.kill()
        process.wait()
        psutil.wait_procs(started, timeout=90)
        shutil.rmtree(scratch, ignore_errors=True)
