"""The distinct, verified solutions of a run: 128-bit canonical keys in memory, columns for the disk."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from islands.errors import PuzzleError
from islands.operators.keys import Keys, KeySet, key_text, keys_of
from islands.problem import Problem
from islands.space import Genomes


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
    file: Path | None = None  # of a large genome

    @property
    def text(self) -> str:
        return self.problem.show(self.genome)

    def json(self) -> dict[str, Any]:
        """What `--json` prints, one object per solution; of a large genome the name of its file."""
        genome = {"genome": self.genome.tolist()} if self.file is None else {"file": str(self.file)}
        return {
            "id": self.id,
            "puzzle": self.puzzle,
            **genome,
            "text": self.text,
            "island": self.island,
            "epoch": self.epoch,
            "generation": self.generation,
            "seconds": round(self.seconds, 6),
        }

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.problem.svg(self.genome)


@dataclass(frozen=True)
class Solutions:
    """Columns of n solutions: canonical genomes (n, length) and, for each, where and when it was found."""

    genome: Genomes
    island: NDArray[np.int32]
    epoch: NDArray[np.int64]
    generation: NDArray[np.int64]
    seconds: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.genome)

    def __getitem__(self, rows: slice) -> Self:
        return type(self)(*(getattr(self, column.name)[rows] for column in fields(self)))

    @classmethod
    def empty(cls, length: int) -> Self:
        return cls(
            np.empty((0, length), np.int32),
            np.empty(0, np.int32),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.empty(0, np.float64),
        )

    @classmethod
    def joined(cls, parts: Iterable[Solutions], length: int) -> Self:
        parts = [part for part in parts if len(part)] or [cls.empty(length)]
        if len(parts) == 1:  # genomes may be large: no copy
            return cls(*(getattr(parts[0], column.name) for column in fields(cls)))
        return cls(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(cls)))

    def with_genomes(self, genomes: Genomes) -> Self:
        return replace(self, genome=genomes)

    def table(self, ids: Sequence[str] | None = None) -> pa.Table:
        """An Arrow table; a genome is a list of fixed length, or with `ids` only named."""
        rest = {column.name: _arrow(getattr(self, column.name)) for column in fields(self)[1:]}
        if ids is not None:
            return pa.table({"id": pa.array(ids, pa.string()), **rest})
        genome = pa.FixedSizeListArray.from_arrays(_arrow(self.genome), self.genome.shape[1])
        return pa.table({"genome": genome, **rest})

    @classmethod
    def from_table(cls, table: pa.Table, length: int, genomes: Genomes | None = None) -> Self:
        rest = (_numpy(table[name].chunks, kind) for name, kind in _KINDS.items())
        if genomes is not None:
            return cls(genomes, *rest)
        chunks = table["genome"].chunks  # their flatten() would import all of pyarrow.compute
        flat = [chunk.values.slice(chunk.offset * length, len(chunk) * length) for chunk in chunks]
        return cls(_numpy(flat, np.int32).reshape(-1, length), *rest)

    def parquet(self, ids: Sequence[str] | None = None) -> bytes:
        """One zstd Parquet file."""
        buffer = io.BytesIO()
        pq.write_table(self.table(ids), buffer, compression="zstd")
        return buffer.getvalue()

    def each(self, puzzle: str, problem: Problem, folder: Path | None = None) -> Iterator[Solution]:
        """One `Solution` object per row; `folder` is where large genomes have their files."""
        for row, key in enumerate(keys_of(self.genome)):
            id_ = key_text(key)
            yield Solution(
                id_,
                puzzle,
                problem,
                self.genome[row],
                int(self.island[row]),
                int(self.epoch[row]),
                int(self.generation[row]),
                float(self.seconds[row]),
                None if folder is None else folder / f"{id_}.npy",
            )


_KINDS: dict[str, type[np.generic]] = {
    "island": np.int32,
    "epoch": np.int64,
    "generation": np.int64,
    "seconds": np.float64,
}


def _listed(genome: Genomes) -> str:
    """A genome in a message: all of it, or the beginning."""
    return str(genome.tolist()) if len(genome) <= 1000 else f"[{', '.join(map(str, genome[:20].tolist()))}, ...]"


def _arrow(array: NDArray[Any]) -> pa.Array:
    """An array's values for Arrow, row by row. `pa.array` and `to_numpy` would import pandas, where it is installed."""
    kind = pa.from_numpy_dtype(array.dtype)
    return pa.Array.from_buffers(kind, array.size, [None, pa.py_buffer(np.ascontiguousarray(array))])


def _numpy(chunks: list[pa.Array], kind: type[np.generic]) -> NDArray[Any]:
    """The values of Arrow arrays without nulls, joined."""
    parts = [np.frombuffer(chunk.buffers()[1], kind)[chunk.offset : chunk.offset + len(chunk)] for chunk in chunks]
    return np.concatenate([np.empty(0, kind), *parts])


class Archive:
    """Every distinct solution exactly once. `add` verifies a solution before it counts.

    `open` are the rows that are not yet in a sealed segment on disk.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.length = problem.space().length
        self.open = Solutions.empty(self.length)
        self._recent: list[Solutions] = []
        self._keys = KeySet()
        self._count = 0  # of verified rows; a key may be of one that failed

    def __len__(self) -> int:
        return self._count

    @property
    def newest(self) -> Genomes | None:
        """The solution found last; None when there is none or it has long been sealed."""
        recent = self._recent
        last = recent[-1] if recent else self.open
        return last.genome[-1] if len(last) else None

    def add(
        self, genomes: Genomes, born: NDArray[np.int64], *, island: int, epoch: int, seconds: float, room: int | None
    ) -> Solutions:
        """The new ones among canonical `genomes`, at most `room`, in their order."""
        fresh = self._keys.add(keys_of(genomes), room)
        new = genomes if fresh.all() else genomes[fresh]
        if len(new):
            self._check(new)
        rows = Solutions(
            new,
            np.full(len(new), island, np.int32),
            np.full(len(new), epoch, np.int64),
            born[fresh],
            np.full(len(new), seconds, np.float64),
        )
        if len(rows):
            self._recent.append(rows)
            self._count += len(rows)
        return rows

    def load(self, sealed: Keys, unsealed: Solutions) -> None:
        """Know these already; used on resume. They were verified before they were written."""
        self._keys.add(sealed)
        self._keys.add(keys_of(unsealed.genome))
        self._count = len(sealed) + len(unsealed)
        self.open = unsealed

    def gather(self) -> Solutions:
        """All open rows."""
        if self._recent:
            self.open = Solutions.joined([self.open, *self._recent], self.length)
            self._recent = []
        return self.open

    def seal(self, rows: int) -> None:
        """Forget the first `rows` open rows: they are in a sealed segment now."""
        self.open = self.gather()[rows:]

    def _check(self, genomes: Genomes) -> None:
        inside = self.problem.space().contains(genomes)
        if not inside.all():
            raise PuzzleError(
                f"{type(self.problem).__name__}.canonical left the puzzle's space: "
                f"{_listed(genomes[int(np.argmin(inside))])} is not a candidate."
            )
        right = self.problem.verified(genomes)
        if not right.all():
            raise PuzzleError(
                f"{type(self.problem).__name__} calls a candidate solved that its verify refuses: "
                f"{_listed(genomes[int(np.argmin(right))])}. One of cost, canonical and verify is wrong."
            )
