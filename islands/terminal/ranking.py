"""The best solutions of a run, where solutions differ in their cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from islands.errors import UsageError
from islands.model.problem import puzzle_name
from islands.store.run import Run
from islands.store.solutions import Solution, Solutions


class Best(Run):
    """A run as if only its best solutions had been found, the best one first; equally good ones in the order found."""

    def __init__(self, run: Run, count: int) -> None:
        super().__init__(run.disk)
        problem = self.job.problem
        if problem.ranking() is None:
            name = puzzle_name(type(problem))
            raise UsageError(f"`best={count}`: one {problem.wording().word} of {name} is as good as another. Drop it.")
        self._best = Solutions.empty(self.space)
        costs = np.empty(0, np.int64)
        for part in run.rows():
            costs = np.concatenate((costs, problem.costs(part.genome.astype(np.int32))))
            first = np.argsort(costs, kind="stable")[:count]
            self._best = Solutions.joined((self._best, part), self.space)[first]
            costs = costs[first]

    def __len__(self) -> int:
        return len(self._best)

    def rows(self, start: int = 0) -> Iterator[Solutions]:
        yield self._best[start:]

    def each(self, start: int = 0) -> Iterator[Solution]:
        return self._best[start:].each(self.job.title, self.job.problem)
