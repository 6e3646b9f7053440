"""Which 9x9 grids are the same but for the names of digits, the order of rows and columns, and reflection.

All 2 * 6**8 * 9! images of a grid have one smallest among them, read row by row. In it the first row is 1 to 9, so that
the names follow from which row is the first and how the columns stand; the second and third row are the others of its
band, and the six below are sorted. That leaves 2 * 18 * 1296 images to compare, nearly all of them in a cell or two.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.operators.space import Genomes, Stored
from problems.sudoku.groups import Number

ORDERS = tuple(permutations(range(3)))
ROWS = np.array([[3 * band + row for row in order] for band in range(3) for order in ORDERS], np.int64)
"""(18, 3): every row as the first, with the others of its band."""
COLUMNS = np.array(
    [
        [3 * stack + column for stack, order in zip(stacks, inner, strict=True) for column in order]
        for stacks in ORDERS
        for inner in product(ORDERS, repeat=3)
    ],
    np.int64,
)
"""(1296, 9): all orders of the columns that keep stacks together."""
PLACES = np.argsort(COLUMNS, axis=1)
"""(1296, 9): where each column stands then."""


@inner_kernel
def _match(grid: Stored, rows: Stored, above: Stored) -> None:
    """For each column the one in which the first row has what the second has here."""
    for here in range(9):
        for there in range(9):
            if grid[rows[0] * 9 + there] == grid[rows[1] * 9 + here]:
                above[here] = there


@inner_kernel
def _is_beyond(above: Stored, columns: Stored, places: Stored, best: Stored) -> bool:
    """Whether the second row, with digits named by the first, is beyond that of the best image already."""
    for k in range(9):
        value = places[above[columns[k]]] + 1
        if value != best[9 + k]:
            return bool(value > best[9 + k])
    return False


@inner_kernel
def _copy(grid: Stored, row: Number, columns: Stored, names: Stored, image: Stored, place: Number) -> None:
    for k in range(9):
        image[place * 9 + k] = names[grid[row * 9 + columns[k]]]


@inner_kernel
def _draw(grid: Stored, rows: Stored, columns: Stored, names: Stored, image: Stored) -> None:
    """The image with these first rows and columns; below them bands, and rows in them, by their first values."""
    top = rows[0] // 3
    for k in range(9):
        names[grid[rows[0] * 9 + columns[k]]] = k + 1
    for k in range(3):
        _copy(grid, rows[k], columns, names, image, k)
    second, filled = -1, 0
    for value in range(1, 10):
        for row in range(9):
            if names[grid[row * 9 + columns[0]]] == value and row // 3 != top:
                second = row // 3 if second < 0 else second
                if row // 3 == second:
                    _copy(grid, row, columns, names, image, 3 + filled)
                    filled += 1
    filled = 0
    for value in range(1, 10):
        for row in range(9):
            if names[grid[row * 9 + columns[0]]] == value and row // 3 != top and row // 3 != second:
                _copy(grid, row, columns, names, image, 6 + filled)
                filled += 1


@inner_kernel
def _keep_smaller(image: Stored, best: Stored) -> None:
    for k in range(81):
        if image[k] != best[k]:
            if image[k] < best[k]:
                for cell in range(81):
                    best[cell] = image[cell]
            return


@lean_kernel
def smallest(grids: Stored, above: Stored, names: Stored, image: Stored, best: Stored) -> None:
    """`best`, (81,), becomes the smallest image of a full grid and of its reflection, (2, 81); the rest is scratch."""
    for k in range(81):
        best[k] = 10
    for side in range(2):
        for i in range(18):
            _match(grids[side], ROWS[i], above)
            for j in range(1296):
                if not _is_beyond(above, COLUMNS[j], PLACES[j], best):
                    _draw(grids[side], ROWS[i], COLUMNS[j], names, image)
                    _keep_smaller(image, best)


def canonical(grid: Genomes) -> Genomes:
    """The smallest image of a full grid, (81,)."""
    square = grid.reshape(9, 9)
    grids = np.array([square.ravel(), square.T.ravel()], np.uint8)
    best: NDArray[np.uint8] = np.empty(81, np.uint8)
    above, names, image = np.empty(9, np.int64), np.empty(10, np.uint8), np.empty(81, np.uint8)
    smallest(grids, above, names, image, best)
    return best.astype(np.int32)
