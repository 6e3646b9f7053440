"""The committed rows of a run, a segment at a time: a run of millions is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq

from islands.archive import Solution, Solutions
from islands.errors import RunError
from islands.run import Run


def rows_from(run: Run, start: int = 0) -> Iterator[Solutions]:
    """The rows from number `start` on. The run may go on meanwhile: its open segment is replaced, never changed."""
    length = run.job.problem.space().length
    place = seen = 0
    while True:
        manifest = run.manifest()
        try:
            for name in manifest.sealed[seen:]:
                size = _size(run, name)
                if place + size > start:
                    yield _segment(run, name, length)[max(0, start - place) :]
                place, seen = place + size, seen + 1
            if manifest.open:
                yield _segment(run, manifest.open, length)[max(0, start - place) :]
            return
        except FileNotFoundError as error:
            if run.manifest() == manifest:
                raise RunError(f"{run.path}: {error.filename}, which the manifest names, is missing.") from error


def solutions_from(run: Run, start: int = 0) -> Iterator[Solution]:
    """The same as one object per solution."""
    problem, title = run.job.problem, run.job.title
    for part in rows_from(run, start):
        yield from part.each(title, problem)


def _size(run: Run, name: str) -> int:
    try:
        return int(pq.read_metadata(run.path / name).num_rows)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise _damaged(run, name, error) from error


def _segment(run: Run, name: str, length: int) -> Solutions:
    data = run.disk.read(name)
    try:
        return Solutions.from_parquet(data, length)
    except Exception as error:
        raise _damaged(run, name, error) from error


def _damaged(run: Run, name: str, error: Exception) -> RunError:
    return RunError(f"{run.path}/{name} is not a readable Parquet file ({error}).")
