"""What a user gives beside the order: the numbers to use, and numbers that stand in their cells already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.errors import quoted, shortened
from islands.writing.words import rows_of
from problems.magic_square.kinds import PAIRED, Kind, Line, directions, line_names, opposite

FREE = frozenset({".", "_", "?"})
LONGEST = 20  # characters of a number, with zeros in front
WIDEST = 10**9  # a number has 32 bits, and so has the difference of two

Numbers = NDArray[np.int64]


def text_of(value: Any) -> Any:
    """A file's text: from its path, or from the numbers themselves. A text ends with a line end, a path has none."""
    if isinstance(value, Path) or (isinstance(value, str) and "\n" not in value):
        try:
            return Path(value).read_text(encoding="utf-8").rstrip() + "\n"
        except OSError as error:
            if isinstance(value, str) and (lines := rows_of(value)) is not None:
                return lines + "\n"
            raise ValueError(f"cannot read it: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ValueError("it is not a text file") from error
    if isinstance(value, Iterable) and not isinstance(value, str):
        rows = [row if isinstance(row, Iterable) and not isinstance(row, str) else [row] for row in value]
        return "".join(" ".join("." if cell is None else str(cell) for cell in row) + "\n" for row in rows)
    return value


def _rows(text: str) -> list[list[str]]:
    """The words of every line that has some; commas separate too, and # begins a comment."""
    lines = (line.partition("#")[0].replace(",", " ").split() for line in text.splitlines())
    return [words for words in lines if words]


def pool_of(text: str, n: int) -> Numbers:
    """The numbers of a file, ascending. ValueError says what is wrong with them."""
    words = [word for row in _rows(text) for word in row]
    for word in words:
        if not word.removeprefix("-").isdecimal():
            raise ValueError(f"`numbers`: {quoted(word)} is not a whole number")
        if len(word) > LONGEST:
            raise ValueError(f"`numbers`: expected numbers from {-WIDEST} to {WIDEST}, not {shortened(word)}")
    pool = np.unique(np.array([int(word) for word in words], object)) if words else np.empty(0, object)
    if len(pool) and max(abs(pool[0]), abs(pool[-1])) > WIDEST:
        raise ValueError(f"`numbers`: expected numbers from {-WIDEST} to {WIDEST}, not {pool[0]} to {pool[-1]}")
    if len(pool) < len(words):
        twice = next(number for number, count in Counter(map(int, words)).items() if count > 1)
        raise ValueError(f"`numbers`: {twice} stands there twice; the numbers of a square are distinct")
    if len(pool) < n * n:
        raise ValueError(f"`numbers`: {len(pool)} numbers; a square of order {n} needs {n * n}, or more to choose from")
    return pool.astype(np.int64)


def sum_of_lines(pool: Numbers, n: int) -> int:
    """What the lines sum to: all numbers, by n; of a larger pool, what is possible and nearest to n times its mean."""
    total = int(pool.sum())
    if len(pool) == n * n:
        if total % n:
            raise ValueError(
                f"`numbers`: they sum to {total}, which {n} rows cannot share evenly; give other numbers, or more than "
                f"{n * n} to choose from"
            )
        _check_parity(pool, n, total // n)
        return total // n
    common = gcd(*np.diff(pool).tolist())
    first = n * int(pool[0])  # every possible sum differs from it by a multiple of `common`
    return first + common * round((total * n / len(pool) - first) / common)


def _check_parity(pool: Numbers, n: int, magic: int) -> None:
    """In every row the odd numbers are odd in number if the sum is odd, else even in number."""
    odd = int(np.count_nonzero(pool % 2))
    needs_odd, needs_even = magic % 2 == 1, (magic - n) % 2 == 1
    if needs_odd and odd < n:
        raise ValueError(f"`numbers`: every row needs an odd number, for its sum {magic}, but only {odd} are odd")
    if needs_even and n * n - odd < n:
        raise ValueError(
            f"`numbers`: every row needs an even number, for its sum {magic}, but only {n * n - odd} are even"
        )


def check_pairs(pool: Numbers, kind: Kind) -> None:
    """The numbers of an associative square go in pairs with equal sums."""
    wrong = np.flatnonzero(pool + pool[::-1] != pool[0] + pool[-1])
    if len(wrong):
        raise ValueError(
            f"`numbers`: `kind={kind}` needs numbers in pairs that sum alike, as {pool[0]} and {pool[-1]} do; "
            f"{pool[wrong[0]]} has no partner"
        )


def given_cells(text: str, n: int, pool: Collection[int]) -> dict[int, int]:
    """What a file gives, {cell: number}. Free cells are . _ and ?, and 0 unless it is one of the numbers."""
    rows = _rows(text)
    if len(rows) != n:
        raise ValueError(f"`fixed`: {len(rows)} rows; expected {n}, for `size={n}`")
    fixed: dict[int, int] = {}
    for i, row in enumerate(rows):
        if len(row) != n:
            raise ValueError(f"`fixed`: row {i + 1} has {len(row)} cells; expected {n}")
        for j, word in enumerate(row):
            if word in FREE or (word == "0" and 0 not in pool):
                continue
            if not word.removeprefix("-").isdecimal():
                raise ValueError(f"`fixed`: {_name(i * n + j, n)}: {word!r} is no number; a free cell is a dot")
            _put(fixed, i * n + j, int(word), n, pool)
    return fixed


def implied_cells(fixed: dict[int, int], kind: Kind, n: int, pool: Collection[int], magic: int) -> dict[int, int]:
    """The given cells and those that follow from them at once. ValueError where they contradict each other."""
    fixed = dict(fixed)
    lines = list(zip(line_names(kind, n), (line for way in directions(kind, n) for line in way), strict=True))
    known = -1
    while known < len(fixed):
        known = len(fixed)
        if kind in PAIRED:
            _add_partners(fixed, n, pool, magic)
        for name, line in lines:
            _add_last_cell(fixed, name, line, n, pool, magic)
    return fixed


def _name(cell: int, n: int) -> str:
    return f"row {cell // n + 1}, column {cell % n + 1}"


def _put(fixed: dict[int, int], cell: int, number: int, n: int, pool: Collection[int], why: str = "") -> None:
    where = f"`fixed`: {_name(cell, n)}: {why}{number}{', which' if why else ''}"
    if number not in pool:
        raise ValueError(f"{where} is not one of the square's numbers")
    holder = next((other for other, taken in fixed.items() if taken == number and other != cell), None)
    if holder is not None:
        raise ValueError(f"{where} stands in {_name(holder, n)} already")
    fixed[cell] = number


def _add_partners(fixed: dict[int, int], n: int, pool: Collection[int], magic: int) -> None:
    """Opposite cells sum to twice the mean."""
    partners = opposite(n)
    if n % 2 and n * n // 2 not in fixed:
        _put(fixed, n * n // 2, magic // n, n, pool, "in the centre it must be ")
    for cell, number in list(fixed.items()):
        partner, wanted = partners[cell], 2 * magic // n - number
        if fixed.get(partner, wanted) != wanted:
            raise ValueError(
                f"`fixed`: {_name(cell, n)} and {_name(partner, n)} are opposite: with {number} the other must be "
                f"{wanted}, not {fixed[partner]}"
            )
        _put(fixed, partner, wanted, n, pool, f"opposite {number} it must be ")


def _add_last_cell(fixed: dict[int, int], name: str, line: Line, n: int, pool: Collection[int], magic: int) -> None:
    """The last free cell of a line holds what the others leave; a full line must be right."""
    free = [cell for cell in line if cell not in fixed]
    total = sum(fixed[cell] for cell in line if cell in fixed)
    if not free and total != magic:
        raise ValueError(f"`fixed`: {name} is full and sums to {total}; expected {magic}")
    if len(free) == 1:
        _put(fixed, free[0], magic - total, n, pool, f"as the last of {name} it must be ")
