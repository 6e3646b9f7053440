"""Candidates and groups: of each group exactly one candidate is true.

candidate    value v in cell k, number k * n + v - 1
group        the n candidates of a cell; or the n places of a value in a row, a column or a box: 4 n^2 groups, and
             every candidate is in four of them, one of each kind
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Reals = NDArray[np.float64]
Number = Any  # an integer or truth value of a kernel: which type it has matters to the compiler only
Table = NDArray[np.uint32]  # of numbers that are used as an index: kernels need not ask whether they are negative


class Groups(NamedTuple):
    """Candidates, numbered from 0, and the groups they are in."""

    candidates: Table  # (m,): cell * n + value - 1 of each
    groups: Table  # (m, 4): the groups of each candidate
    members: Table  # (4 m,): the candidates of group 0, of group 1, ...
    starts: Table  # (groups,): where each group begins in `members`
    ends: Table  # ... and where it ends


@cache
def all_groups(box_rows: int, box_columns: int) -> Groups:
    """Every candidate of an empty grid. Groups: n^2 cells, then n^2 (row, value), (column, value), (box, value)."""
    n = box_rows * box_columns
    row, column, value = (axis.ravel() for axis in np.indices((n, n, n)))
    box = row // box_rows * box_rows + column // box_columns
    groups = np.stack(
        (row * n + column, (n + row) * n + value, (2 * n + column) * n + value, (3 * n + box) * n + value)
    )
    return _indexed(np.arange(n**3), groups.T, 4 * n * n)


def given_candidates(givens: Ints, n: int) -> Table:
    """The candidates that a grid's numbers say are true; 0 says nothing."""
    cells = np.flatnonzero(givens)
    return np.asarray(cells * n + givens[cells] - 1, np.uint32)


def open_groups(every: Groups, is_open: NDArray[np.bool_]) -> Groups:
    """Only the open candidates, and only the groups that have any; both numbered anew, in the same order."""
    groups = every.groups[is_open]
    used = np.zeros(len(every.starts), np.bool_)
    used[groups] = True
    return _indexed(every.candidates[is_open], (np.cumsum(used) - 1)[groups], int(used.sum()))


def _indexed(candidates: NDArray[Any], groups: NDArray[np.int64], count: int) -> Groups:
    """Members from groups."""
    flat = groups.ravel()
    order = np.argsort(flat, kind="stable")
    sizes = np.bincount(flat, minlength=count)
    ends = np.cumsum(sizes)
    return Groups(
        *(np.ascontiguousarray(part, np.uint32) for part in (candidates, groups, order // 4, ends - sizes, ends))
    )
