"""What the parts of a run tell each other: specs and orders, reports and events; values and arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.keys import Keys
from islands.model.trace import TraceLevel
from islands.operators.space import Genomes, Stored

State = dict[str, NDArray[Any]]
"""All that decides an island's future."""

Event = dict[str, Any]
"""Something that happened, for the event log: JSON."""


@dataclass(frozen=True, kw_only=True)
class IslandSpec:
    """All a worker needs to make an island: names, source text and numbers, never pickled puzzle objects."""

    index: int
    seed: int
    puzzle: str
    source: str | None
    parameters: dict[str, Any]
    recipe: str
    numbers: dict[str, Any]  # what the job overrides in the recipe
    leave: str = "best"
    replace: str = "worst"
    trace: TraceLevel = "none"
    kin: bool = False  # whether it is kept on which islands the ancestors of everyone lived


class Crossing(NamedTuple):
    """What became of the immigrants from one island in one epoch."""

    sender: int
    sent: int
    stayed: int
    led: int  # had a lower cost than everyone who lived on the island
    best: int  # the lowest cost among them


class News(NamedTuple):
    """What the archipelago made of an island's solutions."""

    fruitful: int = 0  # the generation of the last one that no island had found before
    until: int = 0  # as far as this generation; of later ones it is not known yet


NO_NEWS = News()


class New(NamedTuple):
    """Those solutions of a report that no island had found before."""

    number: int
    latest: int = 0  # the generation of the last one; 0: there is none
    homes: dict[int, int] | None = None  # how many have ancestors on an island, where that is kept


@dataclass(frozen=True, kw_only=True)
class Order:
    """What an island is to do in one epoch."""

    epoch: int
    generations: int
    immigrants: Genomes | None = None
    senders: NDArray[np.int64] | None = None  # the island that each immigrant left
    ancestry: NDArray[np.uint64] | None = None  # of each immigrant, where that is kept
    shared: tuple[dict[str, NDArray[Any]], ...] = ()
    news: News = NO_NEWS
    emigrants: int = 0  # how many to send with the report
    tasks: range = range(0)  # of an exhaustive run, instead of generations
    snapshot: bool = True
    shards: int = 0  # to which the island sends what it finds; 0: it comes with the report


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an island did in one epoch."""

    island: int
    epoch: int
    generation: int  # how many generations the island has lived
    evaluations: int
    best: int | None  # lowest cost; None in an exhaustive run
    immigrants: int  # how many stayed
    solutions: Stored  # canonical, distinct within the epoch, in the order found
    keys: Keys  # of each
    born: NDArray[np.int64]  # the generation of each
    origins: tuple[str, ...] | None = None  # where each comes from, as `Origin.text`, if that is kept
    ancestry: NDArray[np.uint64] | None = None  # of each solution, where that is kept
    average: float = 0.0  # cost, at the end of the epoch
    spread: float = 0.0  # its standard deviation
    diversity: float = 0.0  # in which share of its places a genome differs from the best one, on average
    foreign: float = 0.0  # the share of the elite with ancestors from other islands
    led: int = 0  # how many immigrants had a lower cost than everyone who lived on the island
    crossings: tuple[Crossing, ...] = ()
    deaths: tuple[tuple[int, int], ...] = ()  # generation in which the elite died, and the lowest cost before
    regained: tuple[tuple[int, int], ...] = ()  # generation of a death, and in which its lowest cost was reached again
    stale: int = 0  # generations since the island's lowest cost became lower
    counted: int = 0  # solutions that a sweep only counted
    total: int | None = None  # how many solutions exist, once the island has found all of them
    emigrants: Genomes | None = None
    emigrated: NDArray[np.uint64] | None = None  # the ancestry of the emigrants, where that is kept
    shared: dict[str, NDArray[Any]] = field(default_factory=dict)
    snapshot: State | None = None
    trace: bytes = b""  # gzip-compressed JSON lines
    tally: NDArray[np.float64] | None = None  # of an estimate: all that the island's walks have seen
    seconds: float = 0.0  # that it took, the compilation of kernels left out


class TrendPoint(NamedTuple):
    """The costs of all who live at the end of an epoch."""

    epoch: int
    generation: int  # of the last island
    lowest: int
    average: float
