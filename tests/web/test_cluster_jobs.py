"""The jobs of a Ray cluster on the live page: listed, and stopped."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from simulated_disks import MemoryStore, StoreDisk
from simulated_faults import Faults
from small_runs import digits
from starlette.testclient import TestClient

from islands import Run
from islands.store.local_disk import LOCK
from islands.web.app import app_of
from islands.web.children import Elsewhere, writing_process
from islands.web.cluster_jobs import ClusterJobs
from islands.web.site import Site

ORIGIN = "http://127.0.0.1:8642"
ADDRESS = "http://head:8265"


class TestJobsOnACluster:
    """What `islands status --json` prints is what the list shows."""

    def page(self, site: Site, monkeypatch: pytest.MonkeyPatch, printed: str, code: int = 0, said: str = "") -> str:
        done = subprocess.CompletedProcess([], code, printed.encode(), said.encode())
        monkeypatch.setattr("islands.web.cluster_jobs.subprocess.run", lambda *_, **__: done)
        site.jobs = ClusterJobs(ADDRESS)
        site.jobs.ask()
        return TestClient(app_of(site), ORIGIN).get("/").text

    def test_are_listed(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        row = {"job": "big-12", "state": "running", "puzzle": "<b>magic</b>", "found": 1200, "best": 0, "seconds": 75.0}
        page = self.page(site, monkeypatch, f"a note\n{json.dumps(row)}\n")
        assert "big-12" in page
        assert "1,200" in page
        assert "<b>magic" not in page
        assert 'data-post="/api/jobs/big-12/stop"' in page

    def test_a_cluster_that_does_not_answer_is_told(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "cannot be reached" in self.page(site, monkeypatch, "", 3, "error: http://head:8265 cannot be reached.")


class Cluster(ClusterJobs):
    """Knows its jobs without being asked."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        super().__init__(ADDRESS)
        self.rows = list(rows)
        self.asked = 0

    def ask(self) -> None:
        self.asked += 1


class TestStopping:
    @pytest.fixture
    def commands(self, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
        """What was typed for the page; all of it works."""
        typed: list[list[str]] = []

        def run(words: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
            typed.append(words)
            return subprocess.CompletedProcess(words, 0, b"{}", b"")

        monkeypatch.setattr("islands.web.cluster_jobs.subprocess.run", run)
        return typed

    @pytest.fixture
    def far(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
        """A run in a shared directory that another machine writes: its lock is held, and nobody here holds it."""
        run = digits(tmp_path / "runs", solutions=3)
        monkeypatch.setattr("islands.web.children.lock_holder", lambda file: None)
        with (run.path / LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield run

    def test_a_job_that_goes_on(self, client: TestClient, site: Site, commands: list[list[str]]) -> None:
        site.jobs = Cluster({"job": "big-12", "state": "running"})
        told = client.post("/api/jobs/big-12/stop", json={}).json()
        assert told == {"said": "big-12 has saved what it has, and ended."}
        assert commands[0][-5:] == ["stop", f"--address={ADDRESS}", "--json", "--", "big-12"]

    @pytest.mark.parametrize("job", ["other", "--help", "done-1"])
    def test_only_jobs_that_are_listed_and_go_on(
        self, client: TestClient, site: Site, commands: list[list[str]], job: str
    ) -> None:
        site.jobs = Cluster({"job": "big-12", "state": "running"}, {"job": "done-1", "state": "succeeded"})
        assert client.post(f"/api/jobs/{job}/stop", json={}).status_code == 422
        assert commands == []

    def test_not_without_the_token(self, stranger: TestClient, site: Site, commands: list[list[str]]) -> None:
        site.jobs = Cluster({"job": "big-12", "state": "running"})
        assert stranger.post("/api/jobs/big-12/stop", json={}).status_code == 403
        assert commands == []

    def test_a_run_that_a_job_conducts(
        self, client: TestClient, site: Site, far: Run, commands: list[list[str]]
    ) -> None:
        site.jobs = Cluster({"job": "mine", "state": "running", "run": far.place})
        assert "saved" in client.post(f"/api/runs/{far.name}/stop", json={}).json()["said"]
        assert commands[0][-1] == "mine"

    def test_of_any_other_run_elsewhere_it_says_what_to_type(self, client: TestClient, site: Site, far: Run) -> None:
        for jobs in (None, Cluster({"job": "other", "state": "running", "run": "/elsewhere"})):
            site.jobs = jobs
            told = client.post(f"/api/runs/{far.name}/stop", json={}).json()["error"]
            assert "is not written by a process of this machine" in told
            assert "islands stop JOB --address http://HEAD:8265" in told

    def test_a_run_in_object_storage_that_this_machine_writes(self) -> None:
        store = MemoryStore(Faults(Random(0)))
        StoreDisk(store).lock()
        assert writing_process(StoreDisk(store)) == os.getpid()

    def test_one_that_nobody_writes(self) -> None:
        with pytest.raises(Elsewhere, match="not written by this machine"):
            writing_process(StoreDisk(MemoryStore(Faults(Random(0)))))
