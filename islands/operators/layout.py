"""An `Arrangement` as arrays for kernels.

A *slot* is a place in `cells`: group g owns the slots starts[g]..starts[g + 1] - 1. A *rank* numbers the distinct
values of a group 0, 1, 2 ... in ascending order, whatever the values are.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Arrangement

Numbers = NDArray[np.int32]

SPARSEST = 1 << 24  # entries of the rank table: 64 MB


class Layout(NamedTuple):
    """An Arrangement as arrays for kernels."""

    fixed: Numbers  # the cells that never change
    cells: NDArray[np.uint32]  # the genome's cell of each slot; unsigned, a quarter faster: no index is negative
    starts: NDArray[np.int64]  # the first slot of each group, and the end
    owner: Numbers  # the group of each slot
    movable: Numbers  # the slots of groups of at least two cells
    values: Numbers  # of each group in ascending order, aligned with the slots
    offsets: NDArray[np.int64]  # the rank of value v in group g is ranks[offsets[g] + v]
    ranks: Numbers


def layout(space: Arrangement) -> Layout:
    """The arrays of a space. Only where it `tabulates` are there ranks; only crossovers need them."""
    cells, starts = space.cells, space.starts
    sizes = np.diff(starts)
    values = np.empty(len(cells), np.int32)
    offsets = np.zeros(len(sizes), np.int64)
    spans = 0
    for g, (start, end) in enumerate(pairwise(starts.tolist())):
        values[start:end] = ordered = np.sort(space.values[cells[start:end]])
        offsets[g] = spans - int(ordered[0])
        spans += int(ordered[-1]) - int(ordered[0]) + 1
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    slots = np.arange(len(cells), dtype=np.int32)
    ranks = np.zeros(spans if tabulates(space) else 0, np.int32)
    if len(ranks):
        ranks[offsets[owner] + values] = slots - starts[owner]
    fixed = np.flatnonzero(space.groups < 0).astype(np.int32)
    return Layout(
        fixed, cells.astype(np.uint32), starts.astype(np.int64), owner, slots[sizes[owner] > 1], values, offsets, ranks
    )


def tabulates(space: Arrangement) -> bool:
    """Whether the values of each group are distinct, and near enough to each other for a table of ranks."""
    spans = 0
    for start, end in pairwise(space.starts.tolist()):
        values = np.unique(space.values[space.cells[start:end]])
        spans += int(values[-1]) - int(values[0]) + 1
        if len(values) < end - start or spans > SPARSEST:
            return False
    return True
