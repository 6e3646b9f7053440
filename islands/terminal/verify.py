"""`islands verify`: every file and every solution of a run, checked; what is damaged, and what to do."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from islands.store.run import Run
from islands.store.verification import verify
from islands.terminal.text import unit
from islands.writing.words import many, number


def verify_run(run: Run) -> int:
    """Print what is damaged, a line for each file; the exit code: 0 all is well, 1 something is not."""
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(run))
        verdict = verify(run, lambda count: progress.advance(task, count))
    for damaged in verdict.damaged:
        print(f"{Path(damaged.name).relative_to(run.path)}: {damaged.reason}")
    word = unit(run.job.problem)
    done = "read" if run.job.is_withheld else "verified"
    if not verdict.damaged:
        print(f"{run.path}: {many(verdict.verified, word)} {done}, nothing is damaged")
        return 0
    verified = f"{number(verdict.verified)} of {many(verdict.total, word)} {done}"
    line = f"{run.path}: {many(len(verdict.damaged), 'file')} damaged, {verified}"
    print(line + (f" · islands resume {run.path} finds the others again" if verdict.verified < verdict.total else ""))
    return 1
