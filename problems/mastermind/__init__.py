"""Mastermind: a hidden code of coloured pegs, and what a judge said about some guesses.

The seed document is 003. A run collects the codes that are consistent with a history.

    code       a colour 0..colours-1 for each peg; printed as 1, 2, 3 ..., above nine colours as A, B, C ...
    blacks     full matches: the right colour in the right place
    whites     partial matches: a colour of the secret, but in another place
    history    guesses with their blacks and whites
    cost       by how much the code as a secret would have been answered otherwise: over the history, the differences of
               blacks and of whites, summed; the seed calls it fitness

Modules: `judge`, `notation` (reading and writing), `game` (a player against a judge).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from islands.errors import UsageError
from islands.instances import text_of
from islands.problem import Problem
from islands.space import Choices, Genomes
from problems.mastermind.game import Turn
from problems.mastermind.judge import check
from problems.mastermind.notation import FEWEST_COLOURS, MOST_COLOURS, MOST_PEGS, code_text, parse_history


class Mastermind(Problem, frozen=True):
    """The codes that are consistent with every guess of a history and its blacks and whites."""

    solution_word: ClassVar[str] = "code"

    pegs: int = Field(4, ge=1, le=MOST_PEGS, description=f"places of the code, 1 to {MOST_PEGS}")
    colours: int = Field(6, ge=FEWEST_COLOURS, le=MOST_COLOURS, description=f"{FEWEST_COLOURS} to {MOST_COLOURS}")
    history: str | None = Field(
        None, title="FILE", description="a file of guesses, one a line with its blacks and whites: 1122 1 0"
    )

    @field_validator("history", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return text_of(value)

    @model_validator(mode="after")
    def _readable(self) -> Self:
        try:
            parse_history(self.history or "", self.pegs, self.colours)
        except UsageError as error:
            raise ValueError(f"--history: {error}") from error
        return self

    @cached_property
    def turns(self) -> list[Turn]:
        return parse_history(self.history or "", self.pegs, self.colours)

    def space(self) -> Choices:
        return Choices(self.pegs, self.colours)

    def cost(self, genome: Genomes) -> int:
        """Counted colour by colour; the judge, who verifies, crosses pegs off."""
        code = genome.tolist()
        cost = 0
        for guess, feedback in self.turns:
            blacks = sum(hidden == tried for hidden, tried in zip(code, guess, strict=True))
            common = sum(min(code.count(colour), guess.count(colour)) for colour in set(guess))
            cost += abs(blacks - feedback.blacks) + abs(common - blacks - feedback.whites)
        return cost

    def verify(self, genome: Genomes) -> bool:
        return all(check(genome.tolist(), guess) == feedback for guess, feedback in self.turns)

    def show(self, genome: Genomes) -> str:
        return code_text(genome.tolist(), self.colours)
