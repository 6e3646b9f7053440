"""Mastermind: a hidden code of coloured pegs, and what a judge said about some guesses.

The seed document is 003. A run collects the codes that are consistent with a history.

    code       a colour 0..colours-1 for each peg; printed as 1, 2, 3 ..., above nine colours as A, B, C ...
    blacks     full matches: the right colour in the right place
    whites     partial matches: a colour of the secret, but in another place
    history    guesses with their blacks and whites
    valid      a code that would have been answered as the history says; also: consistent
    cost       by how much the code as a secret would have been answered otherwise: over the history, the differences of
               blacks and of whites, summed; the seed calls it fitness

Modules: `judge`, `notation` (reading and writing), `game` (a player against a judge), `players`; `packed` (codes by the
million), `consistent` (the codes that a history leaves, by walking), `join` (the same from halves), `annealing` (some
of them), `recipes`; `planning` (the next guess), `lookahead` (to the end of the game), `tree` (for a whole game),
`strategy` (builds it); `making` (new puzzles), `paper` (pages to print); `playing` (at the terminal), `people`,
`screen`, `reasoning` (hints and contradictions, without kernels), `cover` (the fewest turns that contradict each
other).
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.model.capabilities import Files, Format, Maker, Play, Sweeping, Wording
from islands.model.problem import Problem, made
from islands.operators.recipe import Recipe
from islands.operators.space import Choices, Costs, Genomes
from islands.writing.words import many
from problems.mastermind import recipes
from problems.mastermind.consistent import History
from problems.mastermind.game import Turn
from problems.mastermind.judge import check
from problems.mastermind.notation import Colours, Pegs, code_text, history_text, parse_history
from problems.mastermind.packed import pack, responses
from problems.mastermind.reasoning import contradiction

if TYPE_CHECKING:
    from rich.text import Text

COUNTED = 1 << 22  # codes of a game, up to which those that a history leaves are counted beforehand
PROBED = 1 << 30  # ... and above which a run first estimates how many there are
MOST_CODES, MOST_STEPS = 10**8, 10**11  # of an exhaustive run
TASKS = 64  # at least this many, where there are as many codes


class Mastermind(Problem, frozen=True):
    """The codes that are consistent with every guess of a history and its blacks and whites."""

    web_board: ClassVar[str] = "pegs"

    pegs: Pegs = 4
    colours: Colours = 6
    history: str | None = Field(None, description="guesses, one a line with its blacks and whites: 1122 1 0")

    @model_validator(mode="after")
    def _readable(self) -> Self:
        try:
            parse_history(self.history or "", self.pegs, self.colours)
        except UsageError as error:
            raise ValueError(f"`history`: {error}") from error
        return self

    @classmethod
    def files(cls) -> Files:
        return Files(fields=("history",), read=cls.read, option="history", describe=cls.describe, formats=cls.formats)

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        game = made(cls, options)
        turns = parse_history(source, game.pegs, game.colours)
        if not turns:
            raise UsageError("there is no guess in it; expected lines such as: 1122 1 0")
        return [made(cls, {**options, "history": history_text(turns, game.colours)})]

    @cached_property
    def turns(self) -> list[Turn]:
        return parse_history(self.history or "", self.pegs, self.colours)

    @cached_property
    def _history(self) -> History:
        return History(self.pegs, self.colours, self.turns)

    def describe(self) -> str:
        return f"{many(self.pegs, 'peg')}, {self.colours} colours, {many(len(self.turns), 'guess')}"

    def space(self) -> Choices:
        return Choices(self.pegs, self.colours)

    def costs(self, genomes: Genomes) -> Costs:
        """For each turn the differences of blacks and whites, summed."""
        codes = pack(genomes, self.colours)
        guesses = pack(self._history.guesses, self.colours)
        costs = np.zeros(len(genomes), np.int64)
        for turn, (_, feedback) in enumerate(self.turns):
            blacks, both = np.divmod(
                responses(guesses[turn : turn + 1], codes, self.pegs).astype(np.int64), self.pegs + 1
            )
            costs += abs(blacks - feedback.blacks) + abs(both - blacks - feedback.whites)
        return costs

    def verify(self, genome: Genomes) -> bool:
        return all(check(genome.tolist(), guess) == feedback for guess, feedback in self.turns)

    def recipes(self) -> dict[str, Recipe]:
        space = self.space()
        return {"fast": recipes.fast(space, self._history), "classic": recipes.classic(space, self.costs)}

    def usual_stop(self, recipe: str | None) -> dict[str, Any]:
        """All of them: by a search of the whole space, or as the recipe that was asked for finds them."""
        if self.sweeping() is None:
            raise UsageError(self._too_large())
        if recipe is None:
            return {"exhaustive": True}
        if self.known_total() is None and "fast" not in recipe:
            raise UsageError(
                f"recipe {recipe} cannot tell when it has all codes of so large a game. Say how many you want, for "
                "instance `solutions=1000`, or drop `recipe`."
            )
        return {"solutions": "all"}

    def _too_large(self) -> str:
        """Why not all codes can be collected, and what can be done."""
        codes, _ = _extent(self)
        about = f"about {codes:.0e} codes" if codes >= 1 else "nobody knows how many codes"
        where = "are consistent with this history" if self.turns else "are in this game"
        why = "too many" if codes > MOST_CODES else "it takes too long"
        return f"{about} {where}: {why} to collect all. Say how many you want, for instance `solutions=1000`."

    def known_total(self) -> int | None:
        """By counting, where that takes no time; in a larger game, 0 where a contradiction is quickly proved."""
        if self.colours**self.pegs <= COUNTED:
            return _count(self)
        return None if self.explain() is None else 0

    def sweeping(self) -> Sweeping | None:
        """A task for each way to begin a code."""
        if self.colours**self.pegs > PROBED and self.known_total() is None:
            codes, steps = _extent(self)
            if codes > MOST_CODES or steps > MOST_STEPS:
                return None
        return Sweeping(tasks=int(self.colours**self._prefix), sweep=self.sweep)

    @property
    def _prefix(self) -> int:
        """How many pegs are the same in all codes of a task."""
        return next((pegs for pegs in range(self.pegs) if self.colours**pegs >= TASKS), self.pegs)

    def sweep(self, task: int) -> Genomes:
        if self.known_total() == 0:
            return np.empty((0, self.pegs), np.int32)
        prefix = np.base_repr(task, self.colours).zfill(self._prefix) if self._prefix else ""
        return self._history.codes([int(place, self.colours) for place in prefix])

    def wording(self) -> Wording:
        return Wording(word="code", completed=self.completed, explain=self.explain, marked=self.marked)

    def marked(self, genome: Genomes) -> Text:
        """The code, and which guesses would have been answered otherwise."""
        from rich.text import Text

        code, lines = genome.tolist(), [Text(self.show(genome))]
        for guess, said in self.turns:
            answer = check(code, guess)
            if answer != said:
                words = f"{code_text(guess, self.colours)} {said.blacks} {said.whites}"
                lines.append(
                    Text(f"{words}: this code would have been answered {answer.blacks} {answer.whites}", "red")
                )
        return Text("\n").join(lines)

    def completed(self, found: int) -> str:
        if not found:
            return "no code is left: the history contradicts itself"
        return f"{many(found, 'code')} left: complete"

    def explain(self) -> str | None:
        return _contradiction(self)

    def show(self, genome: Genomes) -> str:
        """The code; of a puzzle that is not solved yet the history."""
        if genome.min() < 0:
            return history_text(self.turns, self.colours) + "?" * self.pegs
        return code_text(genome.tolist(), self.colours)

    def svg(self, genome: Genomes) -> str:
        from problems.mastermind.paper import code_picture

        return code_picture(genome.tolist(), self.colours)

    def formats(self) -> dict[str, Format]:
        from problems.mastermind.paper import FORMATS

        return FORMATS

    @classmethod
    def maker(cls) -> type[Maker]:
        from problems.mastermind.making import MakeMastermind

        return MakeMastermind

    @classmethod
    def game(cls) -> type[Play]:
        from problems.mastermind.playing import PlayMastermind

        return PlayMastermind


@cache
def _count(game: Mastermind) -> int:
    return game._history.count()


@cache
def _contradiction(game: Mastermind) -> str | None:
    return contradiction(game.pegs, game.colours, game.turns)


@cache
def _extent(game: Mastermind) -> tuple[float, float]:
    return game._history.extent()
