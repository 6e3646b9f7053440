"""A study is a directory, like a run: what is compared, and a line for every run that is done.

study.json       the plan, the versions, the command line: repeats the study
job.toml         the job that all arms have in common, with the text of a user's puzzle in problem.py: repeats a run
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
from islands.errors import DiskError, RunError, UsageError
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
TEXTS, NUMBERS = ("arm", "instance", "reason", "error"), ("length", "first", "spent", "seconds")  # of a Trial
EXTENDED = {"arms", "seeds", "instances", "path"}  # of a plan: what may become more


class Directory:
    """The files of one study."""

    def __init__(self, disk: Disk, *, trust: bool = False) -> None:
        self.disk, self._trust = disk, trust
        self._load()

    def _load(self) -> None:
        disk = self.disk
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
        self.trusted = self._trust or not is_program(own) or is_marked(own, self.header.get("mark"))
        self.trials = {_task(trial): trial for trial in self._read()}

    @classmethod
    def create(cls, plan: Plan, out: str | Path, name: str | None, kind: Kind = "study") -> Directory:
        """A directory for a plan; of the name of a study that is there already, that study with what is new."""
        check_name(name)
        runs = runs_at(out)
        if name is not None and runs.exists(f"{name}/{STUDY}"):
            study = cls(runs.below(name))
            study.disk.lock()
            try:
                study.extend(plan)
            finally:
                study.disk.unlock()
            return study
        disk = new_run(runs, f"{kind}-{_puzzle(plan)}", name)
        try:
            _write_jobs(disk, plan)
            disk.write(STUDY, _packed(plan, kind))
        except DiskError:
            for file in ("job.toml", "problem.py", *disk.names("instances")):
                disk.remove(file)
            for folder in ("instances", ""):
                disk.remove_folder(folder)
            raise
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
        """Take in the new arms, instances and seeds of a plan. UsageError where it is another study.

        The caller is the one writer. That seeds were added after a look at the results is remembered.
        """
        self._load()
        mine, other = (_lasting(one) for one in (self.plan, plan))
        changed = sorted(name for name in mine if mine[name] != other[name])
        changed += [f"arms.{name}" for name, arm in self.plan.arms.items() if plan.arms.get(name, arm) != arm]
        if changed:
            raise UsageError(
                f"{self.disk.place} is a study already, with another {' and '.join(changed)}. Choose another `name`."
            )
        arms, instances = {**self.plan.arms, **plan.arms}, {**self.plan.instances, **plan.instances}
        more = {"arms": arms, "instances": instances, "seeds": max(self.plan.seeds, plan.seeds)}
        if plan.seeds > self.plan.seeds and self.trials:
            self.header = {**self.header, "looks": [*self.header.get("looks", []), self.plan.seeds]}
        self.widen(self.plan.model_copy(update=more).checked())

    def widen(self, extended: Plan) -> None:
        """Go on with a plan that has more arms, instances or seeds."""
        if extended != self.plan:
            self.plan = extended
            self.header = {**self.header, "plan": extended.model_dump(mode="json")}
            _write_jobs(self.disk, extended)
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
        """Read it again, and make the end of a log that was torn a whole line. The caller is the one writer."""
        self._load()
        if self.disk.exists(RESULTS) and not self.disk.read_log(RESULTS).endswith(b"\n"):
            last = self.disk.parts(RESULTS)[-1]
            whole, end, torn = self.disk.read(last).rpartition(b"\n")
            self.disk.write(last, whole + end + (torn + b"\n" if _is_trial(torn) else b""))
        ours, known = _versions(self.header, now=True), self.lived_by if self.trials else []
        if self.todo and ours not in known:
            self.header = {**self.header, "lived_by": [*known, ours]}
            self.disk.write(STUDY, packed_header(self.header))

    @property
    def lived_by(self) -> list[str]:
        """The versions that lived runs of it."""
        return list(self.header.get("lived_by") or [_versions(self.header)])

    @property
    def notes(self) -> list[str]:
        """What of its history lessens what it can tell."""
        looks, found = self.header.get("looks"), []
        if looks:
            found.append(
                f"Seeds were added after {' and '.join(map(str, looks))} had been seen: p counts one look, so that "
                "equal arms are found to differ more often than in one study of twenty."
            )
        if len(self.lived_by) > 1:
            found.append(
                f"Runs were lived by {' and by '.join(self.lived_by)}: the same seed may be another run there."
            )
        return found

    def add(self, trials: list[Trial]) -> None:
        """Write results down. DiskError where somebody else has become the writer."""
        self.disk.confirm()
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
        """A row for each run, in the order of the plan, with the options of its arm as texts.

        Every study has the same columns of results, whatever they hold; an option of the same name gets another one.
        """
        import pyarrow as pa

        kinds = {**dict.fromkeys(Trial.model_fields, pa.int64()), **dict.fromkeys(TEXTS, pa.string())}
        kinds |= {**dict.fromkeys(NUMBERS, pa.float64()), "solved": pa.bool_(), "lengths": pa.list_(pa.float64())}
        options = dict.fromkeys(name for arm in self.plan.arms.values() for name in arm)
        columns = {name: f"option_{name}" if name in (*kinds, "command") else name for name in options}
        rows: list[dict[str, Any]] = []
        for trial in self.done:
            varied = {column: _text(self.plan.arms[trial.arm].get(name)) for name, column in columns.items()}
            command = self.plan.command(trial.arm, trial.instance, trial.seed, self.disk.place)
            rows.append({**varied, **trial.model_dump(), "command": command})
        texts = dict.fromkeys(columns.values(), pa.string())
        return pa.Table.from_pylist(rows, pa.schema({"arm": pa.string(), **texts, **kinds, "command": pa.string()}))

    def write_tables(self) -> None:
        """study.parquet and study.csv."""
        import pyarrow.csv
        import pyarrow.parquet

        table, parquet, csv = self.table(), io.BytesIO(), io.BytesIO()
        pyarrow.parquet.write_table(table, parquet)
        self.disk.write("study.parquet", parquet.getvalue())
        pyarrow.csv.write_csv(table.drop_columns(["lengths"]), csv)
        self.disk.write("study.csv", csv.getvalue())


def _write_jobs(disk: Disk, plan: Plan) -> None:
    """The job file of all arms, or one for every puzzle that they are given, so that runs can be repeated."""
    if plan.source is not None:
        disk.write("problem.py", plan.source.encode())
    for name, parameters in plan.instances.items():
        content = {**plan.job, "parameters": {**plan.job.get("parameters", {}), **parameters}}
        content["puzzle"] = _own_puzzle(plan, "../" if name else "")
        disk.write(f"instances/{name}.toml" if name else "job.toml", toml(content).encode())


def _own_puzzle(plan: Plan, folder: str = "") -> str:
    """What the job files of a study call its puzzle: the text of a user's file is beside them."""
    _, colon, wanted = str(plan.job["puzzle"]).partition(":")
    return str(plan.job["puzzle"]) if plan.source is None else f"{folder}problem.py{colon}{wanted}"


def _lasting(plan: Plan) -> dict[str, Any]:
    """What must not change when a study is extended; where the same puzzle's file lies may."""
    return {**plan.model_dump(exclude=EXTENDED), "job": {**plan.job, "puzzle": _own_puzzle(plan)}}


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


def _versions(header: dict[str, Any], *, now: bool = False) -> str:
    """What lives runs, as far as it may change them: what the header says, or this process."""
    known = new_header(Job(puzzle="none")) if now else header
    versions = known.get("versions") or {}
    python = ".".join(str(versions.get("python")).split(".")[:2])
    rest = (f"{name} {versions.get(name)}" for name in ("numpy", "numba"))
    return ", ".join([f"puzzle-islands {known.get('version')}", f"Python {python}", *rest])


def _is_trial(line: bytes) -> bool:
    try:
        Trial.model_validate_json(line)
    except ValidationError:
        return False
    return True


def _task(trial: Trial) -> Task:
    return Task(trial.arm, trial.instance, trial.seed)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
