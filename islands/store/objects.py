"""Object storage as a run needs it: whole objects by their keys, put, got, listed and deleted; and patience with it.

A put replaces an object at once, and whoever gets or lists after it sees it; that is what S3 and Google Cloud Storage
promise. There is no rename, no append and no lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

PAUSES = (0.2, 0.6, 1.8, 3.6)  # seconds before each further try

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """An object, or what looks like a folder because keys begin with it."""

    name: str  # the last part of its key
    is_folder: bool = False
    size: int = 0  # bytes
    modified: float = 0.0  # seconds, by the clock of the store


class Refused(OSError):
    """The store answered, and will answer the same again: no such bucket, no permission, a wrong region."""


class Objects(Protocol):
    """What a store can do. Errors are OSErrors: FileNotFoundError, `Refused`, and others that may pass."""

    def get(self, key: str) -> bytes: ...

    def put(self, key: str, data: bytes | memoryview) -> None: ...

    def delete(self, key: str) -> None:
        """Nothing happens where it does not exist."""
        ...

    def delete_folder(self, key: str) -> None:
        """What a store may keep of a folder without objects."""
        ...

    def list(self, key: str) -> Sequence[Entry]:
        """What is directly in a folder, sorted by name; nothing where there is no such folder."""
        ...

    def look(self, keys: Sequence[str]) -> Sequence[Entry | None]:
        """Of each key its object, None where there is none."""
        ...


class Patient:
    """The same store with several tries: a failure that passes is not seen.

    Every operation may be repeated, also when it was done and only its answer was lost. After one that failed for good
    the next ones are tried once, until one succeeds: whoever saves what can be saved is not kept waiting.
    """

    def __init__(self, objects: Objects, sleep: Callable[[float], object] = time.sleep) -> None:
        self._objects, self._sleep = objects, sleep
        self._pauses: tuple[float, ...] = PAUSES

    def get(self, key: str) -> bytes:
        return self._tried(lambda: self._objects.get(key))

    def put(self, key: str, data: bytes | memoryview) -> None:
        self._tried(lambda: self._objects.put(key, data))

    def delete(self, key: str) -> None:
        self._tried(lambda: self._objects.delete(key))

    def delete_folder(self, key: str) -> None:
        self._tried(lambda: self._objects.delete_folder(key))

    def list(self, key: str) -> Sequence[Entry]:
        return self._tried(lambda: self._objects.list(key))

    def look(self, keys: Sequence[str]) -> Sequence[Entry | None]:
        return self._tried(lambda: self._objects.look(keys))

    def _tried(self, action: Callable[[], T]) -> T:
        pauses, self._pauses = self._pauses, ()
        try:
            done = tried(action, pauses, self._sleep)
        except (FileNotFoundError, Refused):  # the store has answered
            self._pauses = PAUSES
            raise
        self._pauses = PAUSES
        return done


def tried(
    action: Callable[[], T], pauses: Sequence[float] = PAUSES, sleep: Callable[[float], object] = time.sleep
) -> T:
    """The result of an action, which is tried again after each of these pauses unless it was refused."""
    for pause in pauses:
        try:
            return action()
        except (FileNotFoundError, Refused):
            raise
        except OSError:
            sleep(pause)
    return action()
