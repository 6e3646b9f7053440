"""Checks of an island's memory that comes from a file: kernels use its numbers as indices, and check nothing.

A recipe whose operators remember anything has a `recall` made of these. ValueError says what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from islands.operators.space import Genomes, Memory, Space

LARGEST = 1 << 40  # of a number that only counts: no arithmetic with it overflows


def expect(
    memory: Memory,
    name: str,
    kind: DTypeLike,
    shape: tuple[int | None, ...],
    least: int | None = None,
    most: int | None = None,
) -> NDArray[Any]:
    """The array of this name, of this type and shape (None: any length), its numbers from `least` to `most`."""
    if name not in memory:
        raise ValueError(f"{name} is missing")
    array = memory[name]
    fits = array.ndim == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(kind) or not fits:
        raise ValueError(f"{name} is {array.dtype} {array.shape} instead of {np.dtype(kind)} {shape}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{name} has what is not a number")
    if array.size and ((least is not None and array.min() < least) or (most is not None and array.max() > most)):
        raise ValueError(f"{name} has numbers that are not between {least} and {most}")
    return array


def expect_genomes(memory: Memory, name: str, count: int | None, space: Space) -> Genomes:
    """The array of this name: `count` genomes of the space (None: any number of them)."""
    genomes: Genomes = expect(memory, name, np.int32, (count, space.length))
    if not space.contains(genomes).all():
        raise ValueError(f"{name} has what is not a candidate")
    return genomes


def expect_only(memory: Memory, *names: str) -> None:
    """Nothing else is remembered."""
    if others := set(memory) - set(names):
        raise ValueError(f"{min(others)} is unknown")
