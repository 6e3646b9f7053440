"""Very many squares from one, orders above 12: each differs from the one before in four cells.

Two lines swap their cells in two places whose differences cancel: both keep their sums, and so do the lines across.
Cells of the diagonals stay. The squares of one harvest are near-duplicates; the next starts from a square of its own.
"""

from __future__ import annotations

import numpy as np

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.recipe import Harvest
from islands.operators.space import Genomes, Memory

CELLS = 4_000_000  # of all squares of one harvest: 16 MB
MOST = 8192  # squares of one harvest


@kernel
def _on_diagonal(cell: int, n: int) -> bool:
    return cell // n == cell % n or cell // n + cell % n == n - 1


@kernel
def exchange_four(square: Genomes, n: int, state: RngState) -> bool:
    """Try one pair of lines and one place; False when no second place goes with it, or a diagonal is in the way."""
    a = below(state, n)
    b = (a + 1 + below(state, n - 1)) % n
    first = below(state, n)
    along, across = 1, n
    if below(state, 2):
        along, across = n, 1
    top, bottom = a * across + first * along, b * across + first * along
    if _on_diagonal(top, n) or _on_diagonal(bottom, n):
        return False
    wanted = int(square[bottom]) - int(square[top])
    for k in range(n):
        one, other = a * across + k * along, b * across + k * along
        if int(square[one]) - int(square[other]) == wanted and not (_on_diagonal(one, n) or _on_diagonal(other, n)):
            square[top], square[bottom] = square[bottom], square[top]
            square[one], square[other] = square[other], square[one]
            return True
    return False


@kernel
def _walk(square: Genomes, n: int, squares: Genomes, state: RngState) -> int:
    """Fill `squares` with the steps of a walk from `square`; how many were found."""
    found = 0
    for _ in range(16 * n * squares.shape[0]):
        if exchange_four(square, n, state):
            squares[found] = square
            found += 1
            if found == squares.shape[0]:
                break
    return found


def near_squares(size: int) -> Harvest:
    """A walk of exact exchanges of four cells from each solved square."""
    wanted = max(1, min(MOST, CELLS // size**2))

    def more(solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
        walks = []
        for square in solved:
            squares = np.empty((max(1, wanted // len(solved)), size * size), np.int32)
            walks.append(squares[: _walk(square.copy(), size, squares, rng.state)])
        return np.concatenate(walks)

    return more
