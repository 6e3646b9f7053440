"""Moves of a walker: small changes of one genome, in place, made of random numbers in [0, 1).

Plain Python on one row: the cost of a puzzle without compiled code takes longer than a move, and a batch of one row
would take longer than both.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from islands.operators.space import Arrangement, Choices, Genomes, Space

Chance = Callable[[], float]
"""The next random number in [0, 1)."""

Move = Callable[[Genomes, Chance], None]
"""Changes one genome, (length,), in place."""

TRIES = 4  # to find a cell with another value


def moves_of(space: Space) -> list[Move]:
    """All moves of a space; none where nothing can move."""
    return _arranging(space) if isinstance(space, Arrangement) else _choosing(space)


def _arranging(space: Arrangement) -> list[Move]:
    """Swap two cells of a group, insert one elsewhere, reverse a segment."""
    cells, starts = space.cells, space.starts.tolist()
    slots = [
        (slot, start, end) for start, end in pairwise(starts) if end - start > 1
        for slot in range(start, end)
    ]  # fmt: skip
    number = len(slots)
    if not number:
        return []

    def two(chance: Chance) -> tuple[int, int]:
        """Two different slots of a group; a group is as likely as it has cells."""
        first, start, end = slots[int(chance() * number)]
        second = start + int(chance() * (end - start - 1))
        return first, second + (second >= first)

    def swap(genome: Genomes, chance: Chance) -> None:
        for _ in range(TRIES):
            first, second = two(chance)
            a, b = cells[first], cells[second]
            one, other = genome[a], genome[b]
            if one != other:
                genome[a], genome[b] = other, one
                return

    def insert(genome: Genomes, chance: Chance) -> None:
        first, second = two(chance)
        value = genome[cells[first]]
        if first < second:
            genome[cells[first:second]] = genome[cells[first + 1 : second + 1]]
        else:
            genome[cells[second + 1 : first + 1]] = genome[cells[second:first]]
        genome[cells[second]] = value

    def reverse(genome: Genomes, chance: Chance) -> None:
        first, second = sorted(two(chance))
        segment = cells[first : second + 1]
        genome[segment] = genome[segment[::-1]]

    return [swap, insert, reverse] if max(end - start for _, start, end in slots) > 2 else [swap]


def _choosing(space: Choices) -> list[Move]:
    """Change one place; exchange the values of two, where each is allowed in the other place."""
    options = space.options.tolist()
    free = [place for place, number in enumerate(options) if number > 1]
    number = len(free)
    if not number:
        return []

    def change(genome: Genomes, chance: Chance) -> None:
        place = free[int(chance() * number)]
        many = options[place]
        genome[place] = (int(genome[place]) + 1 + int(chance() * (many - 1))) % many

    def exchange(genome: Genomes, chance: Chance) -> None:
        for _ in range(TRIES):
            a, b = free[int(chance() * number)], free[int(chance() * number)]
            one, other = int(genome[a]), int(genome[b])
            if one != other and one < options[b] and other < options[a]:
                genome[a], genome[b] = other, one
                return
        change(genome, chance)

    return [change, exchange] if number > 1 else [change]
