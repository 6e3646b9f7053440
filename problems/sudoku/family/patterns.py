"""Forms of regions, and full grids that are too large to be found by a search from nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators.space import Genomes
from problems.sudoku.family.layout import Layout, Place


def random_regions(n: int, rng: Rng) -> str:
    """Connected regions of n cells: rows, and cells that change their regions again and again."""
    return _bent(np.repeat(np.arange(n), n).reshape(n, n), None, rng)


def bent_regions(box: tuple[int, int], full: Genomes, rng: Rng) -> str:
    """The same from the boxes of a full grid, by cells of the same value: it remains a solution, whatever the size."""
    n = box[0] * box[1]
    row, column = np.indices((n, n))
    return _bent(row // box[0] * box[0] + column // box[1], full.reshape(n, n), rng)


def _bent(home: NDArray[np.int64], values: NDArray[np.int32] | None, rng: Rng) -> str:
    """Two cells change their regions, if these stay connected; they have the same value, where there are values."""
    n, lot = len(home), rng.numpy
    for _ in range(30 * n * n):
        i, j = lot.integers(n, size=2).tolist()
        beside = [place for place in _beside(n, (i, j)) if home[place] != home[i, j]]
        if not beside:
            continue
        own, other = int(home[i, j]), int(home[beside[int(lot.integers(len(beside)))]])
        home[i, j] = other
        back = [place for place in zip(*np.nonzero(home == other), strict=True) if place != (i, j)]
        if values is not None:
            back = [place for place in back if values[place] == values[i, j]]
        back = [place for place in back if any(home[near] == own for near in _beside(n, place))]
        lot.shuffle(back)
        for place in back[:4]:
            home[place] = own
            if _is_connected(home, own) and _is_connected(home, other):
                break
            home[place] = other
        else:
            home[i, j] = own
    numbers = {int(number): k for k, number in enumerate(dict.fromkeys(home.ravel().tolist()))}
    return "".join(LETTERS[numbers[number]] for number in home.ravel().tolist())


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"


def _beside(n: int, place: Place) -> list[Place]:
    i, j = int(place[0]), int(place[1])
    near = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    return [(a, b) for a, b in near if 0 <= a < n and 0 <= b < n]


def _is_connected(home: NDArray[np.int64], region: int) -> bool:
    cells = {(int(i), int(j)) for i, j in zip(*np.nonzero(home == region), strict=True)}
    waiting = [next(iter(cells))]
    cells.discard(waiting[0])
    while waiting:
        for near in _beside(len(home), waiting.pop()):
            if near in cells:
                cells.discard(near)
                waiting.append(near)
    return not cells


def disjoint_pattern(layout: Layout, rng: Rng) -> Genomes:
    """Row b of band a and column d of stack c: the value a + d, b + c, which differ in every line, box and place of all
    boxes."""
    assert layout.box is not None
    rows, columns = layout.box
    n, lot = layout.n, rng.numpy
    bands, stacks = lot.permutation(columns), lot.permutation(rows)
    i, j = np.indices((n, n))
    return _renamed((bands[i // rows] + j % columns) % columns * rows + (i % rows + stacks[j // columns]) % rows, rng)


def windoku_pattern(layout: Layout, rng: Rng) -> Genomes:
    """Boxes are m x m. The m rows of a window, the m between the windows and the m of a band each have all remainders
    by m; so have columns. Row i of windows k and column j of stack c: the value k + j % m, i % m + c. In a line both
    parts name the cell; in a box its row follows from the second part, in a window its column from the first."""
    assert layout.box is not None
    m, n, lot = layout.box[0], layout.n, rng.numpy
    kinds, stacks, rows, columns = (lot.permutation(m) for _ in range(4))
    i, j = np.indices((n, n))
    window = np.where(i % (m + 1) == 0, m - 1, (i - 1) // (m + 1))
    return _renamed((kinds[window] + columns[j % m]) % m * m + (rows[i % m] + stacks[j // m]) % m, rng)


def _renamed(pattern: NDArray[np.int64], rng: Rng) -> Genomes:
    """The values 0..n-1 of a pattern as 1..n, by lot."""
    names: Genomes = (rng.numpy.permutation(len(pattern)) + 1).astype(np.int32)
    return names[pattern.ravel()]


PATTERNS: dict[str, Callable[[Layout, Rng], Genomes]] = {"disjoint": disjoint_pattern, "windoku": windoku_pattern}
"""Full grids by the only rule that they have beside rows, columns and boxes."""
