"""What individuals inherit when a generation passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import lean_kernel

Rows = NDArray[np.int64]
Masks = NDArray[np.uint64]


@lean_kernel
def inherit(old: Masks, own: np.uint64, parents: Rows, elite: Rows, others: Rows, chosen: Rows, new: Masks) -> None:
    """The bits of the `new` generation: the elite's, then of the chosen among the others and, counted on from them,
    among the children of these (n, parents) rows, who have the bits of their parents beside their own."""
    for place in range(len(elite)):
        new[place] = old[elite[place]]
    for place in range(len(chosen)):
        child = chosen[place] - len(others)
        if child < 0:
            new[len(elite) + place] = old[others[chosen[place]]]
            continue
        bits = own
        for parent in parents[child]:
            if parent >= 0:
                bits |= old[parent]
        new[len(elite) + place] = bits
