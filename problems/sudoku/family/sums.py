"""Cages and sums as candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from problems.sudoku.groups import LARGEST_GROUP

if TYPE_CHECKING:
    from problems.sudoku.family.pieces import Draft

MOST_COMBINATIONS = LARGEST_GROUP - 1
MOST_STEPS = 2_000_000  # of one sum: half a gigabyte while they are made
Combination = tuple[int, ...]


@cache
def combinations_of(n: int, size: int, total: int) -> tuple[Combination, ...] | None:
    """The sets of different values with this sum; None where they are more than a group can have."""
    if size > n:
        return ()
    found: list[Combination] = []

    def extend(chosen: Combination, low: int, left: int, rest: int) -> bool:
        if left == 1:
            if low <= rest <= n:
                found.append((*chosen, rest))
            return len(found) <= MOST_COMBINATIONS
        most = left - 1
        for value in range(max(low, rest - most * n + most * (most - 1) // 2), n + 1):
            if left * value + left * most // 2 > rest:
                break
            if not extend((*chosen, value), value + 1, most, rest - value):
                return False
        return True

    return tuple(found) if extend((), 1, size, total) else None


def steps_of(n: int, size: int, total: int) -> int:
    """Steps that a sum of so many cells takes at most, see `total`."""
    widths = (
        min(k * n, total - (size - k)) - max(k, total - (size - k) * n) + 1  # the sums after k cells
        for k in range(size)
    )
    return n * sum(max(0, width) for width in widths)


def total(draft: Draft, cells: Sequence[int], ends: Mapping[int, int | None]) -> None:
    """The values add up to one of the `ends`, which is true with the candidate beside it, if there is one.

    A candidate for each step: the sum so far and the value that is added. Every sum on the way is reached by one step
    and left by one, or `not met`; every value of a cell is one of its steps, or `not v`.
    """
    n = draft.n
    sums = _reachable(draft, cells, set(ends))
    arriving: dict[int, list[int]] = {0: []}
    for k, cell in enumerate(cells):
        leaving: dict[int, list[int]] = {so_far: [] for so_far in sums[k]}
        following: dict[int, list[int]] = {so_far: [] for so_far in sums[k + 1]}
        by_value: dict[int, list[int]] = {value: [] for value in range(1, n + 1)}
        for so_far in sums[k]:
            for value in range(1, n + 1):
                if so_far + value in following:
                    step = draft.new()
                    leaving[so_far].append(step)
                    following[so_far + value].append(step)
                    by_value[value].append(step)
        for so_far, steps in leaving.items():
            if k == 0:
                draft.add_group(steps)
            else:
                not_met = draft.new()
                draft.add_group([*steps, not_met])
                draft.add_group([*arriving[so_far], not_met])
        for value, steps in by_value.items():
            _tie(draft, draft.candidate(cell, value), steps)
        arriving = following
    for end, result in ends.items():
        if result is not None:
            _tie(draft, result, arriving.get(end, []))


def _tie(draft: Draft, candidate: int, steps: Sequence[int]) -> None:
    """A candidate is true with one of these steps, and false without."""
    if not steps:
        draft.impossible.append(candidate)
        return
    absent = draft.new()
    draft.add_group([candidate, absent])
    draft.add_group([*steps, absent])


def _reachable(draft: Draft, cells: Sequence[int], ends: set[int]) -> list[list[int]]:
    """The sums after each cell from which an end can be reached."""
    n = draft.n
    forward = [{0}]
    for _ in cells:
        forward.append({so_far + value for so_far in forward[-1] for value in range(1, n + 1)})
    backward = [ends & forward[-1]]
    for k in range(len(cells) - 1, -1, -1):
        backward.append({end - value for end in backward[-1] for value in range(1, n + 1)} & forward[k])
    return [sorted(part) for part in reversed(backward)]
