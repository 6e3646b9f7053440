"""Sheets to print: four to a page, with number, difficulty and seed, and pages of solutions; as HTML and as PDF."""

from __future__ import annotations

import builtins
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pytest
from cli_harness import Islands

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Sheet
from islands.writing import pdf
from islands.writing.sheets import FOUR, ONE, TALL, WIDE, Figure, Grid, Part, html
from islands.writing.svg import document, grid_picture, size_of
from problems.crossword import Crossword
from problems.letter_grid import LetterGrid
from problems.sudoku import Sudoku
from problems.sudoku.making import MakeSudoku
from problems.sudoku.paper import difficulty, parts

SIX = grid_picture([["6"] * 6] * 6, boxes=(2, 3))


def sections(page: str) -> list[str]:
    return page.split("<section>")[1:]


def written(sheet: Sheet, suffix: str, title: str = "") -> bytes:
    pieces = type(sheet.puzzle).files().formats(sheet.puzzle)[suffix]([sheet], title)
    return b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)


def pages_of(data: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]


def part(count: int, grid: Grid = FOUR, title: str = "Grids") -> Part:
    return Part(title, "Fill them in.", [lambda k=k: Figure(SIX, f"number {k}") for k in range(1, count + 1)], grid)


class TestPages:
    @pytest.mark.parametrize(("count", "pages"), [(1, [1]), (4, [4]), (5, [4, 1]), (12, [4, 4, 4])])
    def test_four_to_a_page_in_both_formats(self, count: int, pages: list[int]) -> None:
        found = sections("".join(html([part(count)])))
        assert [section.count("<figure") for section in found] == pages
        printed = pages_of(b"".join(pdf.pages([part(count)])))
        assert [text.count("number") for text in printed] == pages
        assert all("Grids" in text and "Fill them in." in text for text in printed)

    def test_solutions_are_on_pages_of_their_own(self) -> None:
        both = [part(1), part(5, Grid.of(3, 4), "Answers")]
        assert [section.count("<figure") for section in sections("".join(html(both)))] == [1, 5]
        assert [("Answers" in text) for text in pages_of(b"".join(pdf.pages(both)))] == [False, True]

    @pytest.mark.parametrize("grid", [FOUR, ONE, Grid.of(3, 4)])
    @pytest.mark.parametrize("size", [(100, 100), (100, 700), (900, 50)])
    def test_a_picture_keeps_its_shape_and_its_place(self, grid: Grid, size: tuple[int, int]) -> None:
        wide, tall = grid.scale(Figure(document(*size, [])))
        assert wide / tall == pytest.approx(size[0] / size[1])
        assert wide <= grid.wide + 1e-9
        assert tall <= grid.tall + 1e-9
        assert wide * grid.columns <= WIDE + 1e-9
        assert (tall + 8) * grid.rows <= TALL

    def test_what_a_browser_would_take_for_markup_is_text(self) -> None:
        page = "".join(html([part(1, title="<b> & co")]))
        assert "&lt;b&gt; &amp; co" in page
        assert "<b>" not in page

    def test_a_size_is_read_from_any_picture(self) -> None:
        assert size_of('<?xml version="1.0"?><svg height="20.5px" width="10">') == (10, 20.5)
        with pytest.raises(ValueError, match="no width"):
            size_of("<svg viewBox='0 0 1 1'>")


class TestPdf:
    def test_the_same_pages_are_the_same_bytes(self) -> None:
        assert b"".join(pdf.pages([part(2)])) == b"".join(pdf.pages([part(2)]))

    def test_letters_beyond_latin_are_embedded(self) -> None:
        grid = LetterGrid(word="ЖУКИ")
        (page, _) = pages_of(written(Sheet(grid, np.tile([1, 2, 3, 4], 4)), ".pdf"))
        assert "ЖУКИ" in page

    def test_quotes_and_dashes_need_no_font_of_the_machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pdf, "_fonts", list)
        cross = Crossword(words=["HORSE", "ROSE"], clues=["It’s “tall” – €5 …", "Über\n alles"], title="Café’s\nown")
        rows, columns = np.zeros((1, 2), np.int32), np.array([[0, 2]], np.int32)
        (genome,) = cross.numbers.genomes(rows, columns, np.array([[True, False]]), np.zeros((1, 2), np.bool_))
        page, _ = pages_of(written(Sheet(cross, genome), ".pdf"))
        assert "It’s “tall” – €5 …" in page
        assert "Café’s own" in page

    def test_scripts_that_need_more_are_left_to_browsers(self) -> None:
        cross = Crossword(words=["שלום", "שמש"])
        rows = np.zeros((1, 2), np.int32)
        (genome,) = cross.numbers.genomes(rows, rows, np.array([[True, False]]), np.zeros((1, 2), np.bool_))
        with pytest.raises(UsageError, match=r"runs from right to left.* Export .html"):
            written(Sheet(cross, genome), ".pdf")

    def test_a_letter_that_no_font_has(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pdf, "_fonts", list)
        with pytest.raises(UsageError, match=r"no font of this machine has Ж \(U\+0416\)"):
            pdf.Paper(["ЖУК"])

    def test_without_the_library_it_is_said_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = builtins.__import__

        def missing(name: str, *arguments: Any) -> Any:
            if name == "fpdf":
                raise ImportError(name)
            return real(name, *arguments)

        monkeypatch.setattr(builtins, "__import__", missing)
        with pytest.raises(UsageError, match=r"pip install 'puzzle-islands\[pdf\]'"):
            pdf.Paper(["A"])


class TestSudoku:
    def test_number_difficulty_and_seed_are_below_each(self, islands: Islands, tmp_path: Path) -> None:
        options = ("--difficulty", "easy", "--count", "5", "--seed", "7", "--title", "Sunday")
        for suffix in (".html", ".pdf"):
            assert islands("make", "sudoku", *options, "-o", f"sheet{suffix}").code == 0
        first, second, solutions = sections((tmp_path / "sheet.html").read_text())
        assert re.findall("<figcaption>(.*?)<", first) == [f"{n} · easy · seed 7" for n in (1, 2, 3, 4)]
        assert re.findall("<figcaption>(.*?)<", second) == ["5 · easy · seed 7"]
        assert re.findall("<figcaption>(.*?)<", solutions) == ["1", "2", "3", "4", "5"]
        assert ">Sunday<" in first
        assert ">Sunday: solutions<" in solutions
        printed = pages_of((tmp_path / "sheet.pdf").read_bytes())
        assert len(printed) == 3
        assert "3 · easy · seed 7" in printed[0]
        assert "Every row, every column and every box of 3 x 3 cells holds each of 1-9 once." in printed[0]

    def test_solved_ones_are_solved_and_the_others_are_not(self) -> None:
        sheet = MakeSudoku(box="2x3", unique=True).make(Rng(1))
        unsolved, solved = parts([sheet], "")
        assert unsolved.figures[0]().picture.count("></text>") == (sheet.genome == 0).sum()
        assert "></text>" not in solved.figures[0]().picture

    @pytest.mark.parametrize(("size", "each"), [(4, 4), (9, 4), (12, 4), (16, 2), (25, 1)])
    def test_large_grids_have_a_page_with_fewer(self, size: int, each: int) -> None:
        box = {12: "3x4"}.get(size)
        sheet = MakeSudoku(size=None if box else size, box=box, filled=0.5).make(Rng(1))
        grid = parts([sheet], "")[0].grid
        assert grid.columns * grid.rows == each
        assert grid.scale(parts([sheet], "")[0].figures[0]())[0] / size > 6  # millimetres of a cell

    def test_difficulty_is_found_out_where_nobody_says_it(self) -> None:
        sheet = MakeSudoku(difficulty="medium").make(Rng(2))
        assert difficulty(sheet.puzzle) == "medium"
        assert difficulty(Sudoku(box="2x2", givens=(0,) * 16)) == ""  # it has 288 solutions
        assert difficulty(Sudoku(box="2x2", givens=(1, 2, 3, 0, 0, 0, 0, 4) + (0,) * 8)) == ""  # it has none


class TestTitle:
    def test_of_a_crossword_is_in_every_format_that_has_a_place_for_it(self, islands: Islands, tmp_path: Path) -> None:
        words = ("horse rose ocean stone", "--generations", "1", "--islands", "1", "--title", "My animals")
        assert islands("run", "crossword", *words).code == 0
        for suffix in (".html", ".pdf", ".ipuz", ".puz", ".json", ".txt"):
            assert islands("export", "-o", f"one{suffix}").code == 0
            assert islands("export", "-o", f"two{suffix}", "--title", "Others").code == 0
            one, two = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("one", "two"))
            if suffix == ".pdf":
                one, two = ("".join(pages_of(data)).encode() for data in (one, two))
            assert (b"My animals" in one, b"Others" in two, b"My animals" in two) == (True, True, False)

    def test_is_refused_where_it_would_be_lost(self, islands: Islands) -> None:
        assert islands("run", "magic-square", "--size", "4", "--islands", "1").code == 0
        said = islands("export", "-o", "all.csv", "--title", "Mine")
        assert (said.code, "--title Mine: .csv has no place for a title" in said.err) == (2, True)
        said = islands("make", "sudoku", "--title", "Mine")
        assert (said.code, "add for instance -o sheet.html" in said.err) == (2, True)


def test_a_crossword_has_the_same_pages_as_pdf_and_as_html(islands: Islands, tmp_path: Path) -> None:
    words = "horse: neighs, rose: red, ocean: wet, stone: hard, train, north, tiger".replace(", ", "\n")
    (tmp_path / "words.txt").write_text(words)
    assert (
        islands("run", "crossword", "words.txt", "--solutions", "2", "--generations", "3", "--islands", "1").code == 0
    )
    assert islands("export", "-o", "cross.html").code == 0
    assert islands("export", "-o", "cross.pdf").code == 0
    page, printed = (tmp_path / "cross.html").read_text(), pages_of((tmp_path / "cross.pdf").read_bytes())
    titles = re.findall("<h1[^>]*>(.*?)<", page)
    assert [text.partition("\n")[0] for text in printed] == titles
    for clue in ("neighs", "red", "wet", "hard", "(5)"):
        assert clue in printed[0]
    assert "HORSE" not in printed[0]
    assert "HORSE" in printed[2]
