"""Candidates, groups and foes about a few cells, made once for all extras of the same form: a cage of three cells with
the sum 15, a white dot, the steps of an arrow.

In a piece the cells are numbered from 0, and its own candidates come after theirs; `encode` puts it where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from problems.sudoku.family import sums
from problems.sudoku.groups import LARGEST_GROUP, Wide, spread

PART = 100  # members of a part of a group that is too large
KEPT = 500  # pieces of each sort
NONE = np.empty(0, np.int64)


class Piece(NamedTuple):
    """What some extras add."""

    new: int  # candidates
    impossible: Wide
    sizes: Wide  # of the groups
    members: Wide  # of one after the other
    foes: Wide  # (pairs, 2)
    is_contradiction: bool


class Draft:
    """A piece of k cells, as it grows."""

    def __init__(self, n: int, k: int) -> None:
        self.n = n
        self.first = self.count = k * n
        self.impossible: list[int] = []
        self.is_contradiction = False
        self._sizes: list[int] = []
        self._members: list[int] = []
        self._foes: list[tuple[int, int]] = []

    def candidate(self, cell: int, value: int) -> int:
        return cell * self.n + value - 1

    def new(self, count: int = 1) -> int:
        """The first of some new candidates."""
        self.count += count
        return self.count - count

    def add_group(self, members: Sequence[int]) -> None:
        """Exactly one of these; of many, one of some parts, each of which is a candidate beside `none of this part`."""
        self.is_contradiction |= not len(members)
        parts = [members[k : k + PART] for k in range(0, len(members), PART)] if len(members) > LARGEST_GROUP else []
        first, none = self.new(len(parts)), self.new(len(parts))
        for k, part in enumerate(parts):
            self.add_group([first + k, none + k])
            self.add_group([*part, none + k])
        members = range(first, first + len(parts)) if parts else members
        self._members += members
        self._sizes.append(len(members))

    def add_foes(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._foes += pairs

    def done(self) -> Piece:
        impossible, sizes, members = (
            np.array(part, np.int64) for part in (self.impossible, self._sizes, self._members)
        )
        foes = np.array(self._foes, np.int64).reshape(-1, 2)
        return Piece(self.count - self.first, impossible, sizes, members, foes, self.is_contradiction)


@lru_cache(maxsize=KEPT)
def related(n: int, allowed: bytes) -> Piece:
    """Two cells with values that are `allowed` together, (n, n) truth values. Where few are, a value needs one it goes
    with."""
    table, draft = np.frombuffer(allowed, np.bool_).reshape(n, n), Draft(n, 2)
    for here, there, rows in ((0, n, table), (n, 0, table.T)):
        for value, partners in enumerate(rows):
            count = int(partners.sum())
            if not count:
                draft.impossible.append(here + value)
            elif count <= n // 2:
                none = draft.new()
                draft.add_group([none, *(there + np.flatnonzero(partners)).tolist()])
                draft.add_foes([(none, here + value)])
    draft.add_foes((int(one), n + int(other)) for one, other in np.argwhere(~table))
    return draft.done()


@cache
def bounds(n: int) -> Piece:
    """The candidates `at most 1`, `at most 2`, ... and then `above 1`, ... of a cell."""
    draft = Draft(n, 1)
    low, high = draft.new(n - 1), draft.new(n - 1)
    own = range(n)
    for v in range(1, n):
        draft.add_group([low + v - 1, high + v - 1])
        draft.add_group([*own[:v], high + v - 1])
        draft.add_group([*own[v:], low + v - 1])
    return draft.done()


@lru_cache(maxsize=KEPT)
def one_of(n: int, k: int, sets: tuple[sums.Combination, ...]) -> Piece:
    """The values of k cells are one of these sets."""
    draft = Draft(n, k)
    first = draft.new(len(sets)) if len(sets) > 1 else 0
    having: list[list[int]] = [[] for _ in range(n + 1)]  # of each value: the sets that have it
    for number, chosen in enumerate(sets, first):
        for value in chosen:
            having[value].append(number)
    if len(sets) > 1:
        draft.add_group(range(first, first + len(sets)))
    for value in range(1, n + 1):
        places = range(value - 1, k * n, n)
        if not having[value]:
            draft.impossible += places
        elif len(having[value]) == len(sets):
            draft.add_group(places)
        else:
            absent = draft.new()
            draft.add_group([*places, absent])
            draft.add_group([*having[value], absent])
    return draft.done()


@lru_cache(maxsize=KEPT)
def added(n: int, k: int, sum_: int | None) -> Piece:
    """k cells with a sum; None: the sum is the value of a further cell before them."""
    if sum_ is not None:
        draft = Draft(n, k)
        sums.total(draft, range(k), {sum_: None})
        return draft.done()
    draft = Draft(n, k + 1)
    sums.total(draft, range(1, k + 1), {value: draft.candidate(0, value) for value in range(1, n + 1)})
    return draft.done()


def clear() -> None:
    """Forget them all."""
    for sort in (related, bounds, one_of, added, sums.combinations_of):
        sort.cache_clear()


class Stamps:
    """Pieces at their places, all at once: what they are in the numbers of the whole."""

    def __init__(self, n: int, first: int) -> None:
        self.n, self.count = n, first
        self._pieces: list[Piece] = []
        self._cells: list[Sequence[int]] = []

    def add(self, piece: Piece, cells: Sequence[int]) -> int:
        """The first of its new candidates."""
        self._pieces.append(piece)
        self._cells.append(cells)
        self.count += piece.new
        return self.count - piece.new

    def put(self) -> Piece:
        """All of them as one."""
        pieces, n = self._pieces, self.n
        cells = np.array([len(cells) for cells in self._cells], np.int64)
        new = np.array([piece.new for piece in pieces], np.int64)
        numbers = np.array([cell for cells in self._cells for cell in cells], np.int64)
        sizes = n * cells + new
        starts = np.cumsum(sizes) - sizes
        table = np.empty(int(sizes.sum()), np.int64)  # of each piece: what its candidates are in the whole
        table[spread(starts, n * cells)] = (n * numbers[:, None] + np.arange(n)).ravel()
        table[spread(starts + n * cells, new)] = self.count - int(new.sum()) + np.arange(new.sum())

        def whole(part: list[Wide]) -> Wide:
            lengths = [len(one) for one in part]
            return np.asarray(table[np.concatenate([NONE, *part]) + np.repeat(starts, lengths)])

        return Piece(
            int(new.sum()),
            whole([piece.impossible for piece in pieces]),
            np.concatenate([NONE, *(piece.sizes for piece in pieces)]),
            whole([piece.members for piece in pieces]),
            whole([piece.foes.ravel() for piece in pieces]).reshape(-1, 2),
            any(piece.is_contradiction for piece in pieces),
        )
