"""Every square of order 3 or 4, by a plain depth-first search: cell by cell, a line that is full must sum to M."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from islands.operators.jit import kernel
from islands.space import Genomes

Numbers = NDArray[np.int64]

MOST = 1_000  # squares of one task; order 4 has 880 in all


@cache
def _plan(n: int) -> tuple[Numbers, Numbers]:
    """In which order to fill the cells, (n * n,), and the lines through each, (n * n, 4) padded with 2n + 2.

    Borders and diagonals first: they fill lines, and the corners decide which of the 8 images a square is.
    """
    border = [(0, j) for j in range(n)] + [(i, 0) for i in range(1, n)]
    anti = [(i, n - 1 - i) for i in range(n)]
    rest = [(i, j) for i in range(n) for j in range(n)]
    cells = list(dict.fromkeys(border + anti + rest))
    lines = np.full((n * n, 4), 2 * n + 2)
    for i, j in rest:
        through = [i, n + j, *([2 * n] if i == j else []), *([2 * n + 1] if i + j == n - 1 else [])]
        lines[i * n + j, : len(through)] = through
    return np.array([i * n + j for i, j in cells]), lines


def squares(n: int, first: int) -> Genomes:
    """All squares modulo the 8 symmetries with `first` in the top left corner, (squares, n * n), numbers 1..n^2."""
    cells, lines = _plan(n)
    rows = np.empty((MOST, n * n), np.int32)
    return rows[: _search(n, first, cells, lines, rows)]


@kernel
def _fits(square: Genomes, n: int, cell: int, value: int, lines: Numbers, sums: Numbers, left: Numbers) -> bool:
    """Whether a cell may hold this value: full lines sum to M, and the square is in Frenicle's form."""
    magic = n * (n * n + 1) // 2
    for k in range(4):
        line = lines[cell, k]
        if line < 2 * n + 2 and left[line] == 1 and sums[line] + value != magic:
            return False
    corner = cell == n - 1 or cell == n * n - n or cell == n * n - 1
    return not (corner and value < square[0]) and not (cell == n and value < square[1])


@kernel
def _put(cell: int, value: int, lines: Numbers, sums: Numbers, left: Numbers, used: Numbers, sign: int) -> None:
    """Put a value into a cell (sign 1) or take it out again (sign -1)."""
    used[value] += sign
    for k in range(4):
        sums[lines[cell, k]] += sign * value
        left[lines[cell, k]] -= sign


@kernel
def _search(n: int, first: int, cells: Numbers, lines: Numbers, rows: Genomes) -> int:
    """Depth first; the squares go to `rows`: how many."""
    square, used = np.zeros(n * n, np.int32), np.zeros(n * n + 1, np.int64)
    sums, left = np.zeros(2 * n + 3, np.int64), np.full(2 * n + 3, n)
    square[0] = first
    _put(0, first, lines, sums, left, used, 1)
    found, depth = 0, 1
    while depth > 0:
        cell = cells[depth]
        if square[cell]:
            _put(cell, square[cell], lines, sums, left, used, -1)
        value = square[cell] + 1
        while value <= n * n and (used[value] or not _fits(square, n, cell, value, lines, sums, left)):
            value += 1
        if value > n * n:
            square[cell] = 0
            depth -= 1
            continue
        square[cell] = value
        _put(cell, value, lines, sums, left, used, 1)
        if depth + 1 == n * n:
            rows[found] = square
            found += 1
        else:
            depth += 1
    return found
