"""Games on a page, turn by turn: the server keeps the secret, so that nobody can look."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from secrets import randbits, token_urlsafe
from typing import Any

from islands.errors import UsageError
from islands.model.capabilities import Code, Play
from islands.model.loading import load
from islands.model.problem import made

MOST = 500  # games that are remembered
ROWS = 10  # guesses that a person has
LARGEST = 12  # pegs or colours for which a computer's guess is quick


@dataclass
class Game:
    """A code that a person looks for."""

    play: Play
    secret: Code
    turns: list[tuple[Code, tuple[int, int]]] = field(default_factory=list)
    given_up: bool = False

    def guess(self, code: Code) -> dict[str, Any]:
        """The answer to a guess, and the secret when the game is over."""
        if self.is_over:
            raise UsageError("this game is over.")
        answer = self.play.answer(self.secret, code)
        self.turns.append((code, answer))
        won = code == self.secret
        return {"answer": answer, "won": won, "secret": self.secret if self.is_over else None}

    def give_up(self) -> dict[str, Any]:
        """The secret, and the end of the game."""
        self.given_up = True
        return {"answer": None, "won": False, "secret": self.secret}

    @property
    def is_over(self) -> bool:
        return self.given_up or len(self.turns) >= ROWS or any(code == self.secret for code, _ in self.turns)


class Games:
    """All games that are going on; the oldest are forgotten."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, puzzle: str, given: dict[str, Any]) -> dict[str, Any]:
        """A new game with a hidden code."""
        play = _play(puzzle, given)
        game = Game(play, play.hide(randbits(32)))
        key = token_urlsafe(12)
        with self._lock:
            self._games[key] = game
            while len(self._games) > MOST:
                self._games.popitem(last=False)
        return {"game": key, "rows": ROWS}

    def guess(self, given: dict[str, Any]) -> dict[str, Any]:
        """A guess in a game that goes on; `null` gives it up."""
        with self._lock:
            game = self._games.get(str(given.get("game")))
            if game is None:
                raise UsageError("this game is not known any more. Begin another.")
            if given.get("guess") is None:
                return game.give_up()
            return game.guess(_code(given["guess"]))


def counter_guess(puzzle: str, given: dict[str, Any]) -> dict[str, Any]:
    """The computer's next guess, after the answers that a person gave."""
    turns = given.get("turns")
    if not isinstance(turns, list) or len(turns) > 100:
        raise UsageError("expected the turns so far.")
    history = [(_code(turn.get("guess")), _answer(turn.get("answer"))) for turn in turns if isinstance(turn, dict)]
    return {"guess": _play(puzzle, given).guess(history)}


def _play(puzzle: str, given: dict[str, Any]) -> Play:
    kind = load(puzzle).game()
    if kind is None:
        raise UsageError(f"{puzzle} is not a game.")
    fields = {name: str(given[name]) for name in ("pegs", "colours", "secret") if given.get(name) not in (None, "")}
    for name in ("pegs", "colours"):
        if fields.get(name, "0").isdecimal() and int(fields.get(name, "0")) > LARGEST:
            raise UsageError(f"`{name}`: at most {LARGEST} on this page; `islands play` has more.")
    return made(kind, fields)


def _code(value: Any) -> Code:
    if not isinstance(value, list) or not all(isinstance(one, int) and 0 <= one < 100 for one in value):
        raise UsageError("expected a code: a list of colours.")
    return tuple(value)


def _answer(value: Any) -> tuple[int, int]:
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not all(isinstance(one, int) and 0 <= one < 100 for one in value)
    ):
        raise UsageError("expected an answer: two numbers.")
    return value[0], value[1]
