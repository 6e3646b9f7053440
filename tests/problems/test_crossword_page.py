"""The printable page of a crossword: what it tells, and that it fits the paper."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from crosswords import HOUSE, laid

from problems import crossword
from problems.crossword.layout import Layout, Placed
from problems.crossword.numbering import numbered
from problems.crossword.page import page
from problems.crossword.setting import wrapped

SEA = Path(crossword.__file__).parent / "data/sea.txt"

SHALOM = Layout((Placed("שלום", "ברכה", 0, 0, True), Placed("שמש", "", 0, 0, False), Placed("שיר", "", 2, 0, True)))
"""Hebrew, so that it is drawn the other way round."""


class Reader(HTMLParser):
    """The sections of a page with their texts, and every attribute."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sections: list[list[str]] = []
        self.tags: set[str] = set()
        self.values: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.values += [value or "" for _, value in attrs]
        if tag == "section":
            self.sections.append([])

    def handle_data(self, data: str) -> None:
        if self.sections and data.strip():
            self.sections[-1].append(data)


class TestPage:
    def read(self, *sheets: Layout) -> Reader:
        return Reader("".join(page(map(numbered, sheets))))

    def test_the_puzzle_tells_nothing_that_the_solution_tells(self) -> None:
        puzzle, solution = self.read(HOUSE).sections
        assert puzzle == [
            "Crossword", "1", "2", "3",
            "Across", "1", "Neighs & <kicks>", "3", "Poets' always", "Down", "1", 'Has a "roof"', "2", "(3)",
        ]  # fmt: skip
        assert solution[:4] == ["Crossword: solution", "1", "2", "3"]
        assert "".join(solution[4:18]) == "HORSEOAURSEVER"
        assert solution[18:] == ["Across", "1", "HORSE", "3", "EVER", "Down", "1", "HOUSE", "2", "EAR"]

    def test_several_come_before_their_solutions(self) -> None:
        titles = [section[0] for section in self.read(HOUSE, HOUSE).sections]
        assert titles == ["Crossword 1", "Crossword 2", "Crossword 1: solution", "Crossword 2: solution"]

    @pytest.mark.parametrize("clue", ["<script>alert(1)</script>", "</li><img src=x>", "&lt;&#x41;", "]]> -->"])
    def test_a_clue_is_text_whatever_it_says(self, clue: str) -> None:
        found = self.read(laid(["CAT"], [clue]))
        assert found.sections[0][-1] == clue
        assert not found.tags & {"script", "img"}

    def test_it_needs_nothing_from_elsewhere(self) -> None:
        text = "".join(page([numbered(HOUSE)]))
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg\")|src=|url\(|@import", text)

    @pytest.mark.parametrize(
        ("size", "paper"), [(12, ""), (30, ""), (31, "a3"), (60, "a2"), (90, "a1"), (120, "a0"), (300, "a0")]
    )
    def test_a_large_grid_has_paper_on_which_a_pen_fits(self, size: int, paper: str) -> None:
        long = "AB" * size
        found = self.read(Layout((Placed(long[:size], "", 0, 0, True),)))
        papers = [value.partition(";")[0] for value in found.values if "page:" in value]
        assert papers == ([f"page: {paper}"] * 2 if paper else [])

    @pytest.mark.parametrize("count", [10, 30, 40])
    def test_forty_words_are_a_page_and_a_page_for_the_solution(self, count: int) -> None:
        """On paper as wide as A4 and as high as Letter, by the millimetres of all that is below one another."""
        sea = [line.split("\t") for line in SEA.read_text(encoding="utf-8").splitlines()[1:]]
        listed = (sea * 2)[:count]
        words = [Placed(word, clue, n % 10, 10 * (n // 20), n % 2 == 0) for n, (word, clue) in enumerate(listed)]
        sheet = numbered(Layout((*words, Placed("A" * 20, "", 0, 0, False))))
        text = "".join(page([sheet]))
        cells = [float(width) / (sheet.layout.columns + 2 / 36) for width in re.findall(r"width: ([\d.]+)mm\"", text)]
        lists = re.findall(r"columns: (\d); font-size: (\d+)pt", text)
        assert (len(cells), len(lists)) == (2, 2)
        for place, (cell, (columns, points)) in enumerate(zip(cells, lists, strict=True)):
            size = int(points) * 25.4 / 72
            wide = (210 - 28 - 6 * (int(columns) - 1)) / int(columns) / size - 2.9
            lines = 5 + sum(len(wrapped(one[1 - place], wide)) for one in listed)
            assert cell >= 5 + (place == 0)
            assert 28 + 13 + 5 + 20 * cell + 1.35 * size * lines / int(columns) < 279

    def test_more_clues_than_a_page_holds_fill_the_second_one(self) -> None:
        words = tuple(
            Placed("ABCDEFGH", "It comes and goes twice a day", n % 30, 2 * (n // 30), True) for n in range(300)
        )
        assert "font-size: 11pt" not in "".join(page([numbered(Layout(words))]))

    def test_numbers_stand_beside_their_clues_whichever_way_these_are_written(self) -> None:
        text = "".join(page([numbered(SHALOM), numbered(laid(["CAT"], ["חתול"]))]))
        assert re.findall(r"<section[^>]*>", text) == ['<section dir="rtl">', "<section>"] * 2
        assert "<li><b>1</b><bdi>ברכה</bdi></li>" in text
        assert "<li><b>1</b><bdi>חתול</bdi></li>" in text
        assert not re.search(r"(padding|margin)-(left|right)|text-align: (left|right)", text)

    def test_a_tall_grid_fits_the_height_of_its_page(self) -> None:
        tall = "".join(page([numbered(Layout((Placed("AB" * 18, "", 0, 0, False),)))]))
        (width, _) = re.findall(r"width: ([\d.]+)mm\"", tall)
        assert "page: a" not in tall
        assert float(width) * 36 < 279 - 28
