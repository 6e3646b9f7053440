"""`islands verify`: every file and every solution of a run, checked; what is damaged, and what to do."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from islands.pages.text import unit
from islands.store.run import Run
from islands.store.verification import verify
from islands.writing.words import many, number


def verify_run(run: Run, stdout: TextIO) -> int:
    """Print what is damaged, a line for each file; the exit code: 0 all is well, 1 something is not."""
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(run))
        verdict = verify(run, lambda count: progress.advance(task, count))
    for damaged in verdict.damaged:
        print(f"{run.disk.short(damaged.name)}: {damaged.reason}", file=stdout)
    word = unit(run.job.problem)
    done = "read" if run.job.is_withheld else "verified"
    if not verdict.damaged:
        print(f"{run.place}: {many(verdict.verified, word)} {done}, nothing is damaged", file=stdout)
        return 0
    verified = f"{number(verdict.verified)} of {many(verdict.total, word)} {done}"
    line = f"{run.place}: {many(len(verdict.damaged), 'file')} damaged, {verified}"
    again = f" · islands resume {run.typed} finds the others again" if verdict.verified < verdict.total else ""
    print(line + again, file=stdout)
    return 1
