"""Cages and sums as candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from problems.sudoku.groups import LARGEST_GROUP

if TYPE_CHECKING:
    from problems.sudoku.family.encode import Builder

MOST_COMBINATIONS = LARGEST_GROUP - 1
Combination = tuple[int, ...]


@cache
def combinations_of(n: int, size: int, total: int) -> tuple[Combination, ...] | None:
    """The sets of different values with this sum; None where they are more than a group can have."""
    if size > n:
        return ()
    found: list[Combination] = []

    def extend(chosen: Combination, low: int, left: int, rest: int) -> bool:
        if not left:
            found.append(chosen)
            return len(found) <= MOST_COMBINATIONS
        for value in range(low, n + 1):
            if left * value + left * (left - 1) // 2 > rest:
                break
            most = left - 1
            highest = value + most * n - most * (most - 1) // 2
            if highest < rest or (not most and value != rest):
                continue
            if not extend((*chosen, value), value + 1, most, rest - value):
                return False
        return True

    return tuple(found) if extend((), 1, size, total) else None


def different(builder: Builder, cells: Sequence[int]) -> None:
    """No value twice."""
    builder.differ(np.array(list(combinations(cells, 2)), np.int64).reshape(-1, 2))


def cage(builder: Builder, cells: Sequence[int], sum_: int | None) -> None:
    """Different values, with a sum if there is one."""
    n = builder.n
    if sum_ is None or (len(cells) == n and sum_ == n * (n + 1) // 2):
        different(builder, cells)
        return
    sets = combinations_of(n, len(cells), sum_)
    if sets is None:
        different(builder, cells)
        total(builder, cells, {sum_: None})
    else:
        one_of(builder, cells, sets)


def one_of(builder: Builder, cells: Sequence[int], sets: Sequence[Combination]) -> None:
    """The values of the cells are one of these sets."""
    used = {value for chosen in sets for value in chosen}
    always = set.intersection(*map(set, sets)) if sets else set()
    values = range(1, builder.n + 1)
    builder.impossible += [builder.candidate(cell, value) for cell in cells for value in values if value not in used]
    first = builder.new(len(sets)) if len(sets) > 1 else 0
    if len(sets) > 1:
        builder.add_group(range(first, first + len(sets)))
    for value in sorted(used):
        places = [builder.candidate(cell, value) for cell in cells]
        if value in always:
            builder.add_group(places)
            continue
        absent = builder.new()
        builder.add_group([*places, absent])
        builder.add_group([*(first + k for k, chosen in enumerate(sets) if value in chosen), absent])


def total(builder: Builder, cells: Sequence[int], ends: Mapping[int, int | None]) -> None:
    """The values add up to one of the `ends`, which is true with the candidate beside it, if there is one.

    A candidate for each step: the sum so far and the value that is added. Every sum on the way is reached by one step
    and left by one, or `not met`; every value of a cell is one of its steps, or `not v`.
    """
    n = builder.n
    sums = _reachable(builder, cells, set(ends))
    arriving: dict[int, list[int]] = {0: []}
    for k, cell in enumerate(cells):
        leaving: dict[int, list[int]] = {so_far: [] for so_far in sums[k]}
        following: dict[int, list[int]] = {so_far: [] for so_far in sums[k + 1]}
        by_value: dict[int, list[int]] = {value: [] for value in range(1, n + 1)}
        for so_far in sums[k]:
            for value in range(1, n + 1):
                if so_far + value in following:
                    step = builder.new()
                    leaving[so_far].append(step)
                    following[so_far + value].append(step)
                    by_value[value].append(step)
        for so_far, steps in leaving.items():
            if k == 0:
                builder.add_group(steps)
            else:
                not_met = builder.new()
                builder.add_group([*steps, not_met])
                builder.add_group([*arriving[so_far], not_met])
        for value, steps in by_value.items():
            _tie(builder, builder.candidate(cell, value), steps)
        arriving = following
    for end, result in ends.items():
        if result is not None:
            _tie(builder, result, arriving.get(end, []))


def _tie(builder: Builder, candidate: int, steps: Sequence[int]) -> None:
    """A candidate is true with one of these steps, and false without."""
    if not steps:
        builder.impossible.append(candidate)
        return
    absent = builder.new()
    builder.add_group([candidate, absent])
    builder.add_group([*steps, absent])


def _reachable(builder: Builder, cells: Sequence[int], ends: set[int]) -> list[list[int]]:
    """The sums after each cell from which an end can be reached."""
    n = builder.n
    forward = [{0}]
    for _ in cells:
        forward.append({so_far + value for so_far in forward[-1] for value in range(1, n + 1)})
    backward = [ends & forward[-1]]
    for k in range(len(cells) - 1, -1, -1):
        backward.append({end - value for end in backward[-1] for value in range(1, n + 1)} & forward[k])
    return [sorted(part) for part in reversed(backward)]
