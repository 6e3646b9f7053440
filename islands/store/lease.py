"""One writer where nothing can be locked: whoever wants to write puts a claim, then looks who else has one.

A claim is an object writer-ID.json beside job.json. As it is put before its owner looks, of two that come at once one
at least sees the other; that one waits or goes. The owner of a claim renews it every BEAT seconds; one that has not
been renewed for LEASE seconds is dead, and so is at once one whose process was on this machine and is gone.

What this promises: as long as a writer renews its claim, nobody else becomes one. A writer that stood still for LEASE
seconds may be taken over; it notices before its next commit (`confirm`) and ends. A commit that was already on its way
then may still arrive: files that it has replaced are found damaged by their checksums, and a resume finds them again.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from islands.store.objects import Patient

BEAT = 5.0  # seconds between two signs of life
LEASE = 30.0  # seconds without one after which a writer counts as dead
LOOK = 0.5  # seconds between two looks at the others
_CLAIM = re.compile(r"writer-([0-9a-f]{16})\.json")


@dataclass(frozen=True)
class Owner:
    """A process, as another one can recognise it."""

    machine: str  # different for all machines and containers
    host: str
    pid: int
    started: float

    @property
    def is_gone(self) -> bool:
        """Whether it is known to have ended: it was on this machine."""
        if self.machine != _machine():
            return False
        try:
            return abs(psutil.Process(self.pid).create_time() - self.started) > 1
        except psutil.Error:
            return True

    @property
    def is_here(self) -> bool:
        """Whether it is known to live, on this machine."""
        return self.machine == _machine() and not self.is_gone

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


@dataclass(frozen=True)
class Claim:
    """What a claim says."""

    owner: Owner
    id: str
    beat: int = 0
    holds: bool = False  # its owner is the writer; else it waits to see whether it can be
    over: tuple[str, ...] = field(default=())  # the claims of dead writers that it has replaced


class Busy(Exception):
    """Another process writes there."""

    def __init__(self, owner: Owner) -> None:
        super().__init__(str(owner))


class Lease:
    """The claim of this process on one folder."""

    def __init__(
        self,
        objects: Patient,
        folder: str,
        owner: Owner | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._objects, self._folder, self._clock, self._sleep = objects, folder, clock, sleep
        self._claim = Claim(owner or this_process(), secrets.token_hex(8))
        self._lock = threading.Lock()  # around every put and the delete of the claim
        self._ended = threading.Event()
        self._beating: threading.Thread | None = None

    def take(self) -> None:
        """Become the writer; Busy where another process is. What dead writers left is removed."""
        self._put()
        self._beating = threading.Thread(target=self._beat, daemon=True, name="lease")
        self._beating.start()
        try:
            self._wait()
            with self._lock:
                self._claim = replace(self._claim, holds=True)
                self._objects.put(self._key(self._claim.id), _packed(self._claim))
        except BaseException:
            self.release()
            raise

    def _wait(self) -> None:
        """Until no other claim is alive."""
        seen: dict[str, tuple[int, float]] = {}  # of each claim its last beat, and when it was new
        while others := self._others():
            now = self._clock()
            for other in others:
                beat, since = seen.get(other.id, (other.beat, now))
                if other.owner.is_gone or (beat == other.beat and now - since >= LEASE and not other.owner.is_here):
                    with self._lock:
                        self._claim = replace(self._claim, over=(*self._claim.over, other.id))
                    self._objects.delete(self._key(other.id))
                    continue
                renewed = beat != other.beat or other.owner.is_here
                if renewed and (other.holds or other.id < self._claim.id):
                    raise Busy(other.owner)
                seen[other.id] = (other.beat, since if beat == other.beat else now)
            self._sleep(LOOK)

    def is_ours(self) -> bool:
        """Whether this process is still the writer."""
        there = _ids(self._objects, self._folder)
        others = claims(self._objects, self._folder, there - {self._claim.id})
        for other in others:
            if other.id in self._claim.over:  # it has come back to life, and will notice
                self._objects.delete(self._key(other.id))
        return self._claim.id in there and not any(self._claim.id in other.over for other in others)

    def release(self) -> None:
        """Let others write. An error leaves a claim that ends by itself."""
        self._ended.set()
        with self._lock, suppress(OSError):
            self._objects.delete(self._key(self._claim.id))

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            with (
                self._lock,
                suppress(OSError),
            ):  # else others may take over, and `is_ours` tells
                if self._ended.is_set() or self._objects.look([self._key(self._claim.id)])[0] is None:
                    continue
                self._claim = replace(self._claim, beat=self._claim.beat + 1)
                self._objects.put(self._key(self._claim.id), _packed(self._claim))

    def _put(self) -> None:
        with self._lock:
            self._objects.put(self._key(self._claim.id), _packed(self._claim))

    def _others(self) -> list[Claim]:
        return claims(self._objects, self._folder, _ids(self._objects, self._folder) - {self._claim.id})

    def _key(self, id_: str) -> str:
        return _key(self._folder, id_)


def _key(folder: str, id_: str) -> str:
    return f"{folder}/writer-{id_}.json"


def is_claim(name: str) -> bool:
    """Whether an object of this name is a claim."""
    return _CLAIM.fullmatch(name) is not None


def _ids(objects: Patient, folder: str) -> set[str]:
    """Of all claims on a folder."""
    return {found[1] for entry in objects.list(folder) if (found := _CLAIM.fullmatch(entry.name)) is not None}


def claims(objects: Patient, folder: str, ids: Iterable[str]) -> list[Claim]:
    """What these claims on a folder say, but for those that are gone."""
    found = []
    for id_ in sorted(ids):
        with suppress(FileNotFoundError):  # released meanwhile
            found.append(_unpacked(objects.get(_key(folder, id_)), id_))
    return found


def writer(objects: Patient, folder: str) -> Owner | None:
    """Who writes there now, as far as one look can tell: of other machines, by the clocks of both."""
    for claim in claims(objects, folder, _ids(objects, folder)):
        entry = objects.look([_key(folder, claim.id)])[0]
        if entry is not None and not claim.owner.is_gone and (
            claim.owner.is_here or abs(time.time() - entry.modified) < 2 * LEASE
        ):  # fmt: skip
            return claim.owner
    return None


def this_process() -> Owner:
    return Owner(_machine(), socket.gethostname(), os.getpid(), psutil.Process().create_time())


@cache
def _machine() -> str:
    """Different for every boot of every machine, and for every container with processes of its own."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def _packed(claim: Claim) -> bytes:
    return json.dumps(asdict(claim)).encode() + b"\n"


def _unpacked(data: bytes, id_: str) -> Claim:
    """What a claim says; one that cannot be read is of somebody unknown, and ends like any other."""
    try:
        found: dict[str, Any] = json.loads(data)
        return Claim(Owner(**found["owner"]), id_, int(found["beat"]), bool(found["holds"]), tuple(found["over"]))
    except (ValueError, KeyError, TypeError):
        return Claim(Owner("", "an unknown machine", 0, 0.0), id_, holds=True)
