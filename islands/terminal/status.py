"""`islands status`: how the jobs of a cluster stand, from what Ray knows and what their run directories tell."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.table import Table
from rich.text import Text

from islands.terminal.runs import REASONS, age
from islands.terminal.tables import Column, console_for, fitted
from islands.writing.words import compact, duration, frequency, number

LONG = 60  # characters of a name, above which names fold: they would push all else out of the table

Row = dict[str, Any]


def job_row(job: Any, told: Row | None) -> Row:
    """All that is known of a job; `told` are the facts of its run directory, None where nobody could read them."""
    row = {
        "job": job.name,
        "state": job.state,
        "puzzle": job.about.get("puzzle", ""),
        "user": job.about.get("user", ""),
        "submitted": datetime.fromtimestamp(job.began, UTC).isoformat(timespec="seconds"),
        "run": job.path,
        "message": job.message if job.state == "failed" else "",
    }
    return {**row, **(_of_runs(told["runs"], told) if told and told["runs"] else _nothing())}


def _nothing() -> Row:
    names = (
        "host",
        "ended",
        "seconds",
        "epoch",
        "found",
        "saved",
        "found_per_second",
        "evaluations_per_second",
        "best",
    )
    return {**dict.fromkeys(names), "restarts": 0, "inputs": None, "islands": []}


def _of_runs(runs: Sequence[Row], told: Row) -> Row:
    """The facts of a run; of a batch those of the one that is under way, with the sums of all."""
    current = next((run for run in runs if run["stopped"] is None and run["now"]), runs[-1])
    now, before = current["now"] or {}, current["before"]
    islands = current["islands"]
    if now and current["stopped"] is None:  # newer than what is saved
        islands = [
            {"generation": lived, "best": cost} for lived, cost in zip(now["generations"], now["best"], strict=True)
        ]
    reason = (current["ended"] or {}).get("reason")
    total = current["ended"]["total"] if current["ended"] else now.get("total", 0)
    others = sum(run["saved"] for run in runs if run is not current)
    done = sum(run["stopped"] is not None for run in runs)
    return {
        "run": told["root"],
        "host": told["host"],
        "ended": REASONS.get(reason, reason) if reason else None,
        "seconds": max(now.get("seconds", 0.0), current["seconds"]),
        "epoch": now.get("epoch"),
        "found": max(total, current["saved"]) + others,
        "saved": current["saved"] + others,
        "found_per_second": _rate(now, before, "total"),
        "evaluations_per_second": _rate(now, before, "evaluations"),
        "best": min((island["best"] for island in islands if island["best"] is not None), default=None),
        "restarts": sum(run["lost"] for run in runs),
        "inputs": [done, told["inputs"]] if "inputs" in told else None,
        "islands": [
            {"island": number, "place": current["places"].get(str(number), ""), **island}
            for number, island in enumerate(islands)
        ],
    }


def _rate(now: Row, before: Row | None, what: str) -> float | None:
    """How many more of it there were in a second, lately."""
    if not now:
        return None
    since = before or {"seconds": 0.0, what: 0}
    passed, more = now["seconds"] - since["seconds"], _sum(now[what]) - _sum(since[what])
    return round(more / passed, 3) if passed > 0 else None


def _sum(counted: int | list[int]) -> int:
    """Of all islands, where an event tells of each."""
    return sum(counted) if isinstance(counted, list) else counted


def print_status(rows: Sequence[Row], *, one: bool, as_objects: bool) -> None:
    """A table of jobs, or all about one of them; or JSON lines."""
    if as_objects:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
        return
    console = console_for(sys.stdout)
    console.print(_jobs_table(rows, console.width))
    if one:
        (row,) = rows
        places = [island for island in row["islands"] if island["place"]]
        if places:
            console.print()
            console.print(_islands_table(row["islands"], console.width))
        for line in _lines(row):
            console.print(Text(line), soft_wrap=True)


def _state(row: Row) -> str:
    inputs = f", {row['inputs'][0]} of {row['inputs'][1]} done" if row["inputs"] else ""
    ended = f": {row['ended']}" if row["ended"] and row["state"] not in ("pending", "running") else ""
    return f"{row['state']}{ended}{inputs}"


def _jobs_table(rows: Sequence[Row], width: int) -> Table:
    def nodes(row: Row) -> str:
        return number(len({island["place"].rpartition(":")[0] for island in row["islands"] if island["place"]}))

    def by(row: Row) -> str:
        return str(row["user"])

    columns: list[Column[Row]] = [
        Column("job", 9, lambda row: row["job"], is_text=True, folds=any(len(row["job"]) > LONG for row in rows)),
        Column("state", 8, _state, is_text=True, folds=True),
        Column("puzzle", 5, lambda row: row["puzzle"], is_text=True, folds=True),
        Column("islands", 4, lambda row: number(len(row["islands"])) if row["islands"] else ""),
        Column("nodes", 4, lambda row: nodes(row) if row["islands"] else ""),
        Column("found", 9, lambda row: "" if row["found"] is None else number(row["found"])),
        Column("found/s", 6, lambda row: _text(row["found_per_second"], frequency)),
        Column("evaluations/s", 3, lambda row: _text(row["evaluations_per_second"], compact)),
        Column("best", 6, lambda row: "" if row["best"] is None else number(row["best"])),
        Column("restarts", 2, lambda row: number(row["restarts"])),
        Column("time", 7, lambda row: _text(row["seconds"], duration)),
        Column("submitted", 1, lambda row: age(row["submitted"]), is_text=True),
        *([Column("by", 1, by, is_text=True)] if len({row["user"] for row in rows}) > 1 else []),
    ]
    return fitted(columns, rows, width)


def _islands_table(islands: Sequence[Row], width: int) -> Table:
    columns: list[Column[Row]] = [
        Column("island", 9, lambda row: str(row["island"])),
        Column("lives on", 8, lambda row: row["place"] or "the driver's process", is_text=True),
        Column("generation", 5, lambda row: number(row["generation"])),
        Column("best cost", 7, lambda row: "" if row["best"] is None else number(row["best"])),
    ]
    return fitted(columns, islands, width, most=40)


def _lines(row: Row) -> list[str]:
    """Where the run directory is, and why a job failed."""
    lines = [f"{row['run']}" + (f" on {row['host']}" if row["host"] else "")]
    if row["found"] is None and row["state"] in ("pending", "running"):
        lines.append("it has not begun yet, or its machine does not answer")
    elif row["found"] is None and not row["message"]:
        lines.append(f"its machine does not answer, or has no such run; what it said: islands logs {row['job']}")
    return lines + ([_cause(row["message"])] if row["message"] and row["found"] is None else [])


def _cause(message: str) -> str:
    """What the job itself said last, if Ray's message has it; else that message."""
    said = [line.strip() for line in message.splitlines() if line.startswith("error: ")]
    return said[-1] if said else message.strip()


def _text(value: float | None, words: Any) -> str:
    return "" if value is None else str(words(value))
