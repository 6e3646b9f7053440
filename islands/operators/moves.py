"""Moves of a walker: small changes of one genome, in place.

Of an `Arrangement`: SWAP two cells of a group, INSERT a value elsewhere in its group, REVERSE a segment. Of `Choices`:
CHANGE one place, EXCHANGE the values of two. A `Plan` is a space as a plain tuple of arrays: kernels that are given a
NamedTuple are compiled again in every process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel
from islands.kernels.rng import RngState, below
from islands.operators.layout import layout
from islands.operators.space import Arrangement, Genomes, Space

Numbers = NDArray[np.int64]
Plan = tuple[Numbers, Numbers, Numbers, Numbers, Numbers]
"""cells, starts and owner of slots and the movable slots (see `layout`), and how many options each place has; for
`Choices`, a slot is a place, and those with several options are movable."""

SWAP, INSERT, REVERSE, CHANGE, EXCHANGE = range(5)
TRIES = 4  # to find a cell with another value


def plan_of(space: Space) -> Plan:
    """A space as arrays for moves."""
    if isinstance(space, Arrangement):
        table = layout(space)
        slots: list[Any] = [table.cells, table.starts, table.owner, table.movable, []]
    else:
        places = range(space.length)
        slots = [places, [0, space.length], [0] * space.length, np.flatnonzero(space.options > 1), space.options]
    cells, starts, owner, movable, options = (np.array(array, np.int64) for array in slots)
    return cells, starts, owner, movable, options


def moves_of(space: Space) -> list[int]:
    """The moves of a space; none where nothing can move."""
    _, starts, _, movable, _ = plan_of(space)
    if not len(movable):
        return []
    if isinstance(space, Arrangement):
        return [SWAP, INSERT, REVERSE] if np.diff(starts).max() > 2 else [SWAP]
    return [CHANGE, EXCHANGE] if len(movable) > 1 else [CHANGE]


@kernel
def make_move(genome: Genomes, move: int, plan: Plan, state: RngState) -> None:
    """Change a genome, (length,), by a random move of this kind."""
    if move >= CHANGE:
        _choose(genome, move, plan, state)
        return
    cells, starts, owner, movable, _ = plan
    first, second = _two_slots(starts, owner, movable, state)
    if move == SWAP:
        for _ in range(TRIES - 1):  # only values that occur several times need more than the first
            if genome[cells[first]] != genome[cells[second]]:
                break
            first, second = _two_slots(starts, owner, movable, state)
    elif move == INSERT:
        value, step = genome[cells[first]], 1 if first < second else -1
        while first != second:
            genome[cells[first]] = genome[cells[first + step]]
            first += step
        genome[cells[second]] = value
        return
    elif first > second:
        first, second = second, first
    while True:
        a, b = cells[first], cells[second]
        genome[a], genome[b] = genome[b], genome[a]
        first, second = first + 1, second - 1
        if move == SWAP or first >= second:
            return


@kernel
def _two_slots(starts: Numbers, owner: Numbers, movable: Numbers, state: RngState) -> tuple[int, int]:
    """Two different slots of one group; a group is as likely as it has cells."""
    first = movable[below(state, movable.shape[0])]
    start = starts[owner[first]]
    second = start + below(state, starts[owner[first] + 1] - start - 1)
    return first, second + (second >= first)


@kernel
def _choose(genome: Genomes, move: int, plan: Plan, state: RngState) -> None:
    """CHANGE, or EXCHANGE where two places are found whose values differ and may change places."""
    _, _, _, movable, options = plan
    if move == EXCHANGE:
        for _ in range(TRIES):
            a, b = movable[below(state, movable.shape[0])], movable[below(state, movable.shape[0])]
            if genome[a] != genome[b] and genome[a] < options[b] and genome[b] < options[a]:
                genome[a], genome[b] = genome[b], genome[a]
                return
    place = movable[below(state, movable.shape[0])]
    genome[place] = (genome[place] + 1 + below(state, options[place] - 1)) % options[place]
