"""The players: `classic` is the seed's genetic algorithm, `fast` weighs what each answer would leave.

player("fast", 4, 6, seed=1).guess(history)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from islands.errors import UsageError, unknown
from islands.island import Island, IslandSpec, Order
from islands.operators.rng import Rng
from islands.problem import made
from problems.mastermind import Mastermind
from problems.mastermind.consistent import History
from problems.mastermind.game import Player, Turn
from problems.mastermind.judge import Code
from problems.mastermind.notation import history_text
from problems.mastermind.packed import pack, tally

GENERATIONS = 60  # of the seed's algorithm, before it falls back to backtracking
SAMPLE = 5_000  # codes that a guess is weighed against
CANDIDATES = 500


def player(name: Literal["fast", "classic"], pegs: int, colours: int, seed: int = 1) -> Player:
    """A player by name. Its guesses depend on the seed and the history alone."""
    kinds: dict[str, Callable[[int, int, int], Player]] = {"fast": FastPlayer, "classic": ClassicPlayer}
    if name not in kinds:
        raise unknown("player", name, kinds)
    made(Mastermind, {"pegs": pegs, "colours": colours})
    return kinds[name](pegs, colours, seed)


class ClassicPlayer:
    """The player of seed 003: all colours in order, then whatever valid code evolution finds first."""

    def __init__(self, pegs: int, colours: int, seed: int) -> None:
        self.pegs, self.colours, self.seed = pegs, colours, seed

    def guess(self, history: Sequence[Turn]) -> Code:
        if not history:
            return tuple(peg % self.colours for peg in range(self.pegs))
        island = self._island(history)
        for epoch in range(GENERATIONS):
            report = island.evolve(Order(epoch=epoch, generations=1, snapshot=False))
            if len(report.solutions):
                return tuple(report.solutions[0].tolist())
        return _first_valid(self.pegs, self.colours, history)

    def _island(self, history: Sequence[Turn]) -> Island:
        game = {"pegs": self.pegs, "colours": self.colours, "history": history_text(history, self.colours)}
        place = len(history)
        return Island(
            IslandSpec(
                index=place, seed=self.seed, puzzle="mastermind", source=None, parameters=game, recipe="classic",
                numbers={},
            )
        )  # fmt: skip


class FastPlayer:
    """Guesses the valid code whose answer tells most."""

    def __init__(self, pegs: int, colours: int, seed: int) -> None:
        self.pegs, self.colours, self.seed = pegs, colours, seed

    def guess(self, history: Sequence[Turn]) -> Code:
        if not history:
            return tuple(min(peg // 2, self.colours - 1) for peg in range(self.pegs))
        valid = History(self.pegs, self.colours, history).codes(most=20 * SAMPLE)
        if not len(valid):
            raise _no_code_left()
        rng = Rng(self.seed, len(history)).numpy
        shuffled = valid[rng.permutation(len(valid))[:SAMPLE]]
        codes = pack(shuffled, self.colours)
        counts = tally(codes[:CANDIDATES], codes, self.pegs).astype(np.float64)
        surprise = (counts * np.log(np.maximum(counts, 1))).sum(axis=1)
        return tuple(shuffled[int(surprise.argmin())].tolist())


def _first_valid(pegs: int, colours: int, history: Sequence[Turn]) -> Code:
    """By backtracking: a valid guess always exists, unless an answer was wrong."""
    valid = History(pegs, colours, history).codes(most=1)
    if not len(valid):
        raise _no_code_left()
    return tuple(valid[0].tolist())


def _no_code_left() -> UsageError:
    return UsageError("no code is consistent with these answers: one of them must be wrong.")
