"""What is wrong in a square that is not magic yet, drawn beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from islands.writing.words import number
from problems.magic_square.kinds import DIAGONALS, PAIRED, Kind

WRONG = "bold red"

Square = NDArray[np.int64]  # (n, n)
Sums = NDArray[np.int64]


def marked(square: Square, kind: Kind, magic: int, texts: list[list[str]] | None) -> Text:
    """The square as `texts`, with how far each wrong sum is off: that of a row at its right, of a column below it, of a
    diagonal in the lower corner where it ends. Then what is wrong in words, which is all that a large square has, one
    without `texts`.
    """
    off = _off(square, magic, diagonals=DIAGONALS[kind] > 0)
    lines = "rows, columns and diagonals" if DIAGONALS[kind] else "rows and columns"
    words = f"{number(_count(off))} of the {lines} do not sum to {number(magic)}"
    caption = Text("; ".join([words, *_more_faults(square, kind, magic)]))
    return caption if texts is None else Text("\n").join([*_drawn(texts, *off), caption])


def _off(square: Square, target: int, *, diagonals: bool) -> tuple[Sums, Sums, Sums]:
    """How far rows, columns and the falling and rising diagonal are off their target."""
    both = [np.trace(square), np.trace(square[:, ::-1])] if diagonals else [target, target]
    return square.sum(axis=1) - target, square.sum(axis=0) - target, np.array(both, np.int64) - target


def _count(off: Iterable[Sums]) -> int:
    return sum(int(np.count_nonzero(sums)) for sums in off)


def _more_faults(square: Square, kind: Kind, magic: int) -> Iterator[str]:
    """What is wrong of that which a kind asks for beyond rows, columns and main diagonals."""
    n = len(square)
    if DIAGONALS[kind] == 2:
        turned = (np.roll(square, shift, axis=1) for shift in range(1, n))
        broken = _count(_off(one, magic, diagonals=True)[2] for one in turned)
        yield f"of the {2 * n - 2} broken diagonals {number(broken)} do not"
    if kind in PAIRED:
        pairs = int(np.count_nonzero(n * (square + square[::-1, ::-1]) != 2 * magic)) // 2
        yield f"{number(pairs)} of {number(n * n // 2)} opposite pairs do not sum to {number(2 * magic // n)}"
    if kind == "bimagic":
        power = square**2
        squared = _off(power, int(power.sum()) // n, diagonals=True)
        yield f"of the squared numbers {number(_count(squared))} do not sum alike"


def _drawn(texts: list[list[str]], rows: Sums, columns: Sums, diagonals: Sums) -> list[Text]:
    below, (falling, rising) = [_sign(off) for off in columns], [_sign(off) for off in diagonals]
    width = max(len(text) for row in (*texts, below) for text in row)
    margin = f"{rising} " if rising else ""
    lines = []
    for row, off in zip(texts, rows, strict=True):
        line = Text(" " * len(margin) + " ".join(text.rjust(width) for text in row))
        lines.append(line.append(f"  {_sign(off)}" if off else "", WRONG))
    last = margin + " ".join(text.rjust(width) for text in below) + f"  {falling}"
    return [*lines, Text(last.rstrip(), WRONG)] if last.strip() else lines


def _sign(off: int) -> str:
    return f"{off:+,}" if off else ""
