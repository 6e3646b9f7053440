"""The game of mastermind: a player against a judge, to the right guess or until somebody gives up."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from itertools import combinations, product
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.mastermind.game import Game, GaveUp, TookBack, Turn, knowing
from problems.mastermind.judge import Code, Feedback, check
from problems.mastermind.notation import parse_history
from problems.mastermind.people import HumanJudge
from problems.mastermind.playing import PlayMastermind
from problems.mastermind.reasoning import Patience, TooHard, clash, consistent_code
from problems.mastermind.screen import Screen


def agrees(code: Code, history: Sequence[Turn]) -> bool:
    return all(check(code, guess) == answer for guess, answer in history)


class Patient:
    """Guesses the first code, in order, that agrees with all answers."""

    def __init__(self, pegs: int, colours: int) -> None:
        self.codes = list(product(range(colours), repeat=pegs))

    def guess(self, history: Sequence[Turn]) -> Code:
        return next(code for code in self.codes if agrees(code, history))


class Quitter(Patient):
    def guess(self, history: Sequence[Turn]) -> Code:
        if len(history) == 2:
            raise GaveUp
        return super().guess(history)


class TestGame:
    @pytest.mark.parametrize("secret", [(0, 0, 0), (2, 1, 0), (3, 3, 3)])
    def test_it_ends_with_the_right_guess(self, secret: Code) -> None:
        seen: list[Turn] = []
        game = Game(knowing(secret))
        assert game.play(Patient(3, 4), seen.append)
        assert game.history == seen
        assert game.history[-1] == Turn(secret, Feedback(3, 0))
        assert all(turn.feedback == check(secret, turn.guess) for turn in seen)
        assert all(turn.guess != secret for turn in seen[:-1])

    def test_it_ends_when_the_player_gives_up(self) -> None:
        game = Game(knowing((3, 3, 3)))
        assert not game.play(Quitter(3, 4))
        assert len(game.history) == 2

    def test_it_ends_when_the_judge_gives_up(self) -> None:
        def bored(history: Sequence[Turn], guess: Code) -> Feedback:
            raise GaveUp

        game = Game(bored)
        assert not game.play(Patient(3, 4))
        assert game.history == []

    def test_there_is_no_limit_of_rounds(self) -> None:
        class Stubborn:
            def guess(self, history: Sequence[Turn]) -> Code:
                return (0, 0) if len(history) < 1000 else (1, 1)

        game = Game(knowing((1, 1)))
        assert game.play(Stubborn())
        assert len(game.history) == 1001

    def test_an_answer_that_is_taken_back_is_asked_again(self) -> None:
        asked: list[Code] = []

        def confused(history: Sequence[Turn], guess: Code) -> Feedback:
            asked.append(guess)
            if len(asked) == 1:
                return Feedback(0, 0)  # wrong
            if len(asked) == 2:
                raise TookBack(0)
            return check((0, 1), guess)

        game = Game(confused)
        assert game.play(Patient(2, 3))
        assert asked[0] == asked[2] == (0, 0)
        assert game.history[0] == Turn((0, 0), Feedback(1, 0))


@st.composite
def answered(draw: st.DrawFn) -> tuple[int, int, list[Turn]]:
    """A game of at most 256 codes and some answers, true or not."""
    pegs, colours = draw(st.sampled_from([(1, 2), (2, 3), (3, 3), (3, 6), (4, 4), (5, 3), (8, 2)]))
    code = st.tuples(*[st.integers(0, colours - 1)] * pegs)
    secrets = st.sampled_from([draw(code), draw(code)])
    return pegs, colours, [Turn(guess, check(draw(secrets), guess)) for guess in draw(st.lists(code, max_size=6))]


class TestReasoning:
    @settings(max_examples=60)
    @given(answered(), st.integers(0, 5))
    def test_a_code_is_found_exactly_if_one_agrees(self, drawn: tuple[int, int, list[Turn]], seed: int) -> None:
        pegs, colours, history = drawn
        possible = [code for code in product(range(colours), repeat=pegs) if agrees(code, history)]
        found = consistent_code(pegs, colours, history, seed=seed)
        assert found in possible if possible else found is None

    @settings(max_examples=60)
    @given(answered())
    def test_a_contradiction_is_as_small_as_can_be(self, drawn: tuple[int, int, list[Turn]]) -> None:
        pegs, colours, history = drawn
        every = list(product(range(colours), repeat=pegs))
        places = clash(pegs, colours, history)
        if places is None:
            assert any(agrees(code, history) for code in every)
            return
        assert not any(agrees(code, [history[place] for place in places]) for code in every)
        for fewer in combinations(range(len(history)), len(places) - 1):
            assert any(agrees(code, [history[place] for place in fewer]) for code in every)

    def test_the_fewest_turns_that_contradict_are_named(self) -> None:
        text = (
            "3364 0 1;5526 1 2;4132 0 1;3523 0 2;1264 1 1;1445 0 1;6161 1 0;6252 2 2;1244 1 0;1243 1 0;2164 1 1;"
            "1362 0 2;2233 2 0;4326 1 1"
        )
        history = parse_history(text.replace(";", "\n"), 4, 6)
        places = clash(4, 6, history)
        assert places is not None
        assert len(places) == 3
        named = [history[place] for place in places]
        assert not any(all(check(code, guess) == said for guess, said in named) for code in product(range(6), repeat=4))

    def test_nothing_contradicts_nothing(self) -> None:
        assert clash(12, 16, []) is None

    def test_a_search_too_long_says_so(self) -> None:
        turns = [Turn(tuple(range(12)), Feedback(3, 4))]
        with pytest.raises(TooHard):
            consistent_code(12, 16, turns, patience=Patience(30))

    def test_a_search_that_is_given_up_has_cost_its_work(self) -> None:
        patience = Patience(100)
        with pytest.raises(TooHard), patience.share() as short:
            short.spend(110)
        assert patience.left < 0

    @pytest.mark.parametrize(("pegs", "colours"), [(4, 6), (8, 12), (12, 4)])
    def test_large_games_are_no_hindrance(self, pegs: int, colours: int) -> None:
        secret = tuple((5 * place + 1) % colours for place in range(pegs))
        history: list[Turn] = []
        while not history or history[-1].guess != secret:
            code = consistent_code(pegs, colours, history)
            assert code is not None
            assert agrees(code, history)
            history.append(Turn(code, check(secret, code)))


class TestHumanJudge:
    """On answers (1, 1) to 1122 and (0, 0) to 3344, of 4 pegs and 6 colours."""

    HISTORY = (Turn((0, 0, 1, 1), Feedback(1, 1)), Turn((2, 2, 3, 3), Feedback(0, 0)))

    def answer(self, monkeypatch: pytest.MonkeyPatch, guess: Code, *lines: str) -> Feedback:
        typed = iter(lines)
        monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
        return HumanJudge(Screen(4, 6), 4, 6)(self.HISTORY, guess)

    def test_only_the_answers_that_contradict_are_named(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.answer(monkeypatch, (2, 2, 2, 2), "1 0", "0 0") == (0, 0)
        said = " ".join(capsys.readouterr().out.split())
        assert "no code gets 1 black, 0 whites here and agrees with this answer too: 2 3 3 4 4" in said
        assert "1 1 2 2" not in said

    def test_an_answer_that_no_code_gives_to_this_guess(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.answer(monkeypatch, (4, 4, 4, 4), "0 2", "2 0") == (2, 0)
        assert "whatever your code is, this guess cannot get 0 blacks, 2 whites" in " ".join(
            capsys.readouterr().out.split()
        )

    @pytest.mark.parametrize(("word", "place"), [("undo", 1), ("UNDO 1", 0), ("undo 2", 1)])
    def test_undo_takes_answers_back(self, monkeypatch: pytest.MonkeyPatch, word: str, place: int) -> None:
        with pytest.raises(TookBack) as took:
            self.answer(monkeypatch, (4, 4, 4, 4), "undo 3", "undo 0", "undo x", word)
        assert took.value.place == place


class TestSession:
    LINES = st.one_of(
        st.sampled_from(["", "help", "hint", "undo", "undo 1", "undo 99", "none", "1b", "2 0", "0 0", "1 1", "w"]),
        st.tuples(st.integers(0, 4), st.integers(0, 3)).map(lambda pair: f"{pair[0]} {pair[1]}"),
        st.text(max_size=6),
    )

    @pytest.mark.parametrize("mode", ["guess", "hide"])
    @settings(max_examples=40)
    @given(typed=st.lists(LINES, max_size=12), seed=st.integers(0, 3))
    def test_whatever_is_typed_the_game_ends_cleanly(self, mode: str, typed: list[str], seed: int) -> None:
        lines = iter(typed)

        def next_line(prompt: str) -> str:
            line = next(lines, None)
            if line is None:
                raise EOFError
            return line

        said = io.StringIO()
        with patch("builtins.input", next_line), redirect_stdout(said):
            assert PlayMastermind.model_validate({"pegs": 2, "colours": 3, "mode": mode, "seed": seed}).play() == 0
        last = said.getvalue().splitlines()[-1]
        assert last.startswith(("Found in ", "Given up after ", "The input ended after "))
        assert last.startswith("Found in ") or mode == "hide" or "The code was " in last
