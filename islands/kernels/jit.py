"""`@kernel`: a small compiled function over arrays and scalars; plain Python with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config, event
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import overload

from islands.kernels.sources import stamp

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first use; the GIL is released, so that a screen can go on drawing."""
    return _compiled(function)


def lean_kernel(function: Function) -> Function:
    """A kernel that makes no arrays, compiled without reference counting: up to 1.4 times as quick with many arrays."""
    return _compiled(function, _nrt=False)


def inner_kernel(function: Function) -> Function:
    """A lean kernel that only other kernels call: without the door from Python it compiles in about two thirds."""
    return _compiled(function, _nrt=False, no_cpython_wrapper=True)


def _compiled(function: Function, **options: bool) -> Function:
    compiled = njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
    if not config.DISABLE_JIT:
        with suppress(RuntimeError):  # there is no place for a cache that can be written
            compiled.enable_caching()
            # Numba looks at the kernel's own file alone, and has no public way to say more (its issue 1833).
            index = compiled._cache._cache_file
            index._source_stamp = index._source_stamp, stamp(function.__module__, __name__)
    return cast(Function, compiled)


def lowest(bits: int) -> int:
    """The place of the lowest 1 of a positive number; in a kernel, one instruction."""
    return int(bits & -bits).bit_length() - 1


@overload(lowest)
def _lowest(bits):  # type: ignore[no-untyped-def]  # numba wants the signature of what it returns
    return lambda bits: trailing_zeros(bits)


class _OnCompile(event.Listener):  # type: ignore[misc]
    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call

    def on_start(self, event: Any) -> None:
        self.call()

    def on_end(self, event: Any) -> None:
        pass


def on_compile(call: Callable[[], None]) -> None:
    """Call `call` whenever a kernel really is compiled (not when it is loaded from the cache)."""
    event.register("numba:compile", _OnCompile(call))
