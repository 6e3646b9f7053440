"""Parts: what an island has found in one epoch, divided among the shards by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from islands.kernels.keys import Keys
from islands.model.messages import Report
from islands.operators.space import Stored


@dataclass(frozen=True)
class Part:
    """Those solutions of one report whose keys belong to one shard, in the order found: columns of n.

    It depends on nothing but the job, the epoch and the island: a replay makes the same part again.
    """

    epoch: int
    island: int
    genomes: Stored
    keys: Keys
    born: NDArray[np.int64]
    position: NDArray[np.int32]  # in the report
    origins: tuple[str, ...] | None = None
    ancestry: NDArray[np.uint64] | None = None


def shard_of(keys: Keys, shards: int) -> NDArray[np.int64]:
    """To which of so many shards each key belongs, (n, 2) -> (n,).

    By the second word: the leading bits of the first are the slots of a shard's own table.
    """
    return ((keys[:, 1] >> np.uint64(32)) * np.uint64(shards) >> np.uint64(32)).astype(np.int64)


def divided(report: Report, shards: int) -> tuple[Report, list[Part]]:
    """The report without its solutions, and these as a part for every shard, also where it is empty: it says that
    nothing was found."""
    homes = shard_of(report.keys, shards)
    order = np.argsort(homes, kind="stable")
    ends = np.cumsum(np.bincount(homes, minlength=shards))
    parts = []
    for end, count in zip(ends.tolist(), np.bincount(homes, minlength=shards).tolist(), strict=True):
        rows = order[end - count : end]
        parts.append(
            Part(
                report.epoch,
                report.island,
                report.solutions[rows],
                report.keys[rows],
                report.born[rows],
                rows.astype(np.int32),
                None if report.origins is None else tuple(report.origins[row] for row in rows.tolist()),
                None if report.ancestry is None else report.ancestry[rows],
            )
        )
    return _without_solutions(report), parts


def _without_solutions(report: Report) -> Report:
    """What is left for the driver."""
    none = slice(0, 0)
    return replace(
        report,
        solutions=report.solutions[none].copy(),
        keys=report.keys[none].copy(),
        born=report.born[none].copy(),
        origins=None,
        ancestry=None,
    )


def divided_keys(keys: Keys, shards: int, wanted: Sequence[int]) -> dict[int, Keys]:
    """The keys that belong to each of the shards `wanted`."""
    homes = shard_of(keys, shards)
    return {shard: keys[homes == shard] for shard in wanted}
