"""Ray's job API as plain HTTP, on a server that answers as a dashboard does; a real one is in test_jobs_on_ray.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cluster import jobs
from cluster.job_api import Client
from islands.errors import ClusterError, UsageError

ROOT = Path(__file__).parents[2]
JOB = {
    "type": "SUBMISSION", "job_id": None, "submission_id": "squares", "status": "RUNNING", "entrypoint": "...",
    "metadata": {"puzzle-islands": "0.1.0", "path": "~/runs/squares", "user": "ann"}, "message": "going on",
    "start_time": 1_700_000_000_000, "driver_node_id": "a1", "later": "a field of a later Ray",
}  # fmt: skip
FOREIGN = {"type": "DRIVER", "job_id": "01000000", "submission_id": None, "status": "RUNNING", "metadata": {}}
ANSWERS: dict[tuple[str, str], Any] = {
    ("GET", "/api/version"): {"ray_version": "2.60.0"},
    ("GET", "/api/jobs/"): [FOREIGN, JOB],
    ("GET", "/api/jobs/squares"): JOB,
    ("GET", "/api/jobs/squares/logs"): {"logs": "found 30 squares\n"},
    ("POST", "/api/jobs/squares/stop"): {"stopped": True},
    ("POST", "/api/jobs/"): {"submission_id": "carrier-1"},
    ("DELETE", "/api/jobs/squares"): {"deleted": True},
}


@pytest.fixture
def dashboard() -> Iterator[tuple[str, list[tuple[str, str, Any]]]]:
    """The URL of a dashboard, and what it is asked: method, path, content."""
    heard: list[tuple[str, str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            heard.append((self.command, self.path, json.loads(content) if content else None))
            told = ANSWERS.get((self.command, self.path))
            self.send_response(200 if told is not None else 404)
            self.end_headers()
            self.wfile.write(json.dumps(told).encode() if told is not None else b"Job none does not exist")

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}", heard
        finally:
            http.shutdown()
            thread.join()


def test_jobs_are_listed_found_read_and_stopped(dashboard: tuple[str, list[Any]]) -> None:
    url, heard = dashboard
    known = jobs.Jobs(url)
    (job,) = known.all()
    assert (job.name, job.state, job.path, job.node, job.began) == (
        "squares", "running", "~/runs/squares", "a1", 1_700_000_000.0,
    )  # fmt: skip
    assert known.log("squares") == "found 30 squares\n"
    known.stop("squares")
    assert heard[-1][:2] == ("POST", "/api/jobs/squares/stop")
    with pytest.raises(UsageError, match=r"has no job .square.*Did you mean squares"):
        known.find("square")


def test_a_refusal_is_told_in_the_words_of_the_cluster(dashboard: tuple[str, list[Any]]) -> None:
    with pytest.raises(ClusterError, match="refuses: 404: Job none does not exist"):
        jobs.Jobs(dashboard[0]).log("none")


def test_a_carrier_is_submitted_without_files(dashboard: tuple[str, list[Any]]) -> None:
    url, heard = dashboard
    name = jobs.Jobs(url).carry("program", "request", "a1")
    method, path, content = heard[-1]
    assert (method, path, content["submission_id"]) == ("POST", "/api/jobs/", name)
    assert content["runtime_env"]["env_vars"] == {"ISLANDS_CARRIER": "program", "ISLANDS_REQUEST": "request"}
    assert content["entrypoint_label_selector"] == {"ray.io/node-id": "a1"}


def test_names_are_quoted(dashboard: tuple[str, list[Any]]) -> None:
    url, heard = dashboard
    with pytest.raises(RuntimeError, match="404"):
        Client(url).get_job_logs("../version?x=")
    assert heard[-1][1] == "/api/jobs/..%2Fversion%3Fx%3D/logs"


def test_to_look_for_a_job_does_not_import_ray(dashboard: tuple[str, list[Any]]) -> None:
    """It would take seconds: more than 15 on a busy machine."""
    program = "import sys, cli; sys.argv = ['islands', 'logs', 'nobody', '--address', sys.argv[1]]\n"
    program += "try: cli.main()\nfinally: print('ray' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, dashboard[0]], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "has no job 'nobody'" in done.stderr
    assert done.stdout.split() == ["False", "False"]
