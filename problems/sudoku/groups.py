"""Candidates and groups: of each group exactly one candidate is true.

candidate    value v in cell k, number k * n + v - 1
group        the n candidates of a cell; or the n places of a value in a row, a column or a box: 4 n^2 groups, and
             every candidate is in four of them, one of each kind

Variants have other groups, some candidates more of them than others, and *foes*: candidates that exclude each other
without being in a group. Kernels tell both forms apart by the dimensions of `groups`, when they are compiled.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import lean_kernel

Ints = NDArray[np.int32]
Wide = NDArray[np.int64]
Reals = NDArray[np.float64]
Number = Any  # an integer or truth value of a kernel: which type it has matters to the compiler only
Table = NDArray[np.uint32]  # of numbers that are used as an index: kernels need not ask whether they are negative

LARGEST_GROUP = 127  # candidates: a tally has seven bits for their number


class Groups(NamedTuple):
    """Candidates, numbered from 0, and the groups they are in."""

    candidates: Table  # (m,): cell * n + value - 1 of each
    groups: Table  # (m, 4): the groups of each candidate; or, as lists, (m + 1 + ...,): m + 1 places in it, the groups
    members: Table  # (4 m,): the candidates of group 0, of group 1, ...; beside lists then the foes of each candidate
    starts: Table  # (groups,): where each group begins in `members`; beside lists then (m,) where the foes do
    ends: Table  # ... and where it ends

    @property
    def total(self) -> int:
        """How many groups there are."""
        return len(self.starts) - (len(self.candidates) if self.groups.ndim == 1 else 0)

    @property
    def placed(self) -> Table:
        """The members of all groups, without foes."""
        return self.members[: self.ends[self.total - 1]] if self.total else self.members[:0]

    def of(self, candidates: NDArray[Any]) -> Table:
        """The groups of these candidates, one after the other."""
        if self.groups.ndim == 2:
            return np.asarray(self.groups[candidates].ravel(), np.uint32)
        starts, ends = self.groups[candidates].astype(np.int64), self.groups[candidates + 1].astype(np.int64)
        return np.asarray(self.groups[spread(starts, ends - starts)], np.uint32)


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
    if every.groups.ndim == 1:
        return _open_lists(every, is_open)
    groups = every.groups[is_open]
    used = np.zeros(len(every.starts), np.bool_)
    used[groups] = True
    return _indexed(every.candidates[is_open], (np.cumsum(used) - 1)[groups], int(used.sum()))


def listed(candidates: NDArray[Any], owner: NDArray[Any], members: NDArray[Any], foes: NDArray[Any]) -> Groups:
    """Groups as lists: `members[k]` is in group `owner[k]`, from 0 without gaps, in order; foes (pairs, 2) exclude each
    other."""
    m, count = len(candidates), int(owner[-1]) + 1 if len(owner) else 0
    degrees = np.bincount(members, minlength=m)
    members = dealt(np.repeat(np.arange(m), degrees), dealt(owner, members, degrees), np.bincount(owner))
    one, other = foes[:, 0], foes[:, 1]
    pairs = np.unique(np.concatenate((one * m + other, other * m + one)))
    return _as_lists(candidates, count, owner, members, pairs)


def dealt(values: Wide, keys: Wide, sizes: Wide) -> Wide:
    """Values by their keys, in the order in which they come; there are sizes[k] of key k."""
    out = np.empty(len(values), np.int64)
    _deal(values, keys, np.cumsum(sizes) - sizes, out)
    return out


@lean_kernel
def _deal(
    values: NDArray[np.int64], keys: NDArray[np.int64], places: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    for k in range(values.shape[0]):
        out[places[keys[k]]] = values[k]
        places[keys[k]] += 1


def _as_lists(
    candidates: NDArray[Any], count: int, owner: NDArray[Any], members: NDArray[Any], pairs: NDArray[Any]
) -> Groups:
    """The same, of members in order and of foes as numbers, one * m + other, in order."""
    m = len(candidates)
    one, other = np.divmod(pairs, max(m, 1))
    sizes = np.concatenate((np.bincount(owner, minlength=count), np.bincount(one, minlength=m)))
    ends = np.cumsum(sizes)
    degrees = np.bincount(members, minlength=m)
    places = m + 1 + np.concatenate(([0], np.cumsum(degrees)))
    groups = np.concatenate((places, dealt(owner, members, degrees)))
    every = np.concatenate((members, other))
    return Groups(*(np.ascontiguousarray(part, np.uint32) for part in (candidates, groups, every, ends - sizes, ends)))


def _open_lists(every: Groups, is_open: NDArray[np.bool_]) -> Groups:
    """The same for lists."""
    number = np.cumsum(is_open) - 1
    sizes, total = (every.ends - every.starts).astype(np.int64), every.total
    grouped = int(every.ends[total - 1]) if total else 0
    placed = every.members[:grouped]
    stays = is_open[placed]
    owner = np.repeat(np.arange(total), sizes[:total])[stays]
    used = np.zeros(total, np.bool_)
    used[owner] = True
    one, other = np.repeat(np.arange(len(is_open)), sizes[total:]), every.members[grouped:]
    both = is_open[one] & is_open[other]
    pairs = number[one[both]] * int(is_open.sum()) + number[other[both]]
    own = (np.cumsum(used) - 1)[owner]
    return _as_lists(every.candidates[is_open], int(used.sum()), own, number[placed[stays]], pairs)


def spread(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """start, start + 1, ... of each, one after the other."""
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def _indexed(candidates: NDArray[Any], groups: NDArray[np.int64], count: int) -> Groups:
    """Members from groups."""
    flat = groups.ravel()
    order = np.argsort(flat, kind="stable")
    sizes = np.bincount(flat, minlength=count)
    ends = np.cumsum(sizes)
    return Groups(
        *(np.ascontiguousarray(part, np.uint32) for part in (candidates, groups, order // 4, ends - sizes, ends))
    )
