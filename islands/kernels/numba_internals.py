"""The only module that uses names which numba does not document, or documents for its own developers.

Numba may move such a name in any release. For that reason pyproject.toml allows only releases that were tested, and
tests/kernels/test_numba_internals.py says which name has moved. Without one of them the import of the first kernel
fails, with an error that names it. `NAMES`, `ATTRIBUTES` and `OPTIONS` list them all, each with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import event
from numba.cpython.unsafe.numbers import trailing_zeros as trailing_zeros

TESTED = ">=0.61,<0.69"  # the releases of numba that pyproject.toml allows

# Options of `njit`
NO_C_ENTRY = {"no_cfunc_wrapper": True}
NO_PYTHON_ENTRY = {"no_cpython_wrapper": True}
NO_COUNTING = {"_nrt": False}

NAMES = {
    "numba.core.event:Listener": "the line that says that kernels are being compiled",
    "numba.core.event:register": "the line that says that kernels are being compiled",
    "numba.cpython.unsafe.numbers:trailing_zeros": "the lowest bit of a number in one instruction",
    "numba.core.dispatcher:Dispatcher.enable_caching": "a cache where there is a place for one; cache=True would raise",
}
"""Name -> what it is needed for."""

ATTRIBUTES = {
    "_cache": "compiled functions on the disk",
    "_cache._cache_file": "the index of a function's versions on the disk",
    "_cache._cache_file._source_stamp": "what an index was made from: another stamp, and it is thrown away",
}
"""Attribute of a compiled function -> what it is. `keep_on_disk` needs them."""

OPTIONS = {
    "no_cfunc_wrapper": "nobody calls a kernel from C, so that entry need not be compiled",
    "no_cpython_wrapper": "without the entry from Python a kernel that only kernels call compiles in two thirds",
    "_nrt": "without reference counting a kernel with many arrays is up to 1.4 times as fast",
}
"""Option of `njit` -> what it is good for."""


def keep_on_disk(compiled: Any, stamp: str) -> None:
    """Cache a compiled function, and compile it again when numba's own stamp or this one is no longer the same.

    Numba's stamp covers the function's own file alone; there is no public way to add to it (its issue 1833). Raises
    RuntimeError if there is no place for a cache that can be written.
    """
    compiled.enable_caching()
    index = compiled._cache._cache_file
    index._source_stamp = index._source_stamp, stamp


def on_compile(call: Callable[[], None]) -> None:
    """Call `call` whenever a kernel really is compiled (not when it is loaded from the cache)."""
    event.register("numba:compile", _OnCompile(call))


class _OnCompile(event.Listener):  # type: ignore[misc]
    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call

    def on_start(self, event: Any) -> None:
        self.call()

    def on_end(self, event: Any) -> None:
        pass
