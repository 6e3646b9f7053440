"""What a candidate is: the two spaces every puzzle so far lives in.

A genome is one candidate, a 1-D int32 array; a population is a C-contiguous (n, length) int32 array.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from islands.errors import quoted
from islands.kernels.rng import Rng
from islands.kernels.shuffle import IN_CACHE, shuffle

Genomes = NDArray[np.int32]
Costs = NDArray[np.int64]
Shares = NDArray[np.float64]
Stored = NDArray[np.integer[Any]]  # genomes as they travel and are kept: of the narrowest type, see `narrowest`
Memory = dict[str, NDArray[Any]]


def _numbers(values: ArrayLike, wanted: str, *, lone: bool = False) -> NDArray[np.int32]:
    """A list of whole numbers, or a lone one, as an array, (n,). ValueError says what was `wanted`."""
    try:
        array = np.atleast_1d(values) if lone else np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iub":
        raise ValueError(f"{wanted}; got {quoted(values)}")
    if array.dtype.itemsize >= np.dtype(np.int32).itemsize and array.dtype != np.int32:
        bounds = np.iinfo(np.int32)
        if array.min() < bounds.min or array.max() > bounds.max:
            raise ValueError(f"{wanted}; {array.max()} or {array.min()} has more than 32 bits")
    return np.ascontiguousarray(array, np.int32)


class Arrangement:
    """Values that change places: the cells of one group permute their values, cells of group -1 never change.

    `values` is any one legal genome; `groups` names each cell's group (default: one group of all cells).
    Kernels use `cells`, the free cells sorted by group, and `starts`: group g owns cells[starts[g]:starts[g + 1]].
    """

    def __init__(self, values: ArrayLike, groups: ArrayLike | None = None) -> None:
        self.values: Genomes = _numbers(values, "an Arrangement needs a list of whole numbers, such as range(9)")
        self._groups = None if groups is None else _numbers(groups, "groups are a list of whole numbers, -1 = fixed")
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
        wanted = "Choices needs a number of places and how many options each has: Choices(8, 4), Choices(3, [2, 5, 5])"
        if options is None or not isinstance(length, int | np.integer) or length < 1:
            raise ValueError(f"{wanted}; got {quoted(length)} places")
        given = _numbers(options, wanted, lone=True)
        if len(given) not in (1, length) or (given < 1).any():
            raise ValueError(f"{wanted}; got {quoted(options)} for {length} places, expected at least 1 for each")
        self.options: NDArray[np.int32] = np.broadcast_to(given, (length,)).copy()

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
