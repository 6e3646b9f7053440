"""The distinct, verified solutions of a run: 128-bit canonical keys in memory, columns for the disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from islands.errors import PuzzleError
from islands.kernels.keys import Keys, KeySet, keys_of
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

    def __init__(self, problem: Problem, keys: KeySet | SpillingKeys | None = None) -> None:
        self.problem = problem
        self.space = problem.space()
        self.open: list[Solutions] = []
        self._keys = KeySet() if keys is None else keys
        self._count = 0  # of verified rows; a key may be of one that failed

    def __len__(self) -> int:
        return self._count

    @property
    def newest(self) -> Genomes | None:
        """The solution found last; None when there is none or it has long been sealed."""
        return self.open[-1].genome[-1].astype(np.int32, copy=False) if self.open else None

    def add(
        self,
        genomes: Stored,
        keys: Keys,
        born: NDArray[np.int64],
        *,
        origins: Sequence[str] | None = None,
        island: int,
        epoch: int,
        seconds: float,
        limit: int | None,
    ) -> Solutions:
        """The new ones among canonical `genomes`, at most `limit`, in their order."""
        fresh, column = self._keys.add(keys, limit), origins_column(origins)
        if not fresh.all():
            genomes, born = genomes[fresh], born[fresh]
        count = len(genomes)
        for start in range(0, count, BATCH):
            self._check(genomes[start : start + BATCH].astype(np.int32, copy=False))
        rows = Solutions(
            genomes,
            np.full(count, island, np.int32),
            np.full(count, epoch, np.int64),
            born,
            np.full(count, seconds, np.float64),
            column if column is None else column[fresh],
        )
        if len(rows):
            self.open.append(rows)
            self._count += len(rows)
        return rows

    def load(self, sealed: Iterable[Keys], unsealed: Solutions) -> None:
        """Know these already; used on resume. They were verified before they were written."""
        for keys in chain(sealed, [keys_of(unsealed.genome)]):
            self._keys.add(keys)
            self._count += len(keys)
        self.open = [unsealed] if len(unsealed) else []

    def keep(self, rows: Solutions) -> int:
        """Know these, too, and keep those that are new: how many. They come from a damaged run."""
        new = rows[np.flatnonzero(self._keys.add(keys_of(rows.genome)))]
        self._check(new.genome.astype(np.int32, copy=False))
        if len(new):
            self.open.append(new)
            self._count += len(new)
        return len(new)

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

    def _check(self, genomes: Genomes) -> None:
        right = self.problem.verified(genomes)
        if right.all():
            return
        wrong = genomes[int(np.argmin(right))]
        if not self.space.contains(wrong[None]).all():
            raise PuzzleError(
                f"{type(self.problem).__name__}: canonical or an operator of the recipe left the puzzle's space: "
                f"{listed(wrong)} is not a candidate."
            )
        raise PuzzleError(
            f"{type(self.problem).__name__} calls a candidate solved that its verify refuses: {listed(wrong)}. "
            "One of cost, canonical, verify and the recipe's operators is wrong."
        )
