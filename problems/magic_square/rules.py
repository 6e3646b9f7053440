"""The rules of every kind, slow and obvious, over batches. Shares nothing with the search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from problems.magic_square.kinds import Kind

Squares = NDArray[np.int32]
Verdicts = NDArray[np.bool_]


def obey(squares: Squares, kind: Kind, magic: int) -> Verdicts:
    """Which of the squares, (count, n, n), are of this kind with this magic number."""
    n = squares.shape[1]
    right = _lines_sum_to(squares, magic, diagonals=kind != "semimagic")
    if kind in ("pandiagonal", "ultramagic"):
        for shift in range(1, n):
            right &= _diagonals_sum_to(np.roll(squares, shift, axis=2), magic)
    if kind in ("associative", "ultramagic"):
        right &= (n * (squares + squares[:, ::-1, ::-1].astype(np.int64)) == 2 * magic).all(axis=(1, 2))
    if kind == "bimagic":
        power = squares.astype(np.int64) ** 2
        right &= _lines_sum_to(power, power.sum(axis=(1, 2)) // n, diagonals=True)
    return right


def _lines_sum_to(squares: NDArray[np.integer], magic: int | NDArray[np.int64], diagonals: bool) -> Verdicts:
    wanted = np.broadcast_to(magic, len(squares))
    right: Verdicts = np.ones(len(squares), np.bool_)
    for axis in (1, 2):
        right &= (squares.sum(axis=axis, dtype=np.int64) == wanted[:, None]).all(axis=1)
    return right & _diagonals_sum_to(squares, wanted) if diagonals else right


def _diagonals_sum_to(squares: NDArray[np.integer], magic: int | NDArray[np.int64]) -> Verdicts:
    """Both main diagonals."""
    falling = np.trace(squares, axis1=1, axis2=2, dtype=np.int64) == magic
    rising = np.trace(squares[:, :, ::-1], axis1=1, axis2=2, dtype=np.int64) == magic
    return np.asarray(falling & rising)
