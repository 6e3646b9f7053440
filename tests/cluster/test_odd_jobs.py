"""Jobs with odd names, places and companions, on a cluster that is a shell of this machine."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_harness import Islands
from fake_jobs import FakeClient

from cluster import carrier, jobs
from cluster.target import alone
from islands.errors import RunError, UsageError
from islands.store.copying import copy_runs
from islands.store.local_disk import LocalDisk
from islands.store.places import check_url, inside
from islands.terminal.packing import Package
from islands.terminal.status import job_row, print_status

AT = ("--address", "http://head:8265")
SQUARES = ("magic-square", "--size", "4", "--solutions", "5", "--backend", "inline", "--islands", "1")


def test_two_submits_at_the_same_time_with_one_name(
    islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: object) -> None:
        raise RuntimeError("500: Traceback (most recent call last):\n  ...\nValueError: Job squares already exists.\n.")

    monkeypatch.setattr(client, "submit_job", refused)
    said = islands("submit", *SQUARES, "--name", "squares", *AT)
    assert said.code == 2
    assert "has a job of this name" in said.err
    with pytest.raises(jobs.ClusterError, match="refuses: ValueError: Job squares already exists"):
        jobs.Jobs("http://head:8265")._start("squares", "", {}, {}, "")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["{}/what? a%20 ü", "file://{}/a%20%C3%BC%25"])
def test_the_place_of_a_job_on_its_machine_may_have_any_name(
    islands: Islands, client: FakeClient, tmp_path: Path, place: str
) -> None:
    said = islands("submit", *SQUARES, "--name", "squares", "--out", place.format(tmp_path), *AT)
    client.processes["squares"].wait()
    said = islands("collect", "squares", *AT)
    assert (said.code, "5 found" in said.err) == (0, True), said.err


def test_a_url_of_a_file_is_read_by_the_machine_that_has_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert carrier.there("file:///shared/a%20b/run") == "/shared/a b/run"
    assert carrier.there("s3://bucket/run?region=x") == "s3://bucket/run?region=x"
    monkeypatch.setenv("ISLANDS_HOME", "/what?")
    assert carrier.there("$ISLANDS_HOME/runs/squares") == "/what?/runs/squares"
    monkeypatch.setenv("ISLANDS_HOME", "s3://bucket/all?region=x")
    assert carrier.there("$ISLANDS_HOME/runs/squares") == "s3://bucket/all/runs/squares?region=x"
    with pytest.raises(UsageError, match="zero byte"):
        check_url("file:///shared/%00")
    assert inside("/what?", "squares") == "/what?/squares"
    assert inside("gs://bucket?a=1", "squares") == "gs://bucket/squares?a=1"


def test_what_git_ignores_travels_too(tmp_path: Path) -> None:
    folder, sent = tmp_path / "folder", tmp_path / "sent"
    folder.mkdir()
    (folder / ".gitignore").write_text("*\n")
    (folder / "words.txt").write_text("islands\n")
    (folder / "dangling").symlink_to("nowhere")
    Package(sent, folder)
    assert sorted(path.name for path in sent.iterdir()) == ["words.txt"]


def test_two_collects_do_not_write_to_one_directory(tmp_path: Path) -> None:
    target = tmp_path / "runs" / "squares"
    with alone(target), pytest.raises(RunError, match="is being written by another process"), alone(target):
        pytest.fail("there are two")
    assert not target.exists()  # nothing has come
    target.mkdir()
    with alone(target):
        pass
    assert target.exists()  # it is not ours


@pytest.mark.slow
def test_a_collect_does_not_replace_another_run_nor_one_that_has_gone_on_here(
    islands: Islands, client: FakeClient
) -> None:
    for name, seed in (("one", "1"), ("two", "2")):
        islands("submit", *SQUARES, "--seed", seed, "--name", name, *AT)
        client.processes[name].wait()
    there = client.home / "islands-runs" / "runs"
    header = json.loads((there / "two" / "job.json").read_text())
    (there / "two" / "job.json").write_text(json.dumps({**header, "created": "2026-11-18T00:00:00+00:00"}))
    for _ in range(2):
        assert islands("collect", "one", *AT).code == 0
    before = {path: path.read_bytes() for path in Path("runs/one").rglob("*") if path.is_file()}
    said = islands("collect", "two", "-o", "runs/one", *AT)
    assert (said.code, "is another run" in said.err) == (2, True), said.err
    with pytest.raises(RunError, match="is another run"):
        copy_runs(LocalDisk(there / "two"), LocalDisk(Path("runs/one")))
    assert {path: path.read_bytes() for path in Path("runs/one").rglob("*") if path.is_file()} == before
    assert islands("resume", "one", "--solutions", "9").code == 0
    said = islands("collect", "one", *AT)
    assert (said.code, "has gone on here" in said.err) == (2, True), said.err


def test_the_last_job_goes_on_where_it_is(islands: Islands, client: FakeClient) -> None:
    islands("submit", *SQUARES, "--name", "squares", "--out", "/dev/null/runs", *AT)
    client.processes["squares"].wait()
    said = islands("submit", "--resume", "last", "--out", "/elsewhere", *AT)
    assert (said.code, "goes on where its run directory is" in said.err) == (2, True), said.err
    assert islands("submit", "--resume", "last", "-q", *AT).out == "squares-2\n"


def test_a_batch_of_which_a_part_has_come_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "batch" / "one" / "checkpoint").mkdir(parents=True)
    with alone(tmp_path / "batch"):
        handle = os.open(tmp_path / "batch", os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)


def test_a_job_that_failed_says_where_to_read_why(islands: Islands, client: FakeClient) -> None:
    islands("submit", *SQUARES, "--name", "squares", "--out", "/dev/null/runs", *AT)
    client.processes["squares"].wait()
    assert "The job failed: islands logs squares" in islands("collect", "squares", *AT).err
    said = islands("stop", "squares", *AT)
    assert said.code == 0
    assert "is saved" not in said.err
    assert "says why" in said.err


def test_an_account_without_a_name_has_jobs(
    islands: Islands, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    client.idle = True
    islands("submit", *SQUARES, "--name", "squares", *AT)
    assert "squares" in islands("status", *AT).out
    assert client.asked["squares"]["metadata"]["user"] == str(os.getuid())


def test_a_long_name_leaves_room_for_the_state_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    job = SimpleNamespace(name="x" * 190, state="succeeded", about={}, began=0.0, path="~/runs/x", message="")
    print_status([job_row(job, None)], one=True, as_objects=False)
    shown = capsys.readouterr().out
    assert "succeeded" in shown
    assert "its machine does not answer, or has no such run" in shown
