"""A study is a directory, like a run: what is compared, and a line for every run that is done.

study.json       the plan, the versions, the command line: repeats the study
results.jsonl    a line for each run, in the order in which they ended; a torn last line does not count
study.parquet    the same as a table, sorted, and as study.csv: written whenever the study pauses or ends
study.html       the page
instances/       a job file for each puzzle, where a study has several
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from islands.driver.job_files import toml
from islands.errors import RunError, UsageError
from islands.model.job import Job
from islands.store.disk import Disk
from islands.store.files import RESULTS, STUDY
from islands.store.header import new_header, packed_header
from islands.store.marks import is_marked, is_program
from islands.store.naming import check_name, find, new_run
from islands.store.places import runs_at
from islands.studies.plan import Plan
from islands.studies.trial import Trial
from islands.studies.worker import Task

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
Kind = Literal["study", "tune"]
EXTENDED = {"arms", "seeds", "instances", "path"}  # of a plan: what may become more


class Directory:
    """The files of one study."""

    def __init__(self, disk: Disk, *, trust: bool = False) -> None:
        self.disk = disk
        try:
            self.header = json.loads(disk.read(STUDY))
            if self.header["format"] != FORMAT:
                raise RunError(
                    f"{disk.full(STUDY)} has format {self.header['format']}; this version reads {FORMAT}. Use the "
                    "version that wrote it."
                )
            self.plan = Plan.model_validate(self.header["plan"])
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            raise RunError(f"{disk.full(STUDY)} cannot be read: {str(error).splitlines()[0]}.") from error
        own = _program(self.plan)
        self.trusted = trust or not is_program(own) or is_marked(own, self.header.get("mark"))
        self.trials = {_task(trial): trial for trial in self._read()}

    @classmethod
    def create(cls, plan: Plan, out: str | Path, name: str | None, kind: Kind = "study") -> Directory:
        """A directory for a plan; of the name of a study that is there already, that study with what is new."""
        check_name(name)
        runs = runs_at(out)
        if name is not None and runs.exists(f"{name}/{STUDY}"):
            study = cls(runs.below(name))
            study.extend(plan)
            return study
        disk = new_run(runs, f"{kind}-{_puzzle(plan)}", name)
        try:
            _write_instances(disk, plan)
            disk.write(STUDY, _packed(plan, kind))
        finally:
            disk.unlock()
        return cls(disk, trust=True)

    @classmethod
    def open(cls, reference: str | Path = "last", out: str | Path = "runs", *, trust: bool = False) -> Directory:
        """A study by number, name, path or `last`."""
        disk = find(str(reference), runs_at(out))
        if not disk.exists(STUDY):
            raise RunError(f"{disk.place} is a run and not a study: it has no {STUDY}. `islands show` tells of it.")
        return cls(disk, trust=trust)

    def extend(self, plan: Plan) -> None:
        """Take in the new arms, instances and seeds of a plan. UsageError where it is another study."""
        mine, other = (one.model_dump(exclude=EXTENDED) for one in (self.plan, plan))
        changed = sorted(name for name in mine if mine[name] != other[name])
        changed += [f"arms.{name}" for name, arm in self.plan.arms.items() if plan.arms.get(name, arm) != arm]
        if changed:
            raise UsageError(
                f"{self.disk.place} is a study already, with another {' and '.join(changed)}. Choose another `name`."
            )
        arms, instances = {**self.plan.arms, **plan.arms}, {**self.plan.instances, **plan.instances}
        more = {"arms": arms, "instances": instances, "seeds": max(self.plan.seeds, plan.seeds)}
        self.widen(self.plan.model_copy(update=more).checked())

    def widen(self, extended: Plan) -> None:
        """Go on with a plan that has more arms, instances or seeds."""
        if extended != self.plan:
            self.plan = extended
            self.header = {**self.header, "plan": extended.model_dump(mode="json")}
            _write_instances(self.disk, extended)
            self.disk.write(STUDY, packed_header(self.header))

    @property
    def title(self) -> str:
        """What is studied, in a few words."""
        parameters = {
            name: value for name, value in (self.plan.job.get("parameters") or {}).items() if len(str(value)) < 20
        }
        words = [_puzzle(self.plan), *(f"{name}={value}" for name, value in parameters.items())]
        return " ".join([*words, *filter(None, [self.plan.job.get("recipe")])])

    @property
    def todo(self) -> list[Task]:
        """The runs that are not done; one that failed is to be tried again."""
        tasks = (Task(*run) for run in self.plan.runs)
        return [task for task in tasks if task not in self.trials or self.trials[task].error]

    @property
    def done(self) -> list[Trial]:
        """The results of the plan's runs, in the order of the plan."""
        return [self.trials[task] for task in (Task(*run) for run in self.plan.runs) if task in self.trials]

    def take_up(self) -> None:
        """Make the end of a log that was torn a whole line again. The caller is the one writer."""
        if self.disk.exists(RESULTS) and not self.disk.read_log(RESULTS).endswith(b"\n"):
            last = self.disk.parts(RESULTS)[-1]
            whole = self.disk.read(last).rpartition(b"\n")[0]
            self.disk.write(last, whole + b"\n" if whole else b"")

    def add(self, trials: list[Trial]) -> None:
        """Write results down."""
        self.trials |= {_task(trial): trial for trial in trials}
        self.disk.append(RESULTS, b"".join(trial.model_dump_json().encode() + b"\n" for trial in trials))

    def _read(self) -> Iterator[Trial]:
        if not self.disk.exists(RESULTS):
            return
        lines = self.disk.read_log(RESULTS).splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                yield Trial.model_validate_json(line)
            except ValidationError as error:
                if number < len(lines):
                    raise RunError(f"line {number} of {self.disk.full(RESULTS)} is damaged; remove it, and it is lived "
                                   "again.") from error  # fmt: skip

    def table(self) -> pa.Table:
        """A row for each run, in the order of the plan, with the options of its arm."""
        import pyarrow as pa

        options = list(dict.fromkeys(name for arm in self.plan.arms.values() for name in arm))
        rows: list[dict[str, Any]] = []
        for trial in self.done:
            varied = {name: _text(self.plan.arms[trial.arm].get(name)) for name in options}
            result = {name: value for name, value in trial.model_dump().items() if name not in options}
            command = self.plan.command(trial.arm, trial.instance, trial.seed, self.disk.place)
            rows.append({"arm": trial.arm, **varied, **result, "lengths": list(trial.lengths), "command": command})
        return pa.Table.from_pylist(rows) if rows else pa.table({"arm": pa.array([], pa.string())})

    def write_tables(self) -> None:
        """study.parquet and study.csv."""
        import pyarrow.csv
        import pyarrow.parquet

        table, parquet, csv = self.table(), io.BytesIO(), io.BytesIO()
        pyarrow.parquet.write_table(table, parquet)
        self.disk.write("study.parquet", parquet.getvalue())
        flat = table.drop_columns(["lengths"]) if "lengths" in table.column_names else table
        pyarrow.csv.write_csv(flat, csv)
        self.disk.write("study.csv", csv.getvalue())


def _write_instances(disk: Disk, plan: Plan) -> None:
    """A job file for every puzzle that all arms are given, so that its runs can be repeated."""
    for name, parameters in plan.instances.items():
        if name:
            content = {**plan.job, "parameters": {**plan.job.get("parameters", {}), **parameters}}
            if plan.source is not None:
                content["puzzle"] = str(Path(plan.job["puzzle"]).resolve())
            disk.write(f"instances/{name}.toml", toml(content).encode())


def _packed(plan: Plan, kind: Kind) -> bytes:
    header = new_header(_program(plan))
    del header["job"]
    return packed_header({**header, "format": FORMAT, "kind": kind, "plan": plan.model_dump(mode="json")})


def _program(plan: Plan) -> Job:
    """What of a study is executed, as a job: its puzzle."""
    return Job(puzzle=plan.job["puzzle"], source=plan.source)


def _puzzle(plan: Plan) -> str:
    """`magic-square`, or the name of a user's file."""
    name = str(plan.job["puzzle"])
    return name if plan.source is None else Path(name.partition(":")[0]).stem


def _task(trial: Trial) -> Task:
    return Task(trial.arm, trial.instance, trial.seed)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
