"""Ray itself: started, joined, left, in processes of their own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import drivers
import psutil
import pytest

from cluster import address, scratch
from cluster.ray_internals import OTHER_VERSION
from islands.driver.api import conduct
from islands.errors import IslandsError
from islands.model.stop import Stop
from islands.store.run import Run

Drive = Callable[..., "subprocess.Popen[str]"]


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The JSON line a driver prints, and nothing besides."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert err == ""
    assert out.count("\n") == 1, out
    answer: dict[str, Any] = json.loads(out)
    return answer


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(condition: Callable[[], bool], what: str) -> None:
    for _ in range(2500):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"no {what} within four minutes")


def alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


@pytest.mark.slow
def test_a_local_ray_leaves_no_trace(drive: Drive, tmp_path: Path) -> None:
    """With modules of our names in the user's directory, more islands than CPUs, Ctrl-C, and a killed worker."""
    for name in ("islands", "problems", "cluster"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('the wrong module')\n")
    seen = told(drive("lifecycle", "runs", HOME=str(tmp_path)))
    assert seen["ids"] == drivers.quiet(tmp_path, islands=5)
    assert seen["sockets"]
    assert all(ip.removeprefix("::ffff:") == "127.0.0.1" for ip in seen["sockets"])
    assert seen["during"] > 5
    assert seen["after"] == []
    assert seen["handlers"] == [True, True]
    assert seen["losses"] == [2]
    assert seen["cwd"]
    assert seen["environment"] == []
    assert seen["scratch"] == []
    assert seen["shared"]
    assert not [path for path in seen["shared"] if Path(path).exists()]  # nobody has to remove it
    assert not seen["ray"]
    assert not seen["token-file"]


@pytest.mark.slow
def test_a_ray_that_does_not_start(drive: Drive, tmp_path: Path) -> None:
    seen = told(drive("failing_start", str(tmp_path / "runs")))
    assert "3 times in a row. The last time: Ray did not start on this machine: no room. " in seen["message"]
    assert "`backend=inline`" in seen["message"]
    assert seen["only-own"]
    assert seen["scratch"] == []


@pytest.mark.slow
def test_a_killed_driver_is_resumed_bit_for_bit(drive: Drive, tmp_path: Path) -> None:
    process = drive("slow", str(tmp_path / "runs"))

    def committed() -> bool:
        return any((tmp_path / "runs").glob("*/solutions/*.parquet"))

    wait_for(committed, "commit")
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(family) >= 6
    wait_for(lambda: not [each for each in family if alive(each)], "end of all processes")
    wait_for(lambda: not list(Path("/tmp").glob(f"islands-{process.pid}-*")), "end of the scratch directory")
    changed = Run.open("last", tmp_path / "runs")
    wanted = len(changed) + 20
    changed.job = changed.job.model_copy(update={"backend": "inline", "stop": Stop(solutions=wanted)})
    conduct(changed)
    assert drivers.ids(changed) == drivers.quiet(tmp_path / "quiet", length=15, generations=None, solutions=wanted)


@pytest.mark.parametrize("typed", ["127.0.0.1:{port}", "localhost:{port}"])
def test_an_address_where_nothing_answers(drive: Drive, tmp_path: Path, typed: str) -> None:
    process = drive("join", str(tmp_path), typed.format(port=free_port()))
    _, err = process.communicate(timeout=250)
    assert "nothing answers at" in err


@pytest.mark.slow
def test_an_address_where_something_else_answers(drive: Drive, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        process = drive("join_as_people_do", str(tmp_path), f"127.0.0.1:{mute.getsockname()[1]}")
        _, err = process.communicate(timeout=250)
    assert "answers, but not as a Ray cluster" in err
    assert not list(tmp_path.glob("0*"))


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("ray://there:10001", "islands submit"), ("there", "HOST:PORT"), ("a:b", "HOST:PORT"), ("auto", "ray start")],
)  # fmt: skip
def test_addresses_that_cannot_be_used(typed: str, hint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(IslandsError, match=hint) as caught:
        address.resolve(typed)
    assert caught.value.exit_code == (3 if typed == "auto" else 2)


def test_the_scratch_directory_is_closed_and_those_of_dead_runs_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_short_directory", lambda: str(tmp_path))
    dead, alive, strange = tmp_path / "islands-4194399-x", tmp_path / f"islands-{os.getpid()}-y", tmp_path / "islands-z"
    for directory in (dead, alive, strange):
        directory.mkdir()
    new = scratch.make()
    assert new.stat().st_mode & 0o077 == 0
    assert not dead.exists()
    assert alive.exists()
    assert strange.exists()


def test_another_version_of_ray_is_named_as_the_reason() -> None:
    printed = f"starting\n{OTHER_VERSION}: The cluster was started with:\n    Ray: 2.9.3\n    Python: 3.11.7\n"
    told = address.refusal(printed, "head:6379", 0.1)
    assert told is not None
    assert "`address=head:6379`: another version of Ray or Python." in str(told)
    assert address.refusal("starting\n", "head:6379", 0.1) is None


def test_a_token_file_is_used_and_tightened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    file.write_text("secret")
    file.chmod(0o644)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(file))
    assert address.token_mode() == {"RAY_AUTH_MODE": "token"}
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address and the token of a cluster."""
    with cluster(tmp_path_factory.mktemp("head")) as (where, token, _):
        yield where, token


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, str, psutil.Process]]:
    """A cluster of one machine on loopback, started as deploy/README.md says: its address, token and process."""
    port, token = free_port(), "0123456789abcdef" * 4
    home = Path(f"/tmp/islands-head-{port}")  # short: sockets have their files in it
    variables = {
        "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token, "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    }  # fmt: skip
    command = [
        sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}", "--num-cpus=2",
        "--node-ip-address=127.0.0.1", "--include-dashboard=false", f"--temp-dir={home}",
    ]  # fmt: skip
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=output, stderr=output)
    try:
        wait_for(lambda: "Ray runtime started" in log.read_text(), "head")
        yield f"127.0.0.1:{port}", token, psutil.Process(process.pid)
    finally:
        started = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for each in started:
            each.kill()
        process.wait()
        psutil.wait_procs(started, timeout=90)
        shutil.rmtree(home, ignore_errors=True)


@pytest.mark.slow
def test_a_cluster_with_a_token_is_joined_and_left_running(drive: Drive, tmp_path: Path, head: tuple[str, str]) -> None:
    """Twice, and its CPUs are free again for the second one."""
    where, token = head
    expected = drivers.quiet(tmp_path)
    for _ in range(2):
        assert told(drive("join", str(tmp_path), where, RAY_AUTH_TOKEN=token))["ids"] == expected


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{"RAY_AUTH_MODE": "disabled"}, {"RAY_AUTH_TOKEN": "f" * 64}])
def test_another_token_is_named_as_the_reason_and_no_run_is_left(
    drive: Drive, tmp_path: Path, head: tuple[str, str], variables: dict[str, str]
) -> None:
    process = drive("join", str(tmp_path / "runs"), head[0], **variables)
    assert "the cluster asks for another token" in process.communicate(timeout=250)[1]
    assert not list((tmp_path / "runs").iterdir())


@pytest.mark.slow
def test_a_cluster_whose_head_dies_ends_the_run_and_it_can_be_resumed(drive: Drive, tmp_path: Path) -> None:
    with cluster(tmp_path) as (where, token, head):
        process = drive("join_for_long", str(tmp_path / "runs"), where, RAY_AUTH_TOKEN=token)
        wait_for(lambda: any((tmp_path / "runs").glob("*/solutions/*.parquet")), "commit")
        for each in head.children(recursive=True):
            each.kill()
        seen = told(process)
    assert "3 times in a row. The last time: `address=" in seen["message"]
    assert "nothing answers" in seen["message"]
    assert seen["events"][:3] == ["hand-over", "ray-ready", "ray-lost"]
    assert seen["left"] == []
    run = Run.open("last", tmp_path / "runs")
    found = drivers.ids(run)
    assert found == drivers.quiet(tmp_path, length=15, generations=None, solutions=len(found))


@pytest.mark.slow
def test_a_dead_machine_costs_no_solution(drive: Drive, tmp_path: Path) -> None:
    private = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "ab" * 32}
    process = drive("node_death", str(tmp_path / "runs"), **private)
    seen = json.loads(process.communicate(timeout=600)[0].splitlines()[-1])
    assert seen["ids"] == drivers.quiet(tmp_path)
    assert seen["nodes"] == 2
    run = Run.open("last", tmp_path / "runs")
    assert [event["reason"] for event in run.events() if event["event"] == "island-lost"]
