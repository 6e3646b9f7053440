"""Seats: the places of islands in the cluster, and what they answer."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cluster.actors import Where


class Answer(NamedTuple):
    """What an island answered to an order; or, without a body, the reason why it is gone. It comes back empty."""

    island: int
    token: int
    body: bytes | None
    reason: str = ""
    moved: bool = False  # to another node; nothing went wrong


@dataclass(eq=False)
class Seat:
    """One island's place in the cluster."""

    island: int
    spec: bytes
    node: str = ""  # Ray's id of the machine
    actor: Any = None
    found: Any = None  # reference to the Where of a new actor, until it has been read
    home: Where | None = None
    warmed: Any = None  # reference to its warm-up
    after: list[Any] = field(default_factory=list)  # reference to another's warm-up, for which its first epoch waits
    answers: deque[tuple[int, Any]] = field(default_factory=deque)  # token and future of the orders it has; None: a
    # collector has the future
    desk: Any = None  # of the collector that passes on what this actor says; None: nobody does, or it is not known yet
    met: bool = False  # whether this actor had an order
    token: int = -1  # of the last order
    gone: int = -1  # orders with this token or a lower one were for an actor that was replaced
    since: float = 0.0  # when the epoch, or the wait for a CPU, began
    hangs: int = 0
    losses: int = 0  # during the start


@dataclass(frozen=True)
class ShardAnswer:
    """The answer of a shard; or, without a body, why it was lost."""

    shard: int
    token: int
    body: bytes | None
    reason: str = ""


def kill(actor: Any) -> None:
    """End an actor, if there is one."""
    import ray

    with suppress(Exception):
        ray.kill(actor)


def reason_of(error: Exception) -> str:
    """Why Ray lost an island, in one line."""
    import ray

    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return "out of memory"
    if isinstance(error, ray.exceptions.RayActorError | ray.exceptions.WorkerCrashedError):
        return "its process or its machine died"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
