"""New puzzles: guesses with their answers that leave one code, none of them to spare.

How hard one is, is judged by where a person begins: by the share of all codes that its most telling guess leaves.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import IslandsError
from islands.kernels.rng import Rng
from islands.model.capabilities import Maker, Sheet
from islands.operators.space import Genomes
from problems.mastermind import Mastermind
from problems.mastermind.game import Turn
from problems.mastermind.judge import Code, check
from problems.mastermind.notation import Colours, Pegs, history_text
from problems.mastermind.packed import Codes, pack, responses

LARGEST = 1 << 20  # codes of a game that are listed for it
TRIES = 300  # secrets, for a wish
MOST_GUESSES = 30
LEVELS = {"easy": 1 / 60, "medium": 1 / 25, "hard": 1.0}  # shares that the most telling guess leaves at the most

Flags = NDArray[np.bool_]


class MakeMastermind(Maker, frozen=True):
    """A new mastermind puzzle on paper: guesses and their answers, from which exactly one code follows."""

    examples: ClassVar[tuple[str, ...]] = (
        "Four to print, with their solutions:  islands make mastermind --count 4 -o sheet.html",
        "A harder one for the screen:  islands make mastermind --pegs 5 --colours 8 --difficulty hard",
    )

    pegs: Pegs = 4
    colours: Colours = 6
    guesses: int | None = Field(default=None, ge=1, le=MOST_GUESSES, description="how many; default: as they come")
    difficulty: Literal["easy", "medium", "hard"] | None = Field(
        default=None, description="by the codes that the most telling guess leaves: up to 1 in 60, 1 in 25, or more"
    )

    @model_validator(mode="after")
    def _listed(self) -> Self:
        if self.colours**self.pegs > LARGEST:
            raise ValueError(
                f"`pegs={self.pegs}` and `colours={self.colours}` make {self.colours**self.pegs:,} codes; new puzzles "
                f"have up to {LARGEST:,}, for instance `pegs=5` and `colours=12`"
            )
        return self

    def make(self, rng: Rng) -> Sheet:
        codes = np.stack(np.unravel_index(np.arange(self.colours**self.pegs), (self.colours,) * self.pegs), axis=1)
        listed, packed = codes.astype(np.int32), pack(codes.astype(np.int32), self.colours)
        for _ in range(TRIES):
            secret = int(rng.numpy.integers(len(listed)))
            turns, left = self._spared(*self._asked(listed, packed, secret, rng))
            level = _level(left)
            if self.guesses in (None, len(turns)) and self.difficulty in (None, level):
                history = history_text(turns, self.colours)
                puzzle = Mastermind(pegs=self.pegs, colours=self.colours, history=history)
                return Sheet(puzzle, np.full(self.pegs, -1, np.int32), listed[secret], level)
        wishes = {"guesses": self.guesses, "difficulty": self.difficulty}
        wish = " ".join(f"`{name}={value}`" for name, value in wishes.items() if value is not None)
        raise IslandsError(f"no puzzle with {wish} came up in {TRIES} tries. Try another `seed`, or ask for less.")

    def _asked(self, codes: Genomes, packed: Codes, secret: int, rng: Rng) -> tuple[list[Turn], list[Flags]]:
        """Guesses until one code is left, half of them such as could be right; and what each of them leaves."""
        turns: list[Turn] = []
        left: list[Flags] = []
        open_: Flags = np.ones(len(codes), np.bool_)
        while open_.sum() > 1:
            likely = np.flatnonzero(open_) if rng.numpy.random() < 0.5 else np.arange(len(codes))
            guess = int(likely[rng.numpy.integers(len(likely))])
            if guess == secret:
                continue
            answers = responses(packed[guess : guess + 1], packed, self.pegs)
            leaves = answers == answers[secret]
            if (open_ & leaves).sum() < open_.sum():
                turns.append(Turn(_code(codes[guess]), check(_code(codes[secret]), _code(codes[guess]))))
                left.append(leaves)
                open_ &= leaves
        return turns, left

    def _spared(self, turns: list[Turn], left: list[Flags]) -> tuple[list[Turn], list[Flags]]:
        """Without those that say nothing the others do not say."""
        place = 0
        while place < len(turns):
            others = [*left[:place], *left[place + 1 :]]
            if others and np.logical_and.reduce(others).sum() == 1:
                turns, left = [*turns[:place], *turns[place + 1 :]], others
            else:
                place += 1
        return turns, left


def _code(genome: Genomes) -> Code:
    return tuple(genome.tolist())


def _level(left: list[Flags]) -> str:
    share = min((leaves.mean() for leaves in left), default=1.0)
    return next(level for level, most in LEVELS.items() if share <= most)
