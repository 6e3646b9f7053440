"""Programs that the tests run in processes of their own: `python drivers.py NAME ARGUMENTS` prints one JSON line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from cluster.actors import Where
from cluster.bridge import PROGRAM, Bridge
from cluster.processes import session
from islands.driver.api import conduct, create, make_job
from islands.driver.archipelago import Archipelago
from islands.errors import ClusterError
from islands.store.run import Run

BEADS = str(Path(__file__).with_name("beads.py"))
Act = Callable[[Archipelago], None]


def beads(out: Path | str, **options: Any) -> Run:
    """A run of the test puzzle that has not begun."""
    given = {"islands": 2, "generations": 80, "seed": 5, **options}
    return create(make_job(BEADS, given), out)


def ids(run: Run) -> list[str]:
    """Its solutions, in the order found."""
    return [solution.id for solution in run]


def quiet(out: Path | str, **options: Any) -> list[str]:
    """What an undisturbed run in one process finds."""
    run = beads(out, **{**options, "backend": "inline", "pause": 0.0})
    conduct(run)
    return ids(run)


def after_sends(count: int, act: Act) -> Any:
    """A watch that does `act` once, right after the order number `count` was sent: in mid-run, whatever the speed."""

    @contextmanager
    def watch(archipelago: Archipelago) -> Iterator[None]:
        sent, send = 0, Bridge.send

        def counting(bridge: Bridge, *arguments: Any) -> None:
            nonlocal sent
            send(bridge, *arguments)
            sent += bridge.ready()
            if sent == count:
                act(archipelago)

        with patch.object(Bridge, "send", counting):
            yield

    return watch


def bridge(archipelago: Archipelago) -> Bridge:
    """Where all islands live."""
    assert isinstance(archipelago.placement.backend, Bridge)
    return archipelago.placement.backend


def homes(archipelago: Archipelago) -> dict[int, Where]:
    """Where each island lives."""
    return bridge(archipelago).homes


def lifecycle(out: str) -> dict[str, Any]:
    """A run on a Ray of its own, with Ctrl-C in a terminal and a killed worker; what was seen during and after it."""
    seen: dict[str, Any] = {"sockets": [], "shared": [], "during": 0}

    def look(archipelago: Archipelago) -> None:
        leader = bridge(archipelago).pid
        assert leader is not None
        for process in [psutil.Process(), *session(leader)]:
            seen["during"] += 1
            seen["sockets"] += [c.laddr.ip for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
            maps = [part.path for part in process.memory_maps()]
            seen["shared"] += [path for path in maps if path.startswith("/dev/shm/")]
        seen["leader"] = leader
        os.killpg(os.getpgrp(), signal.SIGINT)
        os.kill(homes(archipelago)[2].pid, signal.SIGKILL)

    def mine(number: int, frame: Any) -> None:
        """A handler of our own."""

    signal.signal(signal.SIGTERM, mine)
    signal.signal(signal.SIGINT, mine)
    run = beads(out, islands=5, backend="ray", pause=0.01)
    directory, environment = Path.cwd(), dict(os.environ)
    conduct(run, watch=after_sends(20, look))
    return {
        **seen,
        "ids": ids(run),
        "after": [process.name() for process in session(seen["leader"])],
        "scratch": [str(path) for path in Path("/tmp").glob(f"islands-{os.getpid()}-*")],
        "ray": "ray" in sys.modules,
        "handlers": [signal.getsignal(number) is mine for number in (signal.SIGTERM, signal.SIGINT)],
        "losses": [event["island"] for event in run.events() if event["event"] == "island-lost"],
        "cwd": Path.cwd() == directory,
        "environment": sorted(name for name, _ in set(os.environ.items()) ^ set(environment.items())),
        "token-file": (Path.home() / ".ray" / "auth_token").exists(),
    }


def slow(out: str) -> dict[str, Any]:
    """A run that takes its time, to be killed."""
    run = beads(out, backend="ray", pause=0.02)
    conduct(run)
    return {"ids": ids(run)}


def join(out: str, address: str) -> dict[str, Any]:
    """A run on a cluster that others started."""
    run = beads(out, address=address)
    conduct(run, new=True)
    return {"ids": ids(run)}


def join_for_long(out: str, address: str) -> dict[str, Any]:
    """A run on a cluster that others started and that dies."""
    run = beads(out, address=address, length=15, generations=10**6, pause=0.01)
    message = ""
    try:
        conduct(run, new=True)
    except ClusterError as error:
        message = str(error)
    names = [event["event"] for event in run.events()]
    return {
        "message": message,
        "events": [name for name in names if name in ("hand-over", "ray-ready", "ray-lost")],
        "left": [child.name() for child in psutil.Process().children(recursive=True)],
    }


def node_death(out: str) -> dict[str, Any]:
    """A run on two machines, of which one dies."""
    from ray.cluster_utils import Cluster

    config = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
    head = {"num_cpus": 1, "_system_config": config, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    second = cluster.add_node(num_cpus=1)
    nodes: set[str] = set()

    def kill(archipelago: Archipelago) -> None:
        nodes.update(home.node for home in homes(archipelago).values())
        cluster.remove_node(second, allow_graceful=False)

    run = beads(out, address=cluster.address, pause=0.02)
    conduct(run, watch=after_sends(12, kill))
    found = {"ids": ids(run), "nodes": len(nodes)}
    cluster.shutdown()
    return found


NO_ROOM = """
import ray, subprocess
def give_up(*_, **__):
    subprocess.Popen(["sleep", "600"])
    raise RuntimeError("no room")
ray.init = give_up
"""


def failing_start(out: str) -> dict[str, Any]:
    """A Ray that starts one of its processes, and then gives up."""
    message, own = "", subprocess.Popen(["sleep", "600"])
    try:
        with patch("cluster.bridge.PROGRAM", NO_ROOM + PROGRAM), patch("islands.driver.placement.PAUSE", 0.1):
            conduct(beads(out, backend="ray", generations=10**6))
    except ClusterError as error:
        message = str(error)
    children = [child.pid for child in psutil.Process().children()]
    own.kill()
    return {
        "message": message,
        "only-own": children == [own.pid],
        "scratch": [str(path) for path in Path("/tmp").glob(f"islands-{os.getpid()}-*")],
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])), flush=True)
