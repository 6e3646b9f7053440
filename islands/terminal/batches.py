"""A batch of runs in the commands that read runs: `islands show` and `islands verify`, run by run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from islands.driver.batches import Batch
from islands.errors import IslandsError, RunError, UsageError, as_options
from islands.store.files import BATCH
from islands.store.naming import find
from islands.store.places import runs_at
from islands.store.run import Run
from islands.terminal.runs import run_rows, runs_table
from islands.terminal.tables import console_for
from islands.terminal.verify import verify_run
from islands.writing.words import many


def batch_at(reference: str, out: str, trust: bool) -> Batch | None:
    """The batch that a user names; None where it is a run, or nothing at all."""
    disk = find(reference, runs_at(out))
    return Batch(disk, trust=trust) if disk.exists(BATCH) else None


def show_batch(batch: Batch, stdout: TextIO, show: Callable[[Run, str], None] | None) -> None:
    """Let `show` print each run, which gets the name of its input, too; or the table of all, where it is None."""
    if show is None:
        console = console_for(stdout)
        rows = list(_rows(batch))
        console.print(runs_table(rows, console.width))
        if len(rows) < len(batch.inputs):
            missing = many(len(batch.inputs) - len(rows), "run")
            print(f"{missing} missing: the command that began the batch makes them again", file=sys.stderr)
        if rows:
            place = batch.disk.typed
            one = f"{place}/{rows[0]['name']}"
            print(f"one of them: islands show {one} · all: islands show {place} --limit 0", file=sys.stderr)
        return
    errors = []
    for place, source in batch.inputs.items():
        try:
            show(batch.member(place).run, source.name)
        except IslandsError as error:  # the others are shown all the same
            errors.append(error)
    unknown = [error for error in errors if type(error) is UsageError]  # such as an id that only another run has
    if len(unknown) == len(batch.inputs):
        raise unknown[0]
    if lost := [error for error in errors if error not in unknown]:
        raise RunError("\n".join(map(str, lost)))


def verify_batch(batch: Batch, stdout: TextIO) -> int:
    """Verify every run; the exit code is 1 where anything is damaged, or cannot be read at all."""
    whole = 0
    for place in batch.inputs:
        try:
            whole += verify_run(batch.member(place).run, stdout) == 0
        except IslandsError as error:
            print(f"{batch.disk.below(place).place}: {as_options(str(error))}", file=stdout)
    print(f"{batch.disk.place}: {whole} of {many(len(batch.inputs), 'run')} without damage", file=stdout)
    return int(whole < len(batch.inputs))


def _rows(batch: Batch) -> Iterator[dict[str, Any]]:
    """What is known of each run, in the order of the inputs."""
    rows = {row["name"]: row for row in run_rows(batch.disk)}
    return (rows[place] for place in batch.inputs if place in rows)
