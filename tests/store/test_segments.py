"""Large genomes: each in a file of its own, named by the manifest, read back wherever solutions are read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_runs import ids

from islands.driver.api import resume, solve
from islands.errors import Damaged
from islands.store.run import Run
from islands.store.writer import Writer
from islands.terminal.export import export

OPTIONS = {"size": 20, "islands": 2, "population": 1, "backend": "inline"}


@pytest.fixture(autouse=True)
def every_genome_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "large", 1000)
    monkeypatch.setattr(Writer, "seal_bytes", 5000)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return solve("magic-square", solutions=12, out=tmp_path, **OPTIONS)


def files(run: Run) -> set[str]:
    return {file.name for file in (run.path / "solutions").glob("*.npy")}


def test_each_is_a_file_that_numpy_reads_and_a_row_that_names_it(run: Run) -> None:
    assert files(run) == {f"{id_}.npy" for id_ in ids(run)}
    assert len(run) == 12
    for solution in run:
        assert solution.file is not None
        assert np.array_equal(np.load(solution.file), solution.genome)
        assert run.job.problem.verify(solution.genome)
    manifest = run.manifest()
    paths = [run.path / segment.name for segment in manifest.segments]
    assert [id_ for path in paths for id_ in pq.read_table(path)["id"].to_pylist()] == ids(run)


def test_the_solutions_are_those_of_a_run_that_keeps_them_in_parquet(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "large", 1 << 20)
    assert ids(solve("magic-square", solutions=12, out=tmp_path, **OPTIONS)) == ids(run)


def test_a_resumed_run_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    short = solve("magic-square", solutions=5, out=tmp_path, **OPTIONS)
    assert ids(resume(short.path, solutions=12)) == ids(run)
    assert files(short) == files(run)


def test_the_state_of_islands_that_forget_is_small(run: Run) -> None:
    checkpoint = run.checkpoint()
    assert checkpoint is not None
    assert sum(array.nbytes for array in checkpoint.arrays.values()) < 1000
    assert not checkpoint.counters.migrations


def test_json_names_the_file(run: Run) -> None:
    first = next(iter(run))
    said = json.loads(json.dumps(first.json()))
    assert said["file"] == str(run.path / "solutions" / f"{first.id}.npy")
    assert "genome" not in said


@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".csv", ".txt", ".jsonl", ".svg"])
def test_every_export_has_them_all(run: Run, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"all{suffix}"
    assert export(run, target) == 12
    if suffix == ".npy":
        assert np.array_equal(np.load(target), run.solutions().genome)
    if suffix == ".parquet":
        assert pq.read_table(target)["id"].to_pylist() == ids(run)


def test_a_missing_or_damaged_file_is_named(run: Run) -> None:
    victim = run.path / "solutions" / f"{ids(run)[-1]}.npy"
    whole = victim.read_bytes()
    for damage in (whole[:-4], b"", whole.replace(b"<i4", b"<f4")):
        victim.write_bytes(damage)
        with pytest.raises(Damaged, match=rf"{victim.name} is damaged"):
            ids(run)
    victim.unlink()
    with pytest.raises(Damaged, match=rf"{victim.name} is damaged: it is missing"):
        ids(run)


def test_a_file_that_no_manifest_names_is_removed(run: Run) -> None:
    stray = run.path / "solutions" / f"{'0' * 32}.npy"
    stray.write_bytes(b"left by a crash before its manifest")
    resume(run.path, solutions=13)
    assert not stray.exists()
    assert len(files(run)) == 13
