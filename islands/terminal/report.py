"""`islands report` and `islands compare`: runs as a page, and side by side at the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from rich.table import Table
from rich.text import Text

from islands.errors import UsageError
from islands.pages.facts import Facts, facts_of
from islands.pages.report import report
from islands.pages.side_by_side import differences, outcomes, winner
from islands.terminal.opening import opened
from islands.terminal.tables import console_for
from islands.writing.words import compact

MOST = 8  # runs side by side


def write_report(references: Sequence[str], target: Path, *, out: str, trust: bool, force: bool) -> None:
    """Write the page about these runs."""
    if len(references) > MOST:
        raise UsageError(f"{len(references)} runs are too many for a page: at most {MOST}.")
    if target.exists() and not force:
        raise UsageError(f"{target} exists already. Choose another with -o, or say --force to replace it.")
    save([facts_of(opened(reference, out, trust)) for reference in references], target)


def save(runs: Sequence[Facts], target: Path) -> None:
    page = report(runs).encode()
    try:
        target.write_bytes(page)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}. Choose another with -o.") from error
    print(f"{target} ({compact(len(page))}B)", file=sys.stderr)


def print_comparison(references: Sequence[str], stdout: TextIO, *, out: str, trust: bool, as_objects: bool) -> None:
    """What `islands report` of several runs says, at the terminal."""
    if not 2 <= len(references) <= MOST:
        raise UsageError(f"compare takes 2 to {MOST} runs: islands compare RUN RUN. `islands runs` lists them.")
    runs = [facts_of(opened(reference, out, trust), sample=0) for reference in references]
    if as_objects:
        print(json.dumps(comparison_object(runs), ensure_ascii=False), file=stdout)
        return
    console = console_for(stdout)
    console.print(Text(winner(runs)), soft_wrap=True)
    for run in runs:
        console.print(Text.assemble((run.name, "cyan"), f": {run.title}, {run.state}"), soft_wrap=True)
    for heading, rows in (("outcome", outcomes(runs)), ("what differs in the jobs", differences(runs))):
        console.print()
        console.print(_table(heading, rows, runs))


def comparison_object(runs: Sequence[Facts]) -> dict[str, Any]:
    """The same as JSON; of every run also how many it had found when."""
    return {
        "verdict": winner(runs),
        "runs": [
            {
                "run": run.place,
                "puzzle": run.title,
                "state": run.state,
                "found": run.found,
                "seconds": round(run.seconds, 3),
                "evaluations": run.evaluations,
                "best": run.best,
                "curve": [[round(seconds, 3), found] for seconds, found in run.curve],
            }
            for run in runs
        ],
        "outcome": outcomes(runs),
        "differences": differences(runs),
    }


def _table(heading: str, rows: dict[str, list[str]], runs: Sequence[Facts]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column(heading)
    for run in runs:
        table.add_column(run.name, justify="right", overflow="fold")
    for name, values in rows.items():
        table.add_row(Text(name), *map(Text, values))
    if not rows:
        table.add_row(Text("nothing", style="dim"))
    return table
