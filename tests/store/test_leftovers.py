"""What a killed process has left unfinished in a run's directory goes with the next one who writes there; files of
others stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_runs import digits, ids

from islands import resume
from islands.shards.messages import Place
from islands.shards.shard import _write
from islands.store.files import JOB, checksum
from islands.store.local_disk import LocalDisk
from islands.store.run import Run
from islands.store.sweeping import sweep_leftovers

LEFT = [
    "solutions/part-000001-sealed.parquet",
    "solutions/part-000011-sealed-0001-c9e9c589.parquet",
    "checkpoint/state-000099.npz",
    "solutions/part-000011-sealed-0001-c9e9c589.parquet.tmp",  # of a shard
    "solutions/part-000002-sealed.parquet.tmp",
    "solutions/part-000002.parquet.tmp",
    "solutions/0123456789abcdef0123456789abcdef.npy.tmp",
    "checkpoint/state-000002.npz.tmp",
    "checkpoint/manifest.json.tmp",
    "checkpoint/recovery.json.tmp",
    "trace/00000001-0000.jsonl.gz.tmp",
    "events/000002.jsonl.tmp",
    "keys/000000.npy.tmp",
    "keys/000001.npy",
    "job.json.tmp",
    "problem.py.tmp",
    "report.html.tmp",
]
OTHERS = ["solutions/mine.tmp", "solutions/part-1.parquet.tmp", "trace/notes.txt.tmp", "keys/mine.npy", "mine.tmp"]


def put(run: Run, names: list[str]) -> list[Path]:
    paths = [run.path / name for name in names]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"a part of it")
    return paths


def there(paths: list[Path]) -> list[str]:
    return [path.name for path in paths if path.exists()]


def test_whoever_goes_on_with_a_run_removes_what_was_left_in_it(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    left, others = put(run, LEFT), put(run, OTHERS)
    resume(run.path, solutions=20)
    assert there(left) == []
    assert there(others) == [path.name for path in others]


def test_also_where_nothing_is_left_to_do(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    left = put(run, LEFT)
    assert len(resume(run.path)) == 5
    assert there(left) == []


def test_what_counts_stays_readable(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    found = ids(run)
    put(run, LEFT)
    assert ids(resume(run.path, solutions=20))[:5] == found


def test_a_shard_whose_draft_is_removed_meanwhile_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to a driver that is gone, or to a commit that was given up."""
    run = digits(tmp_path, solutions=5)
    disk = LocalDisk(run.path)
    before = disk.names("solutions")
    monkeypatch.setattr("islands.store.local_disk.os.fsync", lambda _: sweep_leftovers(disk))
    place = Place(str(run.path), checksum(disk.read(JOB)), "solutions/part-000001-sealed-0000-00000000.parquet")
    assert _write(place, b"rows") == ""
    assert disk.names("solutions") == before
    assert disk.leftovers("solutions") == []


def test_a_run_may_be_reached_by_a_link(tmp_path: Path) -> None:
    run = digits(tmp_path, solutions=5)
    left = put(run, LEFT)
    (tmp_path / "link").symlink_to(run.path)
    resume(tmp_path / "link", solutions=6)
    assert there(left) == []


def test_a_draft_that_is_a_link_leads_nowhere(tmp_path: Path) -> None:
    """Runs come from others, too."""
    run, victim = digits(tmp_path / "runs", solutions=5), tmp_path / "victim"
    victim.write_text("not ours")
    for name in ("checkpoint/manifest.json.tmp", "solutions/part-000002.parquet.tmp"):
        (run.path / name).symlink_to(victim)
    assert len(resume(run.path, solutions=20)) == 20
    assert victim.read_text() == "not ours"
    assert not [path for path in run.path.rglob("*") if path.is_symlink()]
