"""Word lists as people write them: with tabs, commas, semicolons, quotes, colons and dashes."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.crossword import Crossword
from problems.crossword.lists import Item, items

CLUES = {"horse": "It neighs", "rose": "Red, or white; it has thorns", "ice-cream": "Cold - and sweet", "ocean": ""}


def read(text: str) -> dict[str, str]:
    return {item.word: item.clue for item in items(text)}


class TestDividers:
    @pytest.mark.parametrize("between", ["\t", ",", ", ", " , ", ";", "; ", ":", ": ", " : ", " - ", " – ", " — "])
    def test_each_stands_between_a_word_and_its_clue(self, between: str) -> None:
        text = "\n".join(f"{word}{between}{clue}" if clue else word for word, clue in CLUES.items())
        assert read(text) == CLUES

    @pytest.mark.parametrize("between", [",", ";", "\t"])
    def test_a_spreadsheet_quotes_what_it_must(self, between: str) -> None:
        """A clue with quotes, dividers and several lines, written by the csv module."""
        clues = {**CLUES, "horse": 'It says "neigh"\nand kicks; often, and hard'}
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
            stream = io.StringIO()
            csv.writer(stream, delimiter=between, quoting=quoting).writerows(clues.items())
            assert read(stream.getvalue()) == clues

    def test_the_first_one_of_a_line_divides_it(self) -> None:
        assert read("horse: black, or white\nrose, a flower: red\neagle - flies; far") == {
            "horse": "black, or white",
            "rose": "a flower: red",
            "eagle": "flies; far",
        }

    def test_where_there_is_a_tab_nothing_else_does(self) -> None:
        assert read("ice, cream\tCold") == {"ice, cream": "Cold"}

    def test_a_hyphen_inside_a_word_does_not(self) -> None:
        assert read("jack-in-the-box\nice-cream, cold") == {"jack-in-the-box": "", "ice-cream": "cold"}

    def test_a_quotation_behind_a_tab_keeps_its_quotes(self) -> None:
        assert read('hamlet\t"To be or not to be"\nrose\tred') == {"hamlet": '"To be or not to be"', "rose": "red"}

    def test_a_quote_that_never_ends_holds_nothing_together(self) -> None:
        assert items('horse,"neighs\nrose,red\nocean') == [
            Item("horse", '"neighs', 1), Item("rose", "red", 2), Item("ocean", "", 3)
        ]  # fmt: skip

    def test_empty_fields_and_further_columns_are_no_clue(self) -> None:
        assert read('horse,,\nrose;\n"eagle","flies","birds"') == {"horse": "", "rose": "", "eagle": "flies"}

    @pytest.mark.parametrize("heading", ["word,clue", "Answer;Hint", '"Word","Definition"', "sep=;"])
    def test_a_heading_is_passed_over(self, heading: str) -> None:
        assert items(f"{heading}\nhorse;It neighs") == [Item("horse", "It neighs", 2)]

    def test_but_the_word_word_may_be_a_word(self) -> None:
        assert read("word\nhorse") == {"word": "", "horse": ""}

    @pytest.mark.parametrize(
        "text", ["horse, rose, ocean", "horse;rose;ocean;", "horse rose ocean", "# my\nhorse,rose,ocean"]
    )
    def test_a_single_line_is_a_list_of_words(self, text: str) -> None:
        assert [item.word for item in items(text)] == ["horse", "rose", "ocean"]

    def test_a_single_line_with_a_clue_is_none(self) -> None:
        assert read("horse: it neighs, loudly") == {"horse": "it neighs, loudly"}
        assert read("horse, an animal of four legs") == {"horse": "an animal of four legs"}

    @given(st.text(alphabet='ab \t,;:-"#\n', max_size=40))
    def test_no_letter_is_lost_but_those_of_comments_and_further_columns(self, text: str) -> None:
        plain = text.replace("#", "").replace('"', "")
        found = "".join(item.word + item.clue for item in items(plain))
        lost = sum(found.count(letter) for letter in "ab") - sum(plain.count(letter) for letter in "ab")
        empty = any(line.strip()[:1] in tuple(",;:") or line.startswith("\t") for line in plain.splitlines())
        assert lost == 0 or empty  # a clue without a word is none


class TestSingleLetters:
    def test_are_left_out_and_said(self) -> None:
        (puzzle,) = Crossword.read("horse\na\nrose, red\nI\nocean\n")
        assert puzzle.words == ("HORSE", "ROSE", "OCEAN")
        assert puzzle.clues == ("", "red", "")
        assert puzzle.describe() == (
            "3 words of 14 letters, grid 20x20; left out, since a word has two letters: A (line 2), I (line 4)"
        )

    def test_in_a_text_from_python_too(self) -> None:
        assert Crossword(words="horse\na\nrose").words == ("HORSE", "ROSE")
