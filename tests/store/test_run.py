"""The run directory: full disks, torn files, two writers, and what other programs see of it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from small_runs import DIGITS, digits, ids

from islands import Run
from islands.driver.api import conduct, create, make_job, resume
from islands.errors import Damaged, DiskError, RunError
from islands.model.stop import Stop
from islands.store.local_disk import LOCK, LocalDisk
from islands.store.writer import Writer


def contents(run: Run) -> dict[Path, bytes]:
    """All files of a run, and those that its links lead to."""
    folders = [run.path, *(path for path in run.path.iterdir() if path.is_dir())]
    files = (file for folder in folders for file in folder.iterdir() if file.is_file())
    return {file: file.read_bytes() for file in files if file.name != LOCK}


class FullDisk(LocalDisk):
    """A disk that is full from the n-th write on."""

    writes_left = 10**9

    def write(self, name: str, data: bytes) -> None:
        if self.writes_left <= 0:
            raise self._failed(name, "No space left on device")
        self.writes_left -= 1
        super().write(name, data)


@pytest.mark.parametrize("writes", range(3))
def test_a_full_disk_loses_nothing_that_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    run = create(make_job(DIGITS, {"islands": 2, "solutions": 60, "length": 8, "backend": "inline"}), tmp_path)
    disk = FullDisk(run.path)
    disk.writes_left = writes
    with pytest.raises(DiskError, match=r"No space left on device.*islands resume"):
        conduct(Run(disk))
    saved = ids(Run(LocalDisk(run.path)))
    assert ids(resume(run.path))[: len(saved)] == saved
    assert ids(Run(LocalDisk(run.path))) == ids(digits(tmp_path, solutions=60))
    assert not list(run.path.rglob("*.tmp"))


def test_a_real_write_error_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = LocalDisk(tmp_path)
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
    holder = LocalDisk(run.path)
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
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
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


@pytest.mark.parametrize("solutions", [1, 200])
def test_a_run_that_lost_its_manifest_is_neither_empty_nor_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, solutions: int
) -> None:
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    run = digits(tmp_path, solutions=solutions)
    (run.path / "checkpoint" / "manifest.json").unlink()
    left = contents(run)
    for use in (Run.open, resume):
        with pytest.raises(RunError, match=r"manifest.json is missing"):
            use(run.path)
    assert contents(run) == left


def test_a_new_run_has_a_manifest_before_it_has_a_job(tmp_path: Path) -> None:
    run = create(make_job(DIGITS, {"length": 8, "backend": "inline"}), tmp_path)
    assert run.manifest().total == 0
    (run.path / "checkpoint" / "manifest.json").unlink()
    with pytest.raises(RunError, match=r"manifest.json is missing"):
        Run.open(run.path)


@pytest.mark.parametrize(("old", "new"), [('"length": 8', '"length": 9'), ('"seed": 1', '"seed": 2'), ("{", "{ ")])
def test_a_job_that_was_edited_is_not_taken_for_the_run_s(tmp_path: Path, old: str, new: str) -> None:
    run = digits(tmp_path, solutions=5)
    path = run.path / "job.json"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(Damaged, match=r"job.json is damaged: it is not what the run was started with"):
        Run.open(run.path)


def test_a_reader_sees_a_new_stop_rule_without_complaint(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    reader = Run.open(run.path)
    resume(run.path, solutions=8)
    assert len(ids(reader)) == 8


@pytest.mark.parametrize("crash", [1, 2])
def test_a_crash_while_the_stop_rule_changes_leaves_the_old_or_the_new_one(tmp_path: Path, crash: int) -> None:
    run = digits(tmp_path, solutions=5)
    disk = FullDisk(run.path)
    disk.writes_left = crash - 1
    with pytest.raises(DiskError):
        Run(disk).change_stop(Stop(solutions=8))
    assert Run.open(run.path).job.stop.solutions == 5
    assert len(resume(run.path, solutions=9)) == 9


def test_what_users_keep_in_the_folders_of_a_run_stays(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5, trace="details", memory="1MiB")
    elsewhere = tmp_path / "part-000000.parquet"
    elsewhere.write_text("of another run")
    (run.path / "keys").mkdir(exist_ok=True)
    kept = [run.path / folder / "notes.txt" for folder in ("solutions", "checkpoint", "trace", "keys")]
    kept += [run.path / "solutions" / "export.parquet", run.path / "checkpoint" / "manifest.json.bak"]
    for file in kept:
        file.write_text("mine")
    link = run.path / "solutions" / "part-000000.parquet"
    link.symlink_to(elsewhere)
    resume(run.path, solutions=9)
    assert [file.read_text() for file in kept] == ["mine"] * len(kept)
    assert link.is_symlink()
    assert elsewhere.read_text() == "of another run"


@pytest.mark.parametrize("name", ["solutions", "checkpoint", "trace", "keys", "events.jsonl"])
def test_nothing_is_written_or_removed_through_a_link(tmp_path: Path, name: str) -> None:
    run = digits(tmp_path, solutions=5, trace="details")
    elsewhere = tmp_path / "elsewhere"
    if (run.path / name).exists():
        (run.path / name).rename(elsewhere)
    (run.path / name).symlink_to(elsewhere)
    before = contents(run)
    with pytest.raises(RunError, match=f"{name} is a link"):
        resume(run.path, solutions=9)
    assert contents(run) == before
    if name != "checkpoint":
        assert len(ids(Run.open(run.path))) == 5


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
    before = contents(run)
    with pytest.raises(RunError, match=run.name):
        resume(run.path)
    assert contents(run) == before
