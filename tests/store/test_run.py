"""The run directory: full disks, torn files, two writers, and what other programs see of it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS, digits, ids

from islands import Run
from islands.driver.api import conduct, create, make_job, resume
from islands.errors import DiskError, RunError
from islands.store.disk import Disk
from islands.store.writer import Writer


class FullDisk(Disk):
    """A disk that is full from the n-th write on."""

    writes_left = 10**9

    def write(self, name: str, data: bytes) -> None:
        if self.writes_left <= 0:
            raise self._failed(name, OSError(errno.ENOSPC, "No space left on device"))
        self.writes_left -= 1
        super().write(name, data)


@pytest.mark.parametrize("writes", range(3))
def test_a_full_disk_loses_nothing_that_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    monkeypatch.setattr("islands.driver.archipelago.COMMIT_FOUND", 0.0)
    run = create(make_job(DIGITS, {"islands": 2, "solutions": 60, "length": 8, "backend": "inline"}), tmp_path)
    disk = FullDisk(run.path)
    disk.writes_left = writes
    with pytest.raises(DiskError, match=r"No space left on device.*islands resume"):
        conduct(Run(disk))
    saved = ids(Run(Disk(run.path)))
    assert ids(resume(run.path))[: len(saved)] == saved
    assert ids(Run(Disk(run.path))) == ids(digits(tmp_path, solutions=60))
    assert not list(run.path.rglob("*.tmp"))


def test_a_real_write_error_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path)
    disk.write("a/b", b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskError):
        disk.write("a/b", b"new")
    assert disk.read("a/b") == b"old"
    assert disk.names("a") == ["a/b"]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_two_writers_are_one_too_many(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    holder = Disk(run.path)
    holder.lock()
    with pytest.raises(RunError, match="being written by another process"):
        resume(run.path, solutions=6)
    assert Run.open(run.path).job.stop.solutions == 5
    holder.unlock()
    assert len(resume(run.path, solutions=6)) == 6


def test_a_torn_event_log_is_readable(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    count = len(run.events())
    with (run.path / "events.jsonl").open("ab") as log:
        log.write(b'{"event": "che')
    assert len(run.events()) == count


@pytest.mark.parametrize("victim", ["checkpoint/manifest.json", "job.json"])
@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_damaged_files_are_named(tmp_path: Path, victim: str, damage: bytes) -> None:
    run = digits(tmp_path, solutions=5)
    (run.path / victim).write_bytes(damage)
    with pytest.raises(RunError, match=r"json"):
        len(Run.open(run.path))


def test_a_torn_segment_or_state_is_named(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    for folder, use in (("solutions", ids), ("checkpoint", lambda run: run.checkpoint())):
        path = next(path for path in (run.path / folder).iterdir() if path.suffix != ".json")
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(RunError, match=path.name):
            use(run)


def test_sealed_segments_hold_what_open_ones_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = digits(tmp_path, solutions=150)
    monkeypatch.setattr(Writer, "seal", 7)
    monkeypatch.setattr("islands.driver.archipelago.COMMIT_FOUND", 0.0)
    parts = digits(tmp_path, solutions=90)
    assert len(parts.manifest().sealed) >= 1
    assert ids(resume(parts.path, solutions=150)) == ids(whole)


def test_the_trace_is_limited_and_the_oldest_goes(tmp_path: Path) -> None:
    job = make_job(DIGITS, {"islands": 1, "generations": 40, "trace": "population", "length": 9, "backend": "inline"})
    run = create(job, tmp_path)
    run.job = run.job.model_copy(update={"trace_limit": 0.001})  # megabytes
    conduct(run)
    names = [path.name for path in sorted((run.path / "trace").iterdir())]
    assert names
    assert names[0] != "00000000-0000.jsonl.gz"
    assert sum(path.stat().st_size for path in (run.path / "trace").iterdir()) <= 1000


def test_solutions_show_themselves(tmp_path: Path) -> None:
    solution = next(iter(digits(tmp_path, solutions=1)))
    assert solution._repr_svg_().startswith("<svg")
    assert solution.json()["genome"] == solution.genome.tolist()
    assert len(solution.id) == 32


def test_the_files_open_in_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    run = digits(tmp_path, solutions=12)
    frame = pandas.concat(pandas.read_parquet(path) for path in sorted((run.path / "solutions").iterdir()))
    assert [list(genome) for genome in frame["genome"]] == run.solutions().genome.tolist()


def test_a_run_that_lost_its_manifest_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("islands.driver.archipelago.COMMIT_FOUND", 0.0)
    run = digits(tmp_path, solutions=200)
    (run.path / "checkpoint" / "manifest.json").unlink()
    (run.path / "solutions" / "part-000007.parquet").write_bytes(b"precious")
    with pytest.raises(RunError, match=r"manifest.json is missing"):
        resume(run.path)
    assert (run.path / "solutions" / "part-000007.parquet").read_bytes() == b"precious"


@pytest.mark.parametrize(
    "damage",
    [
        lambda manifest: manifest.replace('"total":', '"total": "x", "was":'),
        lambda manifest: manifest.replace('"epoch":', '"epoque":', 1),
        lambda manifest: manifest.replace("part-", "lost-"),
    ],
)
def test_resume_names_what_is_damaged_and_changes_nothing(tmp_path: Path, damage: Any) -> None:
    run = digits(tmp_path, solutions=30)
    path = run.path / "checkpoint" / "manifest.json"
    path.write_text(damage(path.read_text()))
    before = {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file() and file.suffix != ".lock"}
    with pytest.raises(RunError, match=run.name):
        resume(run.path)
    assert {file: file.read_bytes() for file in before} == before
