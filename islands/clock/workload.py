"""How much each island does in each epoch: generations, or tasks of an exhaustive run."""

from __future__ import annotations

from collections.abc import Sequence

from islands.model.job import Job
from islands.model.problem import tasks
from islands.operators.recipe import Recipe

PARTS = 128  # into which the tasks of an exhaustive run are put together: each is the work of one epoch


class Workload:
    """The work of a job, cut into epochs: the same for every backend."""

    def __init__(self, job: Job, recipes: Sequence[Recipe]) -> None:
        self._count = len(recipes)
        self._lengths = _lengths(recipes, job.migration.migrate_every)
        self.longest = max(self._lengths)
        self.ramp = (self.longest - 1).bit_length()  # epochs until all are full
        self.tasks = tasks(job.problem) if job.stop.exhaustive else 0
        self._chunk = max(1, min(self.tasks // PARTS, self.tasks // (8 * self._count)))
        self._final = None if job.stop.generations is None else self._reaching(job.stop.generations)

    def generations(self, epoch: int, island: int) -> int:
        """Workload start with one generation and double: a quick puzzle answers quickly."""
        return min(self._lengths[island], 1 << min(epoch, 62))

    def tasks_of(self, epoch: int, island: int) -> tuple[int, ...]:
        first = self._first_task(epoch, island)
        return tuple(range(first, min(first + self._chunk, self.tasks)))

    def has_work(self, epoch: int, island: int) -> bool:
        """Whether this island has anything to do in this epoch."""
        if self.tasks:
            return self._first_task(epoch, island) < self.tasks
        return self._final is None or epoch <= self._final

    def swept(self, clocks: Sequence[int]) -> int:
        """How many tasks are done, from the first on, where each island is at this epoch."""
        return min(self.tasks, *(self._first_task(epoch, island) for island, epoch in enumerate(clocks)))

    def _first_task(self, epoch: int, island: int) -> int:
        return (epoch * self._count + island) * self._chunk

    def _reaching(self, wanted: int) -> int:
        """The epoch in which every island has lived `wanted` generations.

        It is lived to its end: a longer run lives it so too, and finds its solutions in the same order.
        """
        epoch, lived = 0, [self.generations(0, island) for island in range(self._count)]
        while min(lived) < wanted:
            epoch += 1
            if epoch > self.ramp:  # all epochs are full from here on
                pairs = zip(lived, self._lengths, strict=True)
                return epoch - 1 + max(-(-(wanted - done) // length) for done, length in pairs)
            lived = [lived[island] + self.generations(epoch, island) for island in range(self._count)]
        return epoch


def _lengths(recipes: Sequence[Recipe], every: int | None) -> list[int]:
    """Generations per epoch of each island: the recipe's own, or an even part of the migration interval.

    An island hears one or two epochs later what was new, which an elite's death depends on: no epoch is longer than a
    recipe's `elite_death`.
    """
    own = [min(recipe.epoch, recipe.elite_death or recipe.epoch) for recipe in recipes]
    if every is None:
        return own
    parts = max(-(-every // length) for length in own)
    return [-(-every // parts)] * len(recipes)
