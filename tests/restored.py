"""Damaged states of islands: one number, one shape or one array is not as it was written."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import numpy as np
from numpy.typing import NDArray

from islands.errors import IslandsError
from islands.model.island import Island
from islands.model.messages import Order, State
from islands.model.restoring import check_state


def lived(island: Island, epochs: int, generations: int) -> Island:
    """The island when it has lived; its state is checked after every epoch."""
    for _ in range(epochs):
        island.evolve(order(island, generations))
        check(island, island.state())
    return island


def order(island: Island, generations: int) -> Order:
    return Order(epoch=island.epoch, generations=generations, emigrants=1)


def check(island: Island, state: State) -> None:
    """ValueError where the state is not one of this island's."""
    check_state(state, island.recipe, island.space, island.epoch)


def damaged(state: State, random: Random) -> tuple[str, State]:
    """The state with one array changed, and what was done."""
    name = random.choice(sorted(state))
    array = state[name].copy()
    kind = random.choice(("number", "number", "number", "row", "shape", "type", "gone"))
    if kind == "gone":
        return f"{name} is gone", {other: kept for other, kept in state.items() if other != name}
    if kind == "shape":
        array = random.choice((array[:-1], array[None], np.concatenate((array, array))))
    elif kind == "type":
        with np.errstate(all="ignore"):  # an activity may be larger than any whole number
            array = array.astype(random.choice((np.float32, np.int64, np.int8, np.uint16)))
    elif kind == "row" and array.size:
        array.reshape(len(array), -1)[random.randrange(len(array))] = _number(array, random)
    elif array.size:
        array.flat[random.randrange(array.size)] = _number(array, random)
    return f"{name}: {kind}", {**state, name: array}


def _number(array: NDArray, random: Random) -> object:
    """A number of the array's type: extreme, near, of another place, or any."""
    if array.dtype == np.bool_:
        return random.random() < 0.5
    other = array.flat[random.randrange(array.size)]
    if array.dtype.kind == "f":
        return random.choice((0.0, -1.0, float("inf"), float("nan"), float(np.finfo(array.dtype).max), float(other)))
    limits = np.iinfo(array.dtype)
    near = int(other) + random.choice((-1, 1, 1 << 10, -(1 << 10)))
    anything = random.randint(int(limits.min), int(limits.max))
    number = random.choice((0, -1, int(limits.min), int(limits.max), near, int(other), anything))
    return min(max(number, int(limits.min)), int(limits.max))


def goes_on_or_is_refused(island: Island, state: State, generations: int) -> bool:
    """Whether the state was refused; what is not refused is lived for an epoch, which must come to its end."""
    try:
        check(island, state)
    except ValueError:
        return True
    again = Island(island.spec)
    again.restore(state)
    with suppress(IslandsError):  # a puzzle that complains is no crash
        again.evolve(order(again, generations))
    return False
