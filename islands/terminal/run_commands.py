"""The commands about runs that are there already: resume, show, export, verify, runs.

What they need is imported when they are called: help must wait for nothing.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from islands.errors import UsageError
from islands.terminal.arguments import (
    BestOnly,
    Differ,
    Json,
    Out,
    Quiet,
    Report,
    RunName,
    Symmetries,
    Title,
    Trust,
    Verbose,
)
from islands.terminal.streams import stdout_kept

if TYPE_CHECKING:
    from islands.store.disk import Disk
    from islands.store.run import Run
    from islands.terminal.watched_run import OutputOptions

COUNTED = ("solutions", "evaluations")  # stop rules that are checked as texts: all, 1e6


def resume(
    reference: RunName = "last",
    solutions: Annotated[
        str | None, typer.Option(metavar="N", help="A new stop rule: N solutions in all, or `all`.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="... this many seconds of search in all.")] = None,
    generations: Annotated[int | None, typer.Option(min=1, help="... this many generations in all.")] = None,
    evaluations: Annotated[str | None, typer.Option(metavar="N", help="... this many evaluations in all.")] = None,
    backend: Annotated[Literal["auto", "inline", "ray"] | None, typer.Option(help="Where to go on.")] = None,
    address: Annotated[str | None, typer.Option(metavar="TEXT", help="Join this Ray cluster.")] = None,
    wait: Annotated[str | None, typer.Option(metavar="TIME", help="For a CPU of a busy cluster: 10m.")] = None,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", help="Of the set of known solutions: 2GB.")] = None,
    shards: Annotated[str | None, typer.Option(metavar="N", help="The archive in N processes on Ray; 0, auto.")] = None,
    trust: Trust = False,
    out: Out = "runs",
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    report: Report = False,
) -> int:
    """Go on with a run, or with all of a batch, from where it stands, as if it had never stopped."""
    from islands.driver.batches import Batch
    from islands.store.files import BATCH, STUDY
    from islands.store.naming import find
    from islands.store.places import runs_at
    from islands.store.run import Run
    from islands.terminal.options import checked
    from islands.terminal.watched_batch import see_through
    from islands.terminal.watched_run import OutputOptions, go_on

    texts = {"solutions": solutions, "evaluations": evaluations, "memory": memory, "wait": wait, "shards": shards}
    given = dict(checked(texts))
    stop = {"seconds": seconds, "generations": generations, **{name: given.get(name) for name in COUNTED}}
    place = {"backend": backend, "address": address, **{name: given.get(name) for name in ("wait", "memory", "shards")}}
    disk = find(reference, runs_at(out))
    with stdout_kept() as stdout:
        output = OutputOptions(stdout, json, quiet, verbose, report=report)
        if disk.exists(BATCH):
            return see_through(Batch(disk, trust=trust), output, stop=stop, place=place)
        if disk.exists(STUDY):
            return _resume_study(disk, {**stop, **place}, trust, output)
        return go_on(Run(disk, trust=trust), output, stop=stop, place=place)


def _resume_study(disk: Disk, given: dict[str, Any], trust: bool, output: OutputOptions) -> int:
    """Go on with the runs of a study: nothing about them can be changed but where they are lived."""
    from islands.studies.directory import Directory
    from islands.terminal import studies

    wrong = [name for name, value in given.items() if value is not None and name != "address"]
    if wrong:
        raise UsageError(
            f"`{wrong[0]}` cannot be changed: {disk.place} is a study, and all its runs are made alike. More seeds or "
            "arms: the command that began it, with its `name`."
        )
    directory = Directory(disk, trust=trust)
    if directory.header.get("kind") == "tune":
        words = list(map(str, directory.header["command"]))
        named = any(word.partition("=")[0] == "--name" for word in words)
        again = shlex.join(words if named else [*words, "--name", disk.name])
        raise UsageError(
            f"{disk.place} is a search for parameters: the same command goes on with it, with its name: {again}"
        )
    return studies.see_through(directory, output.stdout, address=given["address"], json=output.json, quiet=output.quiet)


def show(
    reference: RunName = "last",
    limit: Annotated[int | None, typer.Option(min=0, metavar="N", help="How many; 0 = all.", show_default="20")] = None,
    prefix: Annotated[str, typer.Option("--id", metavar="PREFIX", help="Only those whose id begins so.")] = "",
    details: Annotated[
        bool,
        typer.Option(
            "--details", help="Where each was found, and with --trace its parents. Without any: the nearest candidates."
        ),
    ] = False,
    symmetries: Symmetries = False,
    best: BestOnly = None,
    differ: Differ = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="How the run went instead: its islands, the nearest candidate, advice.")
    ] = False,
    trust: Trust = False,
    out: Out = "runs",
    json: Json = False,
) -> None:
    """Print the solutions of a run, or how it went. Of a batch or study: its table."""
    from islands.terminal.batches import batch_at, show_batch
    from islands.terminal.opening import opened
    from islands.terminal.show import show_run
    from islands.terminal.study_table import show_study
    from islands.terminal.summary import print_summary

    asked = limit is not None or prefix or details or symmetries or best is not None or differ is not None
    if summary and asked:
        raise UsageError("--summary describes the run; the other options are about its solutions. Leave them out.")

    def print_run(run: Run, input_name: str | None = None) -> None:
        if summary:
            print_summary(run, stdout, as_objects=json, input_name=input_name)
            return
        show_run(
            run, stdout, limit=limit, prefix=prefix, details=details, as_objects=json, symmetries=symmetries, best=best,
            differ=differ, input_name=input_name,
        )  # fmt: skip

    with stdout_kept() as stdout:
        if show_study(reference, out, stdout, as_object_=json):
            return
        batch = batch_at(reference, out, trust)
        if batch is None:
            print_run(opened(reference, out, trust))
        else:
            show_batch(batch, stdout, print_run if asked or summary or json else None)


def export(
    target: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=".txt .csv .jsonl .npy .parquet .svg, and what the puzzle has: .html .pdf .ipuz .sdk .puz ... "
            "(.ipuz and .puz hold one.)",
        ),
    ],
    reference: RunName = "last",
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
    symmetries: Symmetries = False,
    best: BestOnly = None,
    differ: Differ = None,
    title: Title = "",
    trust: Trust = False,
    out: Out = "runs",
) -> None:
    """Write the solutions of a run to a file; the suffix says the format."""
    from islands.terminal.export import export as write
    from islands.terminal.opening import opened

    with stdout_kept():
        source = opened(reference, out, trust)
        written = write(source, target, force=force, symmetries=symmetries, best=best, differ=differ, title=title)
    found = f"of {len(source):,}" if len(source) else "partial"
    typer.echo(f"{written:,} {'images ' if symmetries else ''}{found} written to {target}", err=True)


def verify(reference: RunName = "last", trust: Trust = False, out: Out = "runs") -> int:
    """Check every file of a run, or of all runs of a batch, and every solution in it against the rules."""
    from islands.terminal.batches import batch_at, verify_batch
    from islands.terminal.opening import opened
    from islands.terminal.verify import verify_run

    with stdout_kept() as stdout:
        batch = batch_at(reference, out, trust)
        return verify_run(opened(reference, out, trust), stdout) if batch is None else verify_batch(batch, stdout)


def runs(
    place: Annotated[str | None, typer.Argument(metavar="DIR|URL", help="The same as --out.")] = None,
    out: Out = "runs",
    json: Json = False,
) -> None:
    """List the runs."""
    from islands.terminal.runs import print_runs

    with stdout_kept() as stdout:
        print_runs(place or out, stdout, as_objects=json)
