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
    """The arrays of a space. ValueError where a group repeats a value or its values lie too far apart to tabulate."""
    cells, starts = space.cells, space.starts
    sizes = np.diff(starts)
    values = np.empty(len(cells), np.int32)
    offsets = np.zeros(len(sizes), np.int64)
    spans: list[int] = []
    for g, (start, end) in enumerate(pairwise(starts.tolist())):
        values[start:end] = ordered = np.sort(space.values[cells[start:end]])
        if (ordered[1:] == ordered[:-1]).any():
            raise ValueError(f"the cells of a group need distinct values, not {ordered.tolist()}")
        offsets[g] = sum(spans) - int(ordered[0])
        spans.append(int(ordered[-1]) - int(ordered[0]) + 1)
        if sum(spans) > SPARSEST:
            raise ValueError(
                f"values from {ordered[0]} to {ordered[-1]} are too sparse: at most {SPARSEST:,} apart; "
                "number them 0, 1, 2 ... in the genome instead"
            )
    ranks = np.zeros(sum(spans), np.int32)
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    slots = np.arange(len(cells), dtype=np.int32)
    ranks[offsets[owner] + values] = slots - starts[owner]
    fixed = np.flatnonzero(space.groups < 0).astype(np.int32)
    return Layout(
        fixed, cells.astype(np.uint32), starts.astype(np.int64), owner, slots[sizes[owner] > 1], values, offsets, ranks
    )
