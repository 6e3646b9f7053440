"""Tables of Arrow as frames of pandas or polars, whichever is installed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from islands.errors import UsageError
from islands.kernels.keys import key_text, keys_of

if TYPE_CHECKING:
    from islands.store.run import Run


def solutions_frame(run: Run, library: str | None = None) -> Any:
    """A row per solution: id, genome, island, epoch, generation, seconds."""
    rows = run.solutions()
    ids = pa.array([key_text(key) for key in keys_of(rows.genome)], pa.string())
    return frame(rows.table().add_column(0, "id", ids), library)


def frame(table: pa.Table, library: str | None = None) -> Any:
    """A table as a frame of `library`, or of whichever there is. UsageError says what to install."""
    if library not in (None, *_MAKERS):
        raise UsageError(f"`library={library!r}`: expected {' or '.join(map(repr, _MAKERS))}.")
    for name, make in _MAKERS.items():
        with suppress(ImportError):
            if library in (None, name):
                return make(table)
    missing = "neither pandas nor polars is installed" if library is None else f"{library} is not installed"
    raise UsageError(f"{missing}: pip install {library or 'pandas'}. The same as an Arrow table needs neither.")


def _pandas(table: pa.Table) -> Any:
    import pandas as _  # noqa: F401

    return table.to_pandas()


def _polars(table: pa.Table) -> Any:
    import polars

    return polars.from_arrow(table)


_MAKERS = {"pandas": _pandas, "polars": _polars}
