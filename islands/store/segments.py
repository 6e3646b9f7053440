"""A segment of a run's solutions on disk: one Parquet file, and beside it an .npy file for each large genome.

A segment of large genomes has the column `id` in place of `genome`; solutions/<id>.npy holds the genome. As the id is a
hash of the genome, such a file never changes: it is written before the manifest that names it, or is there already.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from islands.errors import Damaged
from islands.kernels.keys import key_text, keys_of
from islands.operators.space import Genomes, Space
from islands.store.disk import Disk, npy
from islands.store.files import checksum, npy_name
from islands.store.manifest import Manifest, Segment
from islands.store.solutions import Solutions, completed

GROUP = 1 << 17  # rows of a row group, at most: whoever wants one row decodes no more


def write_large(disk: Disk, rows: Solutions) -> tuple[str, ...]:
    """Make every genome a file of its own, unless it is one already; their ids."""
    ids = tuple(key_text(key) for key in keys_of(rows.genome))
    there = set(disk.names("solutions"))
    for id_, genome in zip(ids, rows.genome, strict=True):
        if npy_name(id_) not in there or not is_intact(disk, id_, len(genome)):
            disk.write(npy_name(id_), npy(genome.astype("<i4", copy=False)))
    return ids


def encoded(rows: Solutions) -> memoryview:
    """Rows as a Parquet file; their genomes are not large."""
    return _encoded([rows], None)


def decoded(data: bytes | memoryview) -> Solutions:
    """The opposite of `encoded`, of bytes that were never a file."""
    return _decoded(bytes(data), 0)[0]


def write_segment(disk: Disk, name: str, parts: Sequence[Solutions], large: bool) -> tuple[Segment, tuple[str, ...]]:
    """Write a segment, a row group for each part. Large genomes go to files of their own: their ids."""
    parts = completed(parts)
    ids: list[tuple[str, ...]] = [write_large(disk, part) if large else () for part in parts]
    data = _encoded(parts, ids if large else None)
    disk.write(name, data)
    segment = Segment(name=name, rows=sum(map(len, parts)), checksum=checksum(data))
    return segment, tuple(chain.from_iterable(ids))


def _encoded(parts: Sequence[Solutions], ids: Sequence[tuple[str, ...]] | None) -> memoryview:
    """A Parquet file with a row group for each part; `ids` in place of the genomes if these are large."""
    tables = [part.stored(None if ids is None else ids[number]) for number, part in enumerate(parts)]
    buffer = pa.BufferOutputStream()
    names = tables[0].column_names[1:]
    rest = [name for name in names if name not in ("origin", "position")]
    options: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
    options |= {"use_dictionary": rest, "write_statistics": rest}
    if "position" in names:
        options["column_encoding"] = {
            "position": "DELTA_BINARY_PACKED"
        }  # they grow: of shards a byte each, else less than a bit
    with pq.ParquetWriter(buffer, tables[0].schema, **options) as writer:
        for table in tables:
            writer.write_table(table, GROUP)
    return memoryview(buffer.getvalue())


def read_segment(
    disk: Disk, segment: Segment, space: Space, start: int, lost: list[Damaged], count: int | None = None
) -> Solutions:
    """The rows of a segment from `start` on, at least `count` if it has as many; None: all. Damaged where it is not
    what was written.

    Large genomes that are not are left out and named in `lost`.
    """
    rows, ids, passed = _rows(disk, segment, start, count)
    rows, name = rows[start - passed :], disk.full(segment.name)
    if ids is not None:
        rows = _with_genomes(disk, rows, ids[start - passed :], space, lost)
    if len(rows) and not (rows.genome.shape[1] == space.length and space.spans(rows.genome)):
        raise Damaged(name, "its genomes are not of this puzzle")
    return rows


def opened(disk: Disk, segment: Segment, space: Space, last: int | None = None) -> tuple[int, Iterator[Solutions]]:
    """The rows of a segment of small genomes, a row group at a time: only these are decoded; of all or, at least, of
    the `last` rows, and how many come before them. Damaged where it is not what was written; what Arrow finds later is
    told later."""
    data, name = disk.read_checked(segment.name, segment.checksum), disk.full(segment.name)
    try:
        count, passed, groups = _row_groups(data, last)
    except Exception as error:
        raise _strange(name, error) from error
    if count != segment.rows:
        raise Damaged(name, f"it has {count} rows instead of {segment.rows}")
    return passed, _checked(groups, name, space)


def _row_groups(data: bytes, last: int | None) -> tuple[int, int, Iterator[Solutions]]:
    """How many rows a Parquet file has, and how many before the row groups of the `last` ones; these."""
    file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    starts = [0, *accumulate(file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))]
    first = 0 if last is None else max(0, bisect_right(starts, starts[-1] - last) - 1)
    tables = (file.read_row_group(group, use_threads=False) for group in range(first, file.num_row_groups))
    return starts[-1], starts[first], (Solutions.from_table(table, None) for table in tables)


def _checked(groups: Iterator[Solutions], name: str, space: Space) -> Iterator[Solutions]:
    while True:
        try:
            rows = next(groups, None)
        except Exception as error:
            raise _strange(name, error) from error
        if rows is None:
            return
        if len(rows) and not (rows.genome.shape[1] == space.length and space.spans(rows.genome)):
            raise Damaged(name, "its genomes are not of this puzzle")
        yield rows


def _strange(name: str, error: Exception) -> Damaged:
    """What Arrow makes of bytes that are no Parquet file of ours."""
    return Damaged(name, f"it is not a Parquet file of solutions ({type(error).__name__}: {error})")


def _rows(
    disk: Disk, segment: Segment, start: int = 0, count: int | None = None
) -> tuple[Solutions, list[str] | None, int]:
    """The rows of a segment, from the row group on in which row `start` is, and how many come before that; of large
    genomes without them, and their ids."""
    data = disk.read_checked(segment.name, segment.checksum)
    try:
        rows, ids, passed, there = _decoded(data, start, count)
    except Exception as error:
        raise _strange(disk.full(segment.name), error) from error
    if there != segment.rows:
        raise Damaged(disk.full(segment.name), f"it has {there} rows instead of {segment.rows}")
    return rows, ids, passed


def _decoded(data: bytes, start: int, count: int | None = None) -> tuple[Solutions, list[str] | None, int, int]:
    """The rows of a Parquet file from a row group on, as many groups as `count` rows from `start` on take; the ids that
    it has in place of genomes, the rows before, and how many the file has."""
    # read_table imports far more; a thread of Arrow's that held a Python file would abort an interpreter that ends
    file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    ends = list(accumulate(file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)))
    last = len(ends) - 1
    first = max(0, min(bisect_right(ends, start), last))
    if count is not None:
        last = max(first, min(bisect_right(ends, start + max(0, count - 1)), last))
    part = first or last < len(ends) - 1
    table = file.read_row_groups(range(first, last + 1), use_threads=False) if part else file.read(use_threads=False)
    ids = None if "genome" in table.column_names else table["id"].to_pylist()
    rows = Solutions.from_table(table, None if ids is None else np.empty((len(ids), 0), np.int32))
    passed = ends[first - 1] if first else 0
    return rows, ids, passed, passed + len(rows) + (ends[-1] - ends[last] if part else 0)


def row_count(disk: Disk, name: str) -> int | None:
    """How many rows a segment has, without reading them; None where it cannot be read."""
    try:
        return int(pq.read_metadata(pa.BufferReader(disk.read(name))).num_rows)
    except Exception:  # whatever is wrong with it is told by whoever reads the rows
        return None


def genome_length(disk: Disk, manifest: Manifest) -> int:
    """How many numbers a genome has, as the first file says that can be read; 1 where there is none."""
    for segment in manifest.segments:
        with suppress(Damaged):
            if manifest.large:
                return len(read_large(disk, manifest.large[0], None))
            return int(_rows(disk, segment)[0].genome.shape[1])
    return 1


def _with_genomes(disk: Disk, rows: Solutions, ids: Sequence[str], space: Space, lost: list[Damaged]) -> Solutions:
    """Rows with the genomes that their ids name, without those that are `lost`."""
    there, genomes = [], []
    for row, id_ in enumerate(ids):
        try:
            genomes.append(read_large(disk, id_, space.length))
            there.append(row)
        except Damaged as error:
            lost.append(error)
    if not genomes:
        return Solutions.empty(space)
    joined = genomes[0][None] if len(genomes) == 1 else np.array(genomes, np.int32)
    return replace(rows[np.array(there)], genome=joined.astype(space.dtype, copy=False))


def is_intact(disk: Disk, id_: str, length: int) -> bool:
    """Whether the file of this id holds the genome that it should."""
    try:
        read_large(disk, id_, length)
    except Damaged:
        return False
    return True


def read_large(disk: Disk, id_: str, length: int | None) -> Genomes:
    """The genome in the file of this id, which is its key: (length,) int32. Damaged where it is not.

    None: of whatever length.
    """
    name = disk.full(npy_name(id_))
    data = disk.read_checked(npy_name(id_), None)
    try:
        header = io.BytesIO(data[:1024])
        np.lib.format.read_magic(header)
        shape, _, kind = np.lib.format.read_array_header_1_0(header)
        genome: Genomes = np.frombuffer(data, "<i4", offset=header.tell()).copy()  # kernels want it writable
    except Exception as error:  # NumPy parses the header as Python, with all that this can raise
        raise Damaged(name, f"it is not an .npy file ({type(error).__name__}: {error})") from error
    if kind != np.dtype("<i4") or shape != (len(genome),) or length not in (None, len(genome)):
        raise Damaged(name, f"it does not hold {length or 'any'} int32 numbers")
    if key_text(keys_of(genome[None])[0]) != id_:
        raise Damaged(name, "it is not what was written: its name is not the key of its genome")
    return genome
