"""What a candidate is: the two spaces every puzzle so far lives in.

A genome is one candidate, a 1-D int32 array; a population is a C-contiguous (n, length) int32 array.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from islands.kernels.rng import Rng
from islands.kernels.shuffle import IN_CACHE, shuffle

Genomes = NDArray[np.int32]
Costs = NDArray[np.int64]
Shares = NDArray[np.float64]
Stored = NDArray[np.integer[Any]]  # genomes as they travel and are kept: of the narrowest type, see `narrowest`
Memory = dict[str, NDArray[Any]]


class Arrangement:
    """Values that change places: the cells of one group permute their values, cells of group -1 never change.

    `values` is any one legal genome; `groups` names each cell's group (default: one group of all cells).
    Kernels use `cells`, the free cells sorted by group, and `starts`: group g owns cells[starts[g]:starts[g + 1]].
    """

    def __init__(self, values: ArrayLike, groups: ArrayLike | None = None) -> None:
        self.values: Genomes = np.ascontiguousarray(values, dtype=np.int32)
        if self.values.ndim != 1 or not self.values.size:
            raise ValueError(f"an Arrangement needs a list of values, not an array of shape {self.values.shape}")
        self._groups = None if groups is None else np.ascontiguousarray(groups, dtype=np.int32)
        if self._groups is not None and self._groups.shape != self.values.shape:
            raise ValueError(f"{self.values.size} values need as many group numbers, not {self._groups.size}")

    @property
    def length(self) -> int:
        return int(self.values.size)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The narrowest type of all values."""
        return narrowest(int(self.values.min()), int(self.values.max()))

    @cached_property
    def groups(self) -> NDArray[np.int32]:
        return np.zeros_like(self.values) if self._groups is None else self._groups

    @cached_property
    def cells(self) -> NDArray[np.int32]:
        fixed = int(np.count_nonzero(self.groups < 0))
        return np.argsort(self.groups, kind="stable")[fixed:].astype(np.int32)

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        _, counts = np.unique(self.groups[self.cells], return_counts=True)
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

    def sample(self, count: int, rng: Rng) -> Genomes:
        """`count` random genomes, (count, length)."""
        genomes = np.tile(self.values, (count, 1))
        if self._groups is None and self.length > IN_CACHE:
            for genome in genomes:
                shuffle(genome, rng.state)
            return genomes
        if self._groups is None:  # the same as below, without the tables
            return rng.numpy.permuted(genomes, axis=1, out=genomes)
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            cells = self.cells[start:end]
            genomes[:, cells] = rng.numpy.permuted(genomes[:, cells], axis=1)
        return genomes

    def contains(self, genomes: Genomes) -> NDArray[np.bool_]:
        """Which rows are genomes of this space, (n,) bool."""
        if self._groups is None:
            return np.asarray((np.sort(genomes, axis=1) == np.sort(self.values)).all(axis=1))
        fixed = self.groups < 0
        inside: NDArray[np.bool_] = (genomes[:, fixed] == self.values[fixed]).all(axis=1)
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            cells = self.cells[start:end]
            inside &= (np.sort(genomes[:, cells], axis=1) == np.sort(self.values[cells])).all(axis=1)
        return inside

    def spans(self, genomes: Stored) -> bool:
        """Whether all numbers lie between the least and the greatest value: quick, and enough to index by them."""
        return not genomes.size or bool(self.values.min() <= genomes.min() and genomes.max() <= self.values.max())


class Choices:
    """One integer per locus: locus i takes a value in 0..options[i]-1."""

    def __init__(self, length: int, options: ArrayLike | None = None) -> None:
        if options is None or not isinstance(length, int | np.integer):
            raise ValueError(
                "Choices needs a number of places and how many options each has: Choices(8, 4) or Choices(3, [2, 5, 5])"
            )
        self.options: NDArray[np.int32] = np.broadcast_to(np.asarray(options, dtype=np.int32), (length,)).copy()
        if length < 1 or (self.options < 1).any():
            raise ValueError("Choices needs at least one locus and at least one option at each")

    @property
    def length(self) -> int:
        return int(self.options.size)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The narrowest type of all values."""
        return narrowest(0, int(self.options.max()) - 1)

    def sample(self, count: int, rng: Rng) -> Genomes:
        """`count` random genomes, (count, length)."""
        return rng.numpy.integers(0, self.options, size=(count, self.length), dtype=np.int32)

    def contains(self, genomes: Genomes) -> NDArray[np.bool_]:
        """Which rows are genomes of this space, (n,) bool."""
        return np.asarray(((genomes >= 0) & (genomes < self.options)).all(axis=1))

    def spans(self, genomes: Stored) -> bool:
        """Whether every number is one of the options at its locus; here this is all that `contains` asks for."""
        return not genomes.size or bool(genomes.min() >= 0 and (genomes.max(axis=0) < self.options).all())


Space = Arrangement | Choices


def narrowest(least: int, most: int) -> np.dtype[Any]:
    """The integer type in which values from `least` to `most` are kept: of 1, 2 or 4 bytes, little-endian."""
    fits = (kind for kind in ("u1", "<i2") if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max)
    return np.dtype(next(fits, "<i4"))


def listed(genome: Genomes) -> str:
    """A genome in a message: all of it, or the beginning."""
    return str(genome.tolist()) if len(genome) <= 1000 else f"[{', '.join(map(str, genome[:20].tolist()))}, ...]"
