"""Rules as candidates and groups: of each group exactly one candidate is true.

A cell's values and the places of a value in a unit are groups as in any sudoku. Two candidates that exclude each other
are foes. Everything else is said with further candidates, which follow from the values of the cells, so that every grid
counts once:

    not v in a cage     beside the places of v in the cage, and beside the combinations with v
    at most v, above v  of a cell: a group of two; the values up to v and `above v`; the others and `at most v`
    none of these       values of a cell that a value of another cell leaves it, in a group with them; its foe

Sums are in `sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from problems.sudoku.family.kinds import Extra
from problems.sudoku.family.ruleset import BANNED, Ruleset
from problems.sudoku.groups import LARGEST_GROUP, Groups, listed

Allowed = Callable[[int, int], bool]
PART = 100  # members of a part of a group that is too large


class Builder:
    """Candidates, groups and foes, as they come."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.n, self.cells = rules.layout.n, len(rules.layout.places)
        self.count = self.cells * self.n
        self.impossible: list[int] = []
        self.is_contradiction = False
        self.bounds: dict[int, tuple[int, int]] = {}  # of a cell: the first of `at most v` and of `above v`
        self._sizes: list[int] = []  # of the groups
        self._members: list[int] = []  # of one after the other
        self._foes: list[NDArray[np.int64]] = [np.empty((0, 2), np.int64)]
        self._add_units()

    def candidate(self, cell: int, value: int) -> int:
        return cell * self.n + value - 1

    def new(self, count: int = 1) -> int:
        """The first of some new candidates."""
        self.count += count
        return self.count - count

    def add_group(self, members: Sequence[int]) -> None:
        """Exactly one of these; of many, one of some parts, each of which is a candidate beside `none of this part`."""
        self.is_contradiction |= not members
        parts = [members[k : k + PART] for k in range(0, len(members), PART)] if len(members) > LARGEST_GROUP else []
        first, none = self.new(len(parts)), self.new(len(parts))
        for k, part in enumerate(parts):
            self.add_group([first + k, none + k])
            self.add_group([*part, none + k])
        members = range(first, first + len(parts)) if parts else members
        self._members += members
        self._sizes.append(len(members))

    def add_foes(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._foes.append(np.array(list(pairs), np.int64).reshape(-1, 2))

    @cached_property
    def see(self) -> NDArray[np.bool_]:
        """(cells, cells): which are together in a unit."""
        together = np.eye(self.cells, dtype=np.bool_)
        for unit in self.rules.units:
            together[np.ix_(unit, unit)] = True
        return together

    def _add_units(self) -> None:
        n = self.n
        values = np.arange(n)
        cells = np.arange(self.cells * n)
        units = np.array(list(self.rules.units), np.int64)
        members = (units[:, None, :] * n + values[None, :, None]).reshape(-1, n)
        self._members += [*cells.tolist(), *members.ravel().tolist()]
        self._sizes += [n] * (self.cells + len(members))

    def differ(self, pairs: NDArray[np.int64]) -> None:
        """Pairs of cells with different values."""
        pairs = pairs[~self.see[pairs[:, 0], pairs[:, 1]]]
        values = np.arange(self.n)
        self._foes.append((pairs[:, None, :] * self.n + values[None, :, None]).reshape(-1, 2))

    def relate(self, one: int, other: int, allowed: NDArray[np.bool_]) -> None:
        """Two cells with values that are `allowed` together, (n, n). Where few are, a value needs one it goes with."""
        first = np.array([one, other]) * self.n
        for (here, there), table in ((first, allowed), (first[::-1], allowed.T)):
            for value, partners in enumerate(table):
                count = int(partners.sum())
                if not count:
                    self.impossible.append(int(here) + value)
                elif count <= self.n // 2:
                    none = self.new()
                    self.add_group([none, *(there + np.flatnonzero(partners)).tolist()])
                    self.add_foes([(none, int(here) + value)])
        self._foes.append(np.argwhere(~allowed) + first)

    def bound(self, cell: int) -> tuple[int, int]:
        """The candidates `at most 1`, `at most 2`, ... and `above 1`, ... of a cell: where they begin."""
        if cell not in self.bounds:
            n = self.n
            low, high = self.new(n - 1), self.new(n - 1)
            self.bounds[cell] = low, high
            own = [self.candidate(cell, value) for value in range(1, n + 1)]
            for v in range(1, n):
                self.add_group([low + v - 1, high + v - 1])
                self.add_group([*own[:v], high + v - 1])
                self.add_group([*own[v:], low + v - 1])
        return self.bounds[cell]

    def less(self, one: int, other: int) -> None:
        """The value of one cell is lower than that of the other."""
        n = self.n
        self.impossible += [self.candidate(one, n), self.candidate(other, 1)]
        (_, high), (low, _) = self.bound(one), self.bound(other)
        self.add_foes((low + v - 1, high + v - 2) for v in range(2, n))  # at most v: not above v - 1

    def built(self) -> tuple[Groups, NDArray[np.bool_]]:
        """The groups of all candidates, and which of these are possible."""
        possible = np.full(self.count, not self.is_contradiction)
        possible[self.impossible] = False
        owner = np.repeat(np.arange(len(self._sizes)), self._sizes)
        members = np.array(self._members, np.int64)
        return listed(np.arange(self.count), owner, members, np.concatenate(self._foes)), possible


@lru_cache(maxsize=4)
def encoded(rules: Ruleset) -> tuple[Groups, NDArray[np.bool_]]:
    """The candidates of an empty grid, and which of them the rules leave."""
    builder = Builder(rules)
    if rules.apart:
        builder.differ(np.array(rules.apart, np.int64))
    bans: dict[tuple[int, int], list[Allowed]] = {}
    for pair, ban in rules.banned:
        bans.setdefault(pair, []).append(BANNED[ban][0])
    for (one, other), tests in bans.items():
        builder.relate(one, other, ~np.any([_table(test, builder.n) for test in tests], axis=0))
    for extra in rules.extras:
        _encode(builder, extra)
    return builder.built()


@cache
def _table(test: Allowed, n: int) -> NDArray[np.bool_]:
    """Which values 1..n two cells may have together, (n, n)."""
    return np.array([[test(a, b) for b in range(1, n + 1)] for a in range(1, n + 1)], np.bool_)


def _encode(builder: Builder, extra: Extra) -> None:
    from problems.sudoku.family import sums

    cells, kind, n = extra.cells, extra.kind, builder.n
    if kind == "cage":
        sums.cage(builder, cells, extra.number)
    elif kind == "renban":
        runs = [tuple(range(low, low + len(cells))) for low in range(1, n - len(cells) + 2)]
        sums.one_of(builder, cells, runs)
    elif kind == "sum":
        sums.total(builder, cells, {extra.number or 0: None})
    elif kind == "arrow":
        sums.total(builder, cells[1:], {value: builder.candidate(cells[0], value) for value in range(1, n + 1)})
    elif kind == "thermometer":
        for one, other in pairwise(cells):
            builder.less(one, other)
    elif kind in ("less", "greater"):
        builder.less(*(cells if kind == "less" else cells[::-1]))
    elif kind in ("odd", "even"):
        values = range(1 + (kind == "odd"), n + 1, 2)
        builder.impossible += [builder.candidate(cell, value) for cell in cells for value in values]
    elif kind == "group":
        if len(cells) < n:
            sums.different(builder, cells)
    else:
        pairs = list(pairwise(cells))
        if kind == "palindrome":
            pairs = [(one, other) for one, other in zip(cells, cells[::-1], strict=True) if one != other]
            pairs = pairs[: len(cells) // 2]
        for one, other in pairs:
            builder.relate(one, other, _table(_relation(kind, extra.number or 0), n))


@cache
def _relation(kind: str, number: int) -> Allowed:
    return lambda one, other: RELATIONS[kind](one, other, number)


RELATIONS: dict[str, Callable[[int, int, int], bool]] = {
    "white": lambda a, b, step: a - b in (step, -step),
    "black": lambda a, b, ratio: a == ratio * b or b == ratio * a,
    "x": lambda a, b, _: a + b == 10,
    "v": lambda a, b, _: a + b == 5,
    "equal": lambda a, b, _: a == b,
    "palindrome": lambda a, b, _: a == b,
    "whisper": lambda a, b, step: a - b >= step or b - a >= step,
}
"""Which values two cells may have; apart from `kinds`, by which a solution is verified."""
