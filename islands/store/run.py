"""A run is a directory: one writer, many readers, no database.

    job.json                   the job, versions, command line: reproduces the run
    problem.py                 source of a user's puzzle
    solutions/part-*.parquet   canonical genome, island, epoch, generation, seconds, position in the report
    solutions/<id>.npy         a genome above 1 MB; its Parquet row has the id in place of the genome
    checkpoint/state-*.npz     island states and waiting mail
    checkpoint/manifest.json   names the files that count, with their checksums; its rename is the commit
    trace/                     generation logs, if asked for
    events.jsonl               what happened

Files are immutable and named after the commit that wrote them. Those the manifest does not name do not exist. What is
read is what was written, or `Damaged` says which file is not; the others stay readable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from islands.errors import Damaged, RunError
from islands.model.checkpoint import Checkpoint, Nearest, cheapest
from islands.model.job import Job
from islands.model.messages import Event
from islands.model.restoring import check_checkpoint
from islands.model.stop import Stop
from islands.model.withheld import AnyNumbers
from islands.operators.estimate import Estimate
from islands.operators.space import Genomes, Space
from islands.store import portrait
from islands.store.damage import told_together
from islands.store.disk import Disk
from islands.store.files import BATCH, EVENTS, JOB, MANIFEST, STUDY, checksum, is_ours
from islands.store.frames import solutions_frame
from islands.store.header import FORMAT, Header, job_of, new_header, packed_header, unpacked_header, with_job
from islands.store.journal import events_of
from islands.store.local_disk import LOCK, LocalDisk
from islands.store.manifest import Manifest, Segment, packed, unpacked, unpacked_older
from islands.store.marks import is_marked, is_program, mark_of
from islands.store.merging import merged
from islands.store.naming import find
from islands.store.places import runs_at
from islands.store.segments import genome_length, opened, read_segment, row_count
from islands.store.solutions import Solution, Solutions
from islands.store.states import read_state

if TYPE_CHECKING:
    from islands.pages.notebook import Page


class Run:
    """The directory of one run. Iterating gives its solutions in the order found."""

    large = 1 << 20  # bytes; a genome with more is a file of its own

    def __init__(self, disk: Disk, *, trust: bool = False) -> None:
        """With `trust`, a puzzle's code is run even if somebody else wrote it."""
        self.disk = disk
        self.header, self._job = self._read_header()
        self.job = job_of(self.header, disk.full(JOB))
        self.trusted = trust or not is_program(self.job) or is_marked(self.job, self.header.get("mark"))
        if not self.trusted and self.job.source is not None:
            self.job = self.job.withheld()
        self._noted: list[Damaged] | None = None
        self.manifest()  # which says whether this is still the job that the run was started with

    @classmethod
    def create(cls, disk: Disk, job: Job) -> Run:
        """Start a directory for a settled job. It is a run from the moment on that job.json is there."""
        if job.source is not None:
            disk.write("problem.py", job.source.encode())
        data = packed_header(new_header(job))
        disk.write(MANIFEST, packed(Manifest(job=(*_begun(disk), checksum(data)))))
        disk.write(JOB, data)
        run = cls(disk, trust=True)
        run.job = job  # whose puzzle is made already
        return run

    @classmethod
    def open(cls, reference: str | Path = "last", out: str | Path = "runs", *, trust: bool = False) -> Run:
        """A run by number, name, path or `last`; of somebody else's puzzle the code is run only with `trust`."""
        disk = find(str(reference), runs_at(out))
        if disk.exists(STUDY):
            raise RunError(f"{disk.place} is a study, of many runs: `islands show {disk.typed}` tells what it shows.")
        if disk.exists(BATCH):
            raise RunError(
                f"{disk.place} is a batch of runs: choose one of them. `islands runs --out {disk.typed}` lists them."
            )
        return cls(disk, trust=trust)

    def change_stop(self, stop: Stop) -> None:
        """Give the run a new stop rule before it is resumed. The caller is the run's one writer."""
        self.job = self.job.model_copy(update={"stop": stop})
        self.replace_header(with_job(self.header, self.job), self.manifest())

    def replace_header(self, header: Header, manifest: Manifest) -> None:
        """A new job.json: the manifest names both, so that a crash in between leaves a run with one of them.

        Whoever trusts a run and goes on with it marks it as theirs.
        """
        if self.trusted:
            header = {**header, "mark": mark_of(job_of(header, JOB))}
        data = packed_header(header)
        self.disk.write(MANIFEST, packed(manifest.model_copy(update={"job": (self._job, checksum(data))})))
        self.disk.write(JOB, data)
        self.header, self._job = header, checksum(data)

    def discard(self) -> None:
        """Remove the directory of a run that was refused before it began, with all that the product has put there."""
        logs = self.disk.names("ray-logs")
        states = [name for name in self.disk.names("checkpoint") if is_ours(name)]
        for name in (*logs, *states, MANIFEST, JOB, "problem.py", *self.disk.parts(EVENTS), LOCK):
            self.disk.remove(name)
        self.disk.unlock()
        for folder in ("ray-logs", "checkpoint", "events", ""):
            self.disk.remove_folder(folder)

    @property
    def place(self) -> str:
        """Its path or URL."""
        return self.disk.place

    @property
    def typed(self) -> str:
        """The same as a shell wants it."""
        return self.disk.typed

    @property
    def path(self) -> Path:
        """Its directory. RunError where it is in object storage, and has none."""
        if not isinstance(self.disk, LocalDisk):
            raise RunError(f"{self.place} is not a directory of this machine; `Run.place` is its URL.")
        return self.disk.root

    @property
    def name(self) -> str:
        return self.disk.name

    @property
    def job_checksum(self) -> str:
        """Of job.json, for the manifest of the next commit."""
        return self._job

    def __len__(self) -> int:
        return self.manifest().total

    def __repr__(self) -> str:
        return f"<Run {portrait.line(self)}>"

    def __str__(self) -> str:
        """What it is and some of its solutions."""
        return portrait.text(self)

    def _repr_html_(self) -> str:
        """The same for a notebook, with pictures."""
        return portrait.page(self)

    def report(self) -> Page:
        """A page about the run: in a notebook it is shown, `run.report().save("report.html")` writes it."""
        page: Page = import_module("islands.pages.notebook").page_of(self)
        return page

    def frame(self, library: str | None = None) -> Any:
        """The solutions as a table of pandas or polars: `library`, or whichever is installed."""
        return solutions_frame(self, library)

    def __iter__(self) -> Iterator[Solution]:
        return self.each()

    def each(self, start: int = 0) -> Iterator[Solution]:
        """The solutions from number `start` on."""
        problem, title = self.job.problem, self.job.title
        full = self.disk.full if self.is_large else None
        for part in self.rows(start):
            yield from part.each(title, problem, full)

    def solutions(self) -> Solutions:
        """All committed solutions as columns."""
        return Solutions.joined(self.rows(), self.space)

    def rows(self, start: int = 0, count: int | None = None) -> Iterator[Solutions]:
        """The rows from number `start` on, segment by segment: a run of millions is never in memory as a whole.

        Not many more than `count` are read, for whoever wants so many.
        The run may go on meanwhile: its open segment is replaced, never changed. Damaged files are passed over, and
        named by a Damaged after the last row that can be read.
        """
        position, lost = start, list[Damaged]() if self._noted is None else self._noted
        again = True
        while again:
            again, manifest, end = False, self.manifest(), 0
            for group in manifest.groups:
                begin, end = end, end + sum(segment.rows for segment in group)
                if end <= position:
                    continue
                parts = self._group(group, position - begin, here := list[Damaged](), count)
                if here and self.manifest() != manifest:
                    again = True  # the files were there; a commit has replaced them
                    break
                lost += here  # before any row: whoever takes the first ones only is to know what they are
                known = len(here)
                for part in parts:
                    yield part
                    if count is not None and (count := count - len(part)) <= 0:
                        return
                lost += here[known:]
                position = end
        if lost and self._noted is None:
            raise told_together(lost, self.typed)

    def tolerant(self) -> list[Damaged]:
        """From here on damaged files are noted in this list, instead of being raised after the last row."""
        self._noted = []
        return self._noted

    @cached_property
    def space(self) -> Space:
        """The puzzle's; where its code is not run, what the files tell of it."""
        if self.job.is_withheld:
            return AnyNumbers(genome_length(self.disk, self.manifest()))
        return self.job.problem.space()

    @property
    def is_large(self) -> bool:
        """Whether each genome has a file of its own."""
        return 4 * self.space.length > self.large

    @property
    def is_copy(self) -> bool:
        """Whether this is what `islands collect` brought of a run that goes on elsewhere, and nobody resumed since."""
        manifest = self.manifest()
        return manifest.stopped is None and self.header.get("collected") == manifest.commit

    def manifest(self, file: str = MANIFEST) -> Manifest:
        """What the last commit says. RunError where it is missing, damaged, or of another job."""
        name = self.disk.full(file)
        try:
            data = self.disk.read(file)
        except FileNotFoundError:
            return self._without_manifest(name)
        except OSError as error:
            raise Damaged(name, str(error.strerror)) from error
        if self.header["format"] != FORMAT:
            return unpacked_older(data, name, lambda segment: row_count(self.disk, segment))
        try:
            manifest = unpacked(data, name)
        except Damaged as error:
            raise Damaged(name, f"{error.reason}. {self._without_words.rstrip('.')}") from error
        if self._job not in manifest.job:
            self.header, self._job = self._read_header()  # it may have got a new stop rule since
            if self._job not in manifest.job:
                raise Damaged(
                    self.disk.full(JOB),
                    "it is not what the run was started with. Put it back as it was; a new stop rule is an option of "
                    "`islands resume`, any other job is a new run",
                )
        return manifest

    @property
    def _without_words(self) -> str:
        """What can be done without a manifest."""
        job = self.job
        return (
            f"Other programs can still read {self.disk.full('solutions')}. The same solutions are found again by the "
            f"command in {self.disk.full(JOB)} with `islands={job.islands}` and `seed={job.seed}`."
        )

    def _without_manifest(self, name: str) -> Manifest:
        """Of a run of an older format, before its first commit, which leaves segments of that at the most."""
        segments = (found for found in self.disk.names("solutions") if found.endswith(".parquet"))
        if self.header["format"] == FORMAT or any("part-000001" not in found for found in segments):
            raise RunError(f"{name} is missing, and without it nobody knows which files count. {self._without_words}")
        return Manifest()

    def checkpoint(self, manifest: Manifest | None = None) -> Checkpoint | None:
        """The last place to go on from; Damaged where it cannot be read."""
        manifest = self.manifest() if manifest is None else manifest
        if manifest.state is None or manifest.counters is None or self.job.is_withheld:
            return None
        checkpoint = Checkpoint(manifest.counters, read_state(self.disk, manifest.state), manifest.rows)
        try:
            check_checkpoint(self.job, checkpoint)
        except ValueError as error:
            raise Damaged(self.disk.full(manifest.state.name), str(error)) from error
        return checkpoint

    def candidates(self, count: int) -> Nearest:
        """The candidates of the lowest costs at the end of the run, or at its last checkpoint; none before it."""
        checkpoint = self.checkpoint()
        return cheapest((), count) if checkpoint is None else checkpoint.nearest(count)

    def candidate(self) -> Genomes | None:
        """The candidate of the lowest cost."""
        nearest = self.candidates(1)
        return nearest.genomes[0] if len(nearest) else None

    def estimate(self) -> Estimate | None:
        """How many solutions there are, where islands have walked to find out."""
        counters = self.manifest().counters
        if counters is None or not counters.tallies:
            return None
        estimator = next((recipe.estimate for recipe in self.job.recipes() if recipe.estimate), None)
        return None if estimator is None else estimator([np.array(tally) for tally in counters.tallies.values()])

    def events(self) -> list[Event]:
        """What happened, oldest first; a torn last line is passed over, and so is what is no event. Damaged where the
        log cannot be read."""
        try:
            lines = self.disk.read_log(EVENTS).splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Damaged(self.disk.full(EVENTS), error.strerror or str(error)) from error
        return events_of(lines)

    def _group(
        self, group: Sequence[Segment], start: int, lost: list[Damaged], count: int | None
    ) -> Iterator[Solutions]:
        """The rows of a segment, or of those that belong together, from `start` on, as far as they can be read; of a
        single segment of small genomes not many more than `count`. All files are read before this returns."""
        sources: list[Iterator[Solutions]] = []
        last = sum(segment.rows for segment in group) - start  # none of their rows is before the last so many of a file
        for segment in group:
            try:
                if len(group) == 1:
                    return iter([self.segment(segment, start, lost, None if self.is_large else count)])
                passed, rows = opened(self.disk, segment, self.space, last)
                sources.append(rows)
                start -= passed
            except Damaged as error:
                lost.append(error)
        return self._merged(sources, start, lost)

    def _merged(self, sources: list[Iterator[Solutions]], start: int, lost: list[Damaged]) -> Iterator[Solutions]:
        try:
            yield from merged(sources, self.space, start)
        except Damaged as error:
            lost.append(error)

    def segment(
        self, segment: Segment, start: int = 0, lost: list[Damaged] | None = None, count: int | None = None
    ) -> Solutions:
        """The rows of a segment from `start` on, at least `count` if it has as many. Damaged where it cannot be read.

        Large genomes that cannot be read are left out and named in `lost`; without that list they are Damaged, too.
        """
        errors: list[Damaged] = []
        rows = read_segment(self.disk, segment, self.space, start, errors, count)
        unknown = segment.checksum is None and not self.job.is_withheld
        if unknown and not self.job.problem.verified(rows.genome.astype(np.int32, copy=False)).all():
            raise Damaged(self.disk.full(segment.name), "it holds what is not a solution")
        if errors and lost is None:
            raise errors[0]
        if lost is not None:
            lost += errors
        return rows

    def _read_header(self) -> tuple[Header, str]:
        name = self.disk.full(JOB)
        try:
            data = self.disk.read(JOB)
        except FileNotFoundError:
            raise RunError(f"{self.place} is not a run: it has no {JOB}. `islands runs` lists runs.") from None
        except OSError as error:
            raise RunError(f"cannot read {name}: {error.strerror}.") from error
        return unpacked_header(data, name), checksum(data)


def _begun(disk: Disk) -> tuple[str, ...]:
    """What earlier attempts to create this run have named: a job.json of theirs may still arrive in object storage,
    after this manifest and before this job.json, and is then the run's."""
    try:
        return unpacked(disk.read(MANIFEST), MANIFEST).job
    except (OSError, Damaged):
        return ()


class View(Run):
    """The run in a directory with other rows than are there."""

    def __init__(self, run: Run) -> None:
        self.__dict__ |= vars(run)
