"""A segment of a run's solutions on disk: one Parquet file, and beside it an .npy file for each large genome.

A segment of large genomes has the column `id` in place of `genome`; solutions/<id>.npy holds the genome. As the id is a
hash of the genome, such a file never changes: it is written before the manifest that names it, or is there already.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from islands.archive import Solutions
from islands.disk import Disk
from islands.errors import RunError
from islands.operators.keys import key_text, keys_of
from islands.space import Genomes


def npy_name(id_: str) -> str:
    return f"solutions/{id_}.npy"


def write_large(disk: Disk, rows: Solutions) -> tuple[str, ...]:
    """Make every genome a file of its own, unless it is one already; their ids."""
    ids = tuple(key_text(key) for key in keys_of(rows.genome))
    there = set(disk.names("solutions"))
    for id_, genome in zip(ids, rows.genome, strict=True):
        if npy_name(id_) not in there:
            disk.write(npy_name(id_), _npy(genome))
    return ids


def write_segment(disk: Disk, name: str, rows: Solutions, ids: Sequence[str] | None) -> None:
    """Write a segment; with `ids` the genomes stay in their own files."""
    disk.write(name, rows.parquet(ids))


def read_segment(disk: Disk, name: str, length: int) -> Solutions:
    """The rows of a segment; FileNotFoundError where it or a genome's file is missing, RunError where damaged."""
    data = disk.read(name)
    try:
        # read_table imports far more; a thread that still frees the bytes when Python ends would abort the process
        table = pq.ParquetFile(io.BytesIO(data)).read(use_threads=False)
        if "genome" in table.column_names:
            return Solutions.from_table(table, length)
        ids = table["id"].to_pylist()
        rest = Solutions.from_table(table, length, np.empty((len(ids), 0), np.int32))
    except Exception as error:
        raise RunError(f"{disk.root}/{name} is not a readable Parquet file ({error}).") from error
    genomes = [_genome(disk, npy_name(id_), length) for id_ in ids]
    return rest.with_genomes(genomes[0][None] if len(genomes) == 1 else np.array(genomes, np.int32))


def row_count(path: Path) -> int:
    """How many rows a segment has, without reading them."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise RunError(f"{path} is not a readable Parquet file ({error}).") from error


def _npy(genome: Genomes) -> bytes:
    """The bytes of an .npy file; `np.save` to memory would copy them once more."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i4", "fortran_order": False, "shape": (len(genome),)})
    return b"".join((header.getvalue(), np.ascontiguousarray(genome, "<i4").data))


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
