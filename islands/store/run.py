"""A run is a directory: one writer, many readers, no database.

    job.json                   the job, versions, command line: reproduces the run
    problem.py                 source of a user's puzzle
    solutions/part-*.parquet   canonical genome, island, epoch, generation, seconds
    solutions/<id>.npy         a genome above 1 MB; its Parquet row has the id in place of the genome
    checkpoint/state-*.npz     island states and waiting mail
    checkpoint/manifest.json   names the files that count; renaming it into place is the commit point
    trace/                     generation logs, if asked for
    events.jsonl               what happened

Files are immutable and named after the commit that wrote them. Those the manifest does not name do not exist.
"""

from __future__ import annotations

import io
import json
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from pydantic import BaseModel, ValidationError

from islands import __version__
from islands.errors import RunError, UsageError
from islands.model.job import Job, Stop
from islands.model.messages import Checkpoint, Event, TrendPoint
from islands.operators.estimate import Estimate
from islands.operators.space import Genomes, Space
from islands.store.disk import Disk
from islands.store.naming import BATCH, find
from islands.store.segments import read_segment, row_count
from islands.store.solutions import Solution, Solutions

FORMAT = 3
OLDER = (2,)  # formats that are read as well
MANIFEST = "checkpoint/manifest.json"
EVENTS = "events.jsonl"


class Manifest(BaseModel, frozen=True, extra="forbid"):
    """What the last commit says."""

    commit: int = 0
    sealed: tuple[str, ...] = ()  # segments that stay
    sealed_rows: int = 0
    open: str | None = None  # the segment that the next commit replaces
    rows: int = 0  # solutions known at the checkpoint
    total: int = 0  # solutions on disk; those after the checkpoint are found again when the run goes on
    large: tuple[str, ...] = ()  # the ids of all solutions, where each has a file of its own
    state: str | None = None
    counters: dict[str, Any] | None = None
    trend: tuple[TrendPoint, ...] = ()  # how the costs fell
    seconds: float = 0.0  # the run's age
    stopped: str | None = None

    @property
    def counted(self) -> int:
        """Solutions that an exhaustive run counted up to its checkpoint; they are not on disk."""
        return int((self.counters or {}).get("counted", 0))


class Run:
    """The directory of one run. Iterating gives its solutions in the order found."""

    large = 1 << 20  # bytes; a genome with more is a file of its own

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        header = _json(self._read("job.json"), f"{disk.root}/job.json")
        if header.get("format") not in (*OLDER, FORMAT):
            raise RunError(
                f"{disk.root} was written in format {header.get('format')} by puzzle-islands {header.get('version')}; "
                f"this is {__version__}, which writes format {FORMAT} and reads {', '.join(map(str, OLDER))} as well. "
                "Use the version that wrote it."
            )
        self.header = header = _upgraded(header)
        try:
            self.job = Job.checked(header["job"])
        except (UsageError, KeyError) as error:
            raise RunError(f"{disk.root}/job.json does not describe a job: {error}") from error
        if self.job.source is None and self.job.puzzle.partition(":")[0].endswith(".py"):
            raise RunError(f"{disk.root}/job.json names the puzzle file {self.job.puzzle} without its source.")

    @classmethod
    def create(cls, disk: Disk, job: Job) -> Run:
        """Start a directory for a settled job."""
        header = {
            "format": FORMAT,
            "version": __version__,
            "versions": {"python": platform.python_version(), **_versions("numpy", "numba", "pyarrow", "ray")},
            "command": ["islands", *sys.argv[1:]],
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "job": job.model_dump(mode="json"),
        }
        if job.source is not None:
            disk.write("problem.py", job.source.encode())
        disk.write("job.json", _pretty(header))
        run = cls(disk)
        run.job = job  # whose puzzle is made already
        return run

    @classmethod
    def open(cls, reference: str | Path = "last", out: str | Path = "runs") -> Run:
        """A run by number, name, path or `last`."""
        path = find(str(reference), Path(out))
        if (path / BATCH).exists():
            raise RunError(f"{path} is a batch of runs: choose one of them. `islands runs --out {path}` lists them.")
        return cls(Disk(path))

    def change_stop(self, stop: Stop) -> None:
        """Give the run a new stop rule before it is resumed."""
        self.job = self.job.model_copy(update={"stop": stop})
        self.header["job"] = self.job.model_dump(mode="json")
        self.disk.write("job.json", _pretty(self.header))

    @property
    def path(self) -> Path:
        return self.disk.root

    @property
    def name(self) -> str:
        return self.path.name

    def __len__(self) -> int:
        return self.manifest().total

    def __iter__(self) -> Iterator[Solution]:
        return self.each()

    def each(self, start: int = 0) -> Iterator[Solution]:
        """The solutions from number `start` on."""
        problem, title = self.job.problem, self.job.title
        folder = self.path / "solutions" if self.is_large else None
        for part in self.rows(start):
            yield from part.each(title, problem, folder)

    def solutions(self) -> Solutions:
        """All committed solutions as columns."""
        return Solutions.joined(self.rows(), self.space)

    def rows(self, start: int = 0) -> Iterator[Solutions]:
        """The rows from number `start` on, segment by segment: a run of millions is never in memory as a whole.

        The run may go on meanwhile: its open segment is replaced, never changed.
        """
        seen, before = 0, start  # segments read, rows yet to be passed over
        while True:
            manifest = self.manifest()
            try:
                for name in manifest.sealed[seen:]:
                    size = row_count(self.path / name) if before else 0
                    if size > before or not before:
                        yield self.segment(name)[before:]
                    before = max(0, before - size)
                    seen += 1
                if manifest.open:
                    yield self.segment(manifest.open)[before:]
                return
            except FileNotFoundError as error:
                if self.manifest() == manifest:
                    raise self.missing(error) from error

    @cached_property
    def space(self) -> Space:
        return self.job.problem.space()

    @property
    def is_large(self) -> bool:
        """Whether each genome has a file of its own."""
        return 4 * self.space.length > self.large

    def manifest(self) -> Manifest:
        try:
            return Manifest.model_validate_json(self.disk.read(MANIFEST))
        except FileNotFoundError:
            # A crash before the first manifest leaves segments of the first commit at the most.
            segments = (name for name in self.disk.names("solutions") if name.endswith(".parquet"))
            if any("part-000001" not in name for name in segments):
                raise RunError(f"{self.path}/{MANIFEST} is missing, and solutions/ is full without it.") from None
            return Manifest()
        except ValidationError as error:
            detail = error.errors()[0]
            where = ".".join(str(part) for part in detail["loc"])
            raise RunError(f"{self.path}/{MANIFEST} is damaged: {where} {detail['msg']}.") from error

    def checkpoint(self) -> Checkpoint | None:
        """The last place to go on from."""
        manifest = self.manifest()
        if manifest.state is None or manifest.counters is None:
            return None
        try:
            with np.load(io.BytesIO(self.disk.read(manifest.state)), allow_pickle=False) as arrays:
                return Checkpoint(manifest.counters, dict(arrays), manifest.rows)
        except (OSError, ValueError, EOFError, BadZipFile) as error:
            raise RunError(f"{self.path}/{manifest.state} is damaged ({error}).") from error

    def candidate(self) -> Genomes | None:
        """The candidate of the lowest cost in the last checkpoint; None before there is one."""
        checkpoint = self.checkpoint()
        if checkpoint is None:
            return None
        costs = {
            name: costs.min() for name, costs in checkpoint.arrays.items() if name.endswith("/costs") and len(costs)
        }
        if not costs:
            return None
        island = min(costs, key=lambda name: costs[name])
        genomes: Genomes = checkpoint.arrays[island.replace("/costs", "/genomes")]
        best: Genomes = genomes[int(np.argmin(checkpoint.arrays[island]))]
        return best

    def estimate(self) -> Estimate | None:
        """How many solutions there are, where islands have walked to find out."""
        tallies = (self.manifest().counters or {}).get("tallies")
        if not tallies:
            return None
        estimator = next((recipe.estimate for recipe in self.job.recipes() if recipe.estimate), None)
        return None if estimator is None else estimator([np.array(tally) for tally in tallies.values()])

    def events(self) -> list[Event]:
        """What happened, oldest first; a torn last line is passed over."""
        try:
            lines = self.disk.read(EVENTS).decode(errors="replace").splitlines()
        except FileNotFoundError:
            return []
        events = []
        for line in lines:
            try:
                events.append(json.loads(line))
            except ValueError:
                continue
        return events

    def segment(self, name: str) -> Solutions:
        return read_segment(self.disk, name, self.space)

    def missing(self, error: FileNotFoundError) -> RunError:
        return RunError(f"{self.path}: {error.filename or error}, which the manifest names, is missing.")

    def _read(self, name: str) -> bytes:
        try:
            return self.disk.read(name)
        except FileNotFoundError:
            raise RunError(f"{self.disk.root} is not a run: it has no {name}. `islands runs` lists runs.") from None
        except OSError as error:
            raise RunError(f"cannot read {self.disk.root}/{name}: {error.strerror}.") from error


def _upgraded(header: dict[str, Any]) -> dict[str, Any]:
    """The content of a job.json of an older format as today's: format 2 had other names for the rules of travel."""
    job = header.get("job")
    plan = job.get("migration") if isinstance(job, dict) else None
    if header["format"] != 2 or not isinstance(job, dict) or not isinstance(plan, dict):
        return header
    renamed = {"size": "migrants", "every": "migrate_every"}
    job = {**job, "migration": {renamed.get(name, name): value for name, value in plan.items()}}
    return {**header, "format": FORMAT, "job": job}


def _versions(*packages: str) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _json(data: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError as error:
        raise RunError(f"{name} is damaged: {error}.") from error
    if not isinstance(value, dict):
        raise RunError(f"{name} is damaged: expected an object.")
    return value


def _pretty(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"
