"""What a move to a node that joins, and the loss of a node, of the head and of the bridge cost a run on a cluster.

Whole runs of an order-6 magic square under recipe classic, two islands, on a cluster of two nodes with one CPU each:
Ray's own processes for each of them on this machine, which share its cores. Wall time.

  move         a second node joins: seconds until an island has moved there, and how long that island was without a
               report around its move (the longest time without one before, for comparison)
  node lost    the second node is killed: seconds until Ray says so, and until the island reports from elsewhere
  head lost    all processes of the head are killed: seconds until the islands report from this process
  bridge lost  the bridge is killed: the same, and until they report from the cluster again

Run: python benchmarks/nodes.py [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import os
import secrets
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

os.environ.update(
    {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32),
     "RAY_USAGE_STATS_ENABLED": "0"}
)  # fmt: skip

from hand_over import rounds
from output import Result, machine, parser, publish
from ray.cluster_utils import Cluster

from cluster.bridge import Bridge
from islands.driver.api import create, make_job
from islands.driver.archipelago import Archipelago
from islands.driver.backend import Inline
from islands.driver.placement import Elsewhere
from islands.errors import ClusterError
from islands.model.messages import Event, Report

JOB = {"size": 6, "recipe": "classic", "islands": 2, "solutions": 10**7, "seconds": 3600.0}
AFTER = 4.0  # seconds on the cluster after which something happens, and after which a run ends
REPORTS = 40  # and as many of them: on a busy machine an epoch may take long
HEALTH = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 3}


@dataclass
class Diary:
    """When each island reported, and what happened when."""

    reports: list[tuple[float, int]] = field(default_factory=list)
    events: list[tuple[float, Event]] = field(default_factory=list)
    struck: float = 0.0

    def after_strike(self, name: str) -> float:
        """Seconds from the strike to this event."""
        return next(when for when, event in self.events if event["event"] == name and when > self.struck) - self.struck

    def next_report(self, after: float, island: int | None = None) -> float:
        return next(when for when, each in self.reports if when > after and island in (None, each))

    def island(self, name: str) -> int:
        """Whom the first event of this name after the strike is about."""
        found = next(event for when, event in self.events if event["event"] == name and when > self.struck)
        return int(found["island"])


def conduct(nodes: int, strike: Callable[[Any, Any, Bridge], None], over: str) -> Diary:
    """A run on a cluster in which `strike` happens after AFTER seconds; it ends that long after the event `over`."""
    diary = Diary()
    head = {"num_cpus": 1, "_system_config": HEALTH, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    second = cluster.add_node(num_cpus=1) if nodes == 2 else None
    with tempfile.TemporaryDirectory() as out:
        run = create(make_job("magic-square", {**JOB, "address": cluster.address}), out)
        bridges: list[Bridge] = []

        def make() -> Bridge:
            bridges.append(Bridge(cluster.address, run.disk))
            return bridges[-1]

        def listen(event: Event) -> None:
            now = time.perf_counter()
            diary.events.append((now, event))
            ready = [when for when, each in diary.events if each["event"] == "ray-ready"]
            if not diary.struck and ready and now - ready[-1] > AFTER and len(diary.reports) > REPORTS:
                diary.struck = now
                strike(cluster, second, bridges[-1])
            over_at = [when for when, each in diary.events if each["event"] == over and when > diary.struck > 0]
            since = [when for when, _ in diary.reports if over_at and when > over_at[0] + AFTER]
            if len(since) > REPORTS:
                whole.interrupt()

        whole = Archipelago(run, Inline(), elsewhere=Elsewhere(make, required=True), listen=listen)
        accept = whole.coordinator.accept

        def accepted(report: Report, seconds: float) -> None:
            diary.reports.append((time.perf_counter(), report.island))
            accept(report, seconds)

        whole.coordinator.accept = accepted  # type: ignore[method-assign]
        with suppress(ClusterError):  # without its head a run ends after three starts in vain
            whole.conduct()
    cluster.shutdown()
    return diary


def move() -> dict[str, Any]:
    diary = conduct(1, lambda cluster, *_: cluster.add_node(num_cpus=1), "move")
    moved, island = diary.struck + diary.after_strike("move"), diary.island("move")
    times = [when for when, each in diary.reports if each == island]
    before = [b - a for a, b in pairwise(when for when in times if when < moved)]
    return {
        "what": "move",
        "noticed after": moved - diary.struck,
        "without a report": diary.next_report(moved, island) - max(when for when in times if when <= moved),
        "longest before": max(before),
    }


def node_lost() -> dict[str, Any]:
    diary = conduct(2, lambda cluster, second, _: cluster.remove_node(second, allow_graceful=False), "island-lost")
    lost, island = diary.after_strike("island-lost"), diary.island("island-lost")
    return {
        "what": "node lost",
        "noticed after": lost,
        "reports again after": diary.next_report(diary.struck + lost, island) - diary.struck,
    }


def head_lost() -> dict[str, Any]:
    def kill(cluster: Any, *_: Any) -> None:
        cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False)

    diary = conduct(1, kill, "ray-lost")
    lost = diary.after_strike("ray-lost")
    return {
        "what": "head lost",
        "noticed after": lost,
        "reports again after": diary.next_report(diary.struck + lost) - diary.struck,
    }


def bridge_lost() -> dict[str, Any]:
    def kill(cluster: Any, second: Any, bridge: Bridge) -> None:
        assert bridge.pid is not None
        os.kill(bridge.pid, signal.SIGKILL)

    diary = conduct(2, kill, "ray-ready")
    lost, back = diary.after_strike("ray-lost"), diary.after_strike("ray-ready")
    return {
        "what": "bridge lost",
        "noticed after": lost,
        "reports again after": diary.next_report(diary.struck + lost) - diary.struck,
        "from the cluster after": diary.next_report(diary.struck + back) - diary.struck,
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3, help="of everything (default 3)")
    given = options.parse_args()
    tables = [
        Result(f"{row['what'].capitalize()}, seconds", tuple(row), [row])
        for row in (rounds(given.rounds, measure) for measure in (move, node_lost, head_lost, bridge_lost))
    ]
    publish(tables, machine("ray", "numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
