"""Brute force, the baseline of seed 004 (row 004-23): seconds to the first magic square without any evolution.

`permutations` tries the numbers in every order, as the seed's companion project does; `backtracking` fills row by row
and turns back at the first line whose sum is wrong. Run: python benchmarks/brute_force.py [seconds]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import permutations

Square = list[int]


def lines_of(n: int) -> list[list[int]]:
    """The cells of every row, column and diagonal."""
    rows = [[n * i + j for j in range(n)] for i in range(n)]
    columns = [[n * i + j for i in range(n)] for j in range(n)]
    return [*rows, *columns, [n * i + i for i in range(n)], [n * i + n - 1 - i for i in range(n)]]


def by_permutations(n: int) -> Iterator[Square | None]:
    """Every candidate: the square if it is magic, else None."""
    magic, lines = (n + n**3) // 2, lines_of(n)
    for square in permutations(range(1, n * n + 1)):
        yield list(square) if all(sum(square[cell] for cell in line) == magic for line in lines) else None


def by_backtracking(n: int) -> Iterator[Square | None]:
    """Every number tried in every cell: the square if it completes one, else None."""
    magic = (n + n**3) // 2
    ending = [[line for line in lines_of(n) if max(line) == cell] for cell in range(n * n)]
    square: Square = [0] * (n * n)

    def fill(cell: int, unused: frozenset[int]) -> Iterator[Square | None]:
        for number in sorted(unused):
            square[cell] = number
            legal = all(sum(square[c] for c in line) == magic for line in ending[cell])
            yield list(square) if legal and len(unused) == 1 else None
            if legal:
                yield from fill(cell + 1, unused - {number})

    return fill(0, frozenset(range(1, n * n + 1)))


def first_square(method: Callable[[int], Iterator[Square | None]], n: int, limit: float) -> tuple[float, int, bool]:
    """(seconds, candidates, found) of a search that gives up after `limit` seconds."""
    started, tried = time.perf_counter(), 0
    for square in method(n):
        tried += 1
        if square is not None:
            return time.perf_counter() - started, tried, True
        if tried % 10_000 == 0 and time.perf_counter() - started > limit:
            break
    return time.perf_counter() - started, tried, False


def main() -> None:
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    print(f"{'method':<14}{'order':>6}{'candidates':>14}{'seconds':>10}")
    for n in (3, 4):
        for name, method in (("permutations", by_permutations), ("backtracking", by_backtracking)):
            seconds, tried, found = first_square(method, n, limit)
            print(f"{name:<14}{n:>6}{tried:>14,}{seconds:>10.3f}" + ("" if found else "  gave up"))


if __name__ == "__main__":
    main()
