"""Operators for `Choices` spaces: one integer per locus.

Whole batches in NumPy: without a permutation to keep legal, a mask says it all and nothing needs compiling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators.recipe import Crossover, Mutate, Points
from islands.operators.space import Choices, Genomes


def _mixed(families: Genomes, first: NDArray[np.bool_]) -> Genomes:
    """Two children: child 0 has parent 0's values where `first` (families, length) says so, child 1 the others."""
    mother, father = families[:, 0], families[:, 1]
    return np.stack((np.where(first, mother, father), np.where(first, father, mother)), axis=1)


def one_point() -> Crossover:
    """A head of one parent and the tail of the other, two children; the point is the length of the head."""

    def cross(families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        length = families.shape[2]
        cut = rng.numpy.integers(1, max(2, length), size=(len(families), 1))
        return _mixed(families, np.arange(length) < cut), cut

    return Crossover(cross, children=2)


def two_point() -> Crossover:
    """The parents exchange one segment, two children; the points are its first locus and the one behind its last."""

    def cross(families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        length = families.shape[2]
        cuts = np.sort(rng.numpy.integers(0, length + 1, size=(len(families), 2)), axis=1)
        locus = np.arange(length)
        return _mixed(families, (locus < cuts[:, :1]) | (locus >= cuts[:, 1:])), cuts

    return Crossover(cross, children=2)


def uniform_mix() -> Crossover:
    """Each locus from either parent, two children that complement each other."""

    def cross(families: Genomes, rng: Rng) -> Genomes:
        return _mixed(families, rng.numpy.random((len(families), families.shape[2])) < 0.5)

    return Crossover(cross, children=2)


def reset(space: Choices) -> Mutate:
    """One random locus gets a random other value; a locus with a single option is never chosen."""
    loci = np.flatnonzero(space.options > 1)

    def mutate(genomes: Genomes, rng: Rng) -> None:
        if not loci.size:
            return
        rows = np.arange(len(genomes))
        locus = rng.numpy.choice(loci, len(genomes))
        options = space.options[locus]
        genomes[rows, locus] = (genomes[rows, locus] + rng.numpy.integers(1, options)) % options

    return mutate


def swap_loci(space: Choices) -> Mutate:
    """Two different random loci exchange their values. ValueError where loci differ in their options."""
    length = _alike(space)

    def mutate(genomes: Genomes, rng: Rng) -> None:
        if length < 2:
            return
        rows = np.arange(len(genomes))
        a, b = _two_loci(length, len(genomes), rng)
        genomes[rows, a], genomes[rows, b] = genomes[rows, b], genomes[rows, a]

    return mutate


def reverse_loci(space: Choices) -> Mutate:
    """A random segment of at least two loci is reversed. ValueError where loci differ in their options."""
    length = _alike(space)

    def mutate(genomes: Genomes, rng: Rng) -> None:
        if length < 2:
            return
        first, last = np.sort(_two_loci(length, len(genomes), rng), axis=0)[:, :, None]
        locus = np.arange(length)
        source = np.where((locus >= first) & (locus <= last), first + last - locus, locus)
        genomes[:] = np.take_along_axis(genomes, source, axis=1)

    return mutate


def _two_loci(length: int, count: int, rng: Rng) -> NDArray[np.int64]:
    """Two different loci for each of `count` rows, (2, count)."""
    first = rng.numpy.integers(0, length, count)
    return np.stack((first, (first + rng.numpy.integers(1, length, count)) % length))


def _alike(space: Choices) -> int:
    """The number of loci, all with the same options: only then may values change places."""
    if (space.options != space.options[0]).any():
        raise ValueError("values can only change places where every locus has the same options; use reset instead")
    return space.length
