"""What the functions of a puzzle may return, and the values of its capabilities and recipes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping
from math import inf
from typing import Any

import numpy as np

Check = Callable[[Any, tuple[Any, ...]], str | None]
"""(a value, the arguments of the function that returned it) -> what was expected instead; None where it is right."""

INT32 = np.dtype(np.int32)
LARGEST = 2**62  # of costs


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer | np.bool_)


def whole(least: int, most: float = inf) -> Check:
    """The check for a whole number in a range."""
    range_ = f"of at least {least}" if most == inf else f"from {least} to {most}"

    def check(value: Any, _: tuple[Any, ...]) -> str | None:
        return None if is_whole(value) and least <= value <= most else f"a whole number {range_}"

    return check


def optional(check: Check) -> Check:
    """The check for None, or for what passes another."""

    def either(value: Any, arguments: tuple[Any, ...]) -> str | None:
        wanted = None if value is None else check(value, arguments)
        return None if wanted is None else f"{wanted}, or None"

    return either


def share(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, int | float | np.number) and 0 <= value <= 1
    return None if fits else "a number from 0 to 1"


def whole_or_none(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = value is None or (is_whole(value) and value >= 0)
    return None if fits else "a whole number of at least 0, or None"


def truth(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, bool | np.bool_) else "True or False"


def text(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, str) else "a text"


def bytes_(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, bytes) else "bytes"


def text_or_none(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if value is None or isinstance(value, str) else "a text or None"


def dictionary(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, dict) else "a dictionary"


def word(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, str) and value.strip() else "a word"


def word_or_none(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if value is None else word(value, ())


def texts(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
    return None if fits else "a tuple of texts"


def named(check: Check, meaning: str) -> Check:
    """The check for a dictionary with texts as keys, whose values pass `check`."""

    def each(value: Any, _: tuple[Any, ...]) -> str | None:
        fits = isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
        return None if fits and not any(check(one, ()) for one in value.values()) else f"a dictionary of {meaning}"

    return each


def finite(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, int | float | np.number) and np.isfinite(value)
    return None if fits else "a number"


def function(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if callable(value) else "a function"


def array(value: Any, _: tuple[Any, ...]) -> str | None:
    return None if isinstance(value, np.ndarray) and not value.dtype.hasobject else "an array"


def styled_text(value: Any, _: tuple[Any, ...]) -> str | None:
    rich = sys.modules.get("rich.text")
    return None if rich is not None and isinstance(value, rich.Text) else "a rich.text.Text"


def costs_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """(n,) whole numbers of at least 0 for the last argument, (n, length)."""
    count = len(arguments[-1])
    if not isinstance(value, np.ndarray) or value.shape != (count,) or value.dtype.kind not in "iu":
        return f"an array of whole numbers of shape ({count},)"
    if count and value.min() < 0:
        return f"costs (the least is 0 = solved, and it gave {value.min()})"
    if count and value.dtype.kind == "u" and value.max() > LARGEST:
        return f"costs (the largest is {LARGEST}, and it gave {value.max()})"
    return None


def cost_of(value: Any, _: tuple[Any, ...]) -> str | None:
    if not is_whole(value):
        return "a whole number (0 = solved); write int(...)"
    return None if 0 <= value <= LARGEST else f"a cost (the least is 0 = solved, the largest {LARGEST})"


def like_last(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Genomes of the same shape as the last argument that is an array."""
    shape = next(one.shape for one in reversed(arguments) if isinstance(one, np.ndarray))
    fits = isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind in "iu"
    return None if fits else f"genomes of shape {shape}"


def flags_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    count = len(arguments[-1])
    fits = isinstance(value, np.ndarray) and value.shape == (count,) and value.dtype.kind == "b"
    return None if fits else f"truth values of shape ({count},)"


def shares_of(value: Any, arguments: tuple[Any, ...]) -> str | None:
    count = len(arguments[-1])
    fits = isinstance(value, np.ndarray) and value.shape == (count,) and value.dtype.kind == "f"
    return None if fits else f"shares, floats from 0 to 1, of shape ({count},)"


def genomes_or_number(value: Any, _: tuple[Any, ...]) -> str | None:
    number = is_whole(value) and value >= 0
    fits = (
        number
        or isinstance(value, Generator)
        or (isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "iu")
    )
    return None if fits else "genomes, (n, length) whole numbers, or how many there are"


def tasks_and_genomes(value: Any, _: tuple[Any, ...]) -> str | None:
    fits = isinstance(value, tuple) and len(value) == 2 and all(isinstance(one, np.ndarray) for one in value)
    if fits:
        tasks, genomes = value
        fits = tasks.dtype.kind + genomes.dtype.kind in ("ii", "iu", "ui", "uu") and genomes.ndim == 2
        fits = fits and tasks.shape == genomes.shape[:1]
    return None if fits else "the task of each genome, (n,), and genomes, (n, length), whole numbers"


def instance_of(*kinds: Any, none: bool = False) -> Check:
    """The check for a value of one of these classes."""
    names = " or ".join(kind.__name__ for kind in kinds) + (" or None" if none else "")
    article = "an" if names[0] in "AEIOU" else "a"

    def check(value: Any, _: tuple[Any, ...]) -> str | None:
        return None if isinstance(value, kinds) or (none and value is None) else f"{article} {names}"

    return check


def class_of(kind: type) -> Check:
    """The check for a class derived from `kind`, or None."""

    def check(value: Any, _: tuple[Any, ...]) -> str | None:
        fits = value is None or (isinstance(value, type) and issubclass(value, kind))
        return None if fits else f"a class derived from {kind.__name__}, or None"

    return check


def list_of(kind: type, meaning: str) -> Check:
    """The check for a list or tuple of instances of a class."""

    def check(value: Any, _: tuple[Any, ...]) -> str | None:
        fits = isinstance(value, list | tuple) and all(isinstance(one, kind) for one in value)
        return None if fits else f"a list of {meaning}"

    return check


# What the operators of a recipe return. They are called in every generation: a check looks at types and shapes alone.


def _is_genomes(value: Any, shape: tuple[int, ...]) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == INT32 and value.shape == shape


def parents(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Of `select`: (population, costs, (families, parents), rng)."""
    shape = arguments[2]
    fits = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.shape == shape
    return None if fits else f"numbers of rows, whole numbers of shape {shape}"


def children(count: int) -> Check:
    """Of `cross`: ((families, parents, length), rng)."""

    def check(value: Any, arguments: tuple[Any, ...]) -> str | None:
        families, _, length = arguments[0].shape
        shape = (families, count, length)
        fits = _is_genomes(value, shape)
        if isinstance(value, tuple) and len(value) == 2:
            points = value[1]
            told = isinstance(points, np.ndarray) and points.dtype.kind in "iu" and points.ndim == 2
            fits = told and len(points) == families and _is_genomes(value[0], shape)
        wanted = f"int32 genomes of shape {shape} (families, children, length)"
        return None if fits else f"{wanted}, or these and whole numbers of shape ({families}, points)"

    return check


def nothing(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Of `mutate`: (genomes, rng)."""
    return None if value is None or value is arguments[0] else "nothing: it changes the genomes that it is given"


def more(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Of `harvest`: (solved, rng, memory)."""
    length = arguments[0].shape[1]
    fits = isinstance(value, np.ndarray) and value.ndim == 2 and _is_genomes(value, (len(value), length))
    return None if fits else f"int32 genomes of shape (n, {length})"


def settlers(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Of `settle`: (number, rng)."""
    fits = isinstance(value, np.ndarray) and value.ndim == 2 and _is_genomes(value, (arguments[0], value.shape[1]))
    return None if fits else f"int32 genomes of shape ({arguments[0]}, length)"


def survivors(value: Any, arguments: tuple[Any, ...]) -> str | None:
    """Of `survive`: (candidates, places, rng)."""
    places = arguments[1]
    fits = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim == 1 and 0 < len(value) <= places
    return None if fits else f"numbers of candidates, whole numbers of shape (n,) with n from 1 to {places}"
