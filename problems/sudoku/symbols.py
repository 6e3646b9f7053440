"""Sizes and symbols: which boxes a grid can have, and how its values 1..n are written.

    alphabet   9x9    16x16      25x25      49x49        64x64
    numbers    1-9    1-16       1-25       1-49         1-64      separated by spaces
    1          1-9    1-9A-G     1-9A-P     1-9A-Za-n    1-9A-Za-zα-γ, one character each
    0          0-8    0-9A-F     0-9A-O     0-9A-Za-m    0-9A-Za-zα-β
    A          A-I    A-P        A-Y        A-Za-w       A-Za-zα-μ

Any other alphabet is its symbols themselves: LOVE for 4x4, in which small letters count as capitals.
An empty cell is `.`, `_`, `*`, `?` or `-`; 0 too, where 0 is no value; among numbers also -1.
"""

from __future__ import annotations

from math import isqrt
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Literal, get_args

from islands.errors import UsageError

Alphabet = Literal["numbers", "1", "0", "A"]
ALPHABETS: tuple[str, ...] = get_args(Alphabet)

SMALLEST, LARGEST = 4, 64
GREEK = "αβγδεζηθικλμ"  # where Latin letters are not enough, beyond 52x52
CHARACTERS = ascii_uppercase + ascii_lowercase + GREEK
STRETCHES = {"1": digits[1:] + CHARACTERS, "0": digits + CHARACTERS, "A": CHARACTERS}
BLANKS = frozenset("._*?-")
BARS = "|!│┃║"


def boxes_of(n: int) -> list[tuple[int, int]]:
    """The (rows, columns) a box of an n x n grid can have, at least two of each; the square one first."""
    shapes = [(rows, n // rows) for rows in range(2, n // 2 + 1) if n % rows == 0]
    return sorted(shapes, key=lambda shape: abs(shape[0] - shape[1]))


SIZES = [n for n in range(SMALLEST, LARGEST + 1) if boxes_of(n)]


def square_box(n: int) -> tuple[int, int]:
    """The box that needs no saying. UsageError names the choices where this size has no square one."""
    side = isqrt(n)
    if side * side == n:
        return side, side
    shapes = [box_text(shape) for shape in boxes_of(n)]
    raise UsageError(
        f"a {n}x{n} grid can have boxes of {' or '.join(shapes)} (rows x columns): add for instance `box={shapes[0]}`."
    )


def box_text(box: tuple[int, int]) -> str:
    return f"{box[0]}x{box[1]}"


def parse_box(text: str) -> tuple[int, int]:
    """`2x3`: two rows and three columns. UsageError where it is not a box, or the grid has no legal size."""
    rows, _, columns = text.lower().partition("x")
    if not (rows.isdecimal() and columns.isdecimal() and len(text) <= 5):
        raise UsageError(f"`box={text!r}`: expected its rows and columns, for instance 3x3 or 2x3.")
    box = int(rows), int(columns)
    if min(box) < 2 or not SMALLEST <= box[0] * box[1] <= LARGEST:
        raise UsageError(
            f"`box={text}` makes a grid of {box[0] * box[1]}x{box[0] * box[1]}; expected boxes of at least 2x2 and "
            f"grids from {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST}."
        )
    return box


def symbols(alphabet: str, n: int) -> list[str]:
    """How the values 1..n are written."""
    if alphabet == "numbers":
        return [str(value) for value in range(1, n + 1)]
    return list(STRETCHES.get(alphabet, alphabet)[:n])


def label(alphabet: str, n: int) -> str:
    """`1-9A-G`, `the numbers 1-16`, or `the letters of LOVE`."""
    if alphabet == "numbers":
        return f"the numbers 1-{n}"
    if alphabet not in STRETCHES:
        return f"the letters of {alphabet}"
    stretch = STRETCHES[alphabet][:n]
    parts = ["".join(c for c in stretch if c in kind) for kind in (digits, ascii_uppercase, ascii_lowercase, GREEK)]
    return "".join(part[0] if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts if part)


def labelled(text: str | None) -> str | None:
    """The alphabet that has this label."""
    return next((name for name in ALPHABETS for n in SIZES if label(name, n) == text), None)


def values_of(alphabet: str, n: int) -> dict[str, int]:
    """Each symbol with its value; empty cells are 0. Small letters count as capitals where those are enough."""
    known = dict.fromkeys([*BLANKS, "0"], 0)
    for value, symbol in enumerate(symbols(alphabet, n), 1):
        known[symbol] = value
    if alphabet == "numbers":
        known["-1"] = 0
    elif not any(symbol in ascii_lowercase for symbol in symbols(alphabet, n)):
        known |= {symbol.lower(): value for symbol, value in known.items() if symbol.isalpha()}
    return known


def first_repeat(box: tuple[int, int], values: tuple[int, ...]) -> tuple[int, str] | None:
    """A value that stands twice in a row, column or box, and where, with both cells named."""
    rows, columns = box
    n = rows * columns
    seen: dict[tuple[str, int, int], int] = {}
    for cell, value in enumerate(values):
        if not value:
            continue
        row, column = divmod(cell, n)
        number = row // rows * rows + column // columns
        for unit, index in (("row", row), ("column", column), ("box", number)):
            other = seen.setdefault((unit, index, value), cell)
            if other != cell:
                return value, f"twice in {unit} {index + 1}: at {place(other, n)} and at {place(cell, n)}"
    return None


def place(cell: int, n: int) -> str:
    return f"row {cell // n + 1}, column {cell % n + 1}"
