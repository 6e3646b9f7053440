"""Mastermind's judge, and what people write: codes, feedback and histories are read as they are meant, or refused."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.errors import UsageError
from problems.mastermind import Mastermind
from problems.mastermind.game import Turn
from problems.mastermind.judge import Code, Feedback, check
from problems.mastermind.notation import (
    MOST_COLOURS,
    MOST_PEGS,
    code_text,
    feedback_text,
    history_text,
    parse_code,
    parse_feedback,
    parse_history,
    parse_turn,
)

SIZES = st.tuples(st.integers(1, MOST_PEGS), st.integers(2, MOST_COLOURS))


def codes(pegs: int, colours: int) -> st.SearchStrategy[Code]:
    return st.lists(st.integers(0, colours - 1), min_size=pegs, max_size=pegs).map(tuple)


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, int, list[Turn]]:
    pegs, colours = draw(SIZES)
    secret = draw(codes(pegs, colours))
    guesses = draw(st.lists(codes(pegs, colours), max_size=5))
    return pegs, colours, [Turn(guess, check(secret, guess)) for guess in guesses]


class TestJudge:
    @pytest.mark.parametrize(
        ("secret", "guess", "answer"),
        [
            ("1234", "1234", (4, 0)),
            ("1234", "4321", (0, 4)),
            ("1122", "2211", (0, 4)),
            ("1123", "1111", (2, 0)),
            ("1234", "1111", (1, 0)),
            ("2311", "1142", (0, 3)),
            ("1", "2", (0, 0)),
        ],
    )
    def test_full_and_partial_matches(self, secret: str, guess: str, answer: tuple[int, int]) -> None:
        assert check([int(c) for c in secret], [int(c) for c in guess]) == answer

    @given(SIZES.flatmap(lambda size: st.tuples(codes(*size), codes(*size))))
    def test_both_together_are_the_colours_in_common(self, pair: tuple[Code, Code]) -> None:
        secret, guess = pair
        blacks, whites = check(secret, guess)
        assert blacks == len([i for i in range(len(secret)) if secret[i] == guess[i]])
        assert blacks + whites == sum((Counter(secret) & Counter(guess)).values())
        assert check(guess, secret) == (blacks, whites)

    def test_codes_of_different_lengths_cannot_be_compared(self) -> None:
        with pytest.raises(ValueError, match="3 pegs and a guess of 2"):
            check((0, 1, 2), (0, 1))


class TestCodes:
    @given(SIZES.flatmap(lambda size: st.tuples(st.just(size), codes(*size))))
    def test_what_is_written_is_read_again_in_every_form(self, drawn: tuple[tuple[int, int], Code]) -> None:
        (pegs, colours), code = drawn
        written = code_text(code, colours)
        assert len(written) == pegs
        for text in (
            written,
            written.lower(),
            "  ".join(written),
            ", ".join(written),
            " ".join(str(colour + 1) for colour in code),
            "".join(chr(ord("a") + colour) for colour in code),
        ):
            assert parse_code(text, pegs, colours) == code

    @pytest.mark.parametrize("text", ["1234", "1 2 3 4", " 1,2,3,4 ", "ABCD", "a b c d", "1-2-3-4", "1b3D", "12 34"])
    def test_one_code_written_in_many_ways(self, text: str) -> None:
        assert parse_code(text, 4, 6) == (0, 1, 2, 3)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("123", "3 pegs, expected 4, such as 1234"),
            ("12345", "5 pegs, expected 4"),
            ("1237", "no colour 7; expected 1 to 6, or A to F"),
            ("1 2 3 10", "no colour 10"),
            ("1230", "no colour 0"),
            ("12é4", "'é' is no colour"),
            ("12²4", "'²' is no colour"),
            ("", "0 pegs"),
            ("9" * 5000, "no colour 9"),
            ("x" * 5000, "is no colour"),
        ],
    )
    def test_what_is_no_code_is_refused_in_a_line(self, text: str, message: str) -> None:
        with pytest.raises(UsageError, match=message) as refused:
            parse_code(text, 4, 6)
        assert len(str(refused.value)) < 150

    def test_a_number_beyond_all_measure_is_no_colour(self) -> None:
        with pytest.raises(UsageError, match="is no colour; expected 1 to 6"):
            parse_code("9" * 5000, 1, 6)


class TestFeedback:
    @given(st.integers(1, MOST_PEGS).flatmap(lambda n: st.tuples(st.just(n), codes(n, 3), codes(n, 3))))
    def test_whatever_a_judge_says_is_read_again(self, drawn: tuple[int, Code, Code]) -> None:
        pegs, secret, guess = drawn
        answer = check(secret, guess)
        blacks, whites = answer
        for text in (
            feedback_text(answer),
            f"{blacks},{whites}",
            f"{blacks}b{whites}w",
            f"{whites} whites and {blacks} blacks",
            f" {blacks}B, {whites}W ",
            "b" * blacks + "W" * whites or "none",
        ):
            assert parse_feedback(text, pegs) == answer

    @pytest.mark.parametrize(("text", "answer"), [("21", (2, 1)), ("2b", (2, 0)), ("1w", (0, 1)), ("-", (0, 0))])
    def test_short_forms(self, text: str, answer: tuple[int, int]) -> None:
        assert parse_feedback(text, 4) == answer

    @pytest.mark.parametrize(
        "text", ["", "2", "2 1 0", "two", "2b1b", "b2x", "1.5 2", "-1 2", "2 1 !", "9" * 5000, "1" * 5000 + " 1"]
    )
    def test_what_is_no_feedback_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError, match="is no feedback; expected blacks and whites, such as 2 1") as refused:
            parse_feedback(text, 4)
        assert len(str(refused.value)) < 150

    def test_ten_blacks_of_twelve_are_not_one_and_none(self) -> None:
        with pytest.raises(UsageError, match="is no feedback"):
            parse_feedback("10", 12)

    def test_feedback_that_no_code_can_give(self) -> None:
        with pytest.raises(UsageError, match="make 6, but there are only 4 pegs"):
            parse_feedback("3 3", 4)
        with pytest.raises(UsageError, match="3 blacks and 1 white cannot be"):
            parse_feedback("3 1", 4)

    @pytest.mark.parametrize("pegs", [1, 2, 3])
    def test_accepted_is_exactly_what_some_secret_gives(self, pegs: int) -> None:
        every = list(product(range(3), repeat=pegs))
        possible = {check(secret, guess) for secret in every for guess in every}
        for blacks, whites in product(range(pegs + 2), repeat=2):
            try:
                accepted = parse_feedback(f"{blacks} {whites}", pegs) == Feedback(blacks, whites)
            except UsageError:
                accepted = False
            assert accepted == ((blacks, whites) in possible)


def test_digits_and_letters_are_not_mixed_where_letters_could_be_numbers() -> None:
    with pytest.raises(UsageError, match="mixes digits and letters; with 16 colours they are A to P, or 1 to 16"):
        parse_code("123456789ABC", 12, 16)
    assert parse_code("1 2 C", 3, 16) == parse_code("123", 3, 16) == parse_code("abc", 3, 16) == (0, 1, 2)


class TestHistories:
    @given(histories())
    def test_what_is_written_is_read_again(self, drawn: tuple[int, int, list[Turn]]) -> None:
        pegs, colours, turns = drawn
        assert parse_history(history_text(turns, colours), pegs, colours) == turns

    @given(histories())
    def test_with_pegs_apart_a_colon_makes_it_clear(self, drawn: tuple[int, int, list[Turn]]) -> None:
        pegs, colours, turns = drawn
        lines = [f"{' '.join(str(colour + 1) for colour in guess)} : {b}b{w}w" for guess, (b, w) in turns]
        assert parse_history("\n".join(lines), pegs, colours) == turns

    @pytest.mark.parametrize(
        "line", ["1122 2 1", "1 1 2 2 2 1", "1122 21", "AABB: 2b 1w", "1,1,2,2,2,1", "a a b b 2 1"]
    )
    def test_one_turn_written_in_many_ways(self, line: str) -> None:
        assert parse_turn(line, 4, 6) == Turn((0, 0, 1, 1), Feedback(2, 1))

    def test_comments_and_empty_lines_do_not_count(self) -> None:
        text = "# my game\n\n1122 1 0  # so far\n\t\n3344 0 2\n"
        assert parse_history(text, 4, 6) == [Turn((0, 0, 1, 1), Feedback(1, 0)), Turn((2, 2, 3, 3), Feedback(0, 2))]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1122", "line 2: .* is no guess with its feedback; expected for instance: 1234 1 0"),
            ("1122 9 9", "line 2: 9 blacks and 9 whites make 18"),
            ("1182 1 0", "line 2: there is no colour 8"),
            ("112 1 0", "line 2: '112' has 3 pegs"),
            ("1 1 2 2 3 1", "line 2: 3 blacks and 1 white cannot be"),
            ("hello", "line 2: 'hello' is no guess"),
            (": 1 0", "line 2: '' has 0 pegs"),
        ],
    )
    def test_an_error_names_the_line(self, line: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            parse_history(f"1122 1 0\n{line}\n", 4, 6)

    def test_a_history_without_end_is_refused(self) -> None:
        with pytest.raises(UsageError, match="line 1001: a history has at most 1,000 guesses"):
            parse_history("1122 1 0\n" * 2_000, 4, 6)

    @given(st.text(max_size=60), SIZES)
    def test_any_text_is_read_or_refused_in_words(self, text: str, size: tuple[int, int]) -> None:
        for parse in (parse_history, parse_turn, parse_code):
            try:
                parse(text, *size)
            except UsageError as error:
                assert 0 < len(str(error)) < 300  # noqa: PT017


class TestProblem:
    @given(histories(), st.data())
    def test_the_cost_is_zero_exactly_for_what_the_judge_verifies(
        self, drawn: tuple[int, int, list[Turn]], data: st.DataObject
    ) -> None:
        pegs, colours, turns = drawn
        puzzle = Mastermind(pegs=pegs, colours=colours, history=history_text(turns, colours) or None)
        genome = np.array(data.draw(codes(pegs, colours)), np.int32)
        assert (puzzle.cost(genome) == 0) == puzzle.verify(genome)
