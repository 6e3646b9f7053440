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
        self._lengths = _lengths(recipes, job.migration.migrate_every, max(1, job.stretch))  # older jobs do not say it
        self.longest = max(self._lengths)
        self.ramp = (self.longest - 1).bit_length()  # epochs until all are full
        self.tasks = tasks(job.problem) if job.stop.exhaustive else 0
        self._chunk = max(1, min(self.tasks // PARTS, self.tasks // (8 * self._count)))
        self._wanted = job.stop.generations
        self._final, self._lived = (0, [0]) if self._wanted is None else self._reaching(self._wanted)

    def generations(self, epoch: int, island: int) -> int:
        """How many generations the island lives in this epoch: a whole epoch's, or what is left of those asked for."""
        whole = self._whole(epoch, island)
        if self._wanted is None or not self._may_be_cut(epoch):
            return whole
        return min(whole, max(0, self._wanted - self._lived[island]))

    def is_cut(self, epoch: int, island: int) -> bool:
        """Whether a longer run would live this epoch longer: then it is no place to go on from."""
        return self._may_be_cut(epoch) and self.generations(epoch, island) < self._whole(epoch, island)

    def _may_be_cut(self, epoch: int) -> bool:
        return self._wanted is not None and epoch >= self._final

    def is_last_whole(self, epoch: int) -> bool:
        """Whether nothing follows this epoch, or only one that is cut: then it is the last place to go on from."""
        if not self.has_work(epoch + 1, 0):
            return True
        cut = not self.tasks and self._may_be_cut(epoch + 1)
        return cut and any(self.is_cut(epoch + 1, island) for island in range(self._count))

    def _whole(self, epoch: int, island: int) -> int:
        """Epochs start with one generation and double: a quick puzzle answers quickly."""
        return min(self._lengths[island], 1 << min(epoch, 62))

    def tasks_of(self, epoch: int, island: int) -> range:
        first = self._first_task(epoch, island)
        return range(first, min(first + self._chunk, self.tasks))

    def has_work(self, epoch: int, island: int) -> bool:
        """Whether this island has anything to do in this epoch."""
        if self.tasks:
            return self._first_task(epoch, island) < self.tasks
        return self._wanted is None or epoch <= self._final

    def swept(self, clocks: Sequence[int]) -> int:
        """How many tasks are done, from the first on, where each island is at this epoch."""
        return min(self.tasks, *(self._first_task(epoch, island) for island, epoch in enumerate(clocks)))

    def _first_task(self, epoch: int, island: int) -> int:
        return (epoch * self._count + island) * self._chunk

    def _reaching(self, wanted: int) -> tuple[int, list[int]]:
        """The epoch in which the last island comes to `wanted` generations, and how many each has lived before it.

        Only this epoch is cut. An island whose epochs are longer than the others' may have lived more by then: it goes
        on as in a longer run, since the others hear from it.
        """
        epoch, lived = 0, [0] * self._count
        while True:
            lives = [self._whole(epoch, island) for island in range(self._count)]
            left = [wanted - done for done in lived]
            if all(now >= missing for now, missing in zip(lives, left, strict=True)):
                return epoch, lived
            # From the ramp on all epochs are equal: of those before the last one nothing is to be counted.
            steps = 1 if epoch < self.ramp else max(-(-m // now) for m, now in zip(left, lives, strict=True)) - 1
            epoch, lived = epoch + steps, [done + steps * now for done, now in zip(lived, lives, strict=True)]


def _lengths(recipes: Sequence[Recipe], every: int | None, stretch: int) -> list[int]:
    """Generations per epoch of each island: `stretch` times the recipe's own, or an even part of the migration
    interval.

    An island hears one or two epochs later what was new, which an elite's death depends on: no epoch is longer than a
    recipe's `elite_death`.
    """
    own = [min(stretch * recipe.epoch, recipe.elite_death or stretch * recipe.epoch) for recipe in recipes]
    if every is None:
        return own
    parts = max(-(-every // length) for length in own)
    return [-(-every // parts)] * len(recipes)
