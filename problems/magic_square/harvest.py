"""Very many squares from one: the recipe's harvest for orders 4 to 12.

A square stays semi-magic (rows and columns sum alike) under every permutation of its rows and of its columns. Put a
transversal (one cell per row and column) that sums to M on the main diagonal, and another on the other diagonal: the
square is magic. Both fit at once when the second is the first followed by an involution of the rows with n mod 2 fixed
points. So the harvest

    walks      from one semi-magic square to the next: two lines exchange cells and keep their sums
    draws      a transversal that sums to M, by random transpositions
    completes  it by every involution whose cells sum to M: each gives a magic class
    expands    a class by the M-transforms (one permutation that commutes with reversal, for rows and columns alike):
               2^k k!/2 squares modulo the 8 symmetries, k = floor(n/2); and each of them by its complement

Order 5 has a quicker way: of a square found, all squares with its centre and its main diagonal are a task of the
enumeration, some 76,000 of them. The island remembers which tasks it has swept.

From order 10 on a class alone and its complement are taken: classes abound there, and the images are near-duplicates.
Above order 12 `neighbours` takes over.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.recipe import Harvest
from islands.operators.space import Genomes, Memory
from problems.magic_square.enumeration import squares, task_of, tasks

Table = NDArray[np.int64]

BATCH = 24_576  # squares of one harvest: 200,000 in an epoch, which is some megabytes to send
FEW = 512  # ... of order 4, which has 880 in all
EXPANDED = 9  # the largest order whose classes are expanded by the M-transforms
EXCHANGES = 4  # tried between two transversals: after one alone the walk often is back where it was
TRIES = 2  # transpositions per cell before a transversal is given up; about one in 20 (order 5) sums to M
FRESH = 16  # one harvest in this many starts from a solved walker instead of going on with its own walk


@cache
def involutions(n: int) -> Table:
    """The ways to pair n rows, n mod 2 of them left over, each as an order of the rows in which pairs are mirrored.

    (count, n): rows order[m] and order[n - 1 - m] are a pair, the one left over is in the middle.
    """

    def pairings(rows: tuple[int, ...]) -> list[list[tuple[int, int]]]:
        if not rows:
            return [[]]
        first, others = rows[0], rows[1:]
        return [
            [(first, other), *rest]
            for other in others
            for rest in pairings(tuple(row for row in others if row != other))
        ]

    orders = []
    for middle in ([],) if n % 2 == 0 else ([row] for row in range(n)):
        for pairs in pairings(tuple(row for row in range(n) if row not in middle)):
            orders.append([pair[0] for pair in pairs] + middle + [pair[1] for pair in reversed(pairs)])
    return np.array(orders, np.int64)


@cache
def m_transforms(n: int) -> Table:
    """The permutations of lines that commute with reversal, one of each two that are a half turn apart.

    As maps of cells, (2^k k!/2, n * n): cell c of the image is cell map[c] of the square.
    """
    half = n // 2
    middle = [half] if n % 2 else []
    maps = []
    for places in permutations(range(half)):
        for turned in product((False, True), repeat=half):
            left = [n - 1 - place if turn else place for place, turn in zip(places, turned, strict=True)]
            lines = np.array(left + middle + [n - 1 - line for line in reversed(left)])
            if lines[0] < lines[-1]:
                maps.append((lines[:, None] * n + lines).ravel())
    return np.array(maps, np.int64)


@kernel
def two_lines(square: Genomes, n: int, differences: Table, state: RngState) -> tuple[int, int, int, int]:
    """Two random rows or columns and the differences of their cells: (first, second, step along, step across)."""
    a = below(state, n)
    b = (a + 1 + below(state, n - 1)) % n
    along, across = 1, n
    if below(state, 2):
        along, across = n, 1
    for k in range(n):
        differences[k] = int(square[a * across + k * along]) - int(square[b * across + k * along])
    return a, b, along, across


@kernel
def exchange(square: Genomes, n: int, differences: Table, state: RngState) -> bool:
    """Two random lines swap cells in some places so that both keep their sums; False when no choice of places does.

    Choices are tried in Gray code from a random one on: each differs from the one before in a single place. The last
    place never changes: exchanging the places or all the others is the same but for the order of the two lines.
    """
    a, b, along, across = two_lines(square, n, differences, state)
    count = 1 << (n - 1)
    number = below(state, count)
    chosen = number ^ (number >> 1)
    total = 0
    for k in range(n - 1):
        total += differences[k] * ((chosen >> k) & 1)
    for _ in range(count):
        number = (number + 1) & (count - 1)
        place = 0
        while place < n - 2 and not (number >> place) & 1:
            place += 1
        total += differences[place] * (1 - 2 * ((chosen >> place) & 1))
        chosen ^= 1 << place
        if total == 0 and chosen:
            for k in range(n - 1):
                if (chosen >> k) & 1:
                    one, other = a * across + k * along, b * across + k * along
                    square[one], square[other] = square[other], square[one]
            return True
    return False


@kernel
def transversal(square: Genomes, n: int, magic: int, columns: Table, state: RngState) -> bool:
    """Transpose `columns`, the column of each row, at random until its cells sum to `magic`; False after many tries."""
    total = 0
    for i in range(n):
        total += square[i * n + columns[i]]
    for _ in range(TRIES * n * n):
        i, j = below(state, n), below(state, n)
        total -= int(square[i * n + columns[i]]) + int(square[j * n + columns[j]])
        columns[i], columns[j] = columns[j], columns[i]
        total += int(square[i * n + columns[i]]) + int(square[j * n + columns[j]])
        if i == j:  # counted one cell twice, both times alike
            continue
        if total == magic:
            return True
    return False


@kernel
def _arrange(square: Genomes, n: int, columns: Table, arranged: Table, pairs: Table) -> None:
    """The transversal on the diagonal; pairs[i, j] = what rows i and j would give to the other diagonal together."""
    for i in range(n):
        for j in range(n):
            arranged[i, j] = square[i * n + columns[j]]
    for i in range(n):
        for j in range(n):
            pairs[i, j] = arranged[i, j] + (arranged[j, i] if i != j else 0)


@kernel
def _completed(arranged: Table, pairs: Table, magic: int, orders: Table, first: int, classes: Genomes) -> int:
    """Fill `classes` with the arranged square in every order, from number `first` on, that makes it magic."""
    count, n = orders.shape
    filled = 0
    for number in range(count):
        order = orders[(first + number) % count]
        total = 0
        for m in range((n + 1) // 2):
            total += pairs[order[m], order[n - 1 - m]]
        if total != magic:
            continue
        if filled == classes.shape[0]:
            break
        for i in range(n):
            for j in range(n):
                classes[filled, i * n + j] = arranged[order[i], order[j]]
        filled += 1
    return filled


@kernel
def magic_classes(square: Genomes, n: int, magic: int, orders: Table, classes: Genomes, state: RngState) -> int:
    """Walk on from a semi-magic `square`, in place; fill `classes`, (count, n * n). Returns how many were found."""
    columns, differences = np.arange(n), np.empty(n, np.int64)
    arranged, pairs = np.empty((n, n), np.int64), np.empty((n, n), np.int64)
    filled = 0
    for _ in range(8 * classes.shape[0] + 8):
        for _ in range(EXCHANGES):
            exchange(square, n, differences, state)
        if not transversal(square, n, magic, columns, state):
            continue
        _arrange(square, n, columns, arranged, pairs)
        first = below(state, orders.shape[0])
        filled += _completed(arranged, pairs, magic, orders, first, classes[filled:])
        if filled == classes.shape[0]:
            break
    return filled


@kernel
def expand(classes: Genomes, maps: Table, images: Genomes) -> None:
    """All images, (maps * classes, cells); neighbours are of different classes."""
    count, cells = classes.shape
    for image in range(maps.shape[0]):
        for row in range(count):
            for cell in range(cells):
                images[image * count + row, cell] = classes[row, maps[image, cell]]


def expanded(classes: Genomes, maps: Table) -> Genomes:
    images = np.empty((len(maps) * len(classes), classes.shape[1]), np.int32)
    expand(classes, maps, images)
    return images


def many_squares(size: int, magic: int, ends: int, *, expand_classes: bool = True) -> Harvest:
    """Squares of one order whose least and greatest number sum to `ends`; the walk's square is memory["walk"].

    Without `expand_classes` one square of each class, and its complement.
    """

    def more(solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
        fresh = below(rng.state, FRESH) == 0
        if fresh or "walk" not in memory:
            memory["walk"] = solved[below(rng.state, len(solved))].copy()
        maps = m_transforms(size) if expand_classes and size <= EXPANDED else np.arange(size * size)[None]
        wanted = max(1, (BATCH if size > 4 else FEW) // (2 * len(maps)))
        classes = np.empty((wanted, size * size), np.int32)
        found = magic_classes(memory["walk"], size, magic, involutions(size), classes, rng.state)
        return expanded(np.concatenate((classes[:found], ends - classes[:found])), maps)

    return more


def whole_tasks(numbers: Genomes, *, expand_classes: bool = True) -> Harvest:
    """Order 5: every square of one task after another, from the task of a solved square on; or one of each class."""
    maps = m_transforms(5) if expand_classes else np.arange(25)[None]
    place = {int(number): rank for rank, number in enumerate(numbers, 1)}

    def more(solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
        square = memory["walk"] = solved[below(rng.state, len(solved))].copy()
        swept = memory.setdefault("swept", np.zeros(tasks(), np.bool_))
        first = task_of(np.array([place[int(number)] for number in square]))
        left = np.flatnonzero(~np.roll(swept, -first))
        if not len(left):
            return solved[:0]
        task = (first + int(left[0])) % len(swept)
        swept[task] = True
        return expanded(numbers[squares(task) - 1], maps)

    return more
