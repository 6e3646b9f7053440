"""Messages as bytes. What there are thousands of a second is written in few words: light islands send small ones.

Plain pickle names every field of a message, and takes ten microseconds for an array of a few numbers. Both ends run the
same code, so that the values of a message in their order say the same.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.model.messages import Order, Report

SMALL = 1 << 14  # bytes of an array; a larger one is not copied once more, as pickle does best


class _Pickler(pickle.Pickler):
    dispatch_table = {}  # noqa: RUF012 - pickle wants it here


def pack(message: Any) -> bytes:
    """A message as bytes, which `pickle.loads` opens; its arrays are writable at the other end."""
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(message)
    return file.getvalue()


def _array(data: bytearray, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    return np.ndarray(shape, kind, data)


def _reduce_array(array: NDArray[Any]) -> Any:
    if array.nbytes > SMALL or array.dtype.hasobject or array.dtype.names is not None:
        return array.__reduce_ex__(5)
    return _array, (bytearray(array.tobytes()), array.dtype.str, array.shape)


def _order(*values: Any) -> Order:
    order = object.__new__(Order)
    order.__dict__.update(zip(_ORDER, values, strict=True))
    return order


def _report(*values: Any) -> Report:
    report = object.__new__(Report)
    report.__dict__.update(zip(_REPORT, values, strict=True))
    return report


def _values(message: Any, names: tuple[str, ...]) -> list[Any]:
    fields = message.__dict__
    return [fields[name] for name in names]


_ORDER, _REPORT = tuple(Order.__dataclass_fields__), tuple(Report.__dataclass_fields__)
_Pickler.dispatch_table = {
    np.ndarray: _reduce_array,
    Order: lambda order: (_order, tuple(_values(order, _ORDER))),
    Report: lambda report: (_report, tuple(_values(report, _REPORT))),
}
