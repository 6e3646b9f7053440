"""Several inputs as a batch: a directory with a run for each, and beside them what the puzzle tells of all.

batch.json   the inputs, by the names of their runs
NAME/        the run of an input, like any other
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from islands.driver.api import prepared
from islands.errors import RunError, UsageError, about
from islands.model.capabilities import BatchSummary, InputResult
from islands.model.job import Job
from islands.model.problem import Problem
from islands.store.disk import Disk
from islands.store.files import BATCH, JOB
from islands.store.naming import check_name, new_run
from islands.store.outcome import Outcome, outcome
from islands.store.places import runs_at
from islands.store.run import Run


class Input(BaseModel, frozen=True, extra="forbid"):
    """Where a run of a batch comes from."""

    name: str  # of the file
    sampled: bool = False  # chance decided a part of the puzzle


class _Content(BaseModel, frozen=True, extra="forbid"):
    format: int = 1
    inputs: dict[str, Input]


class Member(NamedTuple):
    """One run of a batch."""

    input: Input
    run: Run

    @property
    def done(self) -> bool:
        """Whether it came to an end of its own."""
        return self.run.manifest().stopped not in (None, "interrupted", "failed")

    @property
    def outcome(self) -> Outcome:
        return outcome(self.run, self.run.manifest().stopped or "interrupted", self.run.manifest().counted)


class Batch:
    """A directory of runs."""

    def __init__(self, disk: Disk, *, trust: bool = False) -> None:
        """With `trust`, a puzzle's code is run even if somebody else wrote it."""
        self.disk, self.trust = disk, trust
        try:
            self.inputs = _Content.model_validate_json(self.disk.read(BATCH)).inputs
        except ValidationError as error:
            detail = error.errors()[0]
            what = f"{'.'.join(map(str, detail['loc'])) or 'it'}: {detail['msg']}"
            raise RunError(
                f"{disk.full(BATCH)} is not the list of a batch: {what}. Its runs can be read one by one: "
                f"islands runs --out {disk.typed}"
            ) from error
        except OSError as error:
            raise RunError(f"{disk.full(BATCH)} cannot be read: {error.strerror}.") from error

    @classmethod
    def create(cls, jobs: dict[str, Job], out: str | Path, name: str | None) -> Batch:
        """A run for the job of each input; where the batch is there already, for those that are new.

        Everything is checked first: a UsageError leaves nothing behind. Without a name it gets a number.
        """
        check_name(name)
        inputs: dict[str, Input] = {}
        ready: dict[str, Job] = {}
        for file, job in jobs.items():
            place = (file.rpartition(".")[0] or file).replace(".", "-")  # files of the batch have dots, runs have none
            if place in inputs:
                raise UsageError(f"{inputs[place].name} and {file} would both be the run {place}. Rename one of them.")
            with about(file):
                ready[place] = prepared(job, usual=lambda: 1)
            inputs[place] = Input(name=file, sampled=ready[place].problem != job.problem)
        runs = runs_at(out)
        if name is not None and runs.exists(f"{name}/{BATCH}"):
            disk = runs.below(name)
            inputs = {**inputs, **cls(disk)._same(ready)}
        else:
            disk = new_run(runs, next(iter(ready.values())).title, name)
        try:
            disk.write(BATCH, _Content(inputs=inputs).model_dump_json(indent=1).encode() + b"\n")
            for place, job in ready.items():
                if not disk.exists(f"{place}/{JOB}"):
                    Run.create(disk.below(place), job)
        finally:
            disk.unlock()
        return cls(disk)

    def _same(self, jobs: dict[str, Job]) -> dict[str, Input]:
        """The inputs that are there already; UsageError where a run of them has another job."""
        for place in self.inputs.keys() & jobs.keys():
            disk = self.disk.below(place)
            if disk.exists(JOB) and Run(disk).job.model_dump() != jobs[place].model_dump():
                raise UsageError(
                    f"{disk.place} exists already, with another input or other options. Choose another `name`, or go "
                    f"on with it as it is: islands resume {self.disk.typed}"
                )
        return self.inputs

    def members(self) -> Iterator[Member]:
        return map(self.member, self.inputs)

    def member(self, place: str) -> Member:
        """The run of this name."""
        disk = self.disk.below(place)
        if Path(place).name != place or not disk.exists(JOB):
            raise RunError(f"{disk.place} is missing. The command that began the batch makes it again.")
        return Member(self.inputs[place], Run(disk, trust=self.trust))

    def write_summary(self) -> BatchSummary:
        """Let the puzzle write what it tells of the runs that are done."""
        done = [member for member in self.members() if member.done]
        kind = type(done[0].run.job.problem) if done else Problem
        files = kind.files()
        if files is None or files.summary is None:
            return BatchSummary({})
        summary = files.summary([_result(member) for member in done if type(member.run.job.problem) is kind])
        for name, text in summary.files.items():
            self.disk.write(name, text.encode())
        return summary


def _result(member: Member) -> InputResult:
    run, problem = member.run, member.run.job.problem
    found = min(run, key=lambda solution: problem.cost(solution.genome), default=None)
    manifest = run.manifest()
    lived = max((point.generation for point in manifest.trend), default=0)
    return InputResult(
        name=member.input.name,
        problem=problem,
        sampled=member.input.sampled,
        recipe=run.job.recipe or "",
        best=run.candidate() if found is None else found.genome,
        solved=found is not None,
        generations=lived if found is None else found.generation,
        seconds=manifest.seconds if found is None else found.seconds,
        trend=manifest.trend,
    )
