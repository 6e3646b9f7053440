"""`islands export`: every format holds the same solutions, and a file appears whole or not at all."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
from cli_harness import Islands

from islands import Choices, Problem
from islands.driver.api import solve
from islands.errors import DiskError, UsageError
from islands.model.capabilities import Files, Format, Sheet
from islands.store.run import Run
from islands.store.solutions import Solutions
from islands.store.writer import Writer
from islands.terminal import export as module
from islands.terminal.export import export
from islands.terminal.making import write_instances


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("runs")
    return solve("magic-square", size=4, solutions=150, islands=2, backend="inline", out=out)


class Noted(Problem):
    """Its own formats are bytes, and one has a suffix of two parts."""

    def space(self) -> Choices:
        return Choices([2, 2])

    def cost(self, genome: np.ndarray) -> int:
        return 0

    @classmethod
    def files(cls) -> Files:
        return Files(fields=(), read=lambda _: [], formats=lambda _: cls.own())

    @staticmethod
    def own() -> dict[str, Format]:
        return {".note": lambda sheets: (bytes([255, *sheet.genome.tolist()]) for sheet in sheets),
                ".short.note": lambda _: iter(["é"])}  # fmt: skip


@pytest.fixture
def empty(tmp_path: Path) -> Run:
    return solve("magic-square", size=9, recipe="classic", generations=1, islands=1, backend="inline", out=tmp_path)


def genomes(run: Run) -> np.ndarray:
    return run.solutions().genome


def test_txt_is_what_show_prints(run: Run, tmp_path: Path) -> None:
    assert export(run, tmp_path / "all.txt") == 150
    assert (tmp_path / "all.txt").read_text() == "\n".join(f"{one.text}\n" for one in run)


def test_csv_has_one_column_per_locus(run: Run, tmp_path: Path) -> None:
    export(run, tmp_path / "all.csv")
    with (tmp_path / "all.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [one.id for one in run]
    assert [[int(row[f"v{i}"]) for i in range(1, 17)] for row in rows] == genomes(run).tolist()


def test_jsonl_is_what_json_prints(run: Run, tmp_path: Path) -> None:
    export(run, tmp_path / "all.jsonl")
    assert [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()] == [
        one.json() for one in run
    ]


def test_npy_is_the_genomes(run: Run, tmp_path: Path) -> None:
    export(run, tmp_path / "all.npy")
    array = np.load(tmp_path / "all.npy")
    assert array.dtype == np.int32
    assert np.array_equal(array, genomes(run))


def test_parquet_has_ids_and_all_columns(run: Run, tmp_path: Path) -> None:
    export(run, tmp_path / "all.parquet")
    table = pq.read_table(tmp_path / "all.parquet")
    assert table.column_names == ["id", "genome", "island", "epoch", "generation", "seconds"]
    assert table["id"].to_pylist() == [one.id for one in run]
    assert table["genome"].to_pylist() == genomes(run).tolist()


def test_svg_draws_the_first_hundred_on_a_sheet(run: Run, tmp_path: Path) -> None:
    assert export(run, tmp_path / "all.svg") == 100
    root = ElementTree.parse(tmp_path / "all.svg").getroot()
    pictures = root.findall("{http://www.w3.org/2000/svg}svg")
    places = {(picture.get("x"), picture.get("y")) for picture in pictures}
    assert len(pictures) == len(places) == 100
    assert "100 of 150" in ElementTree.tostring(root, encoding="unicode")


@pytest.mark.parametrize("suffix", sorted(module.WRITERS))
def test_a_run_without_solutions_writes_nothing(empty: Run, tmp_path: Path, suffix: str) -> None:
    with pytest.raises(UsageError, match=f"nothing to export. Try: islands resume {empty.path}"):
        export(empty, tmp_path / f"none{suffix}")
    assert not (tmp_path / f"none{suffix}").exists()


def test_an_existing_file_is_replaced_only_by_force(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "all.txt"
    target.write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        export(run, target)
    assert target.read_text() == "mine"
    export(run, target, force=True)
    assert target.read_text() != "mine"


@pytest.mark.parametrize("name", ["all.xlsx", "all", "all.TXTT"])
def test_an_unknown_suffix_lists_the_known_ones(run: Run, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.csv, \.jsonl, \.npy, \.parquet, \.svg, \.txt"):
        export(run, tmp_path / name)


def test_a_failed_export_leaves_the_old_file_and_no_draft(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Iterator[object]:
        yield first
        raise OSError(28, "No space left on device")

    first = next(run.each())
    (tmp_path / "all.txt").write_text("old")
    monkeypatch.setattr(Run, "each", full)
    with pytest.raises(DiskError, match="No space left"):
        export(run, tmp_path / "all.txt", force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["all.txt"]
    assert (tmp_path / "all.txt").read_text() == "old"


def test_a_place_that_does_not_exist_is_named(run: Run, tmp_path: Path) -> None:
    with pytest.raises(DiskError, match="nowhere"):
        export(run, tmp_path / "nowhere" / "all.txt")


def test_rows_can_be_read_from_any_place_in_sealed_and_open_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Writer, "seal", 50)
    monkeypatch.setattr("islands.driver.saving.COMMIT_FOUND", 0.0)
    run = solve("magic-square", size=4, solutions=300, islands=2, backend="inline", out=tmp_path)
    assert run.manifest().sealed
    everything = genomes(run)
    for start in (0, 1, run.manifest().sealed_rows, 299, 300):
        assert np.array_equal(Solutions.joined(run.rows(start), run.space).genome, everything[start:])


def test_the_command_says_how_many(islands: Islands) -> None:
    islands("run", "magic-square", "--size", "3", "--backend", "inline")
    said = islands("export", "last", "-o", "square.txt")
    assert (said.code, said.out) == (0, "")
    assert "1 of 1 written to square.txt" in said.err
    assert Path("square.txt").read_text() == "2 7 6\n9 5 1\n4 3 8\n"
    assert islands("export", "last", "-o", "square.txt").code == 2
    assert islands("export", "last", "-o", "square.pdf").code == 2


def test_a_puzzles_own_format_can_be_bytes_and_the_longest_suffix_wins(tmp_path: Path) -> None:
    sheets = [Sheet(Noted(), np.array([0, 1], np.int32)), Sheet(Noted(), np.array([1, 1], np.int32))]
    for name in ("a.note", "a.b.NOTE", "a.short.note"):
        write_instances(iter(sheets), 2, tmp_path / name, sys.stdout, force=False)
    assert (tmp_path / "a.note").read_bytes() == (tmp_path / "a.b.NOTE").read_bytes() == b"\xff\0\1\xff\1\1"
    assert (tmp_path / "a.short.note").read_text(encoding="utf-8") == "é"
    with pytest.raises(UsageError, match=r"unknown format '.txt'.*\.note, \.short\.note"):
        write_instances(iter(sheets), 2, tmp_path / "a.txt", sys.stdout, force=False)
