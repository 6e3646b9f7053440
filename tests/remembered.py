"""What universes of one job do again and again is remembered, which makes them several times cheaper.

Islands remember every epoch that any of them has lived: the same state and order give the same report, as the product
promises; universes with islands that do not remember test it. States in files are remembered likewise, as the same
values give the same bytes, and rows are not made Parquet. The first universes, and all in which files are damaged, have
the files of real runs.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from islands.errors import OutOfStep
from islands.model.island import Island
from islands.model.job import Job
from islands.model.messages import IslandSpec, Order, Report, State
from islands.operators.recipe import Recipe
from islands.store import segments, states
from islands.store.solutions import Solutions


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


QUICK = b"islands-rows"


def quickly_encoded(parts: Sequence[Solutions], ids: Sequence[tuple[str, ...]] | None) -> bytes:
    """Rows as plain pickle in the place of Parquet: they have the time in them, and are never the same twice."""
    names = None if ids is None else [id_ for some in ids for id_ in some]
    columns = {column.name: [getattr(part, column.name) for part in parts] for column in fields(Solutions)}
    whole = {name: None if column[0] is None else np.concatenate(column) for name, column in columns.items()}
    if names is not None:
        whole["genome"] = np.empty((len(names), 0), np.int32)
    return QUICK + pickle.dumps((whole, names))


def quickly_decoded(data: bytes, start: int, count: int | None = None) -> tuple[Solutions, list[str] | None, int, int]:
    """All rows: there are no groups of them that could be passed over."""
    if not data.startswith(QUICK):
        return FORMERLY(data, start, count)
    columns, names = pickle.loads(data[len(QUICK) :])
    rows = Solutions(**columns)
    return rows, names, 0, len(rows)


def quick_groups(data: bytes, last: int | None) -> tuple[int, int, Iterator[Solutions]]:
    """The same as one row group."""
    rows = quickly_decoded(data, 0)[0]
    return len(rows), 0, iter([rows])


FORMERLY = segments._decoded
RECIPES: dict[tuple[Any, ...], list[Recipe]] = {}


def recipes_of(job: Job) -> list[Recipe]:
    """The recipes of a job of one of the universes: values without state."""
    key = job.source, job.recipe, job.islands, str(job.parameters), str(job._numbers())
    if key not in RECIPES:
        RECIPES[key] = MADE(job)
    return RECIPES[key]


MADE = Job.recipes
FORMATS: list[tuple[Any, str, Any]] = [
    (segments, "_encoded", quickly_encoded),
    (segments, "_decoded", quickly_decoded),
    (segments, "_row_groups", quick_groups),
    (states, "_decoded", packed(states._decoded)),
    (states, "_encoded", packed(states._encoded)),
    (Job, "recipes", recipes_of),
]


@contextmanager
def remembered_formats() -> Iterator[None]:
    """Until the end of the block, states are neither encoded nor decoded twice, and rows are not Parquet."""
    with ExitStack() as stack:
        for module, name, function in FORMATS:
            stack.enter_context(patch.object(module, name, function))
        yield
