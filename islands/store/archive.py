"""The distinct, verified solutions of a run: 128-bit canonical keys in memory, columns for the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from islands.errors import PuzzleError
from islands.kernels.keys import Flags, Keys, KeySet, keys_of
from islands.model.ancestry import homes
from islands.model.declaring import compare_costs
from islands.model.messages import New, Report
from islands.model.problem import Problem
from islands.operators.space import Genomes, Stored, listed
from islands.store.solutions import Solutions, origins_column
from islands.store.spilled_keys import SpillingKeys

SMALL = 10_000  # rows of a part that is worth a row group of its own
BATCH = 1 << 16  # solutions verified at a time: they stay in the cache


class Archive:
    """Every distinct solution exactly once. `add` verifies a solution before it counts.

    `open` are the rows that are not yet in a sealed segment on disk.
    """

    shards = 0

    def __init__(self, problem: Problem, keys: KeySet | SpillingKeys | None = None) -> None:
        self.problem = problem
        self.space = problem.space()
        self.open: list[Solutions] = []
        self._keys = KeySet() if keys is None else keys
        self._unread: Iterator[Keys] = iter(())  # of rows that were loaded
        self._count = 0  # of verified rows; a key may be of one that failed

    def __len__(self) -> int:
        return self._count

    @property
    def newest(self) -> Genomes | None:
        """The solution found last; None when there is none or it has long been sealed."""
        return self.open[-1].genome[-1].astype(np.int32, copy=False) if self.open else None

    def count(self, report: Report, seconds: float, limit: int | None) -> New:
        """Take in what a report brings: how many are new, at most `limit`."""
        if not len(report.keys):  # as most reports of most puzzles
            return New(0)
        rows = self.add(
            report.solutions,
            report.keys,
            report.born,
            origins=report.origins,
            ancestry=report.ancestry,
            island=report.island,
            epoch=report.epoch,
            seconds=seconds,
            limit=limit,
        )
        return new_of(rows.generation, rows.ancestry)

    def add(
        self,
        genomes: Stored,
        keys: Keys,
        born: NDArray[np.int64],
        *,
        origins: Sequence[str] | None = None,
        ancestry: NDArray[np.uint64] | None = None,
        island: int,
        epoch: int,
        seconds: float,
        limit: int | None,
    ) -> Solutions:
        """The new ones among canonical `genomes`, at most `limit`, in their order."""
        fresh, column = self.fresh(genomes, keys, limit), origins_column(origins)
        position = np.flatnonzero(fresh).astype(np.int32)
        count = len(position)
        if count < len(genomes):
            genomes, born = genomes[fresh], born[fresh]
        rows = Solutions(
            genomes,
            np.full(count, island, np.int32),
            np.full(count, epoch, np.int64),
            born,
            np.full(count, seconds, np.float64),
            column if column is None else column[fresh],
            ancestry if ancestry is None else ancestry[fresh],
            position,
        )
        if len(rows):
            self.open.append(rows)
            self._count += len(rows)
        return rows

    def fresh(self, genomes: Stored, keys: Keys, limit: int | None = None) -> Flags:
        """Which of these are new, at most `limit`; from now on they are known. PuzzleError where one is wrong."""
        self.learn()
        fresh = self._keys.add(keys, limit)
        new = genomes if fresh.all() else genomes[fresh]
        for start in range(0, len(new), BATCH):
            self.check(new[start : start + BATCH])
        return fresh

    def know(self, keys: Keys) -> None:
        """Know these from now on; they were verified before they were written."""
        self._keys.add(keys)

    def load(self, sealed: Iterator[Keys], count: int, unsealed: Solutions) -> None:
        """Go on from `count` sealed rows and these others; used on resume. They were verified before they were written.

        Their keys are read by `learn`: an archive that is about to be another one's looks nothing up.
        """
        self._unread = chain(sealed, (keys_of(rows.genome) for rows in [unsealed]))
        self._count = count + len(unsealed)
        self.open = [unsealed] if len(unsealed) else []

    def restore(self, rows: Solutions) -> None:
        """Have these again, which were found earlier and are on disk; nothing is looked up here any more."""
        self.open = [*self.open, rows]
        self._count += len(rows)

    def learn(self) -> None:
        """Know what was loaded, before anything is looked up."""
        for keys in self._unread:
            self._keys.add(keys)

    def keep(self, rows: Solutions) -> int:
        """Know these, too, and keep those that are new: how many. They come from a damaged run."""
        self.learn()
        new = rows[np.flatnonzero(self._keys.add(keys_of(rows.genome)))]
        self.check(new.genome)
        if len(new):
            self.open.append(new)
            self._count += len(new)
        return len(new)

    def keep_order(self, earlier: Solutions, start: int, *, at_any_rate: bool) -> bool:
        """Rows that were shown before stay before what was found beside them, from the open row `start` on.

        A run that has lived part of an epoch and then lives it whole finds them in another order. False while some of
        them are not found again, unless it is to be `at_any_rate`: then they take the places of the last rows.
        """
        found = Solutions.joined(self.open, self.space)[start:]
        known, keys = KeySet(), keys_of(earlier.genome)
        if np.array_equal(keys, keys_of(found[: len(earlier)].genome)):
            return True
        known.add(keys)
        new = np.flatnonzero(known.add(keys_of(found.genome)))
        missing = len(earlier) + len(new) - len(found)
        if missing and not at_any_rate:
            return False
        before = Solutions.joined(self.open, self.space)[:start]
        self.open = [part for part in (before, earlier, found[new[: len(new) - missing]]) if len(part)]
        return True

    def cut(self, rows: int) -> tuple[list[Solutions], list[Solutions]]:
        """The first `rows` open rows, and the others. Parts are joined where they are small."""
        if sum(len(part) for part in self.open) < SMALL * len(self.open):
            self.open = [Solutions.joined(self.open, self.space)]
        first, others = [], []
        for part in self.open:
            first += [part[:rows]] if rows > 0 else []
            others += [part[max(rows, 0) :]] if rows < len(part) else []
            rows -= len(part)
        return first, others

    def close(self) -> None:
        """Remove the files of its keys, if they have any."""
        if isinstance(self._keys, SpillingKeys):
            self._keys.close()

    def check(self, stored: Stored) -> None:
        """PuzzleError where one of these is not a solution."""
        genomes = stored.astype(np.int32, copy=False)
        right = self.problem.verified(genomes)
        if right.all():
            return
        wrong = genomes[int(np.argmin(right))]
        if not self.space.contains(wrong[None]).all():
            raise PuzzleError(
                f"{type(self.problem).__name__}: canonical or an operator of the recipe left the puzzle's space: "
                f"{listed(wrong)} is not a candidate."
            )
        compare_costs(self.problem, wrong[None])
        raise PuzzleError(
            f"{type(self.problem).__name__} calls a candidate solved that its verify refuses: {listed(wrong)}. "
            "One of cost, canonical, verify and the recipe's operators is wrong."
        )


def new_of(born: NDArray[np.int64], ancestry: NDArray[np.uint64] | None) -> New:
    """New solutions in a few numbers: their generations, and where their ancestors lived, if that is kept."""
    if not len(born):
        return New(0)
    return New(len(born), int(born.max()), None if ancestry is None else homes(ancestry))
