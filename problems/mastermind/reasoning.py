"""What follows from a history, in plain Python: a person at the prompt does not wait for a compiler.

A code is found in two steps that both turn back early: how often each colour occurs (blacks and whites together say how
many colours a guess has in common with the secret), then where (the blacks). It takes milliseconds up to 8 pegs and 12
colours, and seldom more than a second for 12 pegs and 16 colours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from islands.kernels.rng import Rng
from problems.mastermind.cover import SMALL, fewest
from problems.mastermind.game import Turn
from problems.mastermind.judge import Code
from problems.mastermind.notation import history_text

WORK = 600_000  # steps times turns: about two seconds
SHARE = 10  # a search that may be given up has one part in this many of the work
RESTARTS = 4  # short searches in other orders first: an unlucky order is worse than many


class TooHard(Exception):
    """The search was given up: it took too much work."""


class Patience:
    """How much work may still be done."""

    def __init__(self, left: int = WORK) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise TooHard

    @contextmanager
    def share(self) -> Iterator[Patience]:
        """Part of it, for a search that may be given up."""
        short = Patience(max(0, min(self.left, WORK // SHARE)))
        before = short.left
        try:
            yield short
        finally:
            self.left -= before - short.left


def consistent_code(
    pegs: int, colours: int, history: Sequence[Turn], *, seed: int = 0, patience: Patience | None = None
) -> Code | None:
    """A code that would have been answered like this; None if there is no such code. Raises TooHard."""
    patience = patience or Patience()
    for attempt in range(RESTARTS):
        with suppress(TooHard), patience.share() as short:
            return next(_Search(pegs, colours, history, Rng(seed, attempt), short).codes(), None)
    return next(_Search(pegs, colours, history, Rng(seed, RESTARTS), patience).codes(), None)


def clash(pegs: int, colours: int, history: Sequence[Turn]) -> list[int] | None:
    """Turns, by their places in the history, that no code agrees with: the fewest in a small game, else few. None where
    some code agrees with all. Raises TooHard."""
    answered: dict[Code, int] = {}
    for place, turn in enumerate(history):
        first = answered.setdefault(turn.guess, place)
        if history[first].feedback != turn.feedback:
            return [first, place]
    if colours**pegs * max(1, len(history)) <= SMALL:
        return fewest(pegs, colours, history)
    patience = Patience()
    if consistent_code(pegs, colours, history, patience=patience) is not None:
        return None

    def impossible(places: Sequence[int]) -> bool:
        with suppress(TooHard), patience.share() as short:
            return consistent_code(pegs, colours, [history[place] for place in places], patience=short) is None
        return False

    needed: list[int] = []
    rest = list(range(len(history)))
    while rest and not impossible(needed):  # the last turn of the shortest beginning that fails is one of them
        length = bisect_left(range(len(rest)), True, key=lambda some: impossible([*needed, *rest[:some]]))
        needed, rest = [rest[length - 1], *needed], rest[: length - 1]
    return needed


def contradiction(pegs: int, colours: int, history: Sequence[Turn]) -> str | None:
    """The turns that contradict each other, in words; None where there are none or it takes long to find them."""
    try:
        places = clash(pegs, colours, history)
    except TooHard:
        return None
    if places is None:
        return None
    turns = [f"guess {place + 1}: {history_text([history[place]], colours).strip()}" for place in places]
    if len(turns) == 1:
        return f"no code can be answered so ({turns[0]})"
    return f"these {len(turns)} cannot be true together ({'; '.join(turns)})"


class _Search:
    """One walk through the codes, in random order."""

    def __init__(self, pegs: int, colours: int, history: Sequence[Turn], rng: Rng, patience: Patience) -> None:
        self.pegs, self.patience = pegs, patience
        turns = list(dict.fromkeys(history))
        self.work = 5 + len(turns)
        self.guesses = [turn.guess for turn in turns]
        self.blacks = [turn.feedback.blacks for turn in turns]
        self.common = [sum(turn.feedback) for turn in turns]
        self.colours: list[int] = rng.numpy.permutation(colours).tolist()
        self.places: list[int] = rng.numpy.permutation(pegs).tolist()
        self.tastes: list[list[int]] = [rng.numpy.permutation(colours).tolist() for _ in range(pegs)]
        self.noise: list[float] = (rng.numpy.random(colours) - 0.5).tolist()

    def codes(self) -> Iterator[Code]:
        """Every consistent code once."""
        counts = [0] * len(self.colours)
        for found in self._counts(0, self.pegs, self.common, counts):
            yield from self._placed(0, found, self.blacks, [0] * self.pegs)

    def _counts(self, index: int, left: int, missing: list[int], counts: list[int]) -> Iterator[list[int]]:
        """Ways to fill `left` pegs with the colours from `index` on, if each guess still misses `missing` in common."""
        self.patience.spend(self.work)
        if index == len(self.colours):
            if left == 0 and not any(missing):
                yield counts
            return
        colour, rest = self.colours[index], self.colours[index + 1 :]
        own = [guess.count(colour) for guess in self.guesses]
        later = [sum(guess.count(other) for other in rest) for guess in self.guesses]
        usual = left / (len(rest) + 1) + self.noise[index]
        for number in sorted(range(left + 1) if rest else [left], key=lambda number: abs(number - usual)):
            still = [m - min(number, most) for m, most in zip(missing, own, strict=True)]
            if all(0 <= m <= min(left - number, most) for m, most in zip(still, later, strict=True)):
                counts[colour] = number
                yield from self._counts(index + 1, left - number, still, counts)
                counts[colour] = 0

    def _placed(self, index: int, counts: list[int], missing: list[int], code: list[int]) -> Iterator[Code]:
        """Ways to put these colours on the pegs from `index` on, if each guess still misses `missing` blacks."""
        self.patience.spend(self.work)
        if index == self.pegs:
            yield tuple(code)
            return
        place, rest = self.places[index], self.places[index + 1 :]
        for colour in self.tastes[index]:
            if not counts[colour]:
                continue
            counts[colour] -= 1
            still = [m - (guess[place] == colour) for m, guess in zip(missing, self.guesses, strict=True)]
            if all(
                0 <= m <= sum(counts[guess[other]] > 0 for other in rest)
                for m, guess in zip(still, self.guesses, strict=True)
            ):
                code[place] = colour
                yield from self._placed(index + 1, counts, still, code)
            counts[colour] += 1
