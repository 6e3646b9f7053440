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

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from problems.sudoku.family import pieces
from problems.sudoku.family.kinds import Extra
from problems.sudoku.family.pieces import Stamps
from problems.sudoku.family.ruleset import BANNED, Ruleset
from problems.sudoku.family.sums import combinations_of
from problems.sudoku.groups import Groups, listed

Allowed = Callable[[int, int], bool]


class Builder:
    """Candidates, groups and foes, as they come."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.n, self.cells = rules.layout.n, len(rules.layout.places)
        self.stamps = Stamps(self.n, self.cells * self.n)
        self.impossible: list[int] = []
        self.bounds: dict[int, int] = {}  # of a cell: the first of `at most v`
        self._foes: list[NDArray[np.int64]] = [np.empty((0, 2), np.int64)]

    @cached_property
    def see(self) -> NDArray[np.bool_]:
        """(cells, cells): which are together in a unit."""
        together = np.eye(self.cells, dtype=np.bool_)
        for unit in self.rules.units:
            together[np.ix_(unit, unit)] = True
        return together

    def differ(self, pairs: NDArray[np.int64]) -> None:
        """Pairs of cells with different values."""
        pairs = pairs[~self.see[pairs[:, 0], pairs[:, 1]]]
        values = np.arange(self.n)
        self._foes.append((pairs[:, None, :] * self.n + values[None, :, None]).reshape(-1, 2))

    def all_differ(self, cells: Sequence[int]) -> None:
        """No value twice."""
        self.differ(np.array(list(combinations(cells, 2)), np.int64).reshape(-1, 2))

    def relate(self, one: int, other: int, allowed: NDArray[np.bool_]) -> None:
        """Two cells with values that are `allowed` together, (n, n)."""
        self.stamps.add(pieces.related(self.n, allowed.tobytes()), (one, other))

    def less(self, one: int, other: int) -> None:
        """The value of one cell is lower than that of the other."""
        n = self.n
        self.impossible += [one * n + n - 1, other * n]
        for cell in (one, other):
            if cell not in self.bounds:
                self.bounds[cell] = self.stamps.add(pieces.bounds(n), (cell,))
        steps = np.arange(1, n - 1)
        high, low = self.bounds[one] + n - 1, self.bounds[other]
        self._foes.append(np.stack((low + steps, high + steps - 1), axis=1))  # at most v: not above v - 1

    def cage(self, cells: Sequence[int], sum_: int | None) -> None:
        """Different values, with a sum if there is one."""
        n, k = self.n, len(cells)
        if sum_ is None or (k == n and sum_ == n * (n + 1) // 2):
            self.all_differ(cells)
            return
        sets = combinations_of(n, k, sum_)
        if sets is None:
            self.all_differ(cells)
            self.stamps.add(pieces.added(n, k, sum_), cells)
        else:
            self.stamps.add(pieces.one_of(n, k, sets), cells)

    def built(self) -> tuple[Groups, NDArray[np.bool_]]:
        """The groups of all candidates, and which of these are possible."""
        n, units, whole = self.n, np.array(list(self.rules.units), np.int64), self.stamps.put()
        places = (units[:, None, :] * n + np.arange(n)[None, :, None]).ravel()
        possible = np.full(self.stamps.count, not whole.is_contradiction)
        possible[self.impossible] = possible[whole.impossible] = False
        sizes = np.concatenate((np.full(self.cells + n * len(units), n), whole.sizes))
        members = np.concatenate((np.arange(self.cells * n), places, whole.members))
        owner = np.repeat(np.arange(len(sizes)), sizes)
        foes = np.concatenate((*self._foes, whole.foes))
        return listed(np.arange(self.stamps.count), owner, members, foes), possible


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
    cells, kind, n = extra.cells, extra.kind, builder.n
    if kind == "cage":
        builder.cage(cells, extra.number)
    elif kind == "renban":
        runs = tuple(tuple(range(low, low + len(cells))) for low in range(1, n - len(cells) + 2))
        builder.stamps.add(pieces.one_of(n, len(cells), runs), cells)
    elif kind == "sum":
        builder.stamps.add(pieces.added(n, len(cells), extra.number or 0), cells)
    elif kind == "arrow":
        builder.stamps.add(pieces.added(n, len(cells) - 1, None), cells)
    elif kind == "thermometer":
        for one, other in pairwise(cells):
            builder.less(one, other)
    elif kind in ("less", "greater"):
        builder.less(*(cells if kind == "less" else cells[::-1]))
    elif kind in ("odd", "even"):
        values = range(1 + (kind == "odd"), n + 1, 2)
        builder.impossible += [cell * n + value - 1 for cell in cells for value in values]
    elif kind == "group":
        if len(cells) < n:
            builder.all_differ(cells)
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
