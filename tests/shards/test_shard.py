"""Shards count what an archive in one process counts, and keep the same rows in the same order."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.errors import PuzzleError
from islands.kernels.keys import keys_of
from islands.model.job import Job
from islands.model.messages import New, Report
from islands.shards.archive import ShardedArchive
from islands.shards.messages import Begin, Count, Counts, Done, Encode, Learn, Reset, Rows, Where, job_of, spec_of
from islands.shards.parts import divided, shard_of
from islands.shards.shard import Gathered, Shard
from islands.store.archive import Archive
from islands.store.segments import decoded
from islands.store.solutions import Solutions

SOURCE = (Path(__file__).parents[1] / "digits.py").read_text()
ISLANDS = 2


@cache
def job(*, exhaustive: bool = False) -> Job:
    stop = {"exhaustive": True} if exhaustive else {"solutions": 60}
    return Job.checked({"puzzle": "digits.py:Digits", "source": SOURCE, "islands": ISLANDS, "stop": stop}).settled()


@cache
def solutions() -> Any:
    """All there are, in their canonical form, (74, 6)."""
    all_ = np.array(list(product(range(3), repeat=6)), np.int32)
    solved = all_[job().problem.costs(all_) == 0]
    return np.unique(job().problem.canonical(solved), axis=0).astype(np.uint8)


def report(epoch: int, island: int, rows: list[int]) -> Report:
    genomes = solutions()[np.array(rows, int)]
    born = np.arange(len(rows), dtype=np.int64) + 10 * epoch
    ancestry = np.array([1 + row % 3 for row in rows], np.uint64)
    none: dict[str, Any] = {"generation": 0, "evaluations": 0, "best": 0, "immigrants": 0}
    return Report(epoch=epoch, island=island, solutions=genomes, keys=keys_of(genomes), born=born, ancestry=ancestry,
                  origins=tuple(map(str, rows)), **none)  # fmt: skip


def reports(random: Random, epochs: int) -> list[Report]:
    """What islands may have found, in the order in which it counts."""
    some = lambda: random.sample(range(74), random.randrange(20))  # noqa: E731
    return [report(epoch, island, some()) for epoch in range(epochs) for island in range(ISLANDS)]


class Sharded:
    """Shards and the driver's side of them, without any delay."""

    def __init__(self, count: int, known: Any = None) -> None:
        self.shards = [Shard(job()) for _ in range(count)]
        self.archive = ShardedArchive(count, 0 if known is None else len(known))
        for shard in range(count):
            self.begin(shard, 0, known)

    def begin(self, shard: int, epoch: int, known: Any = None, rows: bytes = b"") -> None:
        self.shards[shard].answer(Reset())
        if known is not None:
            keys = keys_of(known)
            self.shards[shard].answer(Learn(keys[shard_of(keys, len(self.shards)) == shard]))
        self.shards[shard].answer(Begin(epoch, rows))

    def send(self, reports: list[Report], random: Random) -> list[Report]:
        """In any order, some parts twice; the reports without their solutions."""
        divisions = [divided(one, len(self.shards)) for one in reports]
        parts = [(shard, part) for _, some in divisions for shard, part in enumerate(some)]
        parts += random.sample(parts, len(parts) // 3)
        random.shuffle(parts)
        for shard, part in parts:
            self.shards[shard].put(part)
        return [one for one, _ in divisions]

    def listen(self) -> None:
        for number, shard in enumerate(self.shards):
            counts = shard.answer(Count(0))
            assert isinstance(counts, Counts)
            self.archive.say(number, counts.counted)

    def count(self, one: Report, seconds: float, limit: int | None) -> New | None:
        new = self.archive.count(one, seconds, limit)
        if new is None and self.archive.wanted is not None:
            for number, shard in enumerate(self.shards):
                rows = shard.answer(Where(*self.archive.wanted))
                assert isinstance(rows, Rows)
                self.archive.place(number, rows)
            new = self.archive.count(one, seconds, limit)
        return new

    def rows(self, start: int, end: int) -> Solutions:
        """All that counts: of a commit and after it."""
        parts = []
        for shard in self.shards:
            gathered = shard.answer(Encode(1, start, end, self.archive.last, self.archive.seconds))
            assert isinstance(gathered, Gathered)
            answer = gathered.encoded()
            parts += [decoded(data) for data in (answer.data, answer.tail) if data]
        return Solutions.merged(parts, job().problem.space())


def same(one: Solutions, other: Solutions) -> None:
    for name in ("genome", "island", "epoch", "generation", "seconds", "origin", "ancestry"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@given(st.integers(0, 10**6), st.integers(1, 4), st.none() | st.integers(1, 60))
def test_shards_count_and_keep_what_one_archive_does(seed: int, count: int, limit: int | None) -> None:
    random = Random(seed)
    found, whole, sharded = reports(random, 4), Archive(job().problem), Sharded(count)
    sent = sharded.send(found, random)
    sharded.listen()
    for one, stripped in zip(found, sent, strict=True):
        left = None if limit is None else limit - len(whole)
        if left == 0:
            break
        assert not len(stripped.solutions)
        assert sharded.count(stripped, 1.5 * one.epoch, left) == whole.count(one, 1.5 * one.epoch, left)
        assert len(sharded.archive) == len(whole)
    end = random.randrange(4) if limit is None else 0
    if len(whole):
        same(sharded.rows(0, end), Solutions.joined(whole.open, whole.space))


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_a_lost_shard_learns_what_was_committed_and_hears_the_rest_again(seed: int, count: int) -> None:
    random = Random(seed)
    found, whole, sharded = reports(random, 4), Archive(job().problem), Sharded(count)
    lost = random.randrange(count)
    sent = sharded.send(found[: 2 * ISLANDS], random)
    sharded.listen()
    for one, stripped in zip(found, sent, strict=False):
        assert sharded.count(stripped, 1.0, None) == whole.count(one, 1.0, None)
    committed = Solutions.joined(whole.open, whole.space)
    gathered = sharded.shards[lost].answer(Encode(1, 0, 2, None, sharded.archive.seconds))
    assert isinstance(gathered, Gathered)
    sharded.shards[lost] = Shard(job())
    early = divided(found[2 * ISLANDS], count)[1][lost]
    sharded.shards[lost].put(early)  # before it knows anything
    sharded.begin(lost, 2, committed.genome, gathered.encoded().data)
    sent = sharded.send(found, random)  # the others ignore what they know
    sharded.listen()
    for one, stripped in list(zip(found, sent, strict=True))[2 * ISLANDS :]:
        assert sharded.count(stripped, 2.0, None) == whole.count(one, 2.0, None)
    same(sharded.rows(0, 4), Solutions.joined(whole.open, whole.space))


def test_a_part_waits_for_its_turn_and_is_told_once() -> None:
    sharded = Sharded(1)
    first, second = (divided(report(0, island, [island]), 1)[1][0] for island in range(2))
    shard = sharded.shards[0]
    shard.put(second)
    assert not shard.has_counted(Count(0))
    shard.put(first)
    counts = shard.answer(Count(0))
    assert isinstance(counts, Counts)
    assert [(one.island, one.new.number) for one in counts.counted] == [(0, 1), (1, 1)]
    assert counts.turn == (1, 0)
    assert not shard.has_counted(Count(2))


def test_a_question_of_before_a_reset_takes_nothing_of_what_was_counted_since() -> None:
    """The driver had taken the archive back, and has given it to the same shards again."""
    shard, part = Shard(job()), divided(report(0, 0, [1]), 1)[1][0]
    for token in (1, 2):
        shard.answer(Reset(), token)
        shard.answer(Begin(0), token)
        shard.put(part)
    assert isinstance(shard.answer(Count(1), 1), Done)
    counts = shard.answer(Count(0), 2)
    assert isinstance(counts, Counts)
    assert [one.new.number for one in counts.counted] == [1]


def test_an_epoch_is_counted_also_when_an_island_is_ahead() -> None:
    shard = Sharded(1).shards[0]
    parts = [divided(report(epoch, island, [island]), 1)[1][0] for epoch in range(2) for island in range(2)]
    assert shard.has_counted_epoch(Count(0))  # there is nothing to wait for
    for part in (parts[0], parts[2]):
        shard.put(part)
        assert not shard.has_counted_epoch(Count(0))
    shard.put(parts[1])  # with it the part of the next epoch is consumed as well
    assert shard.has_counted_epoch(Count(0))
    assert not shard.has_counted_epoch(Count(2))


def test_islands_without_work_are_passed_over() -> None:
    """Of 27 tasks in pieces of one, the 14th epoch has one for the first of two islands only."""
    shard = Shard(job(exhaustive=True))
    shard.answer(Begin(13))
    shard.put(divided(report(13, 0, [1]), 1)[1][0])
    counts = shard.answer(Count(0))
    assert isinstance(counts, Counts)
    assert counts.turn == (14, 0)


def test_what_is_not_a_solution_is_refused() -> None:
    wrong = report(0, 0, [1])
    wrong.solutions[0, 0] = (wrong.solutions[0, 0] + 1) % 3
    sharded = Sharded(1)
    with pytest.raises(PuzzleError, match="calls a candidate solved that its verify refuses"):
        sharded.send([wrong], Random(1))


def test_keys_are_spread_evenly() -> None:
    keys = keys_of(np.arange(30_000, dtype=np.int32).reshape(-1, 3))
    assert shard_of(keys, 1).max() == 0
    assert np.bincount(shard_of(keys, 7), minlength=7).min() > 1200


def test_the_job_travels_as_its_file_has_it() -> None:
    assert job_of(spec_of(job(), 0, 2)).model_dump() == job().model_dump()
