"""What universes of one job do again and again is remembered, which makes them several times cheaper.

Islands remember every epoch that any of them has lived: the same state and order give the same report, as the product
promises; universes with islands that do not remember test it. The formats of files are remembered likewise, as the same
values give the same bytes; damaged bytes were never seen before, and are read in earnest.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from unittest.mock import patch

from islands.errors import OutOfStep
from islands.model.island import Island
from islands.model.messages import IslandSpec, Order, Report, State
from islands.store import segments, states


class Epoch(NamedTuple):
    """What came of an order: a packed report and the state afterwards, or why there is none."""

    report: bytes
    after: bytes
    refused: str = ""


STATES: dict[bytes, bytes] = {}
"""A digest of spec and state -> the packed state."""

EPOCHS: dict[tuple[bytes, bytes], Epoch] = {}
"""Such a digest and an order -> what came of it."""


class Remembered:
    """Like `Island`, as far as a backend calls it."""

    def __init__(self, spec: IslandSpec) -> None:
        self._spec, self._mark = spec, pickle.dumps(spec)
        self._at = self._keep({})

    def _keep(self, state: State) -> bytes:
        packed = pickle.dumps(state)
        digest = blake2b(self._mark + packed, digest_size=16).digest()
        STATES[digest] = packed
        return digest

    def restore(self, state: State) -> None:
        self._at = self._keep(state)

    def evolve(self, order: Order) -> Report:
        asked = self._at, pickle.dumps(order)
        if asked not in EPOCHS:
            EPOCHS[asked] = self._live(order)
        epoch = EPOCHS[asked]
        if epoch.refused:
            raise OutOfStep(epoch.refused)
        self._at = epoch.after
        report: Report = pickle.loads(epoch.report)
        return report

    def _live(self, order: Order) -> Epoch:
        island = Island(self._spec)
        island.restore(pickle.loads(STATES[self._at]))
        try:
            report = island.evolve(order)
        except OutOfStep as error:
            return Epoch(b"", b"", str(error))
        return Epoch(pickle.dumps(report), self._keep(island.state()))


def packed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A pure function of arrays or bytes that remembers its results; whoever calls it gets a copy."""

    @lru_cache(maxsize=1000)
    def remembered(asked: bytes) -> bytes:
        result = function(*pickle.loads(asked))
        return pickle.dumps(bytes(result) if isinstance(result, memoryview) else result)

    return lambda *given: pickle.loads(remembered(pickle.dumps(given)))


FORMATS = [
    (segments, "_decoded", packed(segments._decoded)),  # what is encoded has the time in it, and is never the same
    (states, "_decoded", packed(states._decoded)),
    (states, "_encoded", packed(states._encoded)),
]


@contextmanager
def remembered_formats() -> Iterator[None]:
    """Until the end of the block, files are neither encoded nor decoded twice."""
    with ExitStack() as stack:
        for module, name, function in FORMATS:
            stack.enter_context(patch.object(module, name, function))
        yield
