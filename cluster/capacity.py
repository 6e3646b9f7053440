"""How many islands a cluster can host, which share of a CPU is fair, and which node is the best for an island.

Pure arithmetic over what is known of the nodes. Islands of several jobs share CPUs; what other programs hold is left
to them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from islands.errors import Busy, ClusterError

ISLAND = 256 << 20  # bytes of memory that an island needs: Python, numba and its kernels
CROWD = 64  # islands that share a CPU at the most


@dataclass(frozen=True)
class Room:
    """What one node offers to the islands of a job."""

    node: str  # Ray's id
    cpus: float  # that it has
    free: float  # of them, that nobody holds
    held: float = 0.0  # of them, that islands hold, of this job or of others
    others: int = 0  # islands of other jobs that live there
    most: int = 1 << 20  # islands for which its memory suffices

    @property
    def usable(self) -> float:
        """CPUs for islands: those that are free, and those that islands share."""
        return min(self.cpus, self.free + self.held)

    def weight(self, islands: int) -> tuple[float, int]:
        """How crowded it is with this many islands of the job. As long as each has a CPU, only their number counts."""
        there = islands + self.others
        return max(1.0, there / max(self.usable, 0.01)), there


def fair_share(rooms: Sequence[Room], count: int) -> float:
    """The share of a CPU for one island, 1 or 1/k, with which `count` islands fit. ClusterError if they never do."""
    check_room(rooms)
    if sum(room.most for room in rooms) < count:
        raise ClusterError(
            f"`islands={count}`: the memory of the cluster suffices for {sum(room.most for room in rooms)} islands of "
            f"{ISLAND >> 20} MB. Use fewer `islands`, or add nodes."
        )
    for k in range(1, CROWD + 1):
        if sum(min(math.floor(room.usable * k + 1e-6), room.most) for room in rooms) >= count:
            return 1 / k
    usable = sum(room.usable for room in rooms)
    raise ClusterError(
        f"`islands={count}`: too many for {usable:g} CPUs, of which each takes {CROWD} islands at the most. Use fewer "
        "`islands`, or `islands=auto`."
    )


def one_per_cpu(rooms: Sequence[Room]) -> int:
    """As many islands as there are CPUs for them; on a node with a part of one, one. Busy if there is none."""
    check_room(rooms)
    return sum(min(max(1, math.floor(room.usable + 1e-6)), room.most) for room in rooms if room.usable >= 0.01)


def check_room(rooms: Sequence[Room]) -> None:
    """ClusterError if the nodes have no CPU at all, Busy if other programs hold all of them."""
    cpus = sum(room.cpus for room in rooms)
    if not cpus:
        raise ClusterError("the nodes of the cluster have no CPUs. Start one with `ray start --num-cpus=N`.")
    if sum(room.usable for room in rooms) < 0.01:
        raise Busy(
            f"the cluster has {cpus:g} CPUs and none is free. Wait for other jobs to end (`wait=10m`, `ray status`), "
            "or add machines."
        )


def best_node(rooms: Sequence[Room], hosted: Mapping[str, int]) -> str:
    """The node for one more island; `hosted` says how many of this job each hosts already."""

    def crowd(room: Room) -> tuple[bool, tuple[float, int], float]:
        here = hosted.get(room.node, 0)
        return here >= room.most, room.weight(here + 1), -room.usable

    return min(rooms, key=crowd).node


def next_move(rooms: Sequence[Room], hosted: Mapping[str, int]) -> tuple[str, str] | None:
    """From which node to which other one an island should move; None if nothing would be gained.

    No node is idle while another hosts two, and none is more crowded than it need be. Moves come to an end: each makes
    the more crowded of two nodes less so.
    """
    busy = [room for room in rooms if hosted.get(room.node, 0)]
    ready = [room for room in rooms if room.usable >= 0.01 and hosted.get(room.node, 0) < room.most]
    if not busy or not ready:
        return None
    source = max(busy, key=lambda room: room.weight(hosted[room.node]))
    target = min(ready, key=lambda room: room.weight(hosted.get(room.node, 0) + 1))
    if target.node != source.node and target.weight(hosted.get(target.node, 0) + 1) < source.weight(
        hosted[source.node]
    ):
        return source.node, target.node
    return None
