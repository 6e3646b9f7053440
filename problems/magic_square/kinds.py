"""The kinds of magic squares: which lines must sum alike, which orders exist, how many squares there are.

semimagic     rows and columns
magic         and the two main diagonals
pandiagonal   and all broken diagonals, those that leave the square and enter it again on the other side
associative   magic, and opposite cells sum alike: the square turned by half is its complement
ultramagic    pandiagonal and associative
bimagic       magic, and magic again when every number is squared
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["magic", "semimagic", "pandiagonal", "associative", "ultramagic", "bimagic"]
Line = list[int]

DIAGONALS: dict[Kind, int] = {  # none, the two main ones, all broken ones
    "semimagic": 0, "magic": 1, "associative": 1, "bimagic": 1, "pandiagonal": 2, "ultramagic": 2,
}  # fmt: skip
PAIRED: frozenset[Kind] = frozenset({"associative", "ultramagic"})

# modulo the 8 symmetries, with numbers in arithmetic progression
TOTALS: dict[Kind, dict[int, int]] = {
    "magic": {3: 1, 4: 880, 5: 275_305_224},
    "semimagic": {3: 9, 4: 68_688, 5: 579_043_051_200},
    "pandiagonal": {4: 48, 5: 3_600},
    "associative": {3: 1, 4: 48, 5: 48_544},
    "ultramagic": {5: 16, 7: 20_190_684},
    "bimagic": {},
}
SWEPT: dict[Kind, int] = {  # the largest order whose squares a depth-first search lists
    "magic": 4, "semimagic": 4, "pandiagonal": 4, "associative": 5, "ultramagic": 5, "bimagic": 0,
}  # fmt: skip


def directions(kind: Kind, n: int) -> list[list[Line]]:
    """The lines of a kind as lists of cells: rows, columns, falling diagonals, rising diagonals."""
    rows = [[i * n + j for j in range(n)] for i in range(n)]
    columns = [[i * n + j for i in range(n)] for j in range(n)]
    falling = [[i * n + (i + d) % n for i in range(n)] for d in range(n)]
    rising = [[i * n + (d - i) % n for i in range(n)] for d in range(n)]
    return {
        0: [rows, columns],
        1: [rows, columns, falling[:1], rising[-1:]],
        2: [rows, columns, falling, rising],
    }[DIAGONALS[kind]]


def line_names(kind: Kind, n: int) -> list[str]:
    """What a person calls the lines of `directions`, one after the other."""
    main = ["the diagonal down to the right", "the diagonal down to the left"]
    broken = [f"the broken diagonal {way} from column {k}" for way in ("down to the right", "down to the left")
              for k in range(1, n + 1)]  # fmt: skip
    diagonals: list[str] = [[], main, broken][DIAGONALS[kind]]
    return [f"{line} {k}" for line in ("row", "column") for k in range(1, n + 1)] + diagonals


def opposite(n: int) -> list[int]:
    """The cell on the other side of the centre, of each cell."""
    return [n * n - 1 - cell for cell in range(n * n)]


def half_a_period_apart(n: int) -> list[int]:
    """The cell n / 2 rows and columns further, of each cell; both diagonals through a cell pass through it."""
    return [(i + n // 2) % n * n + (j + n // 2) % n for i in range(n) for j in range(n)]


def impossible(kind: Kind, n: int, progression: bool) -> str | None:
    """Why no square of a kind and order exists, or none that is searched for here."""
    if n == 2:
        return "no magic square of order 2 exists: a row and a column share a cell, so the others are equal"
    if kind == "bimagic" and n != 8:
        return "bimagic squares are searched for at order 8 only; type `size=8`"
    if kind in ("pandiagonal", "ultramagic") and n == 3:
        return f"no {kind} square of order 3 exists: its centre and all its numbers would be equal"
    if kind == "ultramagic" and n == 4:
        return "no ultramagic square of order 4 exists: each number would have two partners"
    if kind in ("pandiagonal", "associative", "ultramagic") and n % 4 == 2 and progression:
        return (
            f"no {kind} square of order {n} exists: with numbers in arithmetic progression the order must be odd or "
            "a multiple of 4"
        )
    return None
