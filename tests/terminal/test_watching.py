"""`islands watch`: a run that somebody else conducts, seen from its directory alone."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from small_runs import change_manifest, digits

from islands import Run
from islands.pages.facts import facts_of
from islands.pages.following import Follower
from islands.store.disk import Disk
from islands.terminal import watching
from islands.terminal.watching import snapshot_of, watch_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run that looks as if another process had just saved it, and were at work."""
    made = digits(tmp_path, solutions=30, recipe="classic")
    change_manifest(made, stopped=None)
    return Run.open(made.path)


class Conductor:
    """Whoever holds the lock; after some looks it ends the run."""

    def __init__(self, run: Run, monkeypatch: pytest.MonkeyPatch, *, looks: int) -> None:
        self.run, self.disk, self.looks, self.slept = run, Run.open(run.path).disk, looks, 0
        self.disk.lock()
        monkeypatch.setattr(watching.time, "sleep", self.sleep)

    def sleep(self, _: float) -> None:
        self.slept += 1
        if self.slept == self.looks:
            self.end(self.disk)

    def end(self, disk: Disk) -> None:
        change_manifest(self.run, stopped="solutions")
        disk.unlock()


def test_it_ends_when_the_run_ends_with_the_exit_code_of_the_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conductor = Conductor(run, monkeypatch, looks=3)
    assert watch_run(run, io.StringIO(), as_objects=False, verbose=False) == 0
    assert conductor.slept == 3
    assert "found 30 solutions" in capsys.readouterr().err


def test_leaving_leaves_the_run_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    conductor = Conductor(run, monkeypatch, looks=3)
    monkeypatch.setattr(watching.time, "sleep", interrupt)
    assert watch_run(run, io.StringIO(), as_objects=False, verbose=False) == 0
    assert "the run goes on" in capsys.readouterr().err
    assert run.disk.is_locked()
    conductor.disk.unlock()


def test_a_run_that_was_killed_meanwhile_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conductor = Conductor(run, monkeypatch, looks=1)
    monkeypatch.setattr(conductor, "end", lambda disk: disk.unlock())
    assert watch_run(run, io.StringIO(), as_objects=False, verbose=False) == 130
    said = capsys.readouterr().err
    assert "killed after" in said
    assert "islands resume" in said


def test_events_that_come_meanwhile_are_said_and_older_ones_are_not(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lost: dict[str, Any] = {"event": "island-lost", "island": 1, "seconds": 9, "epoch": 3, "reason": "its node died"}
    older = {**lost, "reason": "long ago"}
    log = run.path / "events.jsonl"
    log.write_text(log.read_text() + json.dumps(older) + "\n")
    conductor = Conductor(run, monkeypatch, looks=2)

    def sleep(seconds: float) -> None:
        if not conductor.slept:
            with log.open("a") as file:
                file.write(json.dumps(lost) + "\n{torn")
        conductor.sleep(seconds)

    monkeypatch.setattr(watching.time, "sleep", sleep)
    watch_run(run, io.StringIO(), as_objects=False, verbose=False)
    said = capsys.readouterr().err
    assert said.count("island 1 was lost (its node died)") == 1
    assert "long ago" not in said


def test_what_the_directory_tells_is_what_the_run_knew(tmp_path: Path) -> None:
    run = digits(tmp_path, generations=60, recipe="classic", islands=3)
    now = snapshot_of(facts_of(run), Follower(run))
    islands = run.manifest().islands
    assert [one.evaluations for one in now.islands] == [one.evaluations for one in islands]
    assert [one.immigrants for one in now.islands] == [one.immigrants for one in islands]
    assert (now.found, now.saved) == (len(run), len(run))


def test_objects_instead_of_a_picture(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Conductor(run, monkeypatch, looks=2)
    monkeypatch.setattr(watching, "EVERY", 0.0)
    out = io.StringIO()
    watch_run(run, out, as_objects=True, verbose=False)
    assert {json.loads(line)["found"] for line in out.getvalue().splitlines()} == {30}


def test_a_run_that_has_ended_is_not_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = digits(tmp_path, solutions=3)
    assert watch_run(run, io.StringIO(), as_objects=False, verbose=False) == 0
    assert "it is not running: found 3 solutions" in capsys.readouterr().err
