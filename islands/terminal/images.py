"""The solutions of a run with all their images under the puzzle's symmetries, a block at a time.

The images of a solution follow it, the stored one first. Each has the id of its own genome, which is the id it would
have in a run that counts every image; island, epoch, generation and time are those of the stored one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from islands.errors import UsageError
from islands.kernels.keys import key_text, keys_of
from islands.model.problem import Problem, images
from islands.store.run import Run, View
from islands.store.solutions import Solution, Solutions
from islands.writing.words import number

BLOCK = 1 << 24  # bytes of genomes made at once
MOST = 10**10  # images that are written to one file


class Images(View):
    """A run as if every image of its solutions had been found; UsageError where no disk would hold them."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.problem = self.job.problem
        if len(self) > MOST:
            raise UsageError(
                f"{len(run):,} solutions have {number(len(self))} images, more than a file can hold. Write them "
                "without --symmetries, or look at some of them: islands show --symmetries --limit 20."
            )

    def __len__(self) -> int:
        return super().__len__() * images(self.problem)

    def rows(self, start: int = 0, count: int | None = None) -> Iterator[Solutions]:
        few = max(1, BLOCK // (4 * self.space.length * images(self.problem)))
        for part in super().rows(start, count):
            for first in range(0, len(part), few):
                yield from _block(self.problem, part[first : first + few])

    def each(self, start: int = 0) -> Iterator[Solution]:
        for part in self.rows(start):
            yield from part.each(self.job.title, self.problem)


def images_of(solution: Solution) -> Iterator[Solution]:
    """A solution and its images."""
    row = Solutions(
        solution.genome[None],
        np.array([solution.island], np.int32),
        np.array([solution.epoch]),
        np.array([solution.generation]),
        np.array([solution.seconds]),
    )
    for part in _block(solution.problem, row):
        for genome, key in zip(part.genome.astype(np.int32, copy=False), keys_of(part.genome), strict=True):
            id_ = key_text(key)
            yield replace(solution, id=id_, genome=genome, file=solution.file if id_ == solution.id else None)


def _block(problem: Problem, rows: Solutions) -> Iterator[Solutions]:
    """A few rows with all their images; of a single row with many images some at a time."""
    symmetry, count = problem.symmetry(), images(problem)
    stored = rows.genome.astype(np.int32, copy=False)
    step = max(1, BLOCK // (4 * stored.size))
    for first in range(0, count, step):
        numbers = range(first, min(first + step, count))
        genomes = np.stack([symmetry.image(stored, number) if symmetry else stored for number in numbers], axis=1)
        whose = np.repeat(np.arange(len(rows)), len(numbers))
        yield replace(rows[whose], genome=genomes.reshape(-1, rows.genome.shape[1]))
