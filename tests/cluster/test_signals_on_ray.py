"""Ctrl-C, SIGTERM and kill -9 at moments that a seed chooses, of a start and of a run on Ray, with the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import psutil
import pytest
from drivers import BEADS, ids, quiet
from strikes import until_nothing_is_left

from islands.store.run import Run

ROOT = Path(__file__).parents[2]
OPTIONS = {"length": 15, "pause": 0.01}

pytestmark = pytest.mark.slow


@contextmanager
def islands(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`islands run beads.py`; at the end it is killed if it still runs."""
    given = [word for name, value in OPTIONS.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "cli", "run", BEADS, "--islands", "2", "--seed", "5", *given, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"it never said {words!r}")


def bridges(process: subprocess.Popen[str]) -> list[int]:
    """The bridge of this driver leads a session of its own."""
    children = psutil.Process(process.pid).children()
    return [child.pid for child in children if os.getsid(child.pid) == child.pid]


def moment(process: subprocess.Popen[str], where: str, seed: int) -> list[int]:
    """Wait for a moment of the start of Ray, or of the run on it; the bridges there are."""
    read_until(process, "starting Ray")
    leaders = bridges(process)
    if where == "run":
        read_until(process, "on Ray after")
    time.sleep(4 * Random(seed).random())
    assert leaders
    return leaders


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("backend", "where"), [("auto", "start"), ("ray", "start"), ("auto", "run")])
def test_a_signal_saves_and_leaves_nothing(tmp_path: Path, backend: str, where: str, number: signal.Signals) -> None:
    with islands(tmp_path, "--backend", backend, "--generations", "1000000") as process:
        leaders = moment(process, where, seed=int(number))
        process.send_signal(number)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(200) == 130
    until_nothing_is_left(leaders, process.pid)
    assert "Traceback" not in said
    assert "interrupted after" in said
    run = Run.open("last", tmp_path / "runs")
    assert run.manifest().stopped == "interrupted"
    found = ids(run)
    if found:
        assert found == quiet(tmp_path / "quiet", length=15, generations=None, solutions=len(found))


@pytest.mark.parametrize(("backend", "where"), [("ray", "start"), ("auto", "start"), ("auto", "run")])
def test_a_killed_driver_leaves_nothing(tmp_path: Path, backend: str, where: str) -> None:
    with islands(tmp_path, "--backend", backend, "--generations", "1000000") as process:
        leaders = moment(process, where, seed=7)
        process.kill()
        process.wait()
        until_nothing_is_left(leaders, process.pid)
