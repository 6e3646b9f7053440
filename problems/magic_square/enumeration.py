"""Every square of order 5, by meeting in the middle: counted task by task, or written out.

a . . . d     The centre and the diagonals come first. The other 16 cells then fall into two halves that share no
. b . e .     line but the middle ones: in each, four free cells form a ring, and each of the four lines along the
. . c . .     ring has one cell left, which its sum decides. Two halves that together use all 16 numbers are a
. f . g .     square: the middle row and column come out right, because the total does.
h . . . i

class        squares alike but for the 8 symmetries and the 4 exchanges of lines that keep the diagonals: 4 squares
quad         four numbers a diagonal may hold beside the centre
task         a centre up to 13 and the quad of the main diagonal; a is the least number of both diagonals, and
             b < g and d < h choose one of the 32 images. The complement 26 - x gives the centres beyond 13.
half         16-bit set of the numbers it uses, by their rank among the 16; and its ring, 5 bits a cell
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel, lowest
from islands.operators.space import Genomes

Numbers = NDArray[np.int64]
Sets = NDArray[np.uint16]
Rings = NDArray[np.int32]

MAGIC, MIDDLE = 65, 13
TOP = 62  # a mirrored set has number v as bit TOP - v: one shift then gives {total - v}
CAPACITY = 40_000  # classes of one task; a fuller one is swept twice
MOST = 4096  # halves of one choice of diagonals; the fullest of all has fewer than 1,000
STRIDE = 1_597  # neighbouring quads make tasks of like size: consecutive tasks are this far apart
ARRANGED = np.array(
    [(*near, *rest) for near in combinations(range(4), 2)
     for rest in ([k for k in range(4) if k not in near], [k for k in range(3, -1, -1) if k not in near])]
)  # fmt: skip  # ranks of d < h, then e and f in either order, (12, 4)


@cache
def quads() -> tuple[Numbers, Numbers]:
    """All quads with their centre, (tasks, 5) as c, p < q < r < s; and where the next centre begins, (tasks,)."""
    rows = [
        (centre, *quad)
        for centre in range(1, MIDDLE + 1)
        for quad in combinations([v for v in range(1, 26) if v != centre], 4)
        if sum(quad) == MAGIC - centre
    ]
    table = np.array(rows, np.int64)
    return table, np.searchsorted(table[:, 0], table[:, 0], side="right")


def tasks() -> int:
    return len(quads()[0])


def count(task: int) -> int:
    """How many squares modulo the 8 symmetries a task holds, those of the complement included."""
    return 4 * _images(task) * _swept(task, np.empty((0, 25), np.int32))


def squares(task: int) -> Genomes:
    """One square of every class of a task, (classes, 25) with the numbers 1..25."""
    rows = np.empty((CAPACITY, 25), np.int32)
    found = _swept(task, rows)
    if found > CAPACITY:
        rows = np.empty((found, 25), np.int32)
        _swept(task, rows)
    return rows[:found] if _images(task) == 1 else np.concatenate((rows[:found], 26 - rows[:found]))


def task_of(square: Genomes) -> int:
    """The task that holds a square's class, or that of its complement."""
    square = square if square[12] <= MIDDLE else 26 - square
    main, other = np.sort(square[[0, 6, 18, 24]]), np.sort(square[[4, 8, 16, 20]])
    quad = main if main[0] < other[0] else other
    place = int(np.flatnonzero((quads()[0] == (square[12], *quad)).all(axis=1))[0])
    return place * pow(STRIDE, -1, tasks()) % tasks()


def _swept(task: int, rows: Genomes) -> int:
    table, ends = quads()
    place = _place(task)
    return int(_sweep(table, place, int(ends[place]), ARRANGED, rows))


def _place(task: int) -> int:
    return task * STRIDE % tasks()


def _images(task: int) -> int:
    """1 where a task holds its own complements, 2 where those have another centre."""
    return 1 if quads()[0][_place(task), 0] == MIDDLE else 2


@kernel
def _mirrored(numbers: int, total: int) -> int:
    """From a mirrored set, the set of all total - v but total / 2: what may stand beside v in a line."""
    half = (~total & 1) << (max(total, 0) >> 1)
    return numbers >> min(TOP - total, 63) & ~half


@kernel
def _halves(free: int, mirror: int, sums: tuple[int, int, int, int], ranks: Numbers, sets: Sets, rings: Rings) -> int:
    """List the halves with numbers from `free`: how many. The ring is x, y, w, v; the sums those of xy, xv, yw, vw."""
    xy, xv, yw, vw = sums
    count = 0
    starts = free
    while starts:
        x = lowest(starts)
        starts &= starts - 1
        ys = free & ~(1 << x) & _mirrored(mirror & ~(1 << (TOP - x)), xy - x)
        while ys:
            y = lowest(ys)
            ys &= ys - 1
            one = xy - x - y
            free_y = free & ~(1 << x | 1 << y | 1 << one)
            mirror_y = mirror & ~(1 << (TOP - x) | 1 << (TOP - y) | 1 << (TOP - one))
            used_y = ranks[x & 31] | ranks[y & 31] | ranks[one & 31]
            vs = free_y & _mirrored(mirror_y, xv - x)
            while vs:
                v = lowest(vs)
                vs &= vs - 1
                two = xv - x - v
                if yw - y == vw - v:
                    continue  # the last two lines would need the same number
                mirror_v = mirror_y & ~(1 << (TOP - v) | 1 << (TOP - two))
                ws = free_y & ~(1 << v | 1 << two) & _mirrored(mirror_v, yw - y) & _mirrored(mirror_v, vw - v)
                used = used_y | ranks[v & 31] | ranks[two & 31]
                while True:  # the first is noted before it is known to exist: a branch less to guess
                    w = lowest(ws)
                    last = ranks[(yw - y - w) & 31] | ranks[(vw - v - w) & 31]
                    sets[count] = used | ranks[w & 31] | last
                    rings[count] = x | y << 5 | w << 10 | v << 15
                    count += ws != 0
                    ws &= ws - 1
                    if ws <= 0:
                        break
    return count


@kernel
def _pairs(sets: Sets, counts: Numbers, seen: Sets) -> int:
    """How many of the first halves fit one of the second halves. `seen` (65,536,) is zero before and after."""
    first, second = sets[0, : counts[0]], sets[1, : counts[1]]
    for half in first:
        seen[half] += 1
    fit = 0
    for half in second:
        fit += seen[0xFFFF ^ half]
    for half in first:
        seen[half] = 0
    return fit


@kernel
def _rest(main: Numbers, other: Numbers, ranks: Numbers) -> tuple[int, int]:
    """The 16 numbers beside centre and diagonals, as a set and mirrored; (0, 0) when the diagonals share a number.

    ranks[v] becomes the bit of v among the 16.
    """
    taken = 0
    for k in range(5):
        taken |= 1 << main[k]
    for k in range(1, 5):
        if taken >> other[k] & 1:
            return 0, 0
        taken |= 1 << other[k]
    free = mirror = 0
    bit = 1
    for v in range(1, 26):
        if taken >> v & 1 == 0:
            free |= 1 << v
            mirror |= 1 << (TOP - v)
            ranks[v] = bit
            bit <<= 1
    return free, mirror


@kernel
def _list_both(
    free: int, mirror: int, diagonals: Numbers, ranks: Numbers, sets: Sets, rings: Rings, counts: Numbers
) -> None:
    """The halves around a choice of diagonals a, b, g, i and d, e, f, h: sets and rings (2, MOST), counts (2,)."""
    a, b, g, i, d, e, f, h = diagonals
    sums = MAGIC - a - d, MAGIC - b - f, MAGIC - e - g, MAGIC - h - i
    counts[0] = _halves(free, mirror, sums, ranks, sets[0], rings[0])
    sums = MAGIC - b - e, MAGIC - a - h, MAGIC - d - i, MAGIC - f - g
    counts[1] = _halves(free, mirror, sums, ranks, sets[1], rings[1])


@kernel
def _fill(square: Genomes, centre: int, diagonals: Numbers, first: int, second: int) -> None:
    """Write the square of a centre, diagonals and the rings of two halves that fit."""
    a, b, g, i, d, e, f, h = diagonals
    square[0], square[6], square[12], square[18], square[24] = a, b, centre, g, i
    square[4], square[8], square[16], square[20] = d, e, f, h
    x, y, w, v = first & 31, first >> 5 & 31, first >> 10 & 31, first >> 15 & 31
    square[1], square[3], square[23], square[21] = x, y, w, v
    square[2], square[22] = MAGIC - a - d - x - y, MAGIC - h - i - v - w
    square[11], square[13] = MAGIC - b - f - x - v, MAGIC - e - g - y - w
    x, y, w, v = second & 31, second >> 5 & 31, second >> 10 & 31, second >> 15 & 31
    square[5], square[9], square[19], square[15] = x, y, w, v
    square[7], square[17] = MAGIC - b - e - x - y, MAGIC - f - g - v - w
    square[10], square[14] = MAGIC - a - h - x - v, MAGIC - d - i - y - w


@kernel
def _write(
    sets: Sets, rings: Rings, counts: Numbers, seen: Sets, centre: int, diagonals: Numbers, rows: Genomes
) -> None:
    """The squares of all pairs that fit, from the top of `rows`. `seen` (65,536,) is zero before and after."""
    before = np.empty(counts[0] + 1, np.uint16)  # first halves with the same set are chained, from 1
    for k in range(counts[0]):
        before[k + 1] = seen[sets[0, k]]
        seen[sets[0, k]] = k + 1
    row = 0
    for m in range(counts[1]):
        k = seen[0xFFFF ^ sets[1, m]]
        while k:
            _fill(rows[row], centre, diagonals, rings[0, k - 1], rings[1, m])
            row += 1
            k = before[k]
    for k in range(counts[0]):
        seen[sets[0, k]] = 0


@kernel
def _sweep(table: Numbers, place: int, last: int, arranged: Numbers, rows: Genomes) -> int:
    """The classes of the task at `place`: how many. They are written to `rows` until it is full."""
    ranks, counts, diagonals = np.zeros(32, np.int64), np.zeros(2, np.int64), np.empty(8, np.int64)
    sets, rings, seen = np.empty((2, MOST), np.uint16), np.empty((2, MOST), np.int32), np.zeros(65_536, np.uint16)
    main = table[place]
    total = 0
    for k in range(place + 1, last):
        other = table[k]
        if other[1] < main[1]:
            continue
        free, mirror = _rest(main, other, ranks)
        if free == 0:
            continue
        for opposite in range(2, 5):
            diagonals[0], diagonals[3] = main[1], main[opposite]
            diagonals[1] = main[2] if opposite != 2 else main[3]
            diagonals[2] = main[4] if opposite != 4 else main[3]
            for row in range(arranged.shape[0]):
                diagonals[4], diagonals[7] = other[1 + arranged[row, 0]], other[1 + arranged[row, 1]]
                diagonals[5], diagonals[6] = other[1 + arranged[row, 2]], other[1 + arranged[row, 3]]
                _list_both(free, mirror, diagonals, ranks, sets, rings, counts)
                fit = _pairs(sets, counts, seen)
                if total + fit <= len(rows):
                    _write(sets, rings, counts, seen, main[0], diagonals, rows[total:])
                total += fit
    return total
