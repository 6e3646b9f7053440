"""Between a genome and what a search prefers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Genomes
from problems.sudoku.groups import Table


def is_preferred(genome: Genomes, candidates: Table, n: int) -> NDArray[np.bool_]:
    """Which candidates (m,) a genome contains."""
    return np.asarray(genome[candidates // n] == candidates % n + 1)


def as_genome(values: Genomes, box_rows: int, box_columns: int) -> Genomes:
    """A grid with gaps, 0, or doubles in a box becomes a genome: what is missing in the box fills them in order."""
    n = box_rows * box_columns
    boxes = _in_boxes(values, box_rows, box_columns)
    order = np.argsort(boxes, axis=1, kind="stable")
    ordered = np.take_along_axis(boxes, order, axis=1)
    is_gap = ordered == 0
    is_gap[:, 1:] |= ordered[:, 1:] == ordered[:, :-1]
    np.put_along_axis(is_gap, order, is_gap.copy(), axis=1)
    boxes[is_gap] = np.nonzero(~_present(boxes, n))[1] + 1  # as many in each box as it has gaps
    back = boxes.reshape(n // box_rows, n // box_columns, box_rows, box_columns).swapaxes(1, 2)
    return np.ascontiguousarray(back).reshape(-1)


def _in_boxes(genome: Genomes, box_rows: int, box_columns: int) -> Genomes:
    """(boxes, n): the values of each box."""
    n = box_rows * box_columns
    return genome.reshape(n // box_rows, box_rows, n // box_columns, box_columns).swapaxes(1, 2).reshape(n, n)


def _present(lines: Genomes, n: int) -> NDArray[np.bool_]:
    """Which of the values 1..n each line has, (lines, n)."""
    present = np.zeros((len(lines), n + 1), np.bool_)
    np.put_along_axis(present, lines.astype(np.int64), True, axis=1)
    return present[:, 1:]
