"""A segment of a run's solutions on disk: one Parquet file, and beside it an .npy file for each large genome.

A segment of large genomes has the column `id` in place of `genome`; solutions/<id>.npy holds the genome. As the id is a
hash of the genome, such a file never changes: it is written before the manifest that names it, or is there already.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from islands.errors import RunError
from islands.kernels.keys import key_text, keys_of
from islands.operators.space import Genomes, Space
from islands.store.disk import Disk, npy
from islands.store.solutions import Solutions


def npy_name(id_: str) -> str:
    return f"solutions/{id_}.npy"


def write_large(disk: Disk, rows: Solutions) -> tuple[str, ...]:
    """Make every genome a file of its own, unless it is one already; their ids."""
    ids = tuple(key_text(key) for key in keys_of(rows.genome))
    there = set(disk.names("solutions"))
    for id_, genome in zip(ids, rows.genome, strict=True):
        if npy_name(id_) not in there:
            disk.write(npy_name(id_), npy(genome.astype("<i4", copy=False)))
    return ids


def write_segment(disk: Disk, name: str, parts: Sequence[Solutions], large: bool) -> tuple[str, ...]:
    """Write a segment, a row group for each part. Large genomes go to files of their own: their ids."""
    ids: list[tuple[str, ...]] = [write_large(disk, part) if large else () for part in parts]
    tables = [part.stored(names if large else None) for part, names in zip(parts, ids, strict=True)]
    buffer = pa.BufferOutputStream()
    rest = tables[0].column_names[1:]
    options = {"compression": "zstd", "compression_level": 1, "use_dictionary": rest, "write_statistics": rest}
    with pq.ParquetWriter(buffer, tables[0].schema, **options) as writer:
        for table in tables:
            writer.write_table(table)
    disk.write(name, memoryview(buffer.getvalue()))
    return tuple(chain.from_iterable(ids))


def read_segment(disk: Disk, name: str, space: Space) -> Solutions:
    """The rows of a segment; FileNotFoundError where it or a genome's file is missing, RunError where damaged."""
    data = disk.read(name)
    try:
        # read_table imports far more; a thread of Arrow's that held a Python file would abort an interpreter that ends
        table = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
        if "genome" in table.column_names:
            return Solutions.from_table(table, space.length)
        ids = table["id"].to_pylist()
        rest = Solutions.from_table(table, space.length, np.empty((len(ids), 0), np.int32))
    except Exception as error:
        raise RunError(f"{disk.root}/{name} is not a readable Parquet file ({error}).") from error
    genomes = [_genome(disk, npy_name(id_), space.length) for id_ in ids]
    joined = genomes[0][None] if len(genomes) == 1 else np.array(genomes, np.int32)
    return replace(rest, genome=joined.astype(space.dtype, copy=False))


def row_count(path: Path) -> int:
    """How many rows a segment has, without reading them."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise RunError(f"{path} is not a readable Parquet file ({error}).") from error


def _genome(disk: Disk, name: str, length: int) -> Genomes:
    """The genome in an .npy file."""
    data = disk.read(name)
    try:
        header = io.BytesIO(data[:1024])
        np.lib.format.read_magic(header)
        shape, _, kind = np.lib.format.read_array_header_1_0(header)
        genome: Genomes = np.frombuffer(data, "<i4", offset=header.tell()).copy()  # kernels want it writable
        if kind != np.dtype("<i4") or shape != (length,) or len(genome) != length:
            raise ValueError(f"expected {length} int32 numbers")
    except ValueError as error:
        raise RunError(f"{disk.root}/{name} is damaged ({error}).") from error
    return genome
