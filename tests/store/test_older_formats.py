"""Runs of older formats: shown, exported and resumed, and brought to today's format when they go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_runs import digits, ids, until_damage

from islands import Run
from islands.driver.api import resume
from islands.errors import Damaged, RunError
from islands.store.header import FORMAT


def as_format(run: Run, number: int) -> Run:
    """The run as version 0.1 (format 2) or a version before 0.2.0 (format 3) would have left it."""
    header, manifest = run.header, run.manifest()
    plan = dict(header["job"]["migration"])
    if number == 2:
        plan |= {"size": plan.pop("migrants"), "every": plan.pop("migrate_every")}
    old: dict[str, Any] = {
        **manifest.model_dump(mode="json", exclude={"job"}),
        "sealed": [segment.name for segment in manifest.sealed],
        "sealed_rows": manifest.sealed_rows,
        "open": manifest.open and manifest.open.name,
        "state": manifest.state and manifest.state.name,
    }
    counters = old["counters"]
    counters["mail"] = [[*letter[:2], False, *letter[2:4]] for letter in counters["mail"]]
    counters["status"] = [{**status, "waited": 0} for status in counters["status"]]
    (run.path / "job.json").write_text(
        json.dumps({**header, "format": number, "job": {**header["job"], "migration": plan}})
    )
    (run.path / "checkpoint" / "manifest.json").write_text(json.dumps(old))
    return Run.open(run.path)


@pytest.fixture(params=[2, 3])
def old(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("islands.store.writer.Writer.seal", 7)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    run = as_format(digits(tmp_path, solutions=30, elite=0), request.param)  # when an elite dies was another matter
    assert run.manifest().sealed
    return run


def test_they_hold_what_they_held(old: Run, tmp_path: Path) -> None:
    assert ids(old) == ids(digits(tmp_path, solutions=30, elite=0))


def test_a_run_that_goes_on_does_so_in_the_format_of_today(old: Run, tmp_path: Path) -> None:
    whole = digits(tmp_path, solutions=60, elite=0)
    assert ids(resume(old.path, solutions=60)) == ids(whole)
    again = Run.open(old.path)
    assert again.header["format"] == FORMAT
    assert all(segment.checksum for segment in again.manifest().segments)
    assert ids(again) == ids(whole)


def test_what_is_not_a_solution_is_found_without_a_checksum(old: Run, tmp_path: Path) -> None:
    """Bytes of digits that add up to something else."""
    victim = old.path / old.manifest().segments[0].name
    table = pq.read_table(victim)
    wrong = pa.array([bytes(8)] * len(table), table.schema.field("genome").type)
    pq.write_table(table.set_column(0, table.schema.field("genome"), wrong), victim)
    readable = len(old) - len(table)
    with pytest.raises(Damaged, match=f"{victim.name} is damaged: it holds what is not a solution"):
        ids(old)
    assert sum(1 for _ in until_damage(old)) == readable


@pytest.mark.parametrize("victims", [slice(0, 1), slice(0, 2), slice(None)])
def test_the_rest_of_a_damaged_run_is_readable(old: Run, victims: slice) -> None:
    whole, segments = ids(old), old.manifest().segments
    for segment in segments[victims]:
        (old.path / segment.name).write_bytes(b"torn")
    there = [solution.id for solution in until_damage(old)]
    assert there == whole[sum(segment.rows for segment in segments[victims]) :]


def test_a_killed_run_without_a_first_commit_begins_anew(old: Run) -> None:
    (old.path / "checkpoint" / "manifest.json").unlink()
    with pytest.raises(RunError, match="is missing"):
        Run.open(old.path)
    for segment in (old.path / "solutions").iterdir():
        segment.unlink()
    assert len(resume(old.path)) == 30
