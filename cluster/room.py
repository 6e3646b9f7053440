"""How much room a cluster has for islands, and which share of a CPU is fair."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from islands.errors import ClusterError

FREE = 3.0  # seconds for a cluster to take notice that CPUs are free


def fair_share(nodes: Sequence[float], free: float, count: int) -> float:
    """The CPUs of one island, 1 or 1/k, so that `count` of them fit on machines with so many CPUs, `free` in all."""
    if free < 0.01:
        raise ClusterError(
            f"the cluster has {sum(nodes):g} CPUs and none is free. Wait for other jobs to end (`ray status`), or add "
            "machines."
        )
    for k in range(1, 1000):
        if sum(math.floor(node * k) for node in nodes) >= count and count / k <= free + 1e-6:
            return 1 / k
    raise ClusterError(f"{count} islands are too many for {sum(nodes):g} CPUs. Use fewer --islands.")


def room(wanted: int) -> tuple[list[float], float]:
    """The CPUs of each machine, and how many are free in all; Ray hears late of those just given back."""
    import ray

    deadline = time.monotonic() + FREE
    while True:
        nodes = machines()
        free = float(ray.available_resources().get("CPU", 0))
        if free >= min(wanted, sum(nodes)) or time.monotonic() > deadline:
            return nodes, free
        time.sleep(0.1)


def machines() -> list[float]:
    """The CPUs of each machine that lives."""
    import ray

    return [float(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
