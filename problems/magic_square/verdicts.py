"""The rules once more, for millions: every number once, every line the same sum. Shares nothing with the search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.operators.space import Genomes


@kernel
def _judge(
    squares: Genomes, n: int, magic: int, least: int, number: NDArray[np.int32], right: NDArray[np.bool_]
) -> None:
    """right[k] = square k is magic. number[v - least] = which of the n * n numbers v is, or -1 if none."""
    seen = np.full(n * n, -1, np.int64)
    columns = np.empty(n, np.int64)
    for k in range(squares.shape[0]):
        fine = True
        columns[:] = 0
        main = anti = 0
        for i in range(n):
            row = 0
            for j in range(n):
                value = int(squares[k, i * n + j])
                place = value - least
                which = number[place] if 0 <= place < number.shape[0] else -1
                if which < 0 or seen[which] == k:
                    fine = False
                else:
                    seen[which] = k
                row += value
                columns[j] += value
            fine &= row == magic
            main += int(squares[k, i * n + i])
            anti += int(squares[k, i * n + n - 1 - i])
        for j in range(n):
            fine &= columns[j] == magic
        right[k] = fine and main == magic and anti == magic


def magic_squares(genomes: Genomes, n: int, magic: int, numbers: Genomes) -> NDArray[np.bool_]:
    """Which rows are squares of these numbers with all lines summing to `magic`, (m, n * n) -> (m,)."""
    least = int(numbers.min())
    which = np.full(int(numbers.max()) - least + 1, -1, np.int32)
    which[numbers - least] = np.arange(len(numbers))
    right = np.empty(len(genomes), np.bool_)
    _judge(np.ascontiguousarray(genomes, np.int32), n, magic, least, which, right)
    return right
