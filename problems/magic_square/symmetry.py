"""What counts as the same square: the 8 rotations and reflections, and the M-transforms.

An M-transform is one permutation of the lines that commutes with reversal, for rows and columns alike: it keeps both
diagonals. Lines j and n - 1 - j are a pair, k = n // 2 pairs in all; a permutation orders the pairs and turns some of
them over, so that there are 2^k k!. The half turn is one of them and one of the 8: together they make 8 * 2^k k!/2
different images of a square of distinct numbers, its class.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng
from islands.operators.recipe import Harvest
from islands.operators.space import Genomes, Memory

Lines = NDArray[np.int64]

TURNS = 8  # rotations and reflections


def m_images(n: int) -> int:
    """The squares modulo the 8 symmetries of one class."""
    return factorial(n // 2) << n // 2 >> 1


def order_of_lines(n: int, number: int) -> Lines:
    """M-transform `number` of m_images(n), 0 = none: line i of the image is line order[i] of the square."""
    half = n // 2
    rank, turned = divmod(number, 1 << half - 1)  # the first pair is never turned over: the half turn is not wanted
    pairs, places = list(range(half)), []
    for left in range(half, 0, -1):
        place, rank = divmod(rank, factorial(left - 1))
        places.append(pairs.pop(place))
    upper = [n - 1 - pair if 2 * turned >> j & 1 else pair for j, pair in enumerate(places)]
    middle = [half] if n % 2 else []
    return np.array(upper + middle + [n - 1 - line for line in reversed(upper)])


def image(genomes: Genomes, n: int, number: int) -> Genomes:
    """Image `number` of 8 * m_images(n) of each square, (count, n * n); 0 is the square itself."""
    number, turn = divmod(number, TURNS)
    squares = genomes.reshape(-1, n, n)
    if number:
        order = order_of_lines(n, number)
        squares = squares[:, order[:, None], order]
    if turn & 4:
        squares = squares.transpose(0, 2, 1)
    squares = squares[:, :: -1 if turn & 2 else 1, :: -1 if turn & 1 else 1]
    return np.ascontiguousarray(squares, np.int32).reshape(genomes.shape)


def eightfold(image: Callable[[Genomes, int], Genomes], harvest: Harvest | None) -> Harvest:
    """A harvest that brings all rotations and reflections of what is solved and of what another harvest finds."""

    def more(solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
        squares = solved if harvest is None else np.concatenate((solved, harvest(solved, rng, memory)))
        return np.concatenate([image(squares, turn) for turn in range(TURNS)])

    return more


@kernel
def _class_form(square: Genomes, n: int, rows: Lines, keys: Lines, form: Genomes) -> None:
    """One image of the square's class, chosen by its diagonal cells alone.

    The least of them, the centre left aside, comes to the top left. That decides which diagonal is the main one: each
    other pair of lines turns its smaller cell of it upwards, and the pairs follow in the order of these cells. Last,
    the transposition puts the smaller of the two other corners to the right.
    """
    last, half = n - 1, n // 2
    crossed = 0  # 1 where the other diagonal becomes the main one
    least = square[0]
    for i in range(n):
        if i == last - i:
            continue
        for other in range(2):
            cell = square[i * n + (last - i if other else i)]
            if cell < least:
                least, crossed = cell, other
    for pair in range(half):
        upper, lower = pair, last - pair
        one = square[upper * n + (lower if crossed else upper)]
        two = square[lower * n + (upper if crossed else lower)]
        if two < one:
            upper, one = lower, two
        place = pair
        while place > 0 and one < keys[place - 1]:
            keys[place], rows[place] = keys[place - 1], rows[place - 1]
            place -= 1
        keys[place], rows[place] = one, upper
    if n % 2:
        rows[half] = half
    for pair in range(half):
        rows[last - pair] = last - rows[pair]
    right = square[rows[0] * n + (rows[0] if crossed else last - rows[0])]
    left = square[rows[last] * n + (rows[last] if crossed else last - rows[last])]
    for i in range(n):
        for j in range(n):
            row, column = (rows[i], rows[j]) if right < left else (rows[j], rows[i])
            form[i * n + j] = square[row * n + (last - column if crossed else column)]


@kernel
def class_forms(squares: Genomes, n: int, forms: Genomes) -> None:
    rows, keys = np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(squares.shape[0]):
        _class_form(squares[k], n, rows, keys, forms[k])
