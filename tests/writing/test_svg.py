"""Pictures are valid XML whatever the text."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.writing.svg import grid_picture, text_picture

TEXT = "{http://www.w3.org/2000/svg}text"
printable = st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF), max_size=12)


@given(st.lists(st.lists(printable, min_size=3, max_size=3), min_size=1, max_size=4))
def test_a_grid_shows_every_text(rows):
    root = ElementTree.fromstring(grid_picture(rows, tinted={(0, 0)}))
    assert [text.text or "" for text in root.iter(TEXT)] == [text for row in rows for text in row]


@pytest.mark.parametrize(
    "text", ["", "a < b & c > d", "one\ntwo", "bell\x07", "no character \ufffe", "half a one \ud800", "quotes \" and '"]
)
def test_text_becomes_one_element_per_line(text):
    root = ElementTree.fromstring(text_picture(text))
    assert len(list(root.iter(TEXT))) == max(1, len(text.splitlines()))
