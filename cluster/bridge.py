"""Bridge: the backend whose islands are Ray actors, behind a process of its own. Nothing here imports Ray.

Ray may hang while it starts, and ends the process in which it lives when it loses its head. So it lives in a child
process, the bridge (bridge_process.py), which may be killed at any time: this side then raises BackendLost.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import islands
from cluster import address as addresses
from cluster import scratch as scratches
from cluster.actors import Where, where
from cluster.frames import DriverEnd, Frame, Kind, Start
from cluster.metrics import numbers
from cluster.processes import end_session
from cluster.wire import pack
from islands.driver.backend import Arrival, Told
from islands.driver.snapshot import Snapshot
from islands.errors import BackendLost, IslandsError
from islands.model.job import cpus
from islands.model.messages import Event, IslandSpec, Order, State
from islands.shards.messages import Request, ShardSpec
from islands.store.disk import Disk

SILENCE = 15.0  # seconds without a sign of life, after which the bridge counts as hung; it gives one every second
CROWD = 8  # islands on one node, from which on they share a collector: a message of Ray takes as long as many reports
LOOK = 0.05  # seconds between two looks at a bridge that is being started
OPEN = 20.0  # seconds until its first sign of life: to start Python takes long on a busy machine

PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from cluster.bridge_process import main; main(*sys.argv[2:])"


class Bridge:
    """Islands on Ray: on one of their own, or on the cluster at `address`. Logs of a failure are copied to the run's
    disk, `home`. `shards` are those of the archive, which live there, too.

    `wait` is how many seconds to wait for a CPU of a busy cluster. `patience` is how many an epoch may take before its
    island counts as hung, `silence` the same for the whole bridge. From `crowd` islands on a node on, they share a
    collector there.
    """

    depth = 2  # an island has its next order while the driver is busy with its report

    def __init__(
        self,
        address: str | None,
        home: Disk | None,
        *,
        wait: float = 0.0,
        patience: float = 600.0,
        silence: float = SILENCE,
        shards: Sequence[ShardSpec] = (),
        crowd: int = CROWD,
    ) -> None:
        self._shards, self.shards, self._crowd = shards, len(shards), crowd
        self._address, self._home, self._wait = address, home, wait
        self._patience, self._silence = patience, silence
        self._process: subprocess.Popen[bytes] | None = None
        self._end: DriverEnd | None = None
        self._guarded: int | None = None  # held open: the guard of the bridge sees when this process ends
        self._scratch: Path | None = None
        self._arrivals: deque[Arrival | Told | IslandsError] = deque()
        self._ready = False
        self._failed = False  # something was lost: the logs are worth keeping
        self._stage, self._begun, self._limit = "starting a process", 0.0, OPEN
        self._heard: float | None = None  # the last sign of life
        self.homes: dict[int, Where] = {}  # where each island lives, as far as its actor has started
        self._places: dict[int, str] = {}  # the same in a word
        self.events: list[Event] = []  # that nobody has read yet
        self.room = 0  # how many islands can have a CPU, if it was started without any

    @property
    def pid(self) -> int | None:
        """The bridge's process, which leads the session of all that it starts."""
        return self._process.pid if self._process is not None else None

    def start(self, specs: Sequence[IslandSpec]) -> None:
        """Start the bridge, and return at once. BackendLost if the system has no process or no file for it."""
        try:
            end = self._launch()
        except OSError as error:
            self.stop()
            raise BackendLost(f"the bridge to Ray cannot be started: {error.strerror}.") from error
        self._begun = time.monotonic()
        packed = [(spec.recipe, pack(spec)) for spec in specs]
        run = self._home.name if self._home is not None else "none"
        shards = [pack(spec) for spec in self._shards]
        start = Start(run, self._address, cpus(), self._wait, packed, self._patience, where(), shards, self._crowd)
        end.put(Frame(Kind.START, body=pack(start)))

    def _launch(self) -> DriverEnd:
        """Make the bridge's process; our end of the socket to it."""
        self._scratch = scratches.make()
        ours, theirs = socket.socketpair()
        self._end = DriverEnd(ours)
        watched, self._guarded = os.pipe()
        root = str(Path(islands.__file__).parents[1])
        words = [root, str(theirs.fileno()), str(watched), str(self._scratch)]
        try:
            with (self._scratch / scratches.LOG).open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", PROGRAM, *words],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    pass_fds=(theirs.fileno(), watched), start_new_session=True,
                )  # fmt: skip
        finally:
            theirs.close()
            os.close(watched)
        return self._end

    def ready(self) -> bool:
        """Whether every island waits for orders."""
        self._take_in(0.0)
        return self._ready

    def send(self, island: int, token: int, order: Order, state: State | None) -> None:
        assert self._end is not None
        self._end.gather(Frame(Kind.ORDER, island, token, pack((order, state))))

    def ask(self, shard: int, token: int, request: Request) -> None:
        assert self._end is not None
        self._end.gather(Frame(Kind.ASK, shard, token, pack(request)))

    @property
    def waiting(self) -> int:
        return len(self._arrivals)

    def receive(self, timeout: float) -> Arrival | Told | None:
        if not self._arrivals:
            self._take_in(timeout)
        if not self._arrivals:
            return None
        arrival = self._arrivals.popleft()
        if isinstance(arrival, IslandsError):
            raise arrival
        return arrival

    def observe(self, now: Snapshot, before: Snapshot) -> None:
        assert self._end is not None
        self._end.put(Frame(Kind.NUMBERS, body=pack(numbers(now, before))))

    def stop(self) -> None:
        """End the bridge, Ray if it was started for it, and all islands."""
        if self._process is not None:
            end_session(self._process.pid)
            self._process.wait()
            self._process = None
        if self._end is not None:
            self._end.close()
            self._end = None
        if self._scratch is not None:
            if self._failed and self._home is not None:
                scratches.keep_logs(self._scratch, self._home)
            scratches.remove(self._scratch)
            self._scratch = None
        if self._guarded is not None:
            with suppress(OSError):  # the guard was killed
                os.write(self._guarded, b"\0")
            os.close(self._guarded)
            self._guarded = None
        self._arrivals.clear()

    def _take_in(self, timeout: float) -> None:
        """Send what was gathered, and take in what has arrived, or arrives within `timeout` seconds. Only after that
        can silence be judged: this process itself may have been busy, or stopped.
        """
        end = self._end
        if end is None:
            return
        end.send()
        end.wait(timeout)
        for frame in end.frames():
            self._heard = time.monotonic()
            self._take(frame)
        if self._arrivals:
            return
        now = time.monotonic()
        if end.closed:
            self._lose(self._cause())
        elif self._heard is not None and now - self._heard > self._silence:
            self._lose(f"the bridge to Ray gave no sign of life for {now - self._heard:.0f} s")
        elif not self._ready:
            self._judge_start(now - self._begun)

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.REPORT:
                report = pickle.loads(frame.body)
                if isinstance(report, IslandsError):
                    self._arrivals.append(report)
                else:
                    place = self._places.get(frame.island, "")
                    self._arrivals.append(Arrival(frame.island, frame.token, report, place=place))
            case Kind.LOST:
                self._failed = True
                self._arrivals.append(Arrival(frame.island, frame.token, None, bytes(frame.body).decode()))
            case Kind.TOLD:
                answer = pickle.loads(frame.body)
                failed = isinstance(answer, IslandsError)
                self._arrivals.append(answer if failed else Told(frame.island, frame.token, answer))
            case Kind.SHARD_LOST:
                self._failed = True
                self._arrivals.append(Told(frame.island, frame.token, None, bytes(frame.body).decode()))
            case Kind.MOVED:
                place = self._places.get(frame.island, "")
                self._arrivals.append(Arrival(frame.island, frame.token, None, place=place, moved=True))
            case Kind.HOME:
                home = self.homes[frame.island] = pickle.loads(frame.body)
                self._places[frame.island] = str(home)
            case Kind.EVENT:
                self.events.append(pickle.loads(frame.body))
            case Kind.ROOM:
                self.room = frame.island
            case Kind.STAGE:
                self._stage, self._limit = pickle.loads(frame.body)
                self._begun = time.monotonic()
            case Kind.READY:
                self._ready = True
            case Kind.REFUSED:
                self._failed = True
                raise pickle.loads(frame.body)
            case Kind.GONE:
                self._lose(bytes(frame.body).decode())

    def _judge_start(self, waited: float) -> None:
        """Raise what the start has failed with, if it has."""
        if self._address is not None and self._stage == "joining":
            refused = addresses.refusal(self._printed(), self._address, waited)
            if refused is not None:
                raise refused
        if waited > self._limit:
            self._lose(f"{self._stage} took more than {self._limit:g} s")

    def _cause(self) -> str:
        """Why the bridge closed its end."""
        process = self._process
        assert process is not None
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(0.1)
            if code < 0:
                return f"the bridge to Ray was ended by {signal.Signals(-code).name}"
        return f"the bridge to Ray ended. {addresses.last_line(self._printed())}".rstrip()

    def _printed(self) -> str:
        """What the bridge and Ray have printed so far."""
        return scratches.printed(self._scratch) if self._scratch is not None else ""

    def _lose(self, reason: str) -> None:
        self._failed = True
        if self._address is not None and self._stage == "joining":
            refused = addresses.refusal(self._printed(), self._address, addresses.JOIN)
            if refused is not None:
                raise refused
        raise BackendLost(f"{reason.rstrip('.')}.")


def room_on(address: str, wait: float, listen: Callable[[Event], None]) -> int:
    """For how many islands the cluster at `address` has CPUs; `listen` hears what it waits for, up to `wait` seconds.

    ClusterError if the cluster cannot be joined, or has no CPU for islands.
    """
    bridge = Bridge(address, None, wait=wait)
    try:
        bridge.start([])
        while not bridge.ready():
            for event in bridge.events:
                if event["event"] == "waiting":  # the run itself will tell the rest
                    listen(event)
            bridge.events = []
            time.sleep(LOOK)
        return bridge.room
    finally:
        bridge.stop()
