"""job.json: the job of a run, the versions that began it, and the command line: all it takes to repeat the run."""

from __future__ import annotations

import json
import platform
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pydantic_core import from_json

from islands import __version__
from islands.errors import Damaged, RunError, UsageError
from islands.model.job import Job
from islands.store.marks import mark_of
from islands.store.url import without_credentials

FORMAT = 4
OLDER = (2, 3)  # formats that are read as well

Header = dict[str, Any]


def new_header(job: Job) -> Header:
    """What job.json says of a run that begins now."""
    return {
        "format": FORMAT,
        "version": __version__,
        "versions": {"python": platform.python_version(), **_versions("numpy", "numba", "pyarrow", "ray")},
        "command": ["islands", *map(without_credentials, sys.argv[1:])],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "mark": mark_of(job),
        "job": job.model_dump(mode="json"),
    }


def with_job(header: Header, job: Job) -> Header:
    """The header of a run that goes on with another job, in today's format."""
    return {**header, "format": FORMAT, "job": job.model_dump(mode="json")}


def packed_header(header: Header) -> bytes:
    return json.dumps(header, indent=1).encode() + b"\n"


def unpacked_header(data: bytes, name: str) -> Header:
    """The content of a job.json. RunError where it is damaged, or of a format that this version cannot read."""
    try:
        header = from_json(data)  # unlike json.loads, it refuses brackets without end
    except ValueError as error:
        raise Damaged(name, str(error)) from error
    if not isinstance(header, dict):
        raise Damaged(name, "expected an object")
    if header.get("format") not in (*OLDER, FORMAT):
        raise RunError(
            f"{name} was written in format {header.get('format')} by puzzle-islands {header.get('version')}; "
            f"this is {__version__}, which writes format {FORMAT} and reads {', '.join(map(str, OLDER))} as well. "
            "Use the version that wrote it."
        )
    return header


def job_of(header: Header, name: str) -> Job:
    """The job in a header, checked; RunError where it is not a job, or names a puzzle file without its text."""
    try:
        job = Job.checked(_renamed(header)["job"])
    except (UsageError, KeyError) as error:
        raise RunError(f"{name} does not describe a job: {error}") from error
    if job.source is None and job.puzzle.partition(":")[0].endswith(".py"):
        raise RunError(f"{name} names the puzzle file {job.puzzle} without its source.")
    return job


def _renamed(header: Header) -> Header:
    """Format 2 had other names for the rules of travel."""
    job = header.get("job")
    plan = job.get("migration") if isinstance(job, dict) else None
    if header["format"] != 2 or not isinstance(job, dict) or not isinstance(plan, dict):
        return header
    renamed = {"size": "migrants", "every": "migrate_every"}
    return {**header, "job": {**job, "migration": {renamed.get(name, name): value for name, value in plan.items()}}}


@cache
def _versions(*packages: str) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
