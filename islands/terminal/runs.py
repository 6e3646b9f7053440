"""The table of runs, tolerant of whatever lies in the directory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table

from islands.driver.batches import Batch
from islands.errors import RunError
from islands.model.title import title
from islands.store.disk import Disk
from islands.store.naming import BATCH
from islands.store.run import Run
from islands.terminal.advice import statuses
from islands.terminal.tables import Column, console_for, fitted
from islands.writing.words import duration, many, number

REASONS = {
    "solutions": "done",
    "complete": "complete",
    "exhausted": "whole space searched",
    "seconds": "time is up",
    "generations": "generations done",
    "target": "target met",
    "stale": "gave up",
    "barren": "gave up",
}


def print_runs(out: Path, *, as_objects: bool) -> None:
    """The runs in `out`, as a table or as JSON lines."""
    rows = list(run_rows(out))
    if as_objects:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    elif rows:
        console = console_for(sys.stdout)
        console.print(runs_table(rows, console.width))
    else:
        print(f"no runs in {out}; `islands run` starts one", file=sys.stderr)


def run_rows(out: Path) -> Iterator[dict[str, Any]]:
    """What is known of each directory in `out`, whatever state it is in."""
    for path in sorted(out.iterdir()) if out.is_dir() else []:
        if path.is_dir():
            yield _run_row(path)


def _run_row(path: Path) -> dict[str, Any]:
    digits = path.name.partition("-")[0]
    row: dict[str, Any] = {
        "number": int(digits) if digits.isdecimal() else None,
        "name": path.name,
        "path": str(path),
        "puzzle": None,
        "recipe": None,
        "islands": None,
        "seed": None,
        "found": None,
        "unit": None,
        "best": None,
        "seconds": None,
        "state": "not a run: no job.json",
        "created": None,
    }
    if not (path / "job.json").exists() and not (path / BATCH).exists():
        return row
    try:
        if (path / BATCH).exists():
            return {**row, **_batch_facts(Batch(path))}
        run = Run(Disk(path))
        manifest = run.manifest()
    except (RunError, OSError) as error:
        return {**row, "state": f"unreadable: {error}"}
    reason = manifest.stopped or ("killed" if run.events() else "not begun")
    state = "running" if run.disk.is_locked() else REASONS.get(reason, reason)
    return {
        **row,
        "puzzle": title(run.job),
        "recipe": run.job.recipe,
        "islands": run.job.islands,
        "seed": run.job.seed,
        "found": manifest.total + manifest.counted,
        "unit": None if run.job.source is not None else run.job.problem.wording().unit,
        "best": min((island.best for island in statuses(run) if island.best is not None), default=None),
        "seconds": round(manifest.seconds, 3),
        "state": state,
        "created": run.header.get("created"),
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
        Column("best", 5, lambda row: _numeral(row["best"])),
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
