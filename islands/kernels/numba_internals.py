"""The only module that uses names which numba does not document, or documents for its own developers.

Numba may move such a name in any release. For that reason pyproject.toml allows only releases that were tested, and
tests/kernels/test_numba_internals.py says which name has moved. Without one of them the import of the first kernel
fails, with an error that names it. `NAMES`, `ATTRIBUTES` and `OPTIONS` list them all, each with its reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pickle import UnpicklingError
from typing import Any

from numba.core import caching, event
from numba.core.runtime import rtsys
from numba.cpython.unsafe.numbers import trailing_zeros as trailing_zeros

TESTED = ">=0.61,<0.69"  # the releases of numba that pyproject.toml allows

# Options of `njit`
NO_C_ENTRY = {"no_cfunc_wrapper": True}
NO_PYTHON_ENTRY = {"no_cpython_wrapper": True}
NO_COUNTING = {"_nrt": False}
INLINED = {"forceinline": True}

DAMAGED = (UnpicklingError, AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError, ValueError)
"""What reading a torn or damaged file of kernels may raise."""

NAMES = {
    "numba.core.event:Listener": "the line that says that kernels are being compiled",
    "numba.core.event:register": "the line that says that kernels are being compiled",
    "numba.core.event:install_listener": "the time of an epoch without that of the compiler",
    "numba.cpython.unsafe.numbers:trailing_zeros": "the lowest bit of a number in one instruction",
    "numba.core.caching:FunctionCache": "a cache where there is a place for one; cache=True would raise",
    "numba.core.caching:Cache._guard_against_spurious_io_errors": "kernels are loaded without the compiler",
    "numba.core.caching:Cache._load_overload": "kernels are loaded without the compiler",
    "numba.core.caching:NullCache": "a kernel without a cache",
    "numba.core.runtime:rtsys": "what object code needs of numba, and nothing else",
}
"""Name -> what it is needed for."""

ATTRIBUTES = {
    "_cache": "where a compiled function looks for its versions on the disk",
    "_cache._cache_file": "the index of a function's versions on the disk",
    "_cache._cache_file._source_stamp": "what an index was made from: another stamp, and it is thrown away",
}
"""Attribute of a compiled function with a cache -> what it is. `keep_on_disk` needs them."""

OPTIONS = {
    "no_cfunc_wrapper": "nobody calls a kernel from C, so that entry need not be compiled",
    "no_cpython_wrapper": "without the entry from Python a kernel that only kernels call compiles in two thirds",
    "forceinline": "a kernel that takes tuples of arrays is called by handing over seven numbers for each of them",
    "_nrt": "without reference counting a kernel with many arrays is up to 1.4 times as fast",
}
"""Option of `njit` -> what it is good for."""


def keep_on_disk(compiled: Any, stamp: Callable[[], str | None]) -> None:
    """Cache a compiled function where there is a place for it, and compile it again when numba's own stamp or this one
    is no longer the same. A stamp of None: what is compiled now must not be kept."""
    compiled._cache = _KernelCache(compiled.py_func, stamp)


class _KernelCache:
    """The cache of one kernel, opened when the kernel is first called: most kernels of a process never are."""

    def __init__(self, function: Callable[..., Any], stamp: Callable[[], str | None]) -> None:
        self._function, self._stamp = function, stamp

    @cached_property
    def _cache(self) -> Any:
        stamp = self._stamp()
        if stamp is None:
            return caching.NullCache()
        try:
            cache = caching.FunctionCache(self._function)
        except RuntimeError:  # there is no place that can be written
            return caching.NullCache()
        # Numba's stamp covers the function's own file alone; there is no public way to add to it (its issue 1833)
        index = cache._cache_file
        index._source_stamp = index._source_stamp, stamp
        return cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        """As numba does it, but for one thing: it registers the whole compiler first, a quarter of the time until a
        second run has its answer. Object code needs the run-time system alone, and whoever compiles registers."""
        cache = self._cache
        if isinstance(cache, caching.NullCache):
            return None
        rtsys.initialize(target)
        try:
            with cache._guard_against_spurious_io_errors():
                return cache._load_overload(signature, target)
        except DAMAGED:
            with suppress(OSError):
                cache.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        with suppress(OSError):  # no space left: the kernel is compiled, and works
            self._cache.save_overload(signature, result)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)


@contextmanager
def compile_time() -> Iterator[Callable[[], float]]:
    """While inside: how many seconds this process has spent compiling kernels, also the one under way."""
    clock = _CompileClock()
    with event.install_listener("numba:compile", clock):
        yield clock.seconds


def on_compile(call: Callable[[], None]) -> None:
    """Call `call` whenever a kernel really is compiled (not when it is loaded from the cache)."""
    event.register("numba:compile", _OnCompile(call))


class _CompileClock(event.Listener):  # type: ignore[misc]
    """Kernels that a kernel calls are compiled while it is: only the outermost counts."""

    def __init__(self) -> None:
        self._depth, self._began, self._spent = 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        if not self._depth:
            self._began = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            self._spent += time.perf_counter() - self._began

    def seconds(self) -> float:
        return self._spent + (time.perf_counter() - self._began if self._depth else 0.0)


class _OnCompile(event.Listener):  # type: ignore[misc]
    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call

    def on_start(self, event: Any) -> None:
        self.call()

    def on_end(self, event: Any) -> None:
        pass
