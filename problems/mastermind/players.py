"""The players: `classic` is the seed's genetic algorithm, `fast` weighs what each answer would leave.

player("fast", 4, 6, seed=1).guess(history)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from islands.errors import UsageError, unknown
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import IslandSpec, Order
from islands.model.problem import made
from problems.mastermind import Mastermind
from problems.mastermind.annealing import first_valid, some_valid
from problems.mastermind.consistent import History
from problems.mastermind.game import Player, PlayerName, Turn
from problems.mastermind.join import JOINED_TURNS, can_join, joined
from problems.mastermind.judge import Code
from problems.mastermind.notation import history_text
from problems.mastermind.packed import Words, pack, response, responses, unpack
from problems.mastermind.planning import Planner
from problems.mastermind.strategy import is_small, tree_of

GENERATIONS = 60  # of the seed's algorithm, before it falls back to backtracking
KEPT = 60_000  # codes that are kept of those that a history leaves
SOME = 300  # ... where they cannot be joined from halves

_tree = cache(tree_of)


def player(name: PlayerName, pegs: int, colours: int, seed: int = 1) -> Player:
    """A player by name. Its guesses depend on the seed and the history alone."""
    kinds: dict[PlayerName, Callable[[int, int, int], Player]] = {"fast": FastPlayer, "classic": ClassicPlayer}
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
        valid = first_valid(History(self.pegs, self.colours, history), Rng(self.seed, len(history)))
        if valid is None:
            raise _no_code_left()
        return tuple(valid.tolist())

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
    """Guesses, valid or not, what leaves least to be expected."""

    def __init__(self, pegs: int, colours: int, seed: int) -> None:
        self.pegs, self.colours, self.seed = pegs, colours, seed
        self.planner = Planner(pegs, colours)
        self._known: tuple[tuple[Turn, ...], Words] = ((), np.empty(0, np.uint64))  # all codes that some turns leave

    def guess(self, history: Sequence[Turn]) -> Code:
        turns = tuple(history)
        reply = _tree(self.pegs, self.colours).reply(turns) if is_small(self.pegs, self.colours) else None
        if reply is not None:
            return reply
        if not turns:
            return self.planner.opening()
        return _reply(self.pegs, self.colours, self.seed, turns) if len(turns) == 1 else self.planned(turns)

    def planned(self, turns: tuple[Turn, ...]) -> Code:
        rng = Rng(self.seed, len(turns))
        words, total = self._left(turns, rng)
        if not total:
            raise _no_code_left()
        order = rng.numpy.permutation(len(words))
        codes = pack(unpack(np.sort(words)[order], self.pegs), self.colours)
        return tuple(unpack(self.planner.guess(codes, total), self.pegs).tolist())

    def _left(self, turns: tuple[Turn, ...], rng: Rng) -> tuple[Words, int]:
        """The codes that the turns leave, or a sample of them, and how many there are."""
        before, words = self._known
        if before and turns[: len(before)] == before:
            for turn in turns[len(before) :]:
                words = self._after(words, turn)
            total = len(words)
        elif can_join(self.pegs, self.colours) and len(turns) <= JOINED_TURNS:
            words, total = joined(History(self.pegs, self.colours, turns), KEPT)
        else:
            some, total = some_valid(History(self.pegs, self.colours, turns), SOME, rng)
            return pack(some, self.colours).nibbles, total
        if total == len(words):
            self._known = turns, words
        return words, total

    def _after(self, words: Words, turn: Turn) -> Words:
        codes = pack(unpack(words, self.pegs), self.colours)
        guess = pack(np.array([turn.guess], np.int32), self.colours)
        said: Words = words[responses(guess, codes, self.pegs) == response(*turn.feedback, self.pegs)]
        return said


@cache
def _reply(pegs: int, colours: int, seed: int, turns: tuple[Turn, ...]) -> Code:
    """The second guess: the set is largest then, and always the same."""
    return FastPlayer(pegs, colours, seed).planned(turns)


def _no_code_left() -> UsageError:
    return UsageError("no code was found that is consistent with these answers: one of them seems to be wrong.")
