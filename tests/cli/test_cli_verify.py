"""`islands verify`, and what damage looks like to a user."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from cli_harness import Islands
from small_runs import change_manifest

from islands import Run
from islands.store.files import checksum

SQUARES = ("run", "magic-square", "--size", "4", "--solutions", "60", "--islands", "2", "--backend", "inline", "-q")


@pytest.fixture
def run(islands: Islands, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Of several segments."""
    monkeypatch.setattr("islands.store.writer.Writer.seal", 20)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    islands(*SQUARES)
    return Run.open("last")


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 16
    path.write_bytes(bytes(data))


def test_a_sound_run(islands: Islands, run: Run) -> None:
    said = islands("verify")
    assert (said.code, said.out) == (0, f"{run.path}: 60 squares verified, nothing is damaged\n")


def test_the_first_solutions_are_not_shown_as_such_where_a_file_is_missing(islands: Islands, run: Run) -> None:
    missing = run.path / run.manifest().sealed[0].name
    missing.unlink()
    for words in (("--limit", "1"), ("--limit", "3", "--json")):
        said = islands("show", *words)
        assert (said.code, f"{missing.name} is damaged: it is missing" in said.err) == (2, True)


def test_damage_is_named_shown_around_and_mended(islands: Islands, run: Run, tmp_path: Path) -> None:
    everything = islands("show", "--limit", "0").out
    first, *_ = segments = run.manifest().segments
    assert len(segments) > 1
    spoil(run.path / segments[1].name)
    left = 60 - segments[1].rows
    said = islands("verify")
    assert said.code == 1
    assert said.out.splitlines()[0].startswith(f"{segments[1].name}: ")
    assert f"1 file damaged, {left} of 60 squares verified · islands resume" in said.out
    shown = islands("show", "--limit", "0")
    assert shown.code == 2
    assert shown.out.count("\n\n") + 1 == left
    assert segments[1].name in shown.err
    assert islands("show", "--limit", str(first.rows)).code == 0, "what comes before the damage needs no complaint"
    exported = islands("export", "last", "-o", "squares.jsonl")
    assert exported.code == 2
    assert f"squares.jsonl holds only {left} of 60" in exported.err
    assert len((tmp_path / "squares.jsonl").read_text().splitlines()) == left
    assert f"squares.npy holds only {left} of 60" in islands("export", "last", "-o", "squares.npy").err
    assert np.load(tmp_path / "squares.npy").shape == (left, 16)
    resumed = islands("resume")
    assert resumed.code == 0
    assert f"{segments[1].name} is damaged; the run begins again from its seed" in resumed.err
    assert "everything is found again: 60 solutions" in resumed.err
    assert islands("show", "--limit", "0").out == everything
    assert islands("verify").code == 0


@pytest.mark.parametrize("file", ["squares.csv", "squares.npy"])
def test_an_export_of_nothing_but_damage_is_no_file(islands: Islands, run: Run, tmp_path: Path, file: str) -> None:
    for segment in run.manifest().segments:
        spoil(run.path / segment.name)
    assert islands("export", "last", "-o", file).code == 2
    assert not (tmp_path / file).exists()


def test_what_is_not_a_solution_is_found_behind_a_right_checksum(islands: Islands, run: Run) -> None:
    """Two numbers of a square have changed places."""
    segment = run.manifest().segments[0]
    path = run.path / segment.name
    table = pq.read_table(path)
    genome = bytearray(table["genome"][0].as_py())
    genome[0], genome[1] = genome[1], genome[0]
    column = table["genome"].combine_chunks().to_pylist()
    wrong = type(table["genome"].chunk(0)).from_pandas([bytes(genome), *column[1:]], type=table.schema.field(0).type)
    pq.write_table(table.set_column(0, table.schema.field(0), wrong), path)
    changed = segment.model_copy(update={"checksum": checksum(path.read_bytes())})
    rest = run.manifest().sealed[1:]
    change_manifest(run, sealed=(changed.model_dump(), *(one.model_dump() for one in rest)))
    said = islands("verify")
    assert said.code == 1
    assert f"{segment.name}: 1 of its {segment.rows} rows are not solutions" in said.out


def test_logs_are_checked_too(islands: Islands, queens: str) -> None:
    islands("run", queens, "--size", "6", "--trace", "details", "--recipe", "classic", "--backend", "inline", "-q")
    run = Run.open("last")
    assert islands("verify").code == 0
    (run.path / "problem.py").write_text("print('hello')")
    events = run.path / "events.jsonl"
    events.write_text(events.read_text().replace('{"time"', '{"ti', 1))
    trace = next((run.path / "trace").iterdir())
    trace.write_bytes(gzip.compress(b"{}")[:-3])
    said = islands("verify")
    assert said.code == 1
    assert [line.partition(":")[0] for line in said.out.splitlines()[:3]] == [
        "events.jsonl",
        f"trace/{trace.name}",
        "problem.py",
    ]
    assert "3 files damaged, 1 of 1 solution verified\n" in said.out
