"""Solutions as people and files see them: one with its provenance, or the columns of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import ValidationError

from islands.errors import Damaged
from islands.kernels.keys import key_text, keys_of
from islands.model.ancestry import homes
from islands.model.origin import Origin
from islands.model.problem import Problem, merits
from islands.operators.space import Genomes, Space, Stored
from islands.store.files import npy_name


@dataclass(frozen=True)
class Solution:
    """One verified solution and where it was found."""

    id: str
    puzzle: str
    problem: Problem
    genome: Genomes
    island: int
    epoch: int
    generation: int
    seconds: float
    file: str | None = None  # path or URL of a large genome
    origin: Origin | None = None  # its parents, where they were cut, where it mutated: of a run that traces
    ancestry: tuple[int, ...] = ()  # the islands on which its ancestors lived, of a run that migrates

    @property
    def text(self) -> str:
        return self.problem.show(self.genome)

    def json(self) -> dict[str, Any]:
        """What `--json` prints, one object per solution; of a large genome the name of its file."""
        genome = {"genome": self.genome.tolist()} if self.file is None else {"file": self.file}
        return {
            "id": self.id,
            "puzzle": self.puzzle,
            **genome,
            "text": self.text,
            **merits(self.problem, self.genome),
            "island": self.island,
            "epoch": self.epoch,
            "generation": self.generation,
            "seconds": round(self.seconds, 6),
            **({"ancestry": list(self.ancestry)} if self.ancestry else {}),
            **({} if self.origin is None else {"origin": self.origin.model_dump(mode="json", exclude_defaults=True)}),
        }

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.problem.svg(self.genome)


@dataclass(frozen=True)
class Solutions:
    """Columns of n solutions: canonical genomes (n, length) and, for each, where and when it was found."""

    genome: Stored
    island: NDArray[np.int32]
    epoch: NDArray[np.int64]
    generation: NDArray[np.int64]
    seconds: NDArray[np.float64]
    origin: NDArray[np.object_] | None = None  # as `Origin.text`, "" where it is not known; None: of none of them
    ancestry: NDArray[np.uint64] | None = None  # bits of the islands of its ancestors, 0 where they are not known
    position: NDArray[np.int32] | None = None  # in the report that brought it; shards' rows are merged by it

    def __len__(self) -> int:
        return len(self.genome)

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> Self:
        columns: list[Any] = [getattr(self, column.name) for column in fields(self)]
        chosen: list[Any] = [column if column is None else column[rows] for column in columns]
        return type(self)(*chosen)

    @classmethod
    def empty(cls, space: Space) -> Self:
        return cls(
            np.empty((0, space.length), space.dtype),
            np.empty(0, np.int32),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.empty(0, np.float64),
        )

    @classmethod
    def joined(cls, parts: Iterable[Solutions], space: Space) -> Self:
        parts = [part for part in parts if len(part)] or [cls.empty(space)]
        if len(parts) == 1:  # genomes may be large: no copy
            return cls(*(getattr(parts[0], column.name) for column in fields(cls)))
        parts = completed(parts)
        columns: list[Any] = [[getattr(part, column.name) for part in parts] for column in fields(cls)]
        together: list[Any] = [column[0] if column[0] is None else np.concatenate(column) for column in columns]
        return cls(*together)

    @classmethod
    def merged(cls, parts: Sequence[Solutions], space: Space) -> Self:
        """Rows of several shards in the order found."""
        rows = cls.joined(parts, space)
        if rows.position is None:
            return rows
        return rows[np.lexsort((rows.position, rows.island, rows.epoch))]

    def turns(self) -> dict[tuple[int, int], int] | None:
        """How many of these rows each report has brought, by epoch and island, in the order of reports; None where the
        rows are in another order: a run that lived an epoch longer than before keeps what was shown in its place."""
        places = self.epoch * (int(self.island.max(initial=0)) + 1) + self.island
        if np.any(places[1:] < places[:-1]):
            return None
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        counts = np.diff(starts, append=len(self)).tolist()
        return dict(
            zip(zip(self.epoch[starts].tolist(), self.island[starts].tolist(), strict=True), counts, strict=True)
        )

    def table(self) -> pa.Table:
        """An Arrow table; a genome is a list of fixed length."""
        flat = _arrow(self.genome.astype(np.int32, copy=False))
        genome = pa.FixedSizeListArray.from_arrays(flat, self.genome.shape[1])
        return pa.table({"genome": genome, **self._rest()})

    def stored(self, ids: Sequence[str] | None = None) -> pa.Table:
        """An Arrow table as runs keep it: a genome is its numbers' bytes, their type in the metadata; or only named.

        Lists of numbers would take ten times as long to write, and more space.
        """
        if ids is not None:
            first: tuple[str, pa.Array] = ("id", pa.array(ids, pa.string()))
        else:
            first = ("genome", _arrow(self.genome, pa.binary(self.genome.shape[1] * self.genome.itemsize)))
        columns = {first[0]: first[1], **self._rest()}
        if self.origin is not None:
            columns["origin"] = pa.array(self.origin.tolist(), pa.string())
        if self.ancestry is not None:
            columns["ancestry"] = _arrow(self.ancestry)
        if self.position is not None:
            columns["position"] = _arrow(self.position)
        schema = pa.schema(
            [pa.field(name, column.type, nullable=False) for name, column in columns.items()],
            metadata={TYPE: self.genome.dtype.str},
        )
        return pa.table(list(columns.values()), schema=schema)

    @classmethod
    def from_table(cls, table: pa.Table, genomes: Stored | None = None) -> Self:
        """The rows of a `stored` table; `genomes` where it has ids. ValueError where it is no such table."""
        rest: list[Any] = [
            _numpy(table[name], pa.from_numpy_dtype(kind), np.dtype(kind)) for name, kind in _KINDS.items()
        ]
        if genomes is None:
            number = _NUMBERS[table.schema.metadata[TYPE].decode()]
            width = getattr(table.schema.field("genome").type, "byte_width", 0)
            if not width or width % number.itemsize:
                raise ValueError(f"a genome has {width} bytes, of numbers of {number.itemsize}")
            genomes = _numpy(table["genome"], pa.binary(width), np.dtype((number, (width // number.itemsize,))))
        origins = table["origin"].to_pylist() if "origin" in table.column_names else None
        if origins is not None and not all(isinstance(origin, str) for origin in origins):
            raise ValueError("an origin is not a text")
        known = "ancestry" in table.column_names
        ancestry = _numpy(table["ancestry"], pa.uint64(), np.dtype(np.uint64)) if known else None
        placed = "position" in table.column_names  # not in files of older versions
        position = _numpy(table["position"], pa.int32(), np.dtype(np.int32)) if placed else None
        columns: list[Any] = [genomes, *rest, origins_column(origins), ancestry, position]
        return cls(*columns)

    def _rest(self) -> dict[str, pa.Array]:
        """All columns but the genomes."""
        return {name: _arrow(getattr(self, name)) for name in _KINDS}

    def each(self, puzzle: str, problem: Problem, full: Callable[[str], str] | None = None) -> Iterator[Solution]:
        """One `Solution` object per row; `full` tells where the file of a large genome is."""
        for row, key in enumerate(keys_of(self.genome)):
            id_ = key_text(key)
            yield Solution(
                id_,
                puzzle,
                problem,
                self.genome[row].astype(np.int32, copy=False),
                int(self.island[row]),
                int(self.epoch[row]),
                int(self.generation[row]),
                float(self.seconds[row]),
                None if full is None else full(npy_name(id_)),
                None if self.origin is None else _parsed_origin(self.origin[row], id_),
                () if self.ancestry is None else tuple(homes(self.ancestry[row : row + 1])),
            )


def completed(parts: Sequence[Solutions]) -> list[Solutions]:
    """All with those columns that some of them have: empty where nothing is known."""
    kept = [name for name in _BLANK if any(getattr(part, name) is not None for part in parts)]

    def missing(part: Solutions) -> dict[str, NDArray[Any]]:
        return {name: np.repeat(_BLANK[name], len(part)) for name in kept if getattr(part, name) is None}

    return [replace(part, **missing(part)) for part in parts]


def cheapest(parts: Iterable[Solutions], problem: Problem, count: int) -> Solutions:
    """The `count` solutions of the lowest cost, in order; of equal ones those that come first."""
    space = problem.space()
    found, costs = Solutions.empty(space), np.empty(0, np.int64)
    for part in parts:
        costs = np.concatenate((costs, problem.costs(part.genome.astype(np.int32))))
        first = np.argsort(costs, kind="stable")[:count]
        found, costs = Solutions.joined((found, part), space)[first], costs[first]
    return found


TYPE = b"genome"  # the key of the metadata that tells the type of a genome's numbers, as NumPy writes it

_NUMBERS = {kind.str: kind for kind in map(np.dtype, ("u1", "<i2", "<i4"))}  # of a genome, see `narrowest`
_BLANK: dict[str, NDArray[Any]] = {
    "origin": np.array([""], np.object_),
    "ancestry": np.zeros(1, np.uint64),
    "position": np.zeros(1, np.int32),
}
_KINDS: dict[str, type[np.generic]] = {
    "island": np.int32,
    "epoch": np.int64,
    "generation": np.int64,
    "seconds": np.float64,
}


def _parsed_origin(text: str, id_: str) -> Origin | None:
    """The origin of a solution, if it is known. Damaged where a file has what no run writes."""
    try:
        return Origin.model_validate_json(text) if text else None
    except ValidationError as error:
        raise Damaged(f"the origin of solution {id_}", str(error.errors()[0]["msg"])) from error


def origins_column(texts: Sequence[str] | None) -> NDArray[np.object_] | None:
    """Origins as a column of `Solutions`; None where none are kept."""
    if texts is None:
        return None
    column = np.empty(len(texts), np.object_)
    column[:] = texts
    return column


def _arrow(array: NDArray[Any], rows: pa.DataType | None = None) -> pa.Array:
    """An array's values for Arrow, row by row, or its `rows`. `pa.array` would import pandas, where it is installed."""
    count, kind = (array.size, pa.from_numpy_dtype(array.dtype)) if rows is None else (len(array), rows)
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(np.ascontiguousarray(array))])


def _numpy(column: pa.ChunkedArray, kind: pa.DataType, number: np.dtype[Any]) -> NDArray[Any]:
    """The values of a column of this kind, joined. `to_numpy` would import pandas, where it is installed."""
    if column.type != kind or column.null_count:
        raise ValueError(f"a column is {column.type} with {column.null_count} nulls instead of {kind}")
    chunks = column.chunks
    parts = [np.frombuffer(chunk.buffers()[1], number)[chunk.offset : chunk.offset + len(chunk)] for chunk in chunks]
    return np.concatenate([np.empty(0, number), *parts])
