"""Ray's job API, spoken as plain HTTP: what needs no files and no stream. To import Ray for it would take seconds.

Ray's own client is made for the rest: a job that takes files along, and a log that is followed.
"""

from __future__ import annotations

import json
import logging
import os
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from cluster.address import token_mode
from cluster.dashboard import headers

ANSWER = 60.0  # seconds for an answer; whoever asks gives up sooner
LOGGERS = ("ray", "ray.dashboard.modules.dashboard_sdk", "ray.dashboard.modules.job.sdk")
FIELDS = ("submission_id", "status", "metadata", "message", "driver_node_id", "start_time")  # of a job


class Client:
    """The jobs of the cluster whose dashboard is at `url`, by the names of Ray's own client."""

    def __init__(self, url: str) -> None:
        self._url, self._ray = url, None

    def list_jobs(self) -> list[Any]:
        """All jobs that were submitted, of whomever; each has FIELDS."""
        return [_job(one) for one in self._send("GET", "") if one.get("submission_id")]

    def get_job_status(self, name: str) -> str:
        return str(self._send("GET", quote(name, safe=""))["status"])

    def get_job_logs(self, name: str) -> str:
        return str(self._send("GET", f"{quote(name, safe='')}/logs")["logs"])

    def stop_job(self, name: str) -> None:
        self._send("POST", f"{quote(name, safe='')}/stop")

    def delete_job(self, name: str) -> None:
        self._send("DELETE", quote(name, safe=""))

    def submit_job(self, *, runtime_env: dict[str, Any], **options: Any) -> None:
        if "working_dir" in runtime_env:  # files are packed and uploaded
            self._client().submit_job(runtime_env=runtime_env, **options)
        else:
            self._send("POST", "", {"runtime_env": runtime_env, **options})

    def tail_job_logs(self, name: str) -> AsyncIterator[str]:
        followed: AsyncIterator[str] = self._client().tail_job_logs(name)
        return followed

    def _client(self) -> Any:
        """Ray's own."""
        if self._ray is None:
            os.environ.update(token_mode())
            from ray.job_submission import JobSubmissionClient

            for talker in LOGGERS:  # each has a level of its own, and tells of uploads
                logging.getLogger(talker).setLevel(logging.ERROR)
            self._ray = JobSubmissionClient(self._url)
        return self._ray

    def _send(self, method: str, what: str, content: dict[str, Any] | None = None) -> Any:
        """Ask for something; RuntimeError has the words of a refusal."""
        data = json.dumps(content).encode() if content is not None else None
        about = {**headers(), "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/api/jobs/{what}", data, about, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(f"{error.code}: {error.read(2000).decode(errors='replace')}") from error


def _job(told: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(**{name: told.get(name) for name in FIELDS})
