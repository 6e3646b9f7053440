"""Say that kernels are being compiled."""

from __future__ import annotations

import sys
from functools import cache


@cache
def announce_compilation() -> None:
    """Say once per process that kernels are being compiled: it is the one long wait of a newcomer."""
    from islands.kernels.numba_internals import on_compile

    on_compile(_compiling)


@cache
def _compiling() -> None:
    print("compiling kernels (once per machine)", file=sys.stderr, flush=True)
