"""Shards that know nothing are told what the run knows: from its files, in portions, step by step.

Nobody has all of it in memory but the shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from islands.driver.shard_commits import ShardCommits
from islands.kernels.keys import Keys, keys_of
from islands.shards.messages import Begin, Learn, Request, Reset
from islands.shards.parts import divided_keys
from islands.store.run import Run
from islands.store.segments import opened
from islands.store.writer import Writer

PORTION = 1 << 19  # keys, at least, that shards learn at a time


@dataclass
class _Lesson:
    """Shards that learn together: each waits until all have done a step."""

    shards: set[int]
    steps: Iterator[dict[int, Request]]
    waiting: set[int] = field(default_factory=set)
    holds: bool = False  # islands wait until all were reset: what came earlier would be taken for known parts


class Lessons:
    """All that are under way."""

    def __init__(
        self, run: Run, writer: Writer, commits: ShardCommits, shards: int, ask: Callable[[int, Request], None]
    ) -> None:
        self._run, self._writer, self._commits, self._shards, self._ask = run, writer, commits, shards, ask
        self._lessons: list[_Lesson] = []

    @property
    def holds(self) -> bool:
        """Whether islands get no orders yet."""
        return any(lesson.holds for lesson in self._lessons)

    @property
    def pupils(self) -> set[int]:
        """The shards that do not know everything yet."""
        return {shard for lesson in self._lessons for shard in lesson.shards}

    def begin(self, shards: Sequence[int], *, holds: bool = False) -> None:
        """Tell these shards what was known at the last commit."""
        lesson = _Lesson(set(shards), self._steps(tuple(shards)))
        self._lessons.append(lesson)
        self._advance(lesson)
        lesson.holds = holds

    def done(self, shard: int) -> None:
        """A shard has done what it was asked."""
        for lesson in [one for one in self._lessons if shard in one.waiting]:
            lesson.waiting.discard(shard)
            self._advance(lesson)

    def leave(self, shard: int) -> None:
        """A shard was lost: the others go on without it."""
        for lesson in [one for one in self._lessons if shard in one.shards]:
            lesson.shards.discard(shard)
            lesson.waiting.discard(shard)
            self._advance(lesson)

    def _advance(self, lesson: _Lesson) -> None:
        """The next step, if all have done the last one."""
        while not lesson.waiting and lesson.shards:
            lesson.holds = False
            requests = next(lesson.steps, None)
            if requests is None:
                break
            for shard in sorted(lesson.shards):
                self._ask(shard, requests[shard])
            lesson.waiting = set(lesson.shards)
        if not lesson.waiting:
            self._lessons.remove(lesson)

    def _steps(self, shards: tuple[int, ...]) -> Iterator[dict[int, Request]]:
        yield {shard: Reset() for shard in shards}
        for segment in self._commits.segments_of(shards):
            _, groups = opened(self._run.disk, segment, self._run.space)
            for keys in _portions(keys_of(rows.genome) for rows in groups):
                yield {shard: Learn(some) for shard, some in divided_keys(keys, self._shards, shards).items()}
        counters = self._writer.manifest.counters
        epoch = 0 if counters is None else counters.epoch
        yield {shard: Begin(epoch, self._commits.open_rows(shard)) for shard in shards}


def _portions(parts: Iterable[Keys]) -> Iterator[Keys]:
    """The same keys in larger parts."""
    some: list[Keys] = []
    for part in parts:
        some.append(part)
        if sum(map(len, some)) >= PORTION:
            yield np.concatenate(some)
            some = []
    if some:
        yield np.concatenate(some)
