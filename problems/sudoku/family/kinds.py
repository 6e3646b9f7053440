"""The rules that a puzzle adds to its groups, one kind at a time, and what each means: slow, obvious, apart from the
search.

    extra    a kind, the cells it is about, perhaps a number: `cage 15: r1c1 r1c2 r2c2`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Values = Sequence[int]
Holds = Callable[[Values, int | None, int], bool]  # the values of the cells, the number, the highest value


@dataclass(frozen=True)
class Extra:
    """One rule about some cells."""

    kind: str
    cells: tuple[int, ...]
    number: int | None = None


@dataclass(frozen=True)
class Kind:
    """What an extra of this name says."""

    holds: Holds
    sentence: str  # for somebody with the page in hand
    number: str = ""  # what its number is; empty: it has none
    needs_number: bool = False
    fewest: int = 2  # cells
    most: int | None = None
    usual: int | None = None  # the number where none is given


def _different(values: Values) -> bool:
    return len(set(values)) == len(values)


def _consecutive(values: Values) -> bool:
    return _different(values) and max(values) - min(values) == len(values) - 1


KINDS: dict[str, Kind] = {
    "cage": Kind(
        lambda values, total, n: _different(values) and total in (None, sum(values)),
        "The values of a cage are different, and their sum is the small number.",
        number="the sum", fewest=1,
    ),
    "sum": Kind(
        lambda values, total, n: sum(values) == total,
        "The values of marked cells have the sum that is given; they may repeat.",
        number="the sum", needs_number=True, fewest=1,
    ),
    "arrow": Kind(
        lambda values, _, n: values[0] == sum(values[1:]),
        "The values along an arrow have the sum in its circle.",
    ),
    "thermometer": Kind(
        lambda values, _, n: all(one < other for one, other in pairwise(values)),
        "Values grow along a thermometer from its bulb.",
    ),
    "less": Kind(
        lambda values, _, n: values[0] < values[1],
        "The sign points to the lower of two values.", most=2,
    ),
    "greater": Kind(
        lambda values, _, n: values[0] > values[1],
        "The sign points to the lower of two values.", most=2,
    ),
    "white": Kind(
        lambda values, step, n: abs(values[0] - values[1]) == step,
        "The difference of two values with a white dot is 1, or the number in the dot.",
        number="the difference", most=2, usual=1,
    ),
    "black": Kind(
        lambda values, ratio, n: max(values) == (ratio or 0) * min(values),
        "Of two values with a black dot one is twice the other, or as many times as the dot says.",
        number="the ratio", most=2, usual=2,
    ),
    "x": Kind(lambda values, _, n: sum(values) == 10, "Two values with an X have the sum 10.", most=2),
    "v": Kind(lambda values, _, n: sum(values) == 5, "Two values with a V have the sum 5.", most=2),
    "odd": Kind(lambda values, _, n: all(value % 2 == 1 for value in values), "Round cells are odd.", fewest=1),
    "even": Kind(lambda values, _, n: all(value % 2 == 0 for value in values), "Square cells are even.", fewest=1),
    "equal": Kind(lambda values, _, n: len(set(values)) == 1, "Cells that are joined have the same value."),
    "palindrome": Kind(
        lambda values, _, n: list(values) == list(values)[::-1],
        "A palindrome reads the same from both ends.",
    ),
    "whisper": Kind(
        lambda values, step, n: all(abs(one - other) >= (step or 0) for one, other in pairwise(values)),
        "Neighbours on a whisper differ by 5 at least, or by its number.",
        number="the least difference", usual=5,
    ),
    "renban": Kind(
        lambda values, _, n: _consecutive(values),
        "The values of a renban line are consecutive, in any order.",
    ),
    "group": Kind(lambda values, _, n: _different(values), "The values of a marked group are different."),
}  # fmt: skip
"""By the name that a file has for them."""
