"""The best solutions of a run, where solutions differ in their cost: in order, and not the same one again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from islands.errors import UsageError
from islands.model.capabilities import Ranking
from islands.model.problem import puzzle_name
from islands.operators.space import Genomes
from islands.store.run import Run, View
from islands.store.solutions import Solution, Solutions, cheapest

POOL = 5_000  # of the best, those that are looked at for some that differ
DIFFER = 0.5  # what is not in common, where nobody says how much; where too few differ so much, half of it, and so on
LEAST = 0.1  # below it, whatever comes


class Best(View):
    """A run as if only its best solutions had been found, the best one first; equally good ones in the order found.

    Each differs from all before it in a share of at least `differ` (None: DIFFER, or as much as it takes to have
    `count`), so that they may be fewer than `count`.
    """

    def __init__(self, run: Run, count: int, differ: float | None = None) -> None:
        super().__init__(run)
        problem = self.job.problem
        ranking = problem.ranking()
        if ranking is None:
            name = puzzle_name(type(problem))
            raise UsageError(f"`best={count}`: one {problem.wording().word} of {name} is as good as another. Drop it.")
        pool = cheapest(run.rows(), problem, max(count, POOL))
        self.count, self.differ = count, DIFFER if differ is None else differ
        genomes = pool.genome.astype(np.int32, copy=False)
        chosen = _apart(genomes, count, self.differ, ranking)
        while differ is None and len(chosen) < min(count, len(pool)):
            self.differ = self.differ / 2 if self.differ > LEAST else 0.0
            chosen = _apart(genomes, count, self.differ, ranking)
        self._best = pool[np.array(chosen, np.int64)]

    def __len__(self) -> int:
        return len(self._best)

    def rows(self, start: int = 0, count: int | None = None) -> Iterator[Solutions]:
        yield self._best[start:]

    def each(self, start: int = 0) -> Iterator[Solution]:
        return self._best[start:].each(self.job.title, self.job.problem)


def _apart(genomes: Genomes, count: int, differ: float, ranking: Ranking) -> list[int]:
    """The first of these rows, and each that differs enough from all taken before it, up to `count`."""
    if not differ:
        return list(range(min(count, len(genomes))))
    chosen: list[int] = []
    left = np.arange(len(genomes))
    while len(left) and len(chosen) < count:
        first = int(left[0])
        chosen.append(first)
        alike = ranking.alike(genomes[first], genomes[left])
        left = left[(1 - alike >= differ) & (left != first)]
    return chosen


def in_common(best: Best) -> str:
    """How much of each other these have at the most, and how to ask for others."""
    line = f"any two have at most {1 - best.differ:.0%} in common; --differ X, from 0 to 1, asks for more or less"
    return f"no other differs so much: {line}" if len(best) < best.count else line
