"""A Ray in virtual time, with nodes that die and join: the product's own RayActors, housing and moves run on it.

Of Ray it has what these call: actors whose calls are answered one after the other, after a while; references, futures
and `wait`; nodes, of which a dead one is still counted for some seconds. Actors die or hang at any step, also one to
which an island is about to move.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from queue import Empty
from types import SimpleNamespace
from typing import Any

from remembered import Remembered
from simulated_backends import Distant
from simulated_disks import Memory
from simulated_faults import Clock, Faults

from cluster import collectors, housing, launch, moves, shards
from cluster.actors import Where, where
from cluster.capacity import Room
from cluster.collector_actor import CollectorActor
from cluster.launch import RayActors
from cluster.seats import ShardAnswer
from cluster.shard_actor import ShardActor
from cluster.wire import pack
from islands.driver.backend import Arrival, Told
from islands.errors import IslandsError
from islands.model.island import Island
from islands.model.messages import IslandSpec, Order, State
from islands.shards.messages import Count, Request, ShardSpec, job_of
from islands.shards.parts import divided
from islands.shards.shard import Gathered, Shard

PATIENCE = 15.0  # virtual seconds after which an island hangs
NOTICE = 4.0  # ... until Ray notices that a node is dead
CPUS = 1.0
NOTHING = pickle.dumps(None)


class RayError(Exception):
    pass


class RayActorError(RayError):
    pass


class RayTaskError(RayError):
    cause = None


class GetTimeoutError(RayError):
    pass


class Never(RayError):
    """Raised by nobody."""


own = cache(where)


@dataclass(eq=False)
class Reference:
    """To the answer of an actor, which comes at its time if the actor lives until then."""

    world: World
    actor: Actor
    due: float
    value: Any
    called: Callable[[Any], None] | None = None

    @property
    def died(self) -> bool:
        return self.actor.dead_since < self.due

    def done(self) -> bool:
        return self.world.clock.now >= self.when

    @property
    def when(self) -> float:
        """When the answer comes, or the news that there will be none."""
        return self.actor.noticed if self.died else self.due

    def result(self) -> Any:
        if self.died:
            raise RayActorError
        return self.value() if callable(self.value) else self.value

    def future(self) -> Reference:
        return self

    def add_done_callback(self, function: Callable[[Any], None]) -> None:
        self.called = function
        self.world.awaited.append(self)


class Actor:
    """An island's process on a node."""

    def __init__(self, world: World, node: str, spec: bytes) -> None:
        self.world, self.node = world, node
        self._make(pickle.loads(spec))
        self._shards: Sequence[HostedShard] = ()
        self._free = world.clock.now + 1.5 * world.faults.random.random()  # it starts
        self.dead_since = self.noticed = inf
        if node not in world.nodes:
            self.kill(NOTICE)

    def _make(self, spec: Any) -> None:
        make = Remembered if self.world.faults.remember else Island
        self._island: Island | Remembered = make(spec)

    def kill(self, notice: float = 0.5) -> None:
        if self.dead_since == inf:
            self.dead_since = self.world.clock.now
            self.noticed = self.dead_since + notice

    def _answer(self, compute: Callable[[], Any]) -> Reference:
        world = self.world
        self._free = max(self._free, world.clock.now) + world.faults.random.random()
        if world.strikes(world.faults.hang_island):
            self._free = inf
        return Reference(world, self, self._free, compute() if self.dead_since == inf else None)

    @property
    def where(self) -> SimpleNamespace:
        home = replace(own(), node=self.node, pid=self.world.random.randrange(1000))
        return SimpleNamespace(remote=lambda: self._answer(lambda: home))

    @property
    def warm(self) -> SimpleNamespace:
        return SimpleNamespace(remote=lambda specs, after=(): self._answer(lambda: None))

    @property
    def evolve(self) -> SimpleNamespace:
        return SimpleNamespace(remote=lambda message, after=(): self._answer(lambda: self._live(message)))

    def _live(self, message: bytes) -> bytes:
        order, state = pickle.loads(message)
        try:
            if state is not None:
                self._island.restore(state)
            report = self._island.evolve(order)
            if order.shards:
                report, parts = divided(report, len(self._shards))
                for shard, part in zip(self._shards, parts, strict=True):
                    shard.put.options(num_returns=0).remote(pack(part))
            return pack(report)
        except IslandsError as error:
            return pack(error)

    @property
    def meet(self) -> SimpleNamespace:
        return SimpleNamespace(remote=self._meet)

    def _meet(self, shards: Sequence[HostedShard]) -> None:
        self._shards = list(shards)


class HostedShard(Actor):
    """A shard's process on a node. Parts arrive late; that nothing was counted is told as well."""

    def _make(self, spec: ShardSpec) -> None:
        self._shard = Shard(job_of(spec))
        self._parts: list[tuple[float, bytes]] = []  # and when they arrive

    @property
    def put(self) -> SimpleNamespace:
        return SimpleNamespace(options=lambda num_returns: SimpleNamespace(remote=self._put))

    def _put(self, part: bytes) -> None:
        faults = self.world.faults
        for _ in range(1 + faults.strike(faults.double_report) - faults.strike(faults.lose_part)):
            self._parts.append((self.world.clock.now + faults.random.random(), part))

    @property
    def answer(self) -> SimpleNamespace:
        return SimpleNamespace(remote=self._asked)

    def _asked(self, message: bytes, token: int) -> Reference:
        request = pickle.loads(message)
        if isinstance(request, Count):
            return self._answer(lambda: lambda: self._do(request, token))
        return self._answer(lambda: self._do(request, token))

    def _do(self, request: Request, token: int) -> bytes:
        due = [part for part in self._parts if part[0] <= self.world.clock.now]
        self._parts = [part for part in self._parts if part not in due]
        for _, part in due:
            self._shard.put(pickle.loads(part))
        answer = self._shard.answer(request, token)
        return pack(answer.encoded() if isinstance(answer, Gathered) else answer)


class HostedCollector(Actor):
    """A collector's process on a node: whenever it is asked, it brings what its islands have answered by then."""

    def _make(self, spec: Any) -> None:
        self._islands: dict[int, Actor] = {}
        self._open: dict[int, list[tuple[int, Reference]]] = {}  # tokens and answers, the oldest first

    @property
    def give(self) -> SimpleNamespace:
        return SimpleNamespace(options=lambda num_returns: SimpleNamespace(remote=self._give))

    def _give(self, number: int, orders: bytes, actors: dict[int, Actor], after: Any, shards: Any) -> None:
        if self.dead_since < inf:
            return
        for island, actor in actors.items():
            self._islands[island], self._open[island] = actor, []
        for island, token, message in pickle.loads(orders):
            self._open[island].append((token, self._islands[island].evolve.remote(message)))

    @property
    def take(self) -> SimpleNamespace:
        return SimpleNamespace(remote=self._take)

    def _take(self, *given: Any) -> Reference:
        if given:
            self._give(*given)
        return self._answer(lambda: self._collected)

    def _collected(self) -> bytes:
        answers: list[tuple[int, int, bytes | None, str]] = []
        for island, waiting in self._open.items():
            while waiting and waiting[0][1].done():
                token, reference = waiting.pop(0)
                died = reference.died
                answers.append((island, token, None if died else reference.result(), "it died" if died else ""))
        return pickle.dumps(answers)


@dataclass
class World:
    """The cluster: which nodes there are, what was asked of their actors, and what time it is."""

    faults: Faults
    clock: Clock
    nodes: dict[str, float] = field(default_factory=dict)  # alive -> its CPUs
    dead: dict[str, float] = field(default_factory=dict)  # not alive -> when Ray notices
    actors: list[Actor] = field(default_factory=list)
    awaited: list[Reference] = field(default_factory=list)  # by callbacks
    answered: list[Any] = field(default_factory=list)
    made: int = 0
    left: int = 6  # misfortunes that can still happen: it must be possible to get on

    def __post_init__(self) -> None:
        self.random = self.faults.random
        for _ in range(self.random.randrange(1, 3)):
            self.join()

    def join(self) -> None:
        self.made += 1
        self.nodes[f"node{self.made}"] = CPUS

    def end(self, node: str) -> None:
        """A node dies with all that lives there."""
        del self.nodes[node]
        self.dead[node] = self.clock.now + NOTICE
        for actor in self.actors:
            if actor.node == node:
                actor.kill(NOTICE)

    def strikes(self, rate: float) -> bool:
        struck = self.left > 0 and self.faults.strike(rate)
        self.left -= struck
        return struck

    def happen(self) -> None:
        """What may happen at any step."""
        faults = self.faults
        if self.nodes and self.strikes(faults.kill_node):
            self.end(self.random.choice(sorted(self.nodes)))
        if self.strikes(faults.join_node) or not self.nodes:
            self.join()
        alive = [actor for actor in self.actors if actor.dead_since == inf]
        if alive and self.strikes(faults.kill_island):
            self.random.choice(alive).kill()

    def pass_until(self, deadline: float, references: Sequence[Reference] = ()) -> None:
        """Let time pass until one of these is done, or somebody who is called back can be; or until the deadline."""
        watched = [*references, *self.awaited]
        soonest = min((reference.when for reference in watched), default=inf)
        self.clock.now = max(self.clock.now, min(deadline, soonest))
        for reference in [each for each in self.awaited if each.done()]:
            self.awaited.remove(reference)
            assert reference.called is not None
            reference.called(reference)

    # What the product calls: the module `ray`

    exceptions = SimpleNamespace(
        RayError=RayError, RayActorError=RayActorError, RayTaskError=RayTaskError, WorkerCrashedError=Never,
        OutOfMemoryError=Never, GetTimeoutError=GetTimeoutError,
    )  # fmt: skip

    def remote(self, **options: Any) -> Callable[[Any], Any]:
        def make(kind: type[Actor], spec: bytes) -> Actor:
            self.actors = [each for each in self.actors if each.dead_since == inf]
            self.actors.append(kind(self, options["node"], spec))
            return self.actors[-1]

        def made(kind: Any) -> SimpleNamespace:
            if kind is CollectorActor:
                return SimpleNamespace(remote=lambda run: make(HostedCollector, NOTHING))
            ours = HostedShard if kind is ShardActor else Actor
            return SimpleNamespace(remote=lambda spec, run, number: make(ours, spec))

        return made

    def kill(self, actor: Actor) -> None:
        actor.kill()

    def get(self, reference: Reference, timeout: float | None = None) -> Any:
        if not reference.done():
            assert timeout is not None, "this would wait for ever"
            raise GetTimeoutError
        return reference.result()

    def wait(self, references: Sequence[Reference], num_returns: int = 1, timeout: float = inf) -> tuple[Any, Any]:
        if timeout and not any(reference.done() for reference in references):
            self.pass_until(self.clock.now + timeout, references)
        done = [reference for reference in references if reference.done()][:1]
        return done, [reference for reference in references if reference not in done]

    def available_resources(self) -> dict[str, float]:
        return {}

    cluster_resources = available_resources


class KnownNodes:
    """The nodes, as Ray tells of them: late."""

    def __init__(self, world: World) -> None:
        self._world = world

    def look(self) -> bool:
        return False

    def rooms(self) -> list[Room]:
        now = self._world.clock.now
        known = [*self._world.nodes, *(node for node, until in self._world.dead.items() if now < until)]
        return [Room(node, CPUS, CPUS) for node in known]

    def fitting(self) -> int:
        return 1 << 20

    def actor_options(self, node: str, share: float) -> dict[str, Any]:
        return {"node": node}

    def name(self, node: str) -> str:
        return node

    def refuse(self, node: str, reason: str) -> None:
        raise AssertionError(f"{node} runs the same code, and was refused: {reason}")


class Answers:
    """The queue of answered calls, in virtual time."""

    def __init__(self, world: World) -> None:
        self._world = world

    def put(self, seat: Any) -> None:
        self._world.answered.append(seat)

    def get(self, timeout: float) -> Any:
        if not self._world.answered:
            self._world.pass_until(self._world.clock.now + timeout)
        return self.get_nowait()

    def get_nowait(self) -> Any:
        if not self._world.answered:
            raise Empty
        return self._world.answered.pop(0)


class OnRay(Distant):
    """Islands on that Ray; all of it may be lost as well."""

    depth = 2

    def __init__(self, faults: Faults, memory: Memory, clock: Clock, shards: Sequence[ShardSpec] = ()) -> None:
        super().__init__(faults, memory, clock)
        self.depth = 2
        self._shard_specs, self.shards = list(shards), len(shards)
        self._early_requests: list[tuple[int, int, Request]] = []
        self._world = World(faults, clock)
        self._homes: dict[int, Where] = {}
        self._actors: Any = None
        self._early: list[tuple[int, int, Order, State | None]] = []
        self._time: Any = SimpleNamespace(monotonic=clock, sleep=self._sleep)

    def start(self, specs: Sequence[IslandSpec]) -> None:
        self._specs, self.events = list(specs), []
        self._begins = self.clock.now + 8 * self.faults.random.random()

    def ready(self) -> bool:
        if not super().ready():
            return False
        if self._actors is None:
            nodes: Any = KnownNodes(self._world)
            self._actors = RayActors(
                own(),
                nodes,
                run="universe",
                patience=PATIENCE,
                crowd=self.faults.crowd,
                settled=self._homes.__setitem__,
            )
            self._actors._answered = Answers(self._world)
            with self._installed():
                specs = [(spec.recipe, pack(spec)) for spec in self._specs]
                self._actors.start(specs, [pack(spec) for spec in self._shard_specs])
            early, self._early = self._early, []
            for order in early:
                self.send(*order)
            requests, self._early_requests = self._early_requests, []
            for request in requests:
                self.ask(*request)
        return True

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        if self._actors is None:  # the islands wait for the first start
            self._early.append((island, token, order, state))
            return
        with self._installed():
            self._actors.send(island, token, pack((order, state)))

    def ask(self, shard: int, token: int, request: Request) -> None:
        assert not self._is_over, "asked when it was lost"
        if self._actors is None:
            self._early_requests.append((shard, token, request))
            return
        with self._installed():
            self._actors.shards.ask(shard, token, pack(request))

    def receive(self, timeout: float) -> Arrival | Told | None:
        self._strike()
        if self.faults.kill():
            self.memory._die()
        if self._actors is None:
            self.clock.now += timeout
            return None
        self._world.happen()
        with self._installed():
            answer = self._actors.receive(timeout)
        if answer is None:
            return None
        if isinstance(answer, ShardAnswer):
            told = None if answer.body is None else pickle.loads(answer.body)
            return Told(answer.shard, answer.token, told, answer.reason)
        report = None if answer.body is None else pickle.loads(answer.body)
        if isinstance(report, IslandsError):
            raise report
        place = str(self._homes.get(answer.island, ""))
        return Arrival(answer.island, answer.token, report, answer.reason, place=place, moved=answer.moved)

    def stop(self) -> None:
        """Nothing is left of it."""
        self._actors, self._is_over = None, True

    @contextmanager
    def _installed(self) -> Iterator[None]:
        """For the product, this is Ray and this is the time."""
        modules: dict[str, Any] = sys.modules
        real, modules["ray"] = modules.get("ray"), self._world
        collectors.time = housing.time = launch.time = moves.time = shards.time = self._time
        try:
            yield
        finally:
            collectors.time = housing.time = launch.time = moves.time = shards.time = time
            del modules["ray"]
            if real is not None:
                modules["ray"] = real

    def _sleep(self, seconds: float) -> None:
        self.clock.now += seconds
