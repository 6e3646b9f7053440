"""The commands about what people read of runs: report, compare, watch.

What they need is imported when they are called: help must wait for nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from islands.terminal.arguments import Json, Out, RunName, RunNames, Trust, Verbose
from islands.terminal.streams import stdout_kept


def report(
    references: RunNames = None,
    target: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.html", help="The page to write.")] = Path(
        "report.html"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.html.")] = False,
    trust: Trust = False,
    out: Out = "runs",
) -> None:
    """Write a page about a run: what was found, how, what held it back. Of several runs, side by side."""
    from islands.terminal.report import write_report

    with stdout_kept():
        write_report(references or ["last"], target, out=out, trust=trust, force=force)


def compare(references: RunNames = None, trust: Trust = False, out: Out = "runs", json: Json = False) -> None:
    """Compare runs: which did better, and what differs in their jobs and in what came of them."""
    from islands.terminal.report import print_comparison

    with stdout_kept() as stdout:
        print_comparison(references or [], stdout, out=out, trust=trust, as_objects=json)


def watch(
    reference: RunName = "last", trust: Trust = False, out: Out = "runs", json: Json = False, verbose: Verbose = False
) -> int:
    """Watch a run that another process or a cluster conducts. Ctrl-C leaves it alone; the exit code is the run's."""
    from islands.terminal.opening import opened
    from islands.terminal.watching import watch_run

    with stdout_kept() as stdout:
        return watch_run(opened(reference, out, trust), stdout, as_objects=json, verbose=verbose)
