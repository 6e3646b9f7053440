"""What the driver and the bridge send each other over a socket pair: frames of a header and a body.

| kind | from | island, token | body |
|---|---|---|---|
| START | driver | | packed Start: what to host |
| ORDER | driver | of the order | packed (order, state); the bridge does not open it |
| ASK | driver | shard, token | packed Request to a shard; the bridge does not open it |
| BATCH | both | | frames that were sent together, one after the other |
| NUMBERS | driver | | packed Numbers: how the run fares, for the metrics of Ray |
| STAGE | bridge | | packed (what begins now, how many seconds it may take) |
| HOME | bridge | island | packed Where: its actor has started |
| EVENT | bridge | | packed Event, for the event log |
| ROOM | bridge | number | without specs: for how many islands there are CPUs |
| READY | bridge | | all islands wait for orders |
| REPORT | bridge | of the order | packed Report or IslandsError; the bridge does not open it |
| LOST | bridge | of the order | the reason, as text: this island is gone, and comes back empty |
| TOLD | bridge | shard, token | packed Answer or IslandsError of a shard; the bridge does not open it |
| SHARD_LOST | bridge | shard, token | the reason, as text: this shard is gone, and comes back empty |
| MOVED | bridge | of the order | this island has moved, to the HOME before, and comes back empty |
| REFUSED | bridge | | packed ClusterError: another start would fail as well |
| GONE | bridge | | the reason, as text: all islands are gone |
| BEAT | bridge | | a sign of life |
"""

from __future__ import annotations

import select
import socket
import struct
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from itertools import chain, groupby, islice
from typing import NamedTuple

from cluster.actors import Where

_HEADER = struct.Struct("<iiqQ")  # kind, island, token, length of the body
_PIECE = 1 << 18  # bytes to read at a time
PIECES = 64  # headers and bodies that are handed to the system at a time
LIGHT = 1 << 16  # bytes of a frame, up to which it travels in a batch: there it is copied once more


class Kind(IntEnum):
    """What a frame says."""

    START = auto()
    ORDER = auto()
    ASK = auto()
    BATCH = auto()
    NUMBERS = auto()
    STAGE = auto()
    HOME = auto()
    EVENT = auto()
    ROOM = auto()
    READY = auto()
    REPORT = auto()
    LOST = auto()
    TOLD = auto()
    SHARD_LOST = auto()
    MOVED = auto()
    REFUSED = auto()
    GONE = auto()
    BEAT = auto()


_KINDS = {int(kind): kind for kind in Kind}  # to call the class takes longer


class Frame(NamedTuple):
    """One message."""

    kind: Kind
    island: int = 0
    token: int = 0
    body: bytes | bytearray = b""

    def header(self) -> bytes:
        return _HEADER.pack(self.kind, self.island, self.token, len(self.body))


def _together(frames: Sequence[Frame]) -> Iterator[Frame]:
    """The same frames with neighbours that are light in one, for which both ends do once what they do for each."""
    for is_light, some in groupby(frames, lambda frame: len(frame.body) <= LIGHT):
        batch = list(some)
        if is_light and len(batch) > 1:
            yield Frame(Kind.BATCH, body=b"".join([piece for frame in batch for piece in (frame.header(), frame.body)]))
        else:
            yield from batch


def _parts(frame: Frame) -> Iterator[Frame]:
    """The frames of a batch; any other frame alone."""
    if frame.kind != Kind.BATCH:
        yield frame
        return
    body, place = frame.body, 0
    while place < len(body):
        kind, island, token, length = _HEADER.unpack_from(body, place)
        begin = place + _HEADER.size
        place = begin + length
        yield Frame(_KINDS[kind], island, token, body[begin:place])


@dataclass(frozen=True)
class Start:
    """What a bridge is to host."""

    run: str  # its name, for those who operate the cluster
    address: str | None  # None = a Ray of its own
    cpus: int  # of this machine
    wait: float  # seconds, for a CPU of a busy cluster
    specs: list[tuple[str, bytes]]  # recipe and packed spec of each island; none: it only looks how many fit
    patience: float  # seconds an epoch may take
    own: Where  # the code of the driver, with which all islands must agree
    shards: list[bytes]  # packed spec of each shard of the archive
    crowd: int  # islands on one node, from which on they share a collector


class DriverEnd:
    """The driver's end: nothing here waits for the other side, except `wait`, for as long as its argument says.

    What the socket does not take at once waits in a queue: the bridge may be stopped, or busy with a large frame of
    its own.
    """

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        _enlarge(connected)
        self._socket = connected
        self._out: deque[memoryview] = deque()
        self._batch: list[Frame] = []
        self._in = bytearray()  # the beginning of the next frame
        self._body: bytearray | None = None  # of a frame that is arriving, whose header was
        self._head: tuple[int, int, int] = (0, 0, 0)
        self._filled = 0
        self._poll = select.poll()
        self.closed = False  # the other side is gone

    def put(self, frame: Frame) -> None:
        """Send a frame, or queue it."""
        self._queue(frame)
        self._flush()

    def gather(self, frame: Frame) -> None:
        """Let a frame wait for others, until `send`."""
        self._batch.append(frame)

    def send(self) -> None:
        """Send what was gathered."""
        batch, self._batch = self._batch, []
        for frame in _together(batch):
            self._queue(frame)
        if batch:
            self._flush()

    def _queue(self, frame: Frame) -> None:
        self._out.append(memoryview(frame.header()))
        if frame.body:
            self._out.append(memoryview(frame.body))

    def wait(self, timeout: float) -> None:
        """Wait until something has arrived, for `timeout` seconds at the most; meanwhile send what is queued."""
        self._poll.register(self._socket, select.POLLIN | (select.POLLOUT if self._out else 0))
        if any(event & select.POLLOUT for _, event in self._poll.poll(1000 * timeout)):
            self._flush()

    def frames(self) -> Iterator[Frame]:
        """Every frame that has arrived as a whole. Sets `closed` at the end of the stream."""
        while not self.closed:
            yield from self._whole()
            try:
                if self._body is not None:
                    got = self._socket.recv_into(memoryview(self._body)[self._filled :])
                    self._filled += got
                else:
                    piece = self._socket.recv(_PIECE)
                    got = len(piece)
                    self._in += piece
            except BlockingIOError:
                return
            except OSError:
                got = 0
            self.closed = not got

    def close(self) -> None:
        """The other side reads the end of the stream."""
        self._socket.close()
        self._out.clear()
        self.closed = True

    def _whole(self) -> Iterator[Frame]:
        """The frames whose last byte is here."""
        while True:
            if self._body is None:
                if len(self._in) < _HEADER.size:
                    return
                *head, length = _HEADER.unpack_from(self._in)
                self._head = (head[0], head[1], head[2])
                begun = self._in[_HEADER.size : _HEADER.size + length]
                del self._in[: _HEADER.size + length]
                self._filled, self._body = len(begun), begun
                if len(begun) < length:
                    self._body = bytearray(length)
                    self._body[: len(begun)] = begun
            if self._filled < len(self._body):
                return
            kind, island, token = self._head
            body, self._body = self._body, None
            yield from _parts(Frame(_KINDS[kind], island, token, body))

    def _flush(self) -> None:
        try:
            while self._out:
                sent = self._socket.sendmsg(list(islice(self._out, PIECES)))
                while self._out and sent >= len(self._out[0]):
                    sent -= len(self._out.popleft())
                if sent:
                    self._out[0] = self._out[0][sent:]
        except BlockingIOError:
            return
        except OSError:  # `frames` sees the end of the stream, after what arrived before it
            self._out.clear()


class BridgeEnd:
    """The bridge's end. `put` may be called in any thread, and waits until the driver has taken the frame."""

    def __init__(self, connected: socket.socket) -> None:
        _enlarge(connected)
        self._socket = connected
        self._file = connected.makefile("rb")
        self._lock = threading.Lock()

    def put(self, *frames: Frame) -> None:
        """Send frames. OSError if the driver is gone."""
        rest = deque(memoryview(piece) for frame in _together(frames) for piece in (frame.header(), frame.body))
        with self._lock:
            while rest:
                sent = self._socket.sendmsg(list(islice(rest, PIECES)))
                while rest and sent >= len(rest[0]):
                    sent -= len(rest.popleft())
                if rest:
                    rest[0] = rest[0][sent:]

    def batches(self) -> Iterator[list[Frame]]:
        """Every frame until the driver is gone, together with those that it was sent with. For one thread."""
        while (frame := self._frame()) is not None:
            yield list(_parts(frame))

    def frames(self) -> Iterator[Frame]:
        """The same one by one."""
        return chain.from_iterable(self.batches())

    def _frame(self) -> Frame | None:
        """The next frame; None: the driver is gone."""
        head = self._file.read(_HEADER.size)
        if len(head) < _HEADER.size:
            return None
        kind, island, token, length = _HEADER.unpack(head)
        body = self._file.read(length)
        return None if len(body) < length else Frame(_KINDS[kind], island, token, body)


def _enlarge(connected: socket.socket) -> None:
    """Let the system hold as much as it allows: a large report wakes the other side less often."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
