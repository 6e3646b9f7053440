"""The nodes of a cluster: which of them can host islands, which cannot and why, and what each offers.

Lives in the bridge. A new node is asked what it would run before an island goes there: a node that died a moment ago is
still counted by Ray, and one with other versions would give other results. The product is sent to a node that has
another version of it, or none.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cluster import probe, ray_internals
from cluster.actors import Where
from cluster.capacity import ISLAND, Room
from cluster.probe import Facts
from islands.errors import ClusterError

ANSWER = 8.0  # seconds at least for a node to answer; one that answers later is taken then
LONGEST = 40.0  # ... while no node has answered: a busy machine, or a Python on a network file system, takes long
SLOWER = 2.0  # times as long as the first that answered may the others take
SENT = 60.0  # seconds for which Ray surely keeps what was sent to it
ALIKE = 6  # characters of a node's id that tell it from another of the same host
NAME = "puzzle-islands"  # of every actor that hosts an island: NAME/node/share of a CPU/job/number


@dataclass(eq=False)
class Node:
    """One machine, as far as it is known."""

    id: str
    name: str
    cpus: float
    since: float  # when it was asked
    asked: Any = None  # reference to its facts, until they have been read
    memory: int | None = None  # bytes that were free when it was asked
    ships: bool = False  # it must be sent the product
    refused: str = ""  # why it cannot host islands
    is_fit: bool = False
    told: bool = False  # that it is left out


class Nodes:
    """All nodes of the Ray that this process has joined. Those of a Ray of its own are `trusted`, and not asked.

    `left_out` is called with the name of a node and the reason why it hosts no island.
    """

    def __init__(
        self, own: Where, *, trusted: bool = False, left_out: Callable[[str, str], None] = lambda *_: None
    ) -> None:
        self._own, self._trusted, self._left_out = own, trusted, left_out
        self._nodes: dict[str, Node] = {}
        self._names: dict[str, str] = {}  # of every node that was ever seen
        self._job = uuid.uuid4().hex[:12]
        self._made = 0
        self._answer = LONGEST  # seconds that a node has for its answer
        self._shipped: tuple[float, dict[str, Any]] = (-SENT, {})  # when, and the environment

    # Who is there

    def survey(self, *, patient: bool) -> None:
        """Wait until every node has answered, or has had its time; or, if not `patient`, for some seconds after which
        one is enough: islands move to the others. ClusterError if none can host islands.
        """
        begun = time.monotonic()
        self.look()
        while any(node.asked is not None and not node.refused for node in self._nodes.values()):
            if not patient and self._has_fit() and time.monotonic() - begun > ANSWER:
                break
            time.sleep(0.05)
            self.look()
        if not self._has_fit():
            reasons = "; ".join(f"{node.name}: {node.refused or 'no answer'}" for node in self._nodes.values())
            raise ClusterError(f"no node of the cluster can host an island. {reasons.rstrip('.')}.")

    def _has_fit(self) -> bool:
        return any(node.is_fit for node in self._nodes.values())

    def look(self) -> bool:
        """Take note of nodes that have come, answered or gone; True if other ones than before can host islands."""
        import ray

        before = {node.id for node in self._nodes.values() if node.is_fit}
        alive = {entry["NodeID"]: entry for entry in ray.nodes() if entry["Alive"]}
        for gone in self._nodes.keys() - alive.keys():
            del self._nodes[gone]
        for id_, entry in alive.items():
            if id_ not in self._nodes:
                cpus = float(entry["Resources"].get("CPU", 0))
                self._nodes[id_] = Node(id_, self._named(id_, entry["NodeManagerHostname"]), cpus, time.monotonic())
                self._ask(self._nodes[id_])
        for node in self._nodes.values():
            if node.asked is not None:
                self._hear(node)
        return before != {node.id for node in self._nodes.values() if node.is_fit}

    def refuse(self, node_id: str, reason: str) -> None:
        """Leave a node out from now on."""
        node = self._nodes.get(node_id)
        if node is not None:
            node.is_fit, node.refused, node.asked = False, reason, None
            self._tell(node)

    def name(self, node_id: str) -> str:
        """The name by which people know a node."""
        return self._names.get(node_id, node_id[:ALIKE])

    def _named(self, node_id: str, host: str) -> str:
        """The host's name, and the beginning of its id where another node has that name."""
        if node_id not in self._names:
            self._names[node_id] = f"{host}/{node_id[:ALIKE]}" if host in self._names.values() else host
        return self._names[node_id]

    # Who can host islands

    def _ask(self, node: Node) -> None:
        if self._trusted:
            node.is_fit = True
            return
        import ray

        ray.cloudpickle.register_pickle_by_value(probe)
        options: dict[str, Any] = {"num_cpus": 0, "max_retries": 0, "scheduling_strategy": _on(node.id)}
        if node.ships:
            options["runtime_env"] = self._environment()
        node.asked = ray.remote(**options)(probe.facts).remote(deep=node.ships)
        ray.cloudpickle.unregister_pickle_by_value(probe)

    def _hear(self, node: Node) -> None:
        """Take note of a node's answer, if it is there."""
        import ray

        if not ray.wait([node.asked], timeout=0)[0]:
            if time.monotonic() - node.since > self._answer and not node.refused:
                node.refused = f"no answer within {self._answer:.0f} s"
                self._tell(node)
            return
        reference, node.asked = node.asked, None
        self._answer = min(self._answer, max(ANSWER, SLOWER * (time.monotonic() - node.since)))
        try:
            self._judge(node, ray.get(reference))
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None) or error
            words = f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
            sent = f"it could not be sent the product: {words}. {self._cure()}"
            self.refuse(node.id, sent if node.ships else f"it could not be asked: {words}")

    def _judge(self, node: Node, there: Facts) -> None:
        own, node.memory = self._own, there["memory"]
        unlike = own.has_other_versions(there)
        code = own.runs_other_code(there)
        if unlike:
            self.refuse(node.id, unlike)
        elif code and node.ships:
            self.refuse(node.id, f"{code}. {self._cure()}")
        elif code:
            node.ships, node.since = True, time.monotonic()
            self._ask(node)
        elif node.memory is not None and node.memory < ISLAND:
            self.refuse(node.id, f"{node.memory >> 20} MB of memory are free, and an island needs {ISLAND >> 20}")
        else:
            node.is_fit, node.refused = True, ""

    def _cure(self) -> str:
        """What to type so that a node has this product: it is in no package index."""
        wheel = f"puzzle_islands-{self._own.version}-py3-none-any.whl"
        if not (self._own.root / "pyproject.toml").is_file():
            return f"Install there the wheel that this machine has: pip install {wheel}"
        return (
            f"Run here `pip wheel --no-deps {self._own.root}`, copy {wheel} there, and run there `pip install {wheel}`"
        )

    def _tell(self, node: Node) -> None:
        if not node.told:
            node.told = True
            self._left_out(node.name, node.refused)

    # What they offer

    def rooms(self) -> list[Room]:
        """What each node that can host islands offers now."""
        import ray

        if self._trusted:
            return [Room(node.id, node.cpus, node.cpus) for node in self._nodes.values() if node.is_fit]
        held: dict[str, list[tuple[float, bool]]] = {}
        for actor in ray.util.list_named_actors(all_namespaces=True):
            words = str(actor["name"]).split("/")
            with suppress(ValueError):  # somebody else's actor
                product, node, share, job, _ = words
                if product == NAME:
                    held.setdefault(node, []).append((float(share), job != self._job))
        free = ray_internals.free_cpus()
        return [
            Room(
                node.id,
                node.cpus,
                free.get(node.id, 0.0),
                sum(share for share, _ in held.get(node.id, ())),
                sum(foreign for _, foreign in held.get(node.id, ())),
                1 << 20 if node.memory is None else node.memory // ISLAND,
            )
            for node in self._nodes.values()
            if node.is_fit
        ]

    def fitting(self) -> int:
        """For how many islands and shards the memory suffices, also that of a machine with a Ray of its own."""
        fit = [node for node in self._nodes.values() if node.is_fit]
        memory = [probe.free_memory() if self._trusted else node.memory for node in fit]
        return sum(1 << 20 if free is None else free // ISLAND for free in memory)

    def actor_options(self, node_id: str, share: float) -> dict[str, Any]:
        """Options of a new actor that lives on this node and holds this share of a CPU."""
        self._made += 1
        node = self._nodes.get(node_id)
        options: dict[str, Any] = {
            "name": f"{NAME}/{node_id}/{share:g}/{self._job}/{self._made}",
            "num_cpus": share,
            "max_restarts": 0,
            "max_task_retries": 0,
            "scheduling_strategy": _on(node_id),
        }
        if node is not None and node.ships:
            options["runtime_env"] = self._environment()
        return options

    def _environment(self) -> dict[str, Any]:
        """The runtime environment that brings the product along."""
        if time.monotonic() - self._shipped[0] > SENT:
            self._shipped = time.monotonic(), ray_internals.shipped(self._own.root, probe.PACKAGES)
        return self._shipped[1]


def _on(node_id: str) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node_id, soft=False)
