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

import patience
import psutil

from cluster import bridge as bridges
from cluster.actors import Where
from cluster.bridge import Bridge
from cluster.processes import session
from islands.driver.api import conduct, create, make_job
from islands.driver.archipelago import Archipelago
from islands.errors import ClusterError
from islands.model.place import last_places
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


def rows(run: Run) -> list[tuple[str, int, int, int]]:
    """Its solutions with island, epoch and generation, in the order found."""
    return [(found.id, found.island, found.epoch, found.generation) for found in run]


def quiet_run(out: Path | str, **options: Any) -> Run:
    """An undisturbed run in one process."""
    run = beads(out, **{**options, "backend": "inline", "pause": 0.0})
    conduct(run)
    return run


def quiet(out: Path | str, **options: Any) -> list[str]:
    """What an undisturbed run in one process finds."""
    return ids(quiet_run(out, **options))


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
    run = beads(out, backend="ray", pause=0.02, length=15, generations=10**6)
    conduct(run)
    return {"ids": ids(run)}


def join(out: str, address: str) -> dict[str, Any]:
    """A run on a cluster that others started."""
    run = beads(out, address=address)
    conduct(run, new=True)
    return {"ids": ids(run)}


join_as_people_do = join  # with the limits of time that suit people


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


def start_cluster(cpus: int) -> Any:
    """A cluster of processes on this machine, whose head has `cpus` CPUs; a dead node is noticed after some seconds."""
    from ray.cluster_utils import Cluster

    config = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
    head = {"num_cpus": cpus, "_system_config": config, "include_dashboard": False}
    return Cluster(initialize_head=True, head_node_args=head)


def node_death(out: str) -> dict[str, Any]:
    """A run on two machines, of which one dies."""
    cluster = start_cluster(1)
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


def study_node_death(out: str, seeds: str) -> dict[str, Any]:
    """A study on two machines, of which one dies while it lives a run; what the study says on the way."""
    from islands.studies.api import study
    from islands.studies.conduct import Pace

    cluster = start_cluster(1)
    second = cluster.add_node(num_cpus=1)
    heard: list[int] = []

    def kill(pace: Pace) -> None:
        if pace.new and not heard:
            cluster.remove_node(second, allow_graceful=False)
        heard.append(pace.done)

    job = {"puzzle": BEADS, "islands": 2, "stop": {"solutions": 5}, "parameters": {"length": 12, "pause": 0.02}}
    done = study(job, vary={"topology": ["none", "ring"]}, seeds=int(seeds), evaluations=20_000, out=out, name="mine",
                 address=cluster.address, listen=kill)  # fmt: skip
    cluster.shutdown()
    return {"done": done.done, "heard": heard, "failed": sum(arm.failed for arm in done.arms)}


def node_joins(out: str) -> dict[str, Any]:
    """A run of two islands on a machine with one CPU, which a second one joins; the first to be told ends the run."""
    cluster = start_cluster(1)
    run = beads(out, address=cluster.address, pause=0.02, generations=10**6, length=15)
    moves: list[dict[str, Any]] = []
    seen: dict[str, Archipelago] = {}

    def join(archipelago: Archipelago) -> None:
        seen["run"] = archipelago
        cluster.add_node(num_cpus=1)

    def listen(event: dict[str, Any]) -> None:
        if event["event"] == "move":
            moves.append(event)
        elif moves and event["event"] == "placed":
            seen["run"].interrupt()

    conduct(run, watch=after_sends(12, join), listen=listen)
    found = {"ids": ids(run), "moves": moves, "places": last_places(run.events(), 2)}
    found["lost"] = [event for event in run.events() if event["event"] == "island-lost"]
    cluster.shutdown()
    return found


def unlike_nodes(out: str) -> dict[str, Any]:
    """A cluster with a node that has another product, and one that has another numpy; first all CPUs are taken."""
    import ray

    from cluster.bridge import room_on

    cluster = start_cluster(1)
    stubs = {"product": Path(out) / "product", "numpy": Path(out) / "numpy"}
    (stubs["product"] / "islands").mkdir(parents=True)
    (stubs["product"] / "islands" / "__init__.py").write_text("__version__ = '0.0.1'\n")
    (stubs["numpy"] / "numpy-1.0.dist-info").mkdir(parents=True)
    (stubs["numpy"] / "numpy-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n"
    )
    for stub in stubs.values():
        cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(stub)})
    ray.init(cluster.address, log_to_driver=False)
    held = [ray.remote(Holder).options(num_cpus=1).remote() for _ in range(3)]
    ray.get([each.pid.remote() for each in held])
    full, heard = "", []
    try:
        room_on(cluster.address, 0.0, heard.append)
    except ClusterError as error:
        full = str(error)

    def release(event: dict[str, Any]) -> None:
        heard.append(event)
        for each in held:
            ray.kill(each)

    room = room_on(cluster.address, 60.0, release)
    run = beads(out, islands=None, address=cluster.address)
    conduct(run)
    left = [(event["node"], event["reason"]) for event in run.events() if event["event"] == "node-left-out"]
    places = last_places(run.events(), run.job.islands or 0)
    ray.shutdown()
    cluster.shutdown()
    return {
        "full": full,
        "heard": heard,
        "room": room,
        "ids": ids(run),
        "islands": run.job.islands,
        "left-out": left,
        "nodes": len({place.rpartition(":")[0] for place in places}),
    }


class Holder:
    """Somebody else's program that holds a CPU."""

    def pid(self) -> int:
        return os.getpid()


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
        with patch("cluster.bridge.PROGRAM", NO_ROOM + bridges.PROGRAM), patch("islands.driver.placement.PAUSE", 0.1):
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
    if sys.argv[1] != "join_as_people_do":
        patience.extend()
        bridges.PROGRAM = patience.extended(bridges.PROGRAM)
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])), flush=True)
