"""Large squares: a random permutation made magic by exact exchanges, in O(n^2).

1. Each diagonal: swap its cells with others while that shrinks its error, then swap in the very number it lacks. From
   here on no cell of a diagonal moves.
2. Rows: the one with the largest surplus and the one with the largest deficit exchange numbers within columns, so that
   no column sum changes. The gap of a column is what the upper row loses by it; the gaps chosen add up to the smaller
   error exactly, and one of the two rows is done.
3. Columns: the same on the transpose, which leaves the row sums alone.

Numbers are compared with each other only, so that any arithmetic progression does; `span` is |step| * n^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below
from islands.kernels.shuffle import shuffle
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.kernels import Sums, line_errors

ATTEMPTS = 100  # permutations given up before a generation ends without a square
BLOCK = 32  # side of the blocks in which a square is transposed

Slots = NDArray[np.int16]  # a column's number, -1 = none; orders stay below 2^15


@kernel
def transpose(square: Genomes, n: int) -> None:
    """Rows become columns, in place and block by block: a block stays in the cache."""
    for top in range(0, n, BLOCK):
        for left in range(top, n, BLOCK):
            for i in range(top, min(top + BLOCK, n)):
                for j in range(max(left, i + 1), min(left + BLOCK, n)):
                    square[i * n + j], square[j * n + i] = square[j * n + i], square[i * n + j]


@kernel
def _holder(square: Genomes, number: int) -> int:
    """The cell that holds this number; -1 where none does."""
    for cell in range(square.shape[0]):
        if square[cell] == number:
            return cell
    return -1


@kernel
def _fix_diagonal(square: Genomes, n: int, first: int, stride: int, magic: int, span: int, state: RngState) -> bool:
    """The cells first, first + stride, ... sum to `magic`; both diagonals' other cells and the centre stay."""
    error = -magic
    for i in range(n):
        error += int(square[first + i * stride])
    for _ in range(100 * n):
        if error == 0:
            return True
        i = below(state, n)
        mine = first + i * stride
        if 2 * i == n - 1 and stride == n - 1:
            continue  # the centre belongs to the other diagonal too, which is done
        near = abs(error) < span // 2
        other = _holder(square, int(square[mine]) - error) if near else below(state, n * n)
        if other < 0 or other // n == other % n or other // n + other % n == n - 1:
            continue
        change = int(square[other]) - int(square[mine])
        if abs(error + change) < abs(error):
            square[mine], square[other] = square[other], square[mine]
            error += change
    return error == 0


@kernel
def _is_frozen(column: int, n: int, high: int, low: int) -> bool:
    """Whether one of the two cells of this column is on a diagonal."""
    mirrored = n - 1 - column
    return column in (high, low) or mirrored in (high, low)


@kernel
def _take_large(square: Genomes, n: int, high: int, low: int, rest: int, enough: int, start: int) -> int:
    """Exchange columns from `start` on whose gap fits into `rest` until at most `enough` is left; returns what is."""
    top, bottom = square[high * n : high * n + n], square[low * n : low * n + n]
    for k in range(n):
        if rest <= enough:
            break
        column = (start + k) % n
        gap = int(top[column]) - int(bottom[column])
        if 0 < gap <= rest and not _is_frozen(column, n, high, low):
            top[column], bottom[column] = bottom[column], top[column]
            rest -= gap
    return rest


@kernel
def _list_gaps(square: Genomes, n: int, high: int, low: int, span: int, shift: int, gaps: Sums, table: Slots) -> None:
    """gaps[column], and in table[(gap + span) >> shift] a column with about this gap. Frozen ones are out of reach."""
    top, bottom = square[high * n : high * n + n], square[low * n : low * n + n]
    for slot in range(table.shape[0]):
        table[slot] = -1
    for column in range(n):
        if _is_frozen(column, n, high, low):
            gaps[column] = 8 * span
        else:
            gaps[column] = int(top[column]) - int(bottom[column])
            table[(gaps[column] + span) >> shift] = column


@kernel
def _pair(gaps: Sums, table: Slots, rest: int, span: int, shift: int, without: int) -> tuple[int, int]:
    """Two columns whose gaps add up to `rest`, neither of them `without`; (-1, -1) where none do."""
    size = table.shape[0]
    for column in range(gaps.shape[0]):
        wanted = rest - gaps[column]
        slot = (wanted + span) >> shift
        if 0 <= slot < size:
            other = table[slot]
            if other >= 0 and gaps[other] == wanted and other != column and other != without and column != without:
                return column, int(other)
    return -1, -1


@kernel
def _swap_column(square: Genomes, n: int, high: int, low: int, column: int) -> None:
    a, b = high * n + column, low * n + column
    square[a], square[b] = square[b], square[a]


@kernel
def _exchange(
    square: Genomes, n: int, high: int, low: int, rest: int, span: int, gaps: Sums, table: Slots, state: RngState
) -> int:
    """Move `rest` from row `high` to row `low`, the last of it by an exact sum of two or three gaps; what remains."""
    start = below(state, n)
    rest = _take_large(square, n, high, low, rest, span // 2, start)
    shift = 0
    while (2 * span) >> shift >= table.shape[0]:
        shift += 1
    _list_gaps(square, n, high, low, span, shift, gaps, table)
    for k in range(-1, min(n, 64)):
        third = -1 if k < 0 else (start + k) % n
        if third >= 0 and gaps[third] > span:
            continue
        part = rest if third < 0 else rest - gaps[third]
        one, two = _pair(gaps, table, part, span, shift, third)
        if one >= 0:
            _swap_column(square, n, high, low, one)
            _swap_column(square, n, high, low, two)
            if third >= 0:
                _swap_column(square, n, high, low, third)
            return 0
    return rest


@kernel
def _shake(square: Genomes, n: int, high: int, errors: Sums, state: RngState) -> None:
    """One exchange of row `high` with any row, as chance has it: another place to go on from."""
    low, column = below(state, n), below(state, n)
    if low == high or _is_frozen(column, n, high, low):
        return
    gap = int(square[high * n + column]) - int(square[low * n + column])
    _swap_column(square, n, high, low, column)
    errors[high] -= gap
    errors[low] += gap


@kernel
def _balance_rows(square: Genomes, n: int, magic: int, span: int, table: Slots, state: RngState) -> bool:
    """Every row sums to `magic`, no column sum and no diagonal changed; False when it was given up."""
    errors, gaps = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        total = 0
        for j in range(n):
            total += int(square[i * n + j])
        errors[i] = total - magic
    failures = 0
    while failures < 20 * n + 100:
        high, low = int(np.argmax(errors)), int(np.argmin(errors))
        if errors[high] == 0:
            return True
        wanted = min(errors[high], -errors[low])
        left = _exchange(square, n, high, low, wanted, span, gaps, table, state)
        errors[high] -= wanted - left
        errors[low] += wanted - left
        if left:
            failures += 1
            _shake(square, n, high if below(state, 2) else low, errors, state)
    return False


@kernel
def _make_magic(square: Genomes, n: int, magic: int, diagonals: int, span: int, table: Slots, state: RngState) -> bool:
    """One attempt, from the permutation that is there."""
    if diagonals and not _fix_diagonal(square, n, 0, n + 1, magic, span, state):
        return False
    if diagonals and not _fix_diagonal(square, n, n - 1, n - 1, magic, span, state):
        return False
    if not _balance_rows(square, n, magic, span, table, state):
        return False
    transpose(square, n)
    return _balance_rows(square, n, magic, span, table, state)


@kernel
def _repairs(
    genomes: Genomes, n: int, magic: int, diagonals: int, span: int, costs: Costs, table: Slots, state: RngState
) -> int:
    """Every row becomes a square; a solved one starts anew, and so does one whose attempt failed. The attempts."""
    errors = np.empty(4 * n, np.int64)
    total = 0
    for row in range(genomes.shape[0]):
        fresh = costs[row] > 0
        for _ in range(ATTEMPTS):
            if not fresh:
                shuffle(genomes[row], state)
            fresh = False
            total += 1
            if _make_magic(genomes[row], n, magic, diagonals, span, table, state):
                break
        costs[row] = line_errors(genomes[row], n, magic, diagonals, errors)
    return total


def exact_exchange(size: int, magic: int, step: int, diagonals: int) -> Improve:
    """Random permutations become squares; one that is a square already is replaced by another.

    With `diagonals` 0 they become semi-magic only: the diagonals are left as they are.
    """
    span = abs(step) * size * size
    slots = 1 << max(12, (4 * size - 1).bit_length())

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        table: Any = np.empty(slots, np.int16)
        return int(_repairs(genomes, size, magic, diagonals, span, costs, table, rng.state))

    return improve
