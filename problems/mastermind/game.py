"""The game: a player guesses, a judge answers, until the guess is right or one of them gives up.

There is no limit of rounds. From Python, with any object that has a method `guess`:

    game = Game(knowing((0, 0, 1, 1)))
    found = game.play(my_player)
    print(found, len(game.history))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from problems.mastermind.judge import Code, Feedback, check


class Turn(NamedTuple):
    """A guess and what the judge said about it."""

    guess: Code
    feedback: Feedback


PlayerName = Literal["fast", "classic"]
"""The programs that guess."""


class Player(Protocol):
    """Somebody who guesses: a human or a program."""

    def guess(self, history: Sequence[Turn]) -> Code:
        """The next guess after these turns; may raise GaveUp."""


Judge = Callable[[Sequence[Turn], Code], Feedback]
"""Somebody who answers a guess that comes after these turns; may raise GaveUp or TookBack."""


class GaveUp(Exception):
    """The player or the judge does not go on."""


class TookBack(Exception):
    """The judge takes answers back, from the one at `place` in the history on; its guess is then asked again."""

    def __init__(self, place: int) -> None:
        self.place = place


def knowing(secret: Code) -> Judge:
    """The judge that knows the secret."""
    return lambda history, guess: check(secret, guess)


@dataclass
class Game:
    """One game under a judge, and its turns so far."""

    judge: Judge
    history: list[Turn] = field(default_factory=list)

    def play(self, player: Player, watch: Callable[[Turn], None] | None = None) -> bool:
        """To the end: True with the right guess, False if somebody gave up. `watch` sees every turn."""
        try:
            guess = player.guess(tuple(self.history))
            while True:
                try:
                    feedback = self.judge(tuple(self.history), guess)
                except TookBack as took:
                    guess = self.history[took.place].guess
                    del self.history[took.place :]
                    continue
                self.history.append(Turn(guess, feedback))
                if watch is not None:
                    watch(self.history[-1])
                if feedback.blacks == len(guess):
                    return True
                guess = player.guess(tuple(self.history))
        except GaveUp:
            return False
