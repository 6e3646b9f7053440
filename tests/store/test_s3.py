"""Runs in a real S3, on loopback: all commands, kills, failing requests, refusals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Islands
from s3_server import Gate, gate_to, s3_server
from small_runs import DIGITS, digits, ids

from islands import Run, resume, solve
from islands.driver.api import conduct, create, make_job
from islands.store.files import EVENTS, JOB, MANIFEST, is_ours
from islands.store.places import disk_at

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("s3"), pytest.mark.timeout(900)]

OPTIONS: dict[str, Any] = {"islands": 2, "length": 8, "backend": "inline"}
WORDS = ["--islands", "2", "--length", "8", "--backend", "inline"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def gate(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    with gate_to(server) as gate:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{gate.address}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            monkeypatch.setenv(name, value)
        yield gate


@pytest.fixture
def out(gate: Gate, request: pytest.FixtureRequest) -> str:
    """A place of the test's own."""
    return f"s3://bucket/{request.node.name.partition('[')[0]}-{gate.server_address[1]}"


def keys(place: str) -> list[str]:
    """All objects of a place."""
    from pyarrow.fs import FileSelector

    disk: Any = disk_at(place)
    found = disk._objects._objects._system.get_file_info(
        FileSelector(disk.url.key, recursive=True, allow_not_found=True)
    )
    return sorted(info.path.removeprefix(f"{disk.url.key}/") for info in found if info.is_file)


def test_all_commands_take_the_url(islands: Islands, out: str, tmp_path: Path) -> None:
    said = islands("run", f"{DIGITS}:Digits", *WORDS, "--solutions", "25", "--out", out)
    place = f"{out}/001-digits"
    assert said.code == 0
    assert f"{place} · 5 more: islands show {place} --limit 0" in said.err
    fixed = {MANIFEST, JOB, EVENTS, "problem.py"}
    assert fixed < set(keys(place))
    assert all(is_ours(name) for name in set(keys(place)) - fixed)
    assert islands("resume", place, "--solutions", "60").code == 0
    local = ids(digits(tmp_path, solutions=60))
    assert [line.split('"')[3] for line in islands("show", "last", "--out", out, "--json").out.splitlines()] == local
    assert islands("export", place, "-o", "x.csv").code == 0
    assert (tmp_path / "x.csv").read_text().count("\n") == 61
    assert "nothing is damaged" in islands("verify", "1", "--out", out).out
    listed = islands("runs", out)
    assert "001-digits" in listed.out
    assert "done" in listed.out
    assert ids(Run.open(place)) == local


def test_a_killed_run_goes_on_bit_for_bit(out: str, tmp_path: Path) -> None:
    program = (
        "import sys, islands.driver.saving as s; s.COMMIT_FOUND = 0.0\n"
        "from islands import solve\n"
        f"solve({DIGITS!r}, out=sys.argv[1], name='x', solutions=800, length=12, islands=2, backend='inline')"
    )
    whole = digits(tmp_path, solutions=800, length=12)
    found = 0
    for kill in range(3):
        words = [sys.executable, "-c", program, out] if not kill else [
            sys.executable, "-c", f"from islands import resume; resume({out + '/x'!r})"]  # fmt: skip
        process = subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        deadline = time.monotonic() + 200
        while process.poll() is None and time.monotonic() < deadline:
            if disk_at(f"{out}/x").exists("job.json") and len(Run.open(f"{out}/x")) > found:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = len(Run.open(f"{out}/x"))
    assert found
    assert ids(resume(f"{out}/x")) == ids(whole)
    assert not [name for name in keys(f"{out}/x") if name.startswith("writer-")]
    assert len([name for name in keys(f"{out}/x") if name.startswith(("solutions/", "checkpoint/"))]) <= 4


@pytest.mark.parametrize("fate", ["503", "drop", "lose"])
def test_every_tenth_request_may_fail(gate: Gate, out: str, tmp_path: Path, fate: str) -> None:
    gate.fate = lambda number, method, path: fate if number % 10 == 0 else "pass"
    run = solve(DIGITS, out=out, solutions=40, **OPTIONS)
    assert ids(resume(run.place, solutions=60)) == ids(digits(tmp_path, solutions=60))
    assert gate.count > 50


def test_a_store_that_goes_away_ends_the_run_with_the_command_that_goes_on(
    islands: Islands, gate: Gate, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("islands.store.objects.PAUSES", (0.0, 0.0))
    create(make_job(DIGITS, {**OPTIONS, "solutions": 40}), out, "x")
    gate.fate = lambda number, method, path: "503" if method == "PUT" and "solutions" in path else "pass"
    said = islands("resume", "x", "--out", out)
    assert said.code == 3
    assert "What was saved before is safe" in said.err
    assert f"islands resume {out}/x" in said.err
    gate.fate = lambda number, method, path: "pass"
    assert ids(resume(f"{out}/x")) == ids(digits(tmp_path, solutions=40))


@pytest.mark.parametrize("method", ["", "PUT"])
def test_without_permission_nothing_begins(islands: Islands, gate: Gate, out: str, method: str) -> None:
    gate.fate = lambda number, verb, path: "403" if method in ("", verb) else "pass"
    said = islands("run", f"{DIGITS}:Digits", *WORDS, "--out", out)
    assert said.code == 2
    assert "access is refused (ACCESS_DENIED" in said.err
    assert said.err.count("\n") == 1
    gate.fate = lambda number, verb, path: "pass"
    assert keys(out) == []


def test_a_bucket_that_does_not_exist_is_named(islands: Islands, gate: Gate) -> None:
    for words in (["run", f"{DIGITS}:Digits"], ["runs"], ["show", "last"], ["resume"], ["verify"]):
        said = islands(*words, "--out", "s3://nowhere/runs")
        assert said.code == 2
        assert f"there is no bucket 'nowhere' at {gate.address}" in said.err


def test_nobody_at_the_address_is_told(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.store.arrow_objects.ANSWER", 3.0)
    said = islands("runs", "--out", "s3://bucket/runs?endpoint_override=127.0.0.1:1&scheme=http")
    assert said.code == 2
    assert "127.0.0.1:1" in said.err


def test_credentials_of_a_url_are_in_no_file_and_on_no_screen(
    islands: Islands, gate: Gate, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name)
    url = out.replace("s3://", "s3://topuser:topsecret@") + f"?endpoint_override={gate.address}&scheme=http"
    words = ["run", f"{DIGITS}:Digits", *WORDS, "--solutions", "25", "--trace", "details", "--out", url]
    monkeypatch.setattr("sys.argv", ["islands", *words])
    said = islands(*words)
    assert said.code == 0
    place = f"{out}/001-digits?endpoint_override={gate.address}&scheme=http"
    assert f"islands show '{place}' --limit 0" in said.err
    disk = disk_at(place.replace("s3://", "s3://topuser:topsecret@"))
    texts = [said.out, said.err, *(str(disk.read(name)) for name in keys(url.replace("?", "/001-digits?", 1)))]
    assert not any("topsecret" in text or "topuser" in text for text in texts)


def test_a_second_writer_is_refused(out: str) -> None:
    run = create(make_job(DIGITS, {**OPTIONS, "solutions": 40}), out, "x")
    run.disk.lock()
    program = f"from islands import resume; resume({run.place!r})"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False)
    assert f"being written by another process (process {os.getpid()}" in second.stderr
    run.disk.unlock()
    conduct(run)
    assert len(run) == 40


def test_large_genomes_limited_memory_races_and_batches_work_as_in_a_directory(
    islands: Islands, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "large", 4)
    run = solve(DIGITS, out=out, solutions=6, memory="1MiB", race=True, **OPTIONS)
    assert len(set(ids(run))) == 6
    assert [solution.file for solution in run] == [f"{run.place}/solutions/{id_}.npy" for id_ in ids(run)]
    folder = tmp_path / "grids"
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.txt").write_text("1 . . 4\n. . 1 .\n. 1 . .\n4 . . 1\n".replace(" ", ""))
    said = islands("run", "sudoku", str(folder), "--out", out, "--backend", "inline")
    assert said.code == 0, said.err
    assert f"{out}/grids · its runs: islands runs --out {out}/grids" in said.err
    assert len(islands("runs", f"{out}/grids", "--json").out.splitlines()) == 2
    assert islands("resume", "grids", "--out", out).code == 0
