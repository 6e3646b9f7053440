"""The commands about jobs that are on a cluster: status, logs, stop, collect."""

from __future__ import annotations

import json as json_
import shlex
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from islands.errors import ClusterError
from islands.terminal.arguments import Json
from islands.terminal.submit import Address, cluster_jobs
from islands.writing.words import many

STOPPED = 90.0  # seconds to wait for a job that saves
JobName = Annotated[str, typer.Argument(metavar="JOB", help="Its name, or `last`.")]
Target = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="DIR", help="The run's directory here.", show_default="runs/JOB"),
]


def status(
    job: Annotated[str | None, typer.Argument(metavar="JOB", help="All about this one; `last` is the latest.")] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Also the jobs of other users.")] = False,
    address: Address = None,
    json: Json = False,
) -> None:
    """How jobs on a cluster stand: state, islands and the nodes they live on, found, rates, best, restarts."""
    from islands.terminal.status import job_row, print_status

    jobs = cluster_jobs(address, quiet=json)
    known = jobs.all() if job is None else [jobs.find(job)]
    wanted = [one for one in known if everybody or job is not None or one.is_mine]
    if len(wanted) < len(known):
        _tell(f"{many(len(known) - len(wanted), 'job')} of others: --all")
    if not wanted:
        _tell(f"no jobs of yours on {jobs.url}; `islands submit` starts one")
        return
    told = import_module("cluster.fetch").facts(jobs, wanted)
    print_status([job_row(one, told.get(one.name)) for one in wanted], one=job is not None, as_objects=json)


def logs(
    job: JobName = "last",
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on until the job ends, or Ctrl-C.")] = False,
    address: Address = None,
) -> int:
    """Print what a job has said so far."""
    jobs = cluster_jobs(address)
    found = jobs.find(job)
    if not follow:
        print(jobs.log(found.name), end="")
        return 0
    try:
        for text in jobs.follow(found.name):
            print(text, end="", flush=True)
    except KeyboardInterrupt:
        _tell(f"\nthe job goes on. To end it: islands stop {found.name}{_at(address)}")
        return 130
    return 0


def stop(job: JobName, address: Address = None, json: Json = False) -> None:
    """Let a job save and end; `islands submit --resume JOB` goes on with it."""
    jobs = cluster_jobs(address, quiet=json)
    found = jobs.find(job)
    done = "" if not found.is_over else " already"
    if not done:
        jobs.stop(found.name)
    deadline = time.monotonic() + STOPPED
    while not (found := jobs.find(found.name)).is_over:
        if time.monotonic() > deadline:
            raise ClusterError(f"{found.name} has not ended within {STOPPED:.0f} s: islands status {found.name}")
        time.sleep(0.2)
    if json:
        print(json_.dumps({"job": found.name, "state": found.state}))
        return
    at = _at(address)
    saved = f"islands logs {found.name}{at} says why" if found.state == "failed" else "what it has found is saved"
    _tell(f"{found.name} has ended{done} ({found.state}); {saved}")
    _tell(f"bring it home: islands collect {found.name}{at}\ngo on: islands submit --resume {found.name}{at}")


def collect(job: JobName = "last", target: Target = None, address: Address = None, json: Json = False) -> int:
    """Bring the run of a job home, also while it goes on; an interrupted collect goes on where it was."""
    jobs = cluster_jobs(address, quiet=json)
    found = jobs.find(job)
    home = Path("runs") / found.name if target is None else target
    again = f"islands collect {found.name}{_at(address)}" + (
        f" -o {shlex.quote(str(target))}" if target is not None else ""
    )
    began = time.monotonic()
    bytes_ = 0

    def advance(done: int, total: int) -> None:
        nonlocal bytes_
        bytes_ = done
        if sys.stderr.isatty():
            print(f"\r{done / 1e6:,.1f} of {total / 1e6:,.1f} MB ", end="", file=sys.stderr, flush=True)

    try:
        manifests = import_module("cluster.fetch").collect(jobs, found, home, advance)
    except KeyboardInterrupt:
        _tell(f"\nstopped; what has come is kept. To go on: {again}")
        return 130
    except ClusterError as error:
        if not home.exists():
            why = (
                f" The job failed: islands logs {found.name}{_at(address)} says why." if found.state == "failed" else ""
            )
            raise ClusterError(f"{error}{why}") from error
        raise ClusterError(f"{error} What has come is kept; to go on: {again}") from error
    total = sum(manifest.total + manifest.counted for manifest in manifests.values())
    going_on = any(manifest.stopped is None for manifest in manifests.values()) and not found.is_over
    if json:
        told = {"job": found.name, "run": str(home), "found": total, "bytes": bytes_, "complete": not going_on}
        print(json_.dumps(told))
        return 0
    seconds = time.monotonic() - began
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    _tell(f"{total:,} found, {bytes_ / 1e6:,.1f} MB in {seconds:.1f} s; every file is what was written")
    _tell(f"{home} · islands show {shlex.quote(str(home))}")
    if going_on:
        _tell(f"the job goes on; later, for what is new: {again}")
    return 0


def _at(address: str | None) -> str:
    return f" --address {address}" if address is not None else ""


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
