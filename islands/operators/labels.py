"""Crossovers of arrangements whose values cannot be tabulated: values that occur several times, or lie far apart.

Every free cell's value gets a label: its place among all values of its group, in ascending order. Equal values are
numbered from left to right. Labels are distinct and dense, so that any crossover can work on them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from islands.kernels.rng import Rng
from islands.operators.recipe import Crossover
from islands.operators.space import Arrangement, Genomes


def on_labels(space: Arrangement, make: Callable[[Arrangement], Crossover]) -> Crossover:
    """The crossover that `make` makes, applied to labels instead of values."""
    groups = list(pairwise(space.starts.tolist()))
    sorted_values = np.concatenate([np.sort(space.values[space.cells[start:end]]) for start, end in groups])

    def labelled(genomes: Genomes) -> Genomes:
        """(..., length) -> the same shape."""
        labels = np.zeros_like(genomes)
        for start, end in groups:
            cells = space.cells[start:end]
            labels[..., cells] = start + np.argsort(np.argsort(genomes[..., cells], axis=-1, kind="stable"), axis=-1)
        return labels

    crossover = make(Arrangement(labelled(space.values), space.groups))

    def cross(families: Genomes, rng: Rng) -> Genomes:
        children = crossover(labelled(families), rng)
        valued = np.broadcast_to(space.values, children.shape).copy()
        valued[..., space.cells] = sorted_values[children[..., space.cells]]
        return valued

    return Crossover(cross, crossover.parents, crossover.children)
