"""The table of runs, tolerant of whatever lies in the directory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, TextIO

from rich.table import Table

from islands.driver.batches import Batch
from islands.errors import RunError
from islands.model.title import title
from islands.pages.advice import statuses
from islands.pages.text import cost_text
from islands.store.disk import Disk
from islands.store.files import BATCH, JOB, STUDY
from islands.store.places import runs_at
from islands.store.run import Run
from islands.studies.directory import Directory
from islands.terminal.tables import Column, console_for, fitted
from islands.writing.words import duration, many, number

REASONS = {
    "solutions": "done",
    "complete": "complete",
    "exhausted": "whole space searched",
    "seconds": "time is up",
    "generations": "generations done",
    "evaluations": "evaluations done",
    "target": "target met",
    "stale": "gave up",
    "barren": "gave up",
}


def print_runs(out: str, stdout: TextIO, *, as_objects: bool) -> None:
    """The runs in `out`, as a table or as JSON lines."""
    place = runs_at(out)
    rows = list(run_rows(place))
    if as_objects:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False), file=stdout)
    elif rows:
        console = console_for(stdout)
        console.print(runs_table(rows, console.width))
    else:
        print(f"no runs in {place.place}; `islands run` starts one", file=sys.stderr)


def run_rows(out: Disk) -> Iterator[dict[str, Any]]:
    """What is known of each directory in `out`, whatever state it is in."""
    return (run_row(out.below(folder)) for folder in out.folders())


def run_row(disk: Disk) -> dict[str, Any]:
    digits = disk.name.partition("-")[0]
    row: dict[str, Any] = {
        "number": int(digits) if digits.isdecimal() else None,
        "name": disk.name,
        "path": disk.place,
        "puzzle": None,
        "recipe": None,
        "islands": None,
        "seed": None,
        "found": None,
        "unit": None,
        "best": None,
        "best_text": None,
        "seconds": None,
        "state": "not a run: no job.json",
        "created": None,
        "address": None,
    }
    job, batch, study = disk.modified([JOB, BATCH, STUDY])
    if job is None and batch is None and study is None:
        return row
    try:
        if study is not None:
            return {**row, **_study_facts(Directory(disk))}
        if batch is not None:
            return {**row, **_batch_facts(Batch(disk))}
        run = Run(disk)
        manifest = run.manifest()
        reason = manifest.stopped or ("collected" if run.is_copy else "killed" if run.events() else "not begun")
    except (RunError, OSError) as error:
        return {**row, "state": f"unreadable: {error}"}
    state = "running" if run.disk.is_locked() else REASONS.get(reason, reason)
    best = min((island.best for island in statuses(run) if island.best is not None), default=None)
    own = None if run.job.source is not None else run.job.problem  # a list executes nobody's code
    return {
        **row,
        "puzzle": title(run.job),
        "recipe": run.job.recipe,
        "islands": run.job.islands,
        "seed": run.job.seed,
        "found": manifest.total + manifest.counted,
        "unit": None if own is None else own.wording().unit,
        "best": best,
        "best_text": _numeral(best) if own is None or best is None else cost_text(own, best),
        "seconds": round(manifest.seconds, 3),
        "state": state,
        "created": run.header.get("created"),
        "address": run.job.address,
    }


def _batch_facts(batch: Batch) -> dict[str, Any]:
    """What is known of a batch; its runs are listed where they are."""
    members = list(batch.members())
    done = sum(member.done for member in members)
    manifests = [member.run.manifest() for member in members]
    jobs = [member.run.job for member in members]
    same = {name: {getattr(job, name) for job in jobs} for name in ("recipe", "islands", "seed")}
    return {
        **{name: values.pop() for name, values in same.items() if len(values) == 1},
        "seconds": round(sum(manifest.seconds for manifest in manifests), 3),
        "puzzle": f"{jobs[0].puzzle}, batch of {many(len(members), 'run')}",
        "found": sum(manifest.total + manifest.counted for manifest in manifests),
        "state": "done" if done == len(members) else f"{done} of {len(members)} done",
        "created": members[0].run.header.get("created"),
    }


def _study_facts(study: Directory) -> dict[str, Any]:
    """What is known of a study, or of a search for parameters."""
    plan, done, jobs = study.plan, len(study.done), len(study.plan.runs)
    state = "done" if done == jobs else f"{done} of {jobs} done"
    return {
        "puzzle": f"{study.title}, {study.header.get('kind', 'study')} of {many(len(plan.arms), 'arm')}",
        "recipe": plan.job.get("recipe"),
        "islands": plan.job.get("islands"),
        "found": sum(trial.found for trial in study.done),
        "seconds": round(sum(trial.seconds for trial in study.done), 3),
        "state": "running" if study.disk.is_locked() else state,
        "created": study.header.get("created"),
    }


def runs_table(rows: list[dict[str, Any]], width: int) -> Table:
    def counted(row: dict[str, Any]) -> str:
        return many(row["found"], row["unit"]) if row["unit"] and row["found"] is not None else _numeral(row["found"])

    columns: list[Column[dict[str, Any]]] = [
        Column("run", 9, lambda row: row["name"], is_text=True),
        Column("puzzle", 7, lambda row: row["puzzle"] or "", is_text=True, folds=True),
        Column("recipe", 4, lambda row: row["recipe"] or "", is_text=True),
        Column("islands", 2, lambda row: _numeral(row["islands"])),
        Column("seed", 3, lambda row: "" if row["seed"] is None else str(row["seed"])),
        Column("found", 9, counted),
        Column("best", 5, lambda row: row["best_text"] or ""),
        Column("time", 6, lambda row: "" if row["seconds"] is None else duration(row["seconds"])),
        Column("state", 8, lambda row: row["state"], is_text=True, folds=True),
        Column("started", 1, lambda row: age(row["created"]), is_text=True),
    ]
    return fitted(columns, rows, width)


def _numeral(value: int | None) -> str:
    return "" if value is None else number(value)


def age(created: Any) -> str:
    """2 h 5 min ago; the date when it is more than a day."""
    try:
        then = datetime.fromisoformat(created)
        seconds = (datetime.now(UTC) - then).total_seconds()
    except (TypeError, ValueError):
        return ""
    return then.astimezone().strftime("%Y-%m-%d %H:%M") if seconds > 86_400 else f"{duration(max(0, seconds))} ago"
