"""`@kernel`: a small compiled function over arrays and scalars; plain Python with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import time_ns
from typing import Any, TypeVar, cast

from numba import config, njit
from numba.extending import intrinsic, overload

from islands.kernels.numba_internals import (
    INLINED,
    NO_C_ENTRY,
    NO_COUNTING,
    NO_PYTHON_ENTRY,
    keep_on_disk,
    trailing_zeros,
)
from islands.kernels.sources import stamp

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first use; the GIL is released, so that a screen can go on drawing."""
    return _compiled(function)


def lean_kernel(function: Function) -> Function:
    """A kernel that makes no arrays, compiled without reference counting: up to 1.4 times as fast with many arrays."""
    return _compiled(function, **NO_COUNTING)


def inner_kernel(function: Function) -> Function:
    """A lean kernel that only other kernels call: Python cannot, and it compiles in about two thirds of the time."""
    return _compiled(function, **NO_COUNTING, **NO_PYTHON_ENTRY)


def inlined_kernel(function: Function) -> Function:
    """An inner kernel whose body stands wherever it is called: a call would hand over each array as seven numbers."""
    return _compiled(function, **NO_COUNTING, **NO_PYTHON_ENTRY, **INLINED)


def _compiled(function: Function, **options: bool) -> Function:
    compiled = njit(nogil=True, **NO_C_ENTRY, **options)(function)
    if not config.DISABLE_JIT:
        keep_on_disk(compiled, partial(stamp, (function.__module__, __name__), time_ns()))
    return cast(Function, compiled)


def lowest(bits: int) -> int:
    """The place of the lowest 1 of a positive number; in a kernel, one instruction."""
    return int(bits & -bits).bit_length() - 1


@overload(lowest)
def _lowest(bits):  # type: ignore[no-untyped-def]  # numba wants the signature of what it returns
    return lambda bits: trailing_zeros(bits)


def ones(bits: int) -> int:
    """How many bits of a number that is not negative are 1; in a kernel, one instruction."""
    return int(bits).bit_count()


@intrinsic
def _population(context, bits):  # type: ignore[no-untyped-def]  # numba wants it without
    def counted(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(*arguments)

    return bits(bits), counted


@overload(ones)
def _ones(bits):  # type: ignore[no-untyped-def]
    return lambda bits: _population(bits)
