"""Messages as bytes. What there are thousands of a second is written in few words: light islands send small ones.

Plain pickle names every field of a message, and takes ten microseconds for an array of a few numbers. Both ends run the
same code, so that the values of a message in their order say the same, and an array is its numbers: pickle is given
nothing else, and asks nobody how to write it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.model.messages import Crossing, New, News, Order, Report
from islands.shards.messages import Counted, Counts
from islands.shards.parts import Part

SMALL = 1 << 14  # bytes of an array; a larger one is not copied once more, as pickle does best


def pack(message: Any) -> bytes:
    """A message as bytes, which `pickle.loads` opens; its arrays are writable at the other end."""
    if type(message) is tuple:  # an order, and the state before it
        return pickle.dumps(tuple([_lean(part) for part in message]), protocol=5)
    return pickle.dumps(_lean(message), protocol=5)


class _Values:
    """What pickle writes in place of a message: `make(values)` is the message."""

    __slots__ = ("make", "values")

    def __init__(self, make: Callable[..., Any], values: list[Any]) -> None:
        self.make, self.values = make, values

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[list[Any]]]:
        return self.make, (self.values,)


def _lean(message: Any) -> Any:
    """The same for pickle, in few words if there are many such messages."""
    form = _FORMS.get(type(message))
    return message if form is None else _Values(form.make, form.values_of(message))


class _Form:
    """How a dataclass is written: `parts` are the fields that are written otherwise, and read with the second one."""

    def __init__(
        self,
        kind: type,
        make: Callable[..., Any],
        **parts: tuple[Callable[[Any], Any], Callable[[Any], Any]],
    ) -> None:
        self.kind, self.make = kind, make
        self.names = tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]
        self._parts = [(self.names.index(name), *ways) for name, ways in parts.items()]

    def values_of(self, message: Any) -> list[Any]:
        fields = message.__dict__
        values = [fields[name] for name in self.names]
        for place, write, _ in self._parts:
            if values[place] is not None:
                values[place] = write(values[place])
        return values

    def made(self, values: list[Any]) -> Any:
        for place, _, read in self._parts:
            if values[place] is not None:
                values[place] = read(values[place])
        message: Any = object.__new__(self.kind)
        message.__dict__.update(zip(self.names, values))  # noqa: B905 - it takes half of the time
        return message


# Arrays: the name of their kind, their shape, their numbers

_kind = lru_cache(256)(np.dtype)


@lru_cache(256)
def _name(kind: np.dtype[Any]) -> str:
    return kind.str  # which NumPy makes anew each time


def _numbers(array: NDArray[Any]) -> Any:
    kind = array.dtype
    if array.nbytes > SMALL or kind.hasobject or kind.names is not None:
        return array
    name = _name(kind)
    return (name, array.shape, bytearray(array.tobytes())) if array.size else (name, array.shape)


def _array(numbers: Any) -> NDArray[Any]:
    if type(numbers) is not tuple:
        large: NDArray[Any] = numbers
        return large
    if len(numbers) == 2:
        return _empty(*numbers)
    name, shape, data = numbers
    return np.ndarray(shape, _kind(name), data)


@lru_cache(256)
def _empty(name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Most reports bring no solution: an array without a number may be the same one every time."""
    return np.empty(shape, name)


def _all_numbers(arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    return {name: _numbers(array) for name, array in arrays.items()}


def _all_arrays(numbers: dict[str, Any]) -> dict[str, NDArray[Any]]:
    return {name: _array(some) for name, some in numbers.items()}


_ONE = _numbers, _array
_NAMED = _all_numbers, _all_arrays


# Messages


def _order(values: list[Any]) -> Order:
    order: Order = _FORMS[Order].made(values)
    return order


def _report(values: list[Any]) -> Report:
    report: Report = _FORMS[Report].made(values)
    return report


def _part(values: list[Any]) -> Part:
    part: Part = _FORMS[Part].made(values)
    return part


def _counts(values: list[Any]) -> Counts:
    counts: Counts = _FORMS[Counts].made(values)
    return counts


def _flat(counted: tuple[Counted, ...]) -> list[Any]:
    return [value for epoch, island, new in counted for value in (epoch, island, *new)]


def _counted(flat: list[Any]) -> tuple[Counted, ...]:
    values = iter(flat)
    return tuple([Counted(epoch, island, New(*new)) for epoch, island, *new in zip(*[values] * 5, strict=True)])


_FORMS: dict[type, _Form] = {
    Order: _Form(
        Order,
        _order,
        immigrants=_ONE,
        senders=_ONE,
        ancestry=_ONE,
        shared=(
            lambda shared: tuple([_all_numbers(arrays) for arrays in shared]),
            lambda shared: tuple([_all_arrays(arrays) for arrays in shared]),
        ),
        news=(tuple, News._make),
        tasks=(lambda tasks: (tasks.start, tasks.stop), lambda tasks: range(*tasks)),
    ),
    Report: _Form(
        Report,
        _report,
        solutions=_ONE,
        keys=_ONE,
        born=_ONE,
        ancestry=_ONE,
        crossings=(
            lambda crossings: [tuple(crossing) for crossing in crossings],
            lambda crossings: tuple([Crossing._make(crossing) for crossing in crossings]),
        ),
        emigrants=_ONE,
        emigrated=_ONE,
        shared=_NAMED,
        snapshot=_NAMED,
        tally=_ONE,
    ),
    Part: _Form(Part, _part, genomes=_ONE, keys=_ONE, born=_ONE, position=_ONE, ancestry=_ONE),
    Counts: _Form(Counts, _counts, counted=(_flat, _counted)),
}
