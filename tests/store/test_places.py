"""What a person means by a path or a URL, and where runs go in a Ray job."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_harness import Islands
from small_runs import DIGITS, digits, ids

from islands import Run, resume
from islands.errors import UsageError
from islands.store.places import disk_at, runs_at


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a Ray job."""
    folder = tmp_path / "session_1" / "runtime_resources" / "working_dir_files" / "_ray_pkg_0"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ISLANDS_HOME", raising=False)
    return folder


def test_a_file_url_is_a_directory(tmp_path: Path) -> None:
    out = f"file://{tmp_path}/with%20space"
    run = digits(out, solutions=5)
    assert run.path.parent == tmp_path / "with space"
    assert ids(resume(f"file://{run.path}".replace(" ", "%20"), solutions=8)) == ids(Run.open("last", out))


def test_a_run_in_a_directory_loads_nothing_of_object_storage(tmp_path: Path) -> None:
    program = (
        "import sys; from islands import solve\n"
        f"solve({DIGITS!r}, out=sys.argv[1], solutions=1, backend='inline', islands=1)\n"
        "print([name for name in sys.modules if name in ('islands.store.object_disk', 'islands.store.arrow_objects')])"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("url", "words"),
    [("file://server/share", "names a machine"), ("ftp://server/runs", "ftp:// is not a place for runs")],
)
def test_a_url_that_cannot_be_a_place_is_refused_in_a_sentence(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        disk_at(url)


def test_in_the_scratch_directory_of_a_ray_job_a_relative_place_is_below_the_home(scratch: Path) -> None:
    home = scratch.parents[3] / "home"
    assert runs_at("runs").place == str(home / "islands-runs" / "runs")
    assert runs_at("../mine").place == str(home / "islands-runs" / "../mine")
    assert runs_at("/data/runs").place == "/data/runs"
    assert runs_at(f"file://{scratch}").place == str(scratch)


def test_the_environment_says_where_else(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISLANDS_HOME", "/shared")
    assert runs_at("runs").place == "/shared/runs"
    monkeypatch.setenv("ISLANDS_HOME", "file:///shared/all")
    assert runs_at("runs").place == "/shared/all/runs"


def test_a_run_in_a_ray_job_says_where_it_goes_and_is_found_there_again(
    islands: Islands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: Path
) -> None:
    monkeypatch.chdir(scratch)
    said = islands("run", f"{DIGITS}:Digits", "--length", "8", "--solutions", "3", "--backend", "inline")
    runs = tmp_path / "home" / "islands-runs" / "runs"
    assert said.code == 0
    assert f"scratch directory of a Ray job, which Ray removes: runs go to {runs} on this machine" in said.err
    assert list(scratch.iterdir()) == []
    assert islands("show", "last").code == 0
    assert "Ray job" not in islands("run", f"{DIGITS}:Digits", "--solutions", "3", "--out", str(tmp_path / "a")).err
