"""The bridge: the process that alone imports Ray. It hosts the islands' actors, and passes bytes on.

It ends, with everything in its session, when the driver's end of the socket is closed, when the driver is killed, or
when Ray loses one of its own processes. A thread reads orders from its first moment on: two large frames that meet
would otherwise wait for each other.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import threading
import time
import traceback
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn

import psutil

from cluster import scratch as scratches
from cluster.actors import keep_memory
from cluster.frames import BridgeEnd, Frame, Kind, Start
from cluster.journal import Journal
from cluster.processes import end_session
from cluster.seats import Answer, ShardAnswer
from islands.errors import BackendLost, Busy, ClusterError
from islands.model.messages import Event

if TYPE_CHECKING:
    from cluster.actors import Where
    from cluster.launch import RayActors
    from cluster.metrics import Meters, Numbers
    from cluster.nodes import Nodes

BEAT = 1.0  # seconds between two signs of life
START = 45.0  # seconds for a local Ray to start: some 3, or 20 on a busy machine. More means that it hangs
AT_ONCE = 256  # answers, at most, that are passed on together
DIALS = 3  # calls in a row that the head of a cluster does not answer, after which it is lost
DAEMONS = ("gcs_server", "raylet")  # Ray's own processes, without which nothing works


def main(descriptor: str, watched: str, folder: str) -> None:
    """Serve the driver at the other end of a socket; `watched` is a pipe that is closed when the driver ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (descriptor, watched):
        os.set_inheritable(int(number), False)
    if os.fork() == 0:
        os.close(int(descriptor))
        guard(int(watched), Path(folder))
    os.close(int(watched))
    keep_memory()
    Host(BridgeEnd(socket.socket(fileno=int(descriptor))), Path(folder)).serve()


def guard(watched: int, scratch: Path) -> None:
    """Wait for the end of the driver, and let nothing be left over, unless the driver says that it saw to it.

    In a process of its own, as Ray may hold up this one for seconds; and in a session of its own, so that it is still
    there when the driver is killed while it ends the bridge's.
    """
    leader = os.getsid(0)
    os.setsid()
    if os.read(watched, 1):
        os._exit(0)
    _vanish(leader, scratch)


def _vanish(leader: int, scratch: Path) -> NoReturn:
    """End every process of the bridge's session and remove its files."""
    end_session(leader)
    scratches.remove(scratch)
    os._exit(0)


class Host:
    """The islands of one run on Ray, and the driver who gives them orders."""

    def __init__(self, end: BridgeEnd, scratch: Path) -> None:
        self._end, self._scratch = end, scratch
        self._journal: Journal | None = None
        self._begin: SimpleQueue[Start] = SimpleQueue()
        self._orders: deque[Frame] = deque()
        self._numbers: deque[Numbers] = deque()  # that Ray was not given yet
        self._actors: RayActors | None = None
        self._meters: Meters | None = None
        self._running = threading.Event()
        self._head: tuple[str, int] | None = None  # of a cluster that was joined
        self._waits_for = ""
        self._daemons: dict[int, str] = {}  # descriptor of a process of Ray -> its name

    def serve(self) -> None:
        """Start Ray and the islands, then carry orders and answers until this process ends."""
        reader, watch = (threading.Thread(target=task, daemon=True) for task in (self._read, self._watch))
        reader.start()
        watch.start()
        try:
            self._start(self._begin.get())
            if self._actors is not None:
                self._carry(self._actors)
        except BackendLost as error:
            self._gone(str(error))
        except ClusterError as error:
            self._note("refused", reason=str(error))
            self._end.put(Frame(Kind.REFUSED, body=pickle.dumps(error)))
        except Exception as error:
            traceback.print_exc()
            self._gone(f"{type(error).__name__}: {error}")
        reader.join()  # the driver ends this process; what Ray does at an orderly end could hang

    def _start(self, start: Start) -> None:
        from cluster import connection
        from cluster.address import JOIN
        from cluster.launch import RayActors
        from cluster.metrics import Meters
        from cluster.nodes import Nodes

        log = (self._scratch / scratches.JOURNAL).open("a", encoding="utf-8")
        self._journal = Journal(log, start.run, host=os.uname().nodename, process=os.getpid())
        if start.address is None:
            self._stage("starting Ray", START)
            connection.start(self._scratch / scratches.RAY, min(len(start.specs), start.cpus))
        else:
            self._stage("joining", 2 * JOIN)
            self._head = connection.join(start.address)
        self._stage("placing the islands", float("inf"))  # it has limits of its own
        nodes = Nodes(start.own, trusted=start.address is None, left_out=self._left_out)
        nodes.survey(patient=not start.specs)  # who asks for the number of islands needs every node
        number = self._await_room(nodes, start.wait)
        if not start.specs:
            self._end.put(Frame(Kind.ROOM, number))
        else:
            actors = RayActors(
                start.own,
                nodes,
                run=start.run,
                patience=start.patience,
                crowd=start.crowd,
                settled=self._settled,
                moving=self._moving,
            )
            actors.start(start.specs, start.shards)
            if not self._orders:  # nobody waits for the first report yet
                actors.warm()
            self._actors, self._meters = actors, Meters(start.run)
            self._note("ready")
        self._end.put(Frame(Kind.READY))

    def _await_room(self, nodes: Nodes, wait: float) -> int:
        """Wait until some CPU is free, for `wait` seconds at the most; returns how many islands can have one."""
        from cluster.capacity import one_per_cpu

        begun = time.monotonic()
        while True:
            try:
                return one_per_cpu(nodes.rooms())
            except Busy as error:
                if not wait:
                    raise
                if time.monotonic() - begun > wait:
                    raise ClusterError(f"waited {wait:g} s in vain: {error}") from error
                if self._waits_for != str(error):
                    self._waits_for = str(error)
                    self._tell({"event": "waiting", "reason": self._waits_for, "limit": wait})
            time.sleep(BEAT)
            nodes.look()

    def _carry(self, actors: RayActors) -> None:
        meters = self._meters
        assert meters is not None
        self._running.set()
        beaten = 0.0
        while True:
            while self._orders:
                order = self._orders.popleft()
                send = actors.shards.ask if order.kind == Kind.ASK else actors.send
                send(order.island, order.token, bytes(order.body))
            frames: list[Frame] = []
            answer = actors.receive(BEAT)
            while answer is not None:
                frames.append(self._frame_of(answer))
                answer = actors.receive(0.0) if len(frames) < AT_ONCE else None
            if frames:
                self._end.put(*frames)
            now = time.monotonic()
            if now - beaten >= BEAT:
                beaten = now
                self._end.put(Frame(Kind.BEAT))
                while self._numbers:
                    meters.take(self._numbers.popleft())

    def _frame_of(self, answer: Answer | ShardAnswer) -> Frame:
        if isinstance(answer, ShardAnswer):
            return self._frame_of_shard(answer)
        kind, body = Kind.REPORT, answer.body
        if body is None:
            kind, body = Kind.MOVED if answer.moved else Kind.LOST, answer.reason.encode()
            self._note("move" if answer.moved else "island-lost", island=answer.island, reason=answer.reason)
        return Frame(kind, answer.island, answer.token, body)

    def _frame_of_shard(self, answer: ShardAnswer) -> Frame:
        kind, body = Kind.TOLD, answer.body
        if body is None:
            kind, body = Kind.SHARD_LOST, answer.reason.encode()
            self._note("shard-lost", shard=answer.shard, reason=answer.reason)
        return Frame(kind, answer.shard, answer.token, body)

    def _read(self) -> None:
        """Take in frames until the driver is gone."""
        for frames in self._end.batches():
            if frames and frames[0].kind == Kind.START:
                self._begin.put(pickle.loads(frames[0].body))
            elif frames and frames[0].kind == Kind.NUMBERS:
                self._numbers.append(pickle.loads(frames[0].body))
            else:
                self._orders.extend(frames)
                if self._actors is not None:
                    self._actors.wake()
        _vanish(os.getsid(0), self._scratch)

    def _watch(self) -> None:
        """Look at Ray's own processes, or call the head of the cluster; and give signs of life during the start."""
        deaf = 0
        while True:
            self._find_daemons()
            poll = select.poll()
            for descriptor in self._daemons:
                poll.register(descriptor, select.POLLIN)
            for descriptor, _ in poll.poll(1000 * BEAT):
                return self._gone(f"Ray's {self._daemons[descriptor]} ended")
            if not self._running.is_set():
                self._end.put(Frame(Kind.BEAT))
            if self._head is not None:  # also while the islands are placed: Ray would wait for it for a minute
                deaf = 0 if _answers(*self._head) else deaf + 1
                if deaf == DIALS:
                    return self._gone(f"the head of the cluster at {self._head[0]}:{self._head[1]} no longer answers")

    def _find_daemons(self) -> None:
        """Take note of Ray's own processes, as soon as they have started."""
        if self._head is not None or len(self._daemons) == len(DAEMONS) or not hasattr(os, "pidfd_open"):
            return
        for child in psutil.Process().children():
            with suppress(OSError, psutil.Error):  # it has ended meanwhile
                name = child.name()
                if name in DAEMONS and name not in self._daemons.values():
                    self._daemons[os.pidfd_open(child.pid)] = name

    def _note(self, event: str, **details: Any) -> None:
        """Add to the log of the bridge; before it was told what to host there is none."""
        if self._journal is not None:
            self._journal.write(event, **details)

    def _stage(self, what: str, limit: float) -> None:
        self._note("stage", stage=what)
        self._end.put(Frame(Kind.STAGE, body=pickle.dumps((what, limit))))

    def _left_out(self, node: str, reason: str) -> None:
        self._tell({"event": "node-left-out", "node": node, "reason": reason})

    def _tell(self, event: Event) -> None:
        self._end.put(Frame(Kind.EVENT, body=pickle.dumps(event)))

    def _settled(self, island: int, home: Where) -> None:
        self._note("home", island=island, place=str(home), node=home.node)
        self._end.put(Frame(Kind.HOME, island, body=pickle.dumps(home)))

    def _moving(self, island: int, node: str) -> None:
        self._note("moving", island=island, to=node)

    def _gone(self, reason: str) -> None:
        self._note("gone", reason=reason)
        self._end.put(Frame(Kind.GONE, body=reason.encode()))


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=BEAT):
            return True
    except OSError:
        return False
