"""A run checked to the last file: is everything what was written, and is every solution one, and there once?"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from islands.errors import Damaged
from islands.kernels.keys import KeySet, keys_of
from islands.store.archive import BATCH
from islands.store.files import EVENTS, is_ours
from islands.store.local_disk import LocalDisk
from islands.store.manifest import Manifest, Segment
from islands.store.run import Run
from islands.store.spilled_keys import SpillingKeys

Advance = Callable[[int], None]  # told how many more solutions were looked at


@dataclass(frozen=True)
class Verdict:
    """What was found."""

    total: int  # solutions that the run has
    verified: int  # those that were read and obey the rules, if the puzzle's code is run
    damaged: tuple[Damaged, ...]


def verify(run: Run, advance: Advance) -> Verdict:
    """Check everything that the last commit names, and the logs beside it. The run may go on meanwhile."""
    while True:
        manifest = run.manifest()
        with _known(run) as known:
            damaged: list[Damaged] = []
            verified = sum(_verify_segment(run, segment, known, damaged, advance) for segment in manifest.segments)
        if not damaged or run.manifest() == manifest:  # else the files that were missing have been replaced
            damaged += _other_files(run, manifest)
            return Verdict(manifest.total, verified, tuple(damaged))


@contextmanager
def _known(run: Run) -> Iterator[KeySet | SpillingKeys]:
    """A set of keys as large as the run's."""
    if run.job.memory is None:
        yield KeySet()
        return
    with TemporaryDirectory(prefix="puzzle-islands-") as folder:
        yield SpillingKeys(LocalDisk(Path(folder)), run.job.memory)


def _verify_segment(
    run: Run, segment: Segment, known: KeySet | SpillingKeys, damaged: list[Damaged], advance: Advance
) -> int:
    """How many solutions of a segment are right; whatever else it holds is damage."""
    try:
        rows = run.segment(segment, 0, damaged)
    except Damaged as error:
        damaged.append(error)
        advance(segment.rows)
        return 0
    problem, right = run.job.problem, 0
    for start in range(0, len(rows), BATCH):
        genomes = rows.genome[start : start + BATCH].astype(np.int32, copy=False)
        good = known.add(keys_of(genomes))
        if not run.job.is_withheld:
            good &= problem.verified(genomes) & (problem.canonical(genomes) == genomes).all(axis=1)
        right += int(np.count_nonzero(good))
        advance(len(genomes))
    advance(segment.rows - len(rows))
    if right < len(rows):
        wrong = len(rows) - right
        reason = f"{wrong} of its {len(rows)} rows are not solutions, not in their canonical form or there twice"
        damaged.append(Damaged(run.disk.full(segment.name), reason))
    return right


def _other_files(run: Run, manifest: Manifest) -> Iterator[Damaged]:
    """The checkpoint, the logs, and the copy of a user's puzzle."""
    try:
        run.checkpoint(manifest)
    except Damaged as error:
        yield error
    yield from _events(run)
    for name in filter(is_ours, run.disk.names("trace")):
        try:
            gzip.decompress(run.disk.read(name))
        except (OSError, EOFError, ValueError) as error:
            yield Damaged(run.disk.full(name), str(error))
    if run.job.source is not None:
        yield from _copy(run)


def _events(run: Run) -> Iterator[Damaged]:
    for name in run.disk.parts(EVENTS):
        try:
            lines = run.disk.read_checked(name, None).splitlines()
        except Damaged as error:
            yield error
            continue
        for number, line in enumerate(lines[:-1], start=1):  # the last may be torn
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                event = None
            if not isinstance(event, dict):
                yield Damaged(run.disk.full(name), f"line {number} is not an event")
                break


def _copy(run: Run) -> Iterator[Damaged]:
    """A user's puzzle, as people can read it."""
    name = "problem.py"
    try:
        if run.disk.read_checked(name, None).decode(errors="replace") != run.job.source:
            yield Damaged(run.disk.full(name), "it is not the source that the run uses, which is in job.json")
    except Damaged as error:
        yield error
