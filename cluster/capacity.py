"""How many CPUs a cluster has for islands, and which share of one is fair."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from islands.errors import ClusterError

FREE = 3.0  # seconds until Ray has noticed that CPUs were given back


def fair_share(machines: Sequence[float], free: float, count: int) -> float:
    """The share of a CPU for one island, 1 or 1/k, with which `count` islands fit.

    `machines` are the CPUs of each machine; `free` is how many CPUs are free in the whole cluster.
    """
    if free < 0.01:
        raise ClusterError(
            f"the cluster has {sum(machines):g} CPUs and none is free. Wait for other jobs to end (`ray status`), or "
            "add machines."
        )
    for k in range(1, 1000):
        if sum(math.floor(cpus * k) for cpus in machines) >= count and count / k <= free + 1e-6:
            return 1 / k
    raise ClusterError(f"{count} islands are too many for {sum(machines):g} CPUs. Use fewer `islands`.")


def free_cpus(wanted: int) -> float:
    """How many CPUs of the cluster are free. If fewer than `wanted` are, wait a little: Ray notices late."""
    import ray

    deadline = time.monotonic() + FREE
    while True:
        free = float(ray.available_resources().get("CPU", 0))
        if free >= min(wanted, sum(machine_cpus())) or time.monotonic() > deadline:
            return free
        time.sleep(0.1)


def machine_cpus() -> list[float]:
    """The CPUs of each machine that is alive."""
    import ray

    return [float(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
