"""A study in a real S3, on loopback: the same table as in a directory, whatever ends it or fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Islands
from s3_server import Gate, gate_to, s3_server
from small_runs import DIGITS

from islands import Study, study
from islands.errors import RunError
from islands.store.files import RESULTS
from islands.store.places import disk_at

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("s3"), pytest.mark.timeout(900)]

JOB: dict[str, Any] = {"puzzle": DIGITS, "islands": 2, "stop": {"solutions": 30}}
OPTIONS: dict[str, Any] = {"vary": {"topology": ["none", "ring"]}, "evaluations": 20_000, "workers": 1}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def gate(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    with gate_to(server) as gate:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{gate.address}")
        for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("EC2_METADATA_DISABLED", "1")):
            monkeypatch.setenv(f"AWS_{name}", value)
        yield gate


@pytest.fixture
def out(gate: Gate, request: pytest.FixtureRequest) -> str:
    """A place of the test's own."""
    return f"s3://bucket/{request.node.name.partition('[')[0]}-{gate.server_address[1]}"


def rows(studied: Study) -> list[dict[str, Any]]:
    """All that a study tells of its runs but the time they took and what to type."""
    return [{**row, "seconds": 0, "command": ""} for row in studied.table().to_pylist()]


def test_it_is_shown_extended_and_listed_like_one_in_a_directory(islands: Islands, out: str, tmp_path: Path) -> None:
    here = study(JOB, seeds=3, out=tmp_path, **OPTIONS)
    study(JOB, seeds=2, out=out, name="mine", **OPTIONS)
    there = study(JOB, seeds=3, out=out, name="mine", **OPTIONS)
    assert rows(there) == rows(Study.open("mine", out)) == rows(here)
    place = f"{out}/mine"
    assert b"Study of digits" in disk_at(place).read("study.html")
    assert disk_at(place).read("study.csv").count(b"\n") == 7
    assert "study of 2 arms" in islands("runs", "--out", out).out
    said = islands("show", place)
    assert "topology=ring: 3 pairs of runs with topology=none cannot show any difference" in said.out
    assert f"islands run {DIGITS} --islands 2 --topology ring --solutions 30" in said.out
    assert islands("resume", place).code == 0


def test_a_killed_study_ends_with_the_same_table(out: str, tmp_path: Path) -> None:
    here = study(JOB, seeds=40, out=tmp_path, **OPTIONS)
    program = f"from islands import study; study({JOB!r}, seeds=40, out={out!r}, name='mine', **{OPTIONS!r})"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", program], env=env)
    disk = disk_at(f"{out}/mine")
    while process.poll() is None and not disk.exists(RESULTS):
        time.sleep(0.05)
    with pytest.raises(RunError, match="being written by another process"):
        study(JOB, seeds=41, out=out, name="mine", **OPTIONS)
    process.kill()
    process.wait()
    there = study(JOB, seeds=40, out=out, name="mine", **OPTIONS)
    assert rows(there) == rows(Study.open("mine", out)) == rows(here)


def test_every_tenth_request_may_fail(gate: Gate, out: str, tmp_path: Path) -> None:
    here = study(JOB, seeds=3, out=tmp_path, **OPTIONS)
    gate.fate = lambda number, method, path: "503" if number % 10 == 0 else "pass"
    there = study(JOB, seeds=3, out=out, **OPTIONS)
    assert rows(there) == rows(here)
