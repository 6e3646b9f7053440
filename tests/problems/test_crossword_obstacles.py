"""A list that makes no crossword is told which rule is in the way."""

from __future__ import annotations

import pytest
from cli_harness import Islands
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.crossword import judge
from problems.crossword.obstacles import TooMany, layout_of, obstacle

ZOO = ["TIGER", "RAT", "EAGLE", "LION", "CAT"]


def test_two_words_side_by_side_inside_a_third() -> None:
    assert obstacle(ZOO) == (
        "A layout of all words exists, but EAGLE and RAT lie side by side inside TIGER in it, and words of one "
        "direction may not lie side by side."
    )


def test_no_layout_at_all() -> None:
    """Only two of these can share their A."""
    assert "all were tried" in obstacle(["AB", "AC", "AD"])


def test_nothing_is_said_where_there_is_a_layout_or_too_many_to_try() -> None:
    assert obstacle(["CAT", "TAR"]) == ""
    assert obstacle([f"A{'AB'[n % 2]}{'B' * n}A" for n in range(12)] + ["CC"]) == ""


def test_the_run_says_so(islands: Islands) -> None:
    ended = islands("run", "crossword", " ".join(ZOO), "--islands", "1", "--generations", "2")
    assert ended.code == 1
    assert "left out. A layout of all words exists, but EAGLE and RAT lie side by side inside TIGER" in ended.err


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text("ABCDE", min_size=2, max_size=4), min_size=2, max_size=4, unique=True))
@pytest.mark.parametrize("side_by_side", [True, False])
def test_layouts_obey_the_rules_that_they_are_said_to_obey(side_by_side: bool, words: list[str]) -> None:
    try:
        found = layout_of(words, side_by_side=side_by_side)
    except TooMany:
        return
    if found is not None:
        assert judge.faults(found, words) == []
        assert judge.errors(found) == 0 or side_by_side
    else:
        assert side_by_side is False or layout_of(words, side_by_side=False) is None
