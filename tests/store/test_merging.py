"""Rows of shards are merged part by part, in the order found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from islands.operators.space import Choices
from islands.store.merging import merged
from islands.store.solutions import Solutions

SPACE = Choices(2, 9)


def rows(places: list[tuple[int, int, int]]) -> Solutions:
    """Solutions that were found there."""
    epoch, island, position = (np.array(column) for column in zip(*places, strict=True))
    genome = np.stack((epoch, position), axis=1).astype(SPACE.dtype)
    return Solutions(
        genome, island.astype(np.int32), epoch.astype(np.int64), epoch.astype(np.int64), np.zeros(len(places)),
        position=position.astype(np.int32),
    )  # fmt: skip


def groups(places: list[tuple[int, int, int]], size: int) -> Iterator[Solutions]:
    """As a shard brings them, so many at a time."""
    return iter([rows(places[start : start + size]) for start in range(0, len(places), size)])


@settings(deadline=None)
@given(
    owners=st.dictionaries(st.tuples(*[st.integers(0, 3)] * 3), st.integers(0, 2)),
    size=st.integers(1, 5),
    start=st.integers(0, 70),
)
def test_whoever_has_a_row_it_comes_in_its_place(
    owners: dict[tuple[int, int, int], int], size: int, start: int
) -> None:
    everything = sorted(owners)
    shards = [[place for place in everything if owners[place] == shard] for shard in range(3)]
    found = list(merged([groups(shard, size) for shard in shards], SPACE, start))
    assert all(len(part) for part in found)
    told = [(e, i, int(g[1])) for part in found for e, i, g in zip(part.epoch, part.island, part.genome, strict=True)]
    assert told == everything[start:]


def test_no_more_than_a_group_of_each_shard_is_read_ahead() -> None:
    asked = [0, 0]

    def source(shard: int) -> Iterator[Solutions]:
        for number in range(50):
            asked[shard] += 1
            yield rows([(number, 0, 2 * place + shard) for place in range(4)])

    for count, part in enumerate(merged([source(0), source(1)], SPACE)):
        assert len(part) <= 8
        assert max(asked) <= count + 2


def test_nobody_brings_anything() -> None:
    assert list(merged([], SPACE)) == []
    with pytest.raises(StopIteration):
        next(merged([iter([])], SPACE))
