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
from typing import TYPE_CHECKING

import psutil

from cluster import scratch as scratches
from cluster.actors import keep_memory
from cluster.frames import BridgeEnd, Frame, Kind, Start
from cluster.processes import end_session
from islands.errors import BackendLost, ClusterError

if TYPE_CHECKING:
    from cluster.actors import Where
    from cluster.launch import RayActors

BEAT = 1.0  # seconds between two signs of life
START = 45.0  # seconds for a local Ray to start: some 3, or 20 on a busy machine. More means that it hangs
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
    """Wait for the end of the driver, and let nothing be left over. In a process of its own: Ray may hold up this one
    for seconds.
    """
    os.read(watched, 1)
    _vanish(scratch)


def _vanish(scratch: Path) -> None:
    """End every process of this session and remove its files."""
    end_session(os.getsid(0))
    scratches.remove(scratch)
    os._exit(0)


class Host:
    """The islands of one run on Ray, and the driver who gives them orders."""

    def __init__(self, end: BridgeEnd, scratch: Path) -> None:
        self._end, self._scratch = end, scratch
        self._begin: SimpleQueue[Start] = SimpleQueue()
        self._orders: deque[Frame] = deque()
        self._actors: RayActors | None = None
        self._running = threading.Event()
        self._head: tuple[str, int] | None = None  # of a cluster that was joined
        self._daemons: dict[int, str] = {}  # descriptor of a process of Ray -> its name

    def serve(self) -> None:
        """Start Ray and the islands, then carry orders and answers until this process ends."""
        reader, watch = (threading.Thread(target=task, daemon=True) for task in (self._read, self._watch))
        reader.start()
        watch.start()
        try:
            self._start(self._begin.get())
            self._carry()
        except BackendLost as error:
            self._gone(str(error))
        except ClusterError as error:
            self._end.put(Frame(Kind.REFUSED, body=pickle.dumps(error)))
        except Exception as error:
            traceback.print_exc()
            self._gone(f"{type(error).__name__}: {error}")
        reader.join()  # the driver ends this process; what Ray does at an orderly end could hang

    def _start(self, start: Start) -> None:
        from cluster import connection
        from cluster.address import JOIN
        from cluster.launch import RayActors

        count = len(start.specs)
        if start.address is None:
            self._stage("starting Ray", START)
            connection.start(self._scratch / scratches.RAY, min(count, start.cpus))
        else:
            self._stage("joining", 2 * JOIN)
            self._head = connection.join(start.address)
        self._stage("placing the islands", float("inf"))  # it has limits of its own
        actors = RayActors(start.own, patience=start.patience, settled=self._settled)
        actors.start(start.specs, enough=start.address is None and count <= start.cpus)
        if not self._orders:  # nobody waits for the first report yet
            actors.warm()
        self._actors = actors
        self._end.put(Frame(Kind.READY))

    def _carry(self) -> None:
        actors = self._actors
        assert actors is not None
        self._running.set()
        beaten = 0.0
        while True:
            while self._orders:
                order = self._orders.popleft()
                actors.send(order.island, order.token, bytes(order.body))
            answer = actors.receive(BEAT)
            if answer is not None:
                kind, body = (Kind.LOST, answer.reason.encode()) if answer.body is None else (Kind.REPORT, answer.body)
                self._end.put(Frame(kind, answer.island, answer.token, body))
            now = time.monotonic()
            if now - beaten >= BEAT:
                beaten = now
                self._end.put(Frame(Kind.BEAT))

    def _read(self) -> None:
        """Take in frames until the driver is gone."""
        for frame in self._end.frames():
            if frame.kind == Kind.START:
                self._begin.put(pickle.loads(frame.body))
            elif frame.kind == Kind.ORDER:
                self._orders.append(frame)
                if self._actors is not None:
                    self._actors.wake()
        _vanish(self._scratch)

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
            elif self._head is not None:
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

    def _stage(self, what: str, limit: float) -> None:
        self._end.put(Frame(Kind.STAGE, body=pickle.dumps((what, limit))))

    def _settled(self, island: int, home: Where) -> None:
        self._end.put(Frame(Kind.HOME, island, body=pickle.dumps(home)))

    def _gone(self, reason: str) -> None:
        self._end.put(Frame(Kind.GONE, body=reason.encode()))


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=BEAT):
            return True
    except OSError:
        return False
