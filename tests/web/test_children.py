"""Runs that the page starts, stops and resumes: processes of their own."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from small_runs import digits
from starlette.testclient import TestClient

from islands.errors import UsageError
from islands.store.local_disk import LOCK
from islands.web.children import Children, TooMany, lock_holder
from islands.web.site import Site


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class TestTheHolderOfALock:
    def test_is_known(self, tmp_path: Path) -> None:
        with (tmp_path / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            assert lock_holder(tmp_path / "lock") == os.getpid()
        assert lock_holder(tmp_path / "lock") is None

    def test_of_no_file_is_nobody(self, tmp_path: Path) -> None:
        assert lock_holder(tmp_path / "lock") is None

    def test_that_is_another_program_is_left_alone(self, tmp_path: Path, site: Site) -> None:
        run = digits(tmp_path / "runs", solutions=3)
        program = (
            "import fcntl, sys, time; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX)\n"
            "print(flush=True); time.sleep(600)"
        )
        other = subprocess.Popen([sys.executable, "-c", program, str(run.path / LOCK)], stdout=subprocess.PIPE)
        assert other.stdout is not None
        try:
            other.stdout.readline()
            with pytest.raises(
                UsageError, match=f"process {other.pid}, which is not a command of this user and product"
            ):
                site.stop(run.name)
            assert other.poll() is None
        finally:
            other.kill()
            other.wait()
            other.stdout.close()


def test_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.web.children.MOST", 0)
    with pytest.raises(TooMany, match="limit"):
        Children().start("x", ["--version"], None, lambda: True)


def test_what_is_not_running_cannot_be_stopped(client: TestClient, a_run: str) -> None:
    assert client.post(f"/api/runs/{a_run}/stop", json={}).json()["error"] == f"{a_run} is not running."


def test_what_the_command_line_refuses_is_told_beside_the_field(client: TestClient) -> None:
    told = client.post("/api/new/magic-square", json={"size": "2"}).json()
    assert told["field"] == "size"
    assert told["error"].startswith("--size '2': no magic square of order 2 exists")


@pytest.mark.slow
def test_a_run_is_started_stopped_and_resumed(client: TestClient, site: Site) -> None:
    """Also by a server that did not start it."""
    values = {"size": "6", "solutions": "900000000", "seconds": "200", "islands": "1", "name": "mine"}
    assert client.post("/api/new/magic-square", json=values).json()["go"] == "/runs/mine"
    disk = site.runs.disk("mine")
    until(lambda: len(site.runs.run("mine")) > 0)
    before, site.children = site.children, Children()
    assert "error" not in client.post("/api/runs/mine/stop", json={}).json()
    until(lambda: not before.running())
    before.close()
    stopped = len(site.runs.run("mine"))
    assert "error" not in client.post("/api/runs/mine/resume", json={}).json()
    until(lambda: len(site.runs.run("mine")) > stopped)
    assert "running" in client.post("/api/runs/mine/resume", json={}).json()["error"]
    assert "error" not in client.post("/api/runs/mine/stop", json={}).json()
    until(lambda: not site.children.running())
    assert not disk.is_locked()
