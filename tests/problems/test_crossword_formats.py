"""Crosswords as text, pictures and files: numbered as everybody does, and read again by other people's programs."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import ipuz as ipuz_library
import puz as puz_library
import pytest
from crosswords import HOUSE, laid, layouts
from hypothesis import given, settings
from hypothesis import strategies as st

from islands.errors import UsageError
from problems.crossword.drawing import clue_lines, drawn, empty_lines, solved_lines
from problems.crossword.exchange import ipuz, json_object, puz
from problems.crossword.layout import Layout, Placed
from problems.crossword.numbering import Numbered, numbered
from problems.crossword.picture import grid_only, with_clues
from problems.crossword.reading import capitals, entries
from problems.crossword.setting import columns_of, extent, wrapped

LATIN = "ABCÄÖÜÉÇÑÞß"
LATIN_TEXT = st.text(st.characters(codec="latin-1"), max_size=60).filter(lambda text: "\0" not in text)
SVG = "{http://www.w3.org/2000/svg}"


def black(sheet: Numbered) -> str:
    """The grid as puzpy has it."""
    return "".join("." if letter is None else letter for row in sheet.rows() for letter in row)


def starts(sheet: Numbered) -> dict[str, list[tuple[int, int, int, int]]]:
    """Number, row, column and length of each entry."""
    lists = {"across": sheet.across, "down": sheet.down}
    return {
        name: [(entry.number, entry.placed.row, entry.placed.column, len(entry.placed.word)) for entry in entries]
        for name, entries in lists.items()
    }


RING = ((5, 0, 0, True), (5, 2, 0, True), (3, 0, 0, False), (3, 0, 4, False))
"""Length, row, column and whether across, of four words around a hole."""

SHALOM = Layout((Placed("שלום", "ברכה", 0, 0, True), Placed("שמש", "", 0, 0, False), Placed("שיר", "", 2, 0, True)))
"""Hebrew, so that it is drawn the other way round."""


class TestNumbering:
    def test_numbers_are_where_words_begin_in_reading_order(self) -> None:
        sheet = numbered(HOUSE)
        assert sheet.numbers == {(0, 0): 1, (0, 4): 2, (4, 0): 3}
        assert [(entry.number, entry.placed.word) for entry in sheet.across] == [(1, "HORSE"), (3, "EVER")]
        assert [(entry.number, entry.placed.word) for entry in sheet.down] == [(1, "HOUSE"), (2, "EAR")]

    def test_rows_come_before_columns(self) -> None:
        """A word further left and lower has the higher number, and the order of the list of words is of no account."""
        words = (Placed("EVE", "", 2, 0, True), Placed("ALE", "", 0, 2, False), Placed("TEA", "", 0, 0, True))
        for order in (words, words[::-1]):
            sheet = numbered(Layout(order))
            assert sheet.numbers == {(0, 0): 1, (0, 2): 2, (2, 0): 3}
            assert [entry.placed.word for entry in sheet.across] == ["TEA", "EVE"]

    @settings(max_examples=60)
    @given(layouts())
    def test_it_is_what_another_program_says(self, layout: Layout) -> None:
        sheet = numbered(layout)
        across, down = puz_library.get_grid_numbering(black(sheet), layout.columns, layout.rows)
        theirs = {
            name: [(one["num"], one["row"], one["col"], one["len"]) for one in entries]
            for name, entries in (("across", across), ("down", down))
        }
        assert starts(sheet) == theirs

    def test_a_word_without_a_clue_tells_its_length_alone(self) -> None:
        assert [entry.clue for entry in numbered(HOUSE).down] == ['Has a "roof"', "(3)"]

    def test_a_clue_is_one_line(self) -> None:
        assert numbered(laid(["CAT"], [" meows\t and\npurrs "])).across[0].clue == "meows and purrs"


class TestText:
    def test_the_solution(self) -> None:
        assert drawn(HOUSE, ["ZEBRA"]).plain.splitlines() == [
            "H O R S E", "O · · · A", "U · · · R", "S · · · ·", "E V E R ·",
            "4 words, 3 crossings, 5 rows x 5 columns", "left out: ZEBRA",
        ]  # fmt: skip

    def test_of_many_words_left_out_ten_are_named(self) -> None:
        for count, end in ((10, "W8, W9"), (11, "W8, W9 and 1 more"), (1942, "W8, W9 and 1,932 more")):
            lines = drawn(HOUSE, [f"W{n}" for n in range(count)]).plain.splitlines()
            assert max(map(len, lines)) <= 60
            line = " ".join(lines[6:])
            assert line.startswith("left out: W0, W1, ")
            assert line.endswith(end)

    def test_words_from_right_to_left_begin_at_the_right(self) -> None:
        """The marks around a line keep a terminal from turning it around once more."""
        assert drawn(SHALOM).plain.splitlines()[:3] == [
            "\u202dם ו ל ש\u202c", "\u202d· · · מ\u202c", "\u202d· ר י ש\u202c"
        ]  # fmt: skip
        assert empty_lines(numbered(SHALOM)) == [
            "┌───┬───┬───┬───┐",
            "│   │   │   │1  │",
            "└───┴───┴───┼───┤",
            "            │   │",
            "    ┌───┬───┼───┤",
            "    │   │   │2  │",
            "    └───┴───┴───┘",
        ]

    def test_one_word_from_left_to_right_is_enough_to_draw_it_so(self) -> None:
        mixed = Layout((*SHALOM.words, Placed("םA", "", 0, 3, False)))
        assert drawn(mixed).plain.splitlines()[0] == "ש ל ו ם"

    def test_the_empty_grid(self) -> None:
        assert empty_lines(numbered(HOUSE)) == [
            "┌───┬───┬───┬───┬───┐",
            "│1  │   │   │   │2  │",
            "├───┼───┴───┴───┼───┤",
            "│   │           │   │",
            "├───┤           ├───┤",
            "│   │           │   │",
            "├───┤           └───┘",
            "│   │",
            "├───┼───┬───┬───┐",
            "│3  │   │   │   │",
            "└───┴───┴───┴───┘",
        ]

    def test_holes_are_shaded(self) -> None:
        ring = Layout(tuple(Placed("ABCDA"[:n], "", *place) for n, *place in RING))
        assert numbered(ring).holes == {(1, 1), (1, 2), (1, 3)}
        assert empty_lines(numbered(ring)) == [
            "┌───┬───┬───┬───┬───┐",
            "│1  │   │   │   │2  │",
            "├───┼───┴───┴───┼───┤",
            "│   │░░░░░░░░░░░│   │",
            "├───┼───┬───┬───┼───┤",
            "│3  │   │   │   │   │",
            "└───┴───┴───┴───┴───┘",
        ]

    def test_the_clues(self) -> None:
        assert list(clue_lines(numbered(HOUSE))) == [
            "Across", "  1  Neighs & <kicks>", "  3  Poets' always", "",
            "Down", '  1  Has a "roof"', "  2  (3)", "",
        ]  # fmt: skip

    def test_wide_letters_stay_in_their_columns(self) -> None:
        assert solved_lines(numbered(laid(["A漢", "漢B"], ["", ""]))) == ["A  漢", "·  B"]

    @settings(max_examples=40)
    @given(layouts())
    def test_no_clue_is_lost(self, layout: Layout) -> None:
        sheet = numbered(layout)
        told = "".join(entry.clue for entries in sheet.lists.values() for entry in entries)
        lines = [line for line in clue_lines(sheet) if line not in ("Across", "Down")]
        assert "".join("".join(line[5:].split()) for line in lines) == "".join(told.split())

    @settings(max_examples=40)
    @given(layouts())
    def test_every_cell_is_drawn_and_no_letter_told(self, layout: Layout) -> None:
        text = "".join(empty_lines(numbered(layout)))
        assert set(text) <= set("0123456789 ░╵╶└╷│┌├╴┘─┴┐┤┬┼")
        solved = "".join(solved_lines(numbered(layout)))
        assert sorted(re.sub("[ ·\u202c\u202d]", "", solved)) == sorted(layout.cells.values())


class TestPicture:
    def texts(self, source: str) -> list[str]:
        return [element.text or "" for element in ElementTree.fromstring(source).iter(f"{SVG}text")]

    @settings(max_examples=40)
    @given(layouts())
    def test_the_empty_one_has_numbers_the_solved_one_letters_too(self, layout: Layout) -> None:
        sheet = numbered(layout)
        numbers = [str(number) for number in sheet.numbers.values()]
        assert self.texts(grid_only(sheet, solved=False)) == numbers
        letters = [letter for _, letter in sorted(sheet.layout.cells.items())]
        assert self.texts(grid_only(sheet, solved=True)) == numbers + letters

    @settings(max_examples=40)
    @given(layouts())
    def test_any_clue_makes_a_picture(self, layout: Layout) -> None:
        sheet = numbered(layout)
        root = ElementTree.fromstring(with_clues(sheet, solved=False))
        right, low = float(root.attrib["width"]), float(root.attrib["height"])
        for element in root.iter(f"{SVG}text"):
            assert 0 <= float(element.attrib["x"]) < right
            assert 0 <= float(element.attrib["y"]) < low

    def test_holes_are_grey(self) -> None:
        ring = Layout(tuple(Placed("ABCDA"[:n], "", *place) for n, *place in RING))
        for layout, holes in ((ring, 3), (HOUSE, 0)):
            *shaded, white = ElementTree.fromstring(grid_only(numbered(layout), solved=False)).iter(f"{SVG}path")
            assert sum(path.attrib["d"].count("M") for path in shaded) == holes
            assert white.attrib["d"].count("M") == len(layout.cells)

    def test_words_from_right_to_left_begin_at_the_right(self) -> None:
        root = ElementTree.fromstring(grid_only(numbered(SHALOM), solved=True, margin=0))
        placed = [
            (one.text, float(one.attrib["x"]) // 36, float(one.attrib["y"]) // 36) for one in root.iter(f"{SVG}text")
        ]
        assert placed == [
            ("1", 3, 0), ("2", 3, 2), *(("שלום"[n], 3 - n, 0) for n in range(4)), ("מ", 3, 1),
            *(("שיר"[n], 3 - n, 2) for n in range(3)),
        ]  # fmt: skip

    def test_their_clues_begin_at_the_right_too(self) -> None:
        root = ElementTree.fromstring(with_clues(numbered(SHALOM), solved=False))
        where = {one.text: one for one in root.iter(f"{SVG}text") if one.attrib.get("direction") == "rtl"}
        assert float(where["Across"].attrib["x"]) > float(where["Down"].attrib["x"])
        assert float(where["Across"].attrib["x"]) > float(where["ברכה"].attrib["x"]) > float(root.attrib["width"]) / 2

    def test_clues_are_escaped_and_said_in_full(self) -> None:
        clue = 'A <very> long & "winding" clue ' * 12
        texts = self.texts(with_clues(numbered(laid(["CAT"], [clue])), solved=False))
        assert texts[:4] == ["1", "Across", "1", texts[3]]
        assert " ".join(texts[3:]) == clue.strip()
        assert len(texts) > 8

    def test_three_hundred_clues_are_in_columns_of_one_height(self) -> None:
        words = tuple(Placed("AB" * 20, "a clue of some words", 2 * i, 0, True) for i in range(300))
        stacks = columns_of(numbered(Layout(words)), 4, 20)
        heights = [len(stack) for stack in stacks]
        assert len(heights) == 4
        assert max(heights) == 76  # of 301 lines
        assert sum(line.number is not None for stack in stacks for line in stack) == 300

    @given(st.text(max_size=200), st.floats(2, 40))
    def test_wrapping_loses_nothing_and_keeps_to_the_width(self, text: str, width: float) -> None:
        lines = wrapped(text, width)
        assert "".join(lines).replace(" ", "") == "".join(text.split()).replace(" ", "")
        assert all(extent(line) <= width + 1e-9 for line in lines)


def test_georgian_stays_in_letters_that_fonts_have() -> None:
    assert capitals("მზე ზღვა") == "მზეზღვა"
    assert capitals("straße") == "STRAßE"


class TestPrograms:
    @settings(max_examples=60)
    @given(layouts(LATIN, LATIN_TEXT))
    def test_puz_is_read_again(self, layout: Layout) -> None:
        """By puzpy, which checks every checksum as Across Lite does."""
        sheet = numbered(layout)
        again = puz_library.load(puz(sheet))
        assert (again.width, again.height, again.title) == (layout.columns, layout.rows, "Crossword")
        assert again.solution == black(sheet)
        assert set(again.fill) <= {"-", "."}
        listed = again.clue_numbering()
        assert [(one["num"], one["clue"]) for one in listed.across] == [(one.number, one.clue) for one in sheet.across]
        assert [(one["num"], one["clue"]) for one in listed.down] == [(one.number, one.clue) for one in sheet.down]
        assert again.tobytes() == puz(sheet)

    @pytest.mark.parametrize(
        ("word", "clue", "said"),
        [
            ("ЖУК", "", "Ж (U+0416) in the grid"),
            ("CAT", "Schrödinger’s", "’ (U+2019) in the clue of CAT"),
            ("CAT", "a\0b", "it (U+0000) in the clue of CAT"),
        ],
    )
    def test_puz_says_what_it_cannot_hold(self, word: str, clue: str, said: str) -> None:
        with pytest.raises(UsageError) as error:
            puz(numbered(laid([word], [clue])))
        assert said in str(error.value)
        assert ".ipuz" in str(error.value)

    def test_puz_has_a_byte_for_each_side(self) -> None:
        assert puz_library.load(puz(numbered(laid(["A" * 255], [""])))).width == 255
        with pytest.raises(UsageError, match="1 rows x 256 columns"):
            puz(numbered(laid(["A" * 256], [""])))

    @settings(max_examples=40)
    @given(layouts())
    def test_ipuz_is_read_again(self, layout: Layout) -> None:
        sheet = numbered(layout)
        again = ipuz_library.read(json.dumps(ipuz(sheet)), puzzlekinds=["http://ipuz.org/crossword#1"])
        assert "".join(cell for row in again["solution"] for cell in row) == black(sheet).replace(".", "#")
        found = {(i, j): cell for i, row in enumerate(again["puzzle"]) for j, cell in enumerate(row) if cell != "#"}
        assert found.keys() == sheet.layout.cells.keys()
        assert {cell: number for cell, number in found.items() if number} == sheet.numbers
        assert again["clues"] == {
            name: [[entry.number, entry.clue] for entry in entries]
            for name, entries in (("Across", sheet.across), ("Down", sheet.down))
        }

    @settings(max_examples=40)
    @given(layouts())
    def test_json_is_the_whole_layout(self, layout: Layout) -> None:
        data = json.loads(json.dumps(json_object(numbered(layout, ["OUT"]))))
        words = {
            Placed(one["answer"], one["clue"], one["row"], one["column"], name == "across")
            for name in ("across", "down")
            for one in data[name]
        }
        assert words == set(layout.normalised.words)
        assert data["left_out"] == ["OUT"]
        assert all(data["numbers"][one["row"]][one["column"]] == one["number"] for one in data["across"] + data["down"])
        assert (data["crossings"], data["area"]) == (layout.crossings, layout.area)


def test_marks_in_front_of_words_are_passed_over() -> None:
    for text in ("1. horse\n2. rose: red", "1) horse\n 2)  rose - red", "* horse\n• rose; red", "horse\n– rose, red"):
        assert [(one.word, one.clue) for one in entries(text)] == [("HORSE", ""), ("ROSE", "red")]
