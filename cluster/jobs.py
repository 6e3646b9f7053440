"""Jobs on a cluster, through Ray's job API: submit, list, follow, stop. What it needs is in the extra `cluster`.

A job is one run, or one batch of runs, under the job's name: `islands run ... --name JOB` on a machine of the cluster.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from cluster.address import last_line
from cluster.dashboard import check
from cluster.job_api import Client
from islands import __version__
from islands.errors import ClusterError, UsageError

ANSWER = 15.0  # seconds for an answer; an upload may take longer
START = 30.0  # seconds for a job without files to be taken
UPLOAD = 600.0
SAVE = 60  # seconds in which a job that is stopped can save, before Ray kills it
SILENCE = 60.0  # seconds without a word of a log that is being written, after which its reader gives up
OURS, CARRIER = "puzzle-islands", "carrier"  # the key of the metadata that marks a job of ours, and one kind of these
ENDED = ("succeeded", "failed", "stopped")
TAKEN = "`name={name}`: the cluster has a job of this name. Choose another, or leave it out."

Answer = TypeVar("Answer")


class Silence(ClusterError):
    """A log that is followed has no more to say, though its job has not ended."""


@dataclass(frozen=True)
class JobInfo:
    """What Ray knows of a job."""

    name: str
    state: str  # pending, running, succeeded, failed, stopped
    about: dict[str, str]  # what it says of itself: puzzle, path, user, mark
    node: str  # Ray's id of the machine; empty before it has begun
    began: float  # seconds since 1970
    message: str  # Ray's, where it failed

    @property
    def path(self) -> str:
        """Its run directory, on the machine `node`; may begin with ~."""
        return self.about.get("path", "")

    @property
    def is_mine(self) -> bool:
        """Whether the user of this process has submitted it."""
        return self.about.get("user") == user_name()

    @property
    def mark(self) -> str:
        """What who submitted it says of the puzzle's source."""
        return self.about.get("mark", "")

    @property
    def is_over(self) -> bool:
        return self.state in ENDED


def user_name() -> str:
    """Of whom a job is, as it says of itself: in a container an account may be a number without a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def runtime_env(folder: Path) -> dict[str, Any]:
    """The environment of every job: the files in `folder`, and time to save when it is stopped."""
    return {"working_dir": str(folder), "env_vars": {"RAY_JOB_STOP_WAIT_TIME_S": str(SAVE)}}


class Jobs:
    """The jobs of the cluster whose dashboard is at `url`. Every call raises ClusterError when it is not answered."""

    def __init__(self, url: str) -> None:
        if find_spec("ray") is None or find_spec("aiohttp") is None:
            raise UsageError(
                "jobs on a cluster need `pip install 'puzzle-islands[cluster]'`, which brings ray[default]."
            )
        self.url = url
        check(url)
        self._client = Client(url)

    def submit(self, name: str, command: str, folder: Path, about: dict[str, str], node: str = "") -> None:
        """Let the cluster run a command, with the files in `folder`, on its head or on the machine `node`; `about` is
        what the job says of itself.
        """
        if any(job.name == name for job in self.all()):
            raise UsageError(TAKEN.format(name=name))
        try:
            self._start(name, command, runtime_env(folder), {OURS: __version__, **about}, node)
        except ClusterError as error:
            if "already exists" in str(error):  # since a moment ago, or it is not of this product
                raise UsageError(TAKEN.format(name=name)) from error
            raise

    def all(self) -> list[JobInfo]:
        """The jobs of puzzle-islands, the latest last."""
        found = [job for job in self._ask(self._client.list_jobs) if OURS in (job.metadata or {})]
        return sorted((_info(job) for job in found if job.metadata[OURS] != CARRIER), key=lambda job: job.began)

    def find(self, name: str) -> JobInfo:
        """The job of this name; `last` is this user's latest. UsageError with near names where there is none."""
        known = self.all()
        mine = [job for job in known if job.is_mine]
        if name == "last" and mine:
            return mine[-1]
        for job in known:
            if job.name == name:
                return job
        near = get_close_matches(name, [job.name for job in known], n=3, cutoff=0.4)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"the cluster at {self.url} has no job {name!r}.{hint} `islands status` lists jobs.")

    def stop(self, name: str) -> None:
        """Ask a job to save and end."""
        self._ask(lambda: self._client.stop_job(name))

    def log(self, name: str) -> str:
        """All that a job has printed."""
        return str(self._ask(lambda: self._client.get_job_logs(name)))

    def until_end(self, name: str, limit: float) -> str:
        """All that a job has printed when it has ended. ClusterError if it has not within `limit` seconds."""
        deadline = time.monotonic() + limit
        while self._ask(lambda: self._client.get_job_status(name)).lower() not in ENDED:
            if time.monotonic() > deadline:
                raise ClusterError(f"the cluster at {self.url} has not told anything within {limit:.0f} s.")
            time.sleep(0.05)
        return self.log(name)

    def follow(self, name: str, limit: float | None = None) -> Iterator[str]:
        """What a job prints, from the beginning on, until it ends. ClusterError after `limit` seconds of silence."""
        loop = asyncio.new_event_loop()
        parts: AsyncIterator[str] = self._client.tail_job_logs(name)
        try:
            while True:
                try:
                    yield loop.run_until_complete(asyncio.wait_for(anext(parts), limit))
                except StopAsyncIteration:
                    return
                except TimeoutError as error:
                    raise Silence(f"the cluster at {self.url} has sent nothing for {limit:.0f} s.") from error
                except (RuntimeError, OSError) as error:
                    raise ClusterError(f"the connection to {self.url} was lost: {last_line(str(error))}.") from error
        finally:
            with suppress(Exception):
                loop.run_until_complete(asyncio.wait_for(parts.aclose(), 1.0))  # type: ignore[attr-defined]
            loop.close()

    # Carriers

    def carry(self, program: str, request: str, node: str) -> str:
        """Start a carrier on a machine, or on the head where `node` is empty; its name. Old ones are removed."""
        for job in self._ask(self._client.list_jobs):
            if (job.metadata or {}).get(OURS) == CARRIER and _state(job) in ENDED:
                self._forget(job.submission_id)
        name = f"{CARRIER}-{secrets.token_hex(6)}"
        command = "exec python -P -c \"import os; exec(os.environ['ISLANDS_CARRIER'])\""
        environment = {"env_vars": {"ISLANDS_CARRIER": program, "ISLANDS_REQUEST": request}}
        self._start(name, command, environment, {OURS: CARRIER}, node, START)
        return name

    def _start(
        self,
        name: str,
        command: str,
        environment: dict[str, Any],
        about: dict[str, str],
        node: str,
        limit: float = UPLOAD,
    ) -> None:
        place = {"entrypoint_label_selector": {"ray.io/node-id": node}} if node else {}
        self._ask(
            lambda: self._client.submit_job(
                entrypoint=command, submission_id=name, runtime_env=environment, metadata=about, **place
            ),
            limit,
        )

    def dismiss(self, name: str) -> None:
        """End a carrier: it removes what it has printed."""
        with suppress(ClusterError):
            self.stop(name)

    def _forget(self, name: str) -> None:
        with suppress(ClusterError):
            self._ask(lambda: self._client.delete_job(name))

    def _ask(self, call: Callable[[], Answer], limit: float | None = None) -> Answer:
        """What Ray's client answers, within `limit` seconds: it has no limit of its own."""
        limit = ANSWER if limit is None else limit
        answers: list[Answer] = []
        errors: list[Exception] = []

        def ask() -> None:
            try:
                answers.append(call())
            except Exception as error:  # whatever it is, it is told below
                errors.append(error)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(limit)
        if answers:
            return answers[0]
        if not errors:
            raise ClusterError(f"the cluster at {self.url} has not answered within {limit:.0f} s.")
        raise ClusterError(f"the cluster at {self.url} refuses: {_words_of(errors[0])}") from errors[0]


def _words_of(error: Exception) -> str:
    """The words of a refusal: of a traceback of the cluster's, which Ray ends with a full stop, the last line."""
    said = [line for line in str(error).splitlines() if any(map(str.isalnum, line))]
    return last_line(said[-1]) if said else type(error).__name__


def _info(job: Any) -> JobInfo:
    return JobInfo(
        name=job.submission_id,
        state=_state(job),
        about={name: str(value) for name, value in job.metadata.items() if name != OURS},
        node=job.driver_node_id or "",
        began=(job.start_time or 0) / 1000,
        message=job.message or "",
    )


def _state(job: Any) -> str:
    return str(job.status).lower()
