"""The game of mastermind: a player against a judge, to the right guess or until somebody gives up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from problems.mastermind.game import Game, GaveUp, TookBack, Turn, knowing
from problems.mastermind.judge import Code, Feedback, check


class Patient:
    """Guesses the first code, in order, that agrees with all answers."""

    def __init__(self, pegs: int, colours: int) -> None:
        self.codes = list(product(range(colours), repeat=pegs))

    def guess(self, history: Sequence[Turn]) -> Code:
        return next(code for code in self.codes if all(check(code, guess) == answer for guess, answer in history))


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
                raise TookBack
            return check((0, 1), guess)

        game = Game(confused)
        assert game.play(Patient(2, 3))
        assert asked[0] == asked[2] == (0, 0)
        assert game.history[0] == Turn((0, 0), Feedback(1, 0))

    def test_before_the_first_answer_there_is_nothing_to_take_back(self) -> None:
        asked: list[Code] = []

        def confused(history: Sequence[Turn], guess: Code) -> Feedback:
            asked.append(guess)
            if len(asked) == 1:
                raise TookBack
            return check((0, 0), guess)

        assert Game(confused).play(Patient(2, 2))
        assert asked == [(0, 0), (0, 0)]
