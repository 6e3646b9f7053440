"""A batch and the person who watches it: its runs one after another, and what the puzzle tells of all."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table

from islands.driver.batches import Batch, Member
from islands.driver.inputs import described
from islands.terminal.watched_run import OutputOptions, go_on
from islands.writing.words import many

INTERRUPTED = 130


def see_through(
    batch: Batch, output: OutputOptions, *, stop: dict[str, Any] | None = None, place: dict[str, Any] | None = None
) -> int:
    """Conduct every run that is not done; with a new stop rule, those without what is now asked for, too.

    Returns the exit code: 0 where every input was solved. What is done is kept whatever happens.
    """
    stop, place = stop or {}, {"backend": None, "address": None, **(place or {})}
    members, code = list(batch.members()), 0
    try:
        for number, member in enumerate(members, 1):
            if member.done and not _lacks(member, stop):
                continue
            what = described(member.run.job.problem)
            _say(f"{member.input.name} ({number} of {len(members)}): {what}", output)
            code = go_on(member.run, replace(output, input=member.input.name), stop=stop, place=place)
            if code == INTERRUPTED:
                break
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        summary = batch.write_summary()
    if summary.table and not output.quiet:
        Console(stderr=True).print(_table(summary.table))
    done = [member for member in members if member.done]
    solved = sum(_solved(member) for member in done)
    fewer = sum(_has_fewer(member) for member in done)
    if code == INTERRUPTED:
        _say(f"stopped with {len(done)} of {many(len(members), 'input')} done", output)
        _say(f"{batch.disk.place} · go on: islands resume {batch.disk.typed}", output)
        return code
    short = f", {fewer} of them with fewer solutions than were asked for" if fewer else ""
    note = f"; {summary.note}" if summary.note else ""
    _say(f"{solved + fewer} of {len(members)} solved{short}{note}", output)
    _say(f"{batch.disk.place} · its runs: islands runs --out {batch.disk.typed}", output)
    return int(solved < len(members))


def _table(rows: Sequence[Sequence[str]]) -> Table:
    """Headings, then rows; all but the first column are figures."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, heading in enumerate(rows[0]):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows[1:]:
        table.add_row(*row)
    return table


def _lacks(member: Member, stop: dict[str, Any]) -> bool:
    """Whether a run that is done has less than a new stop rule asks for, or, where that names no number, its own."""
    if all(value is None for value in stop.values()):
        return False
    wanted = stop.get("solutions")
    outcome = member.outcome
    return (outcome if wanted is None else replace(outcome, asked=wanted)).exit_code != 0


def _solved(member: Member) -> bool:
    return member.outcome.exit_code == 0


def _has_fewer(member: Member) -> bool:
    """Whether a run has solutions, but not as many as it was to find."""
    outcome = member.outcome
    return outcome.exit_code == 1 and outcome.found > 0 and (outcome.asked or 1) > outcome.found


def _say(line: str, output: OutputOptions) -> None:
    if not output.quiet:
        print(line, file=sys.stderr, flush=True)
