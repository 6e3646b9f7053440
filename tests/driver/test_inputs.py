"""What is given as FILE|-|TEXT: a file, a text, or the name of a file that does not exist."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from islands.driver.inputs import read_instances
from islands.errors import UsageError
from islands.model.loading import load
from problems.sudoku import Batch

SUDOKU = ".1.4.......3.2.1"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("puzzle", ["sudoku", "letter-grid", "crossword", "mastermind"])
@pytest.mark.parametrize("name", ["words.txt", "no where.CSV", "../here", "/nowhere/puzzle", "a/b", "x.xlsx", "5.sdm"])
def test_a_missing_file_is_no_puzzle(puzzle: str, name: str) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        read_instances(load(puzzle), name, {})


def test_a_name_that_nearly_exists_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("horse\nrose\n")
    with pytest.raises(UsageError, match=r"'wrods.txt': there is no such file. Did you mean words.txt\?"):
        read_instances(load("crossword"), "wrods.txt", {})


def test_texts_stay_texts() -> None:
    assert read_instances(load("sudoku"), SUDOKU, {})
    assert read_instances(load("crossword"), "horse\nrose: and/or red\n", {})
    assert read_instances(load("mastermind"), "1123 2 1", {})


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_a_spreadsheet_is_told_what_to_save_as(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "puzzle.xlsx").write_bytes(start + bytes(100))
    with pytest.raises(UsageError, match=r"puzzle.xlsx is a spreadsheet.* Save it as CSV"):
        read_instances(load("sudoku"), "puzzle.xlsx", {})


@pytest.mark.parametrize(
    ("program", "compress"), [("gzip", gzip.compress), ("xz", lzma.compress), ("bzip2", bz2.compress)]
)
def test_a_compressed_file_is_told_to_be_unpacked(
    tmp_path: Path, program: str, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "many.sdm").write_bytes(compress(SUDOKU.encode()))
    with pytest.raises(UsageError, match=rf"many.sdm is compressed. Unpack it \({program} -dc\)"):
        read_instances(load("sudoku"), "many.sdm", {})


def test_a_real_one_begins_so() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
    assert data.getvalue().startswith(b"PK\x03\x04")


EASY = (Path(__file__).parents[2] / "problems" / "sudoku" / "data" / "easy.sdm").read_bytes().split()


def test_a_byte_that_is_no_text_costs_its_line_alone(tmp_path: Path) -> None:
    """As in a file above 8 MB."""
    lines = EASY * 4
    lines[20] = b"\xff\xfe" + lines[20][2:]
    (tmp_path / "bytes.sdm").write_bytes(b"\n".join(lines))
    (batch,) = read_instances(load("sudoku"), "bytes.sdm", {}, as_one=True)
    assert isinstance(batch, Batch)
    assert (batch.count, batch.faults[0][:12]) == (len(lines) - 1, "line 21: '\ufffd'")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b".1.4....\n\n...3\xff2.1", "this is not text: byte 14, in line 3, is not UTF-8. .*iconv -f LATIN1"),
        (b"\xef\xbb\xbf.1\xff", "this is not text: byte 5, in line 1, is not UTF-8"),
        (SUDOKU.encode("utf-16"), "this is not text: byte 0 is not UTF-8. .*iconv -f UTF-16"),
    ],
)
def test_of_another_file_the_line_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "puzzle.txt").write_bytes(data)
    with pytest.raises(UsageError, match=f"puzzle.txt: {said}"):
        read_instances(load("sudoku"), "puzzle.txt", {}, as_one=True)
