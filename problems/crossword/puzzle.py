"""One crossword."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Files, Ranking, Symmetry, Wording
from islands.model.problem import Problem, made
from islands.operators.recipe import Recipe
from islands.operators.space import Choices, Costs, Genomes
from problems.crossword import judge, reading
from problems.crossword.aims import AIMS, ERROR, Aim
from problems.crossword.classic import GENERATIONS, LEFT_OUT, classic
from problems.crossword.fast import Fast, usual_generations
from problems.crossword.layout import Layout, Placed
from problems.crossword.placement import Words
from problems.crossword.summary import summary
from problems.crossword.writing import FORMATS

if TYPE_CHECKING:
    from rich.text import Text

LARGEST_GRID = 120
REDRAWS = 20  # of random words that share no letters


class Crossword(Problem, frozen=True):
    """Lay words out so that they cross, touch nowhere else and hang together. FILE: a word in a line, perhaps a tab,
    comma, semicolon, colon or dash, and a clue."""

    examples: ClassVar[tuple[str, ...]] = (
        "One good layout:  islands run crossword words.txt",
        "A small box, and ten seconds for it:  islands run crossword words.txt --optimise compact --seconds 10",
        "Thirty words of a long list:  islands run crossword words.txt --random 30 --seed 5",
        "Three of them, the best of all that are met:  islands run crossword words.txt --solutions 3",
        "The same of a run that is over:  islands show last --best 3",
        "As the seed document does it, for a folder of lists:  islands run crossword inputs --recipe classic",
    )
    web_board: ClassVar[str] = "words"

    grid: int = Field(default=20, ge=2, le=LARGEST_GRID, description="rows and columns")
    optimise: Aim = Field(
        default="balance",
        description="what makes a layout better: crossings, a small box, a small square, or all of it",
    )
    random: int = Field(
        default=0,
        ge=0,
        title="N",
        description="this many random words of the list, whatever fits; --seed decides which",
    )
    title: str = Field(default="", description="printed above it, in .html, .pdf, .ipuz and .puz")
    words: tuple[str, ...] = Field(description="the words, in capitals")
    clues: tuple[str, ...] = Field(default=(), description="the clue of each word")
    too_short: tuple[str, ...] = Field(default=(), description="letters that stood alone, and were left out")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        """`words` may be a text as `read` knows it; words come in any case."""
        if not isinstance(data, dict) or "words" not in data:
            return data
        words = data["words"]
        if isinstance(words, str):
            return {**data, **_fields(reading.entries(words))}
        if not isinstance(words, list | tuple):
            raise ValueError(f"words = {words!r}: expected a list of words, or a text with a word in a line")
        return {**data, "words": tuple(map(reading.capitals, map(str, words)))}

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.clues and len(self.clues) != len(self.words):
            raise ValueError(f"{len(self.clues)} clues for {len(self.words)} words: expected one for each, or none")
        if self.random:
            return self  # `sample` looks at them
        try:
            reading.checked([reading.Entry(word) for word in self.words], self.grid)
        except UsageError as error:
            raise ValueError(str(error)) from error
        return self

    @classmethod
    def files(cls) -> Files:
        return Files(
            fields=("words", "clues", "too_short"),
            read=cls.read,
            describe=cls.describe,
            sample=cls.sample,
            example="cat\ntar\n",
            summary=summary,
            formats=lambda _: FORMATS,
        )

    @classmethod
    def read(cls, source: str, **options: Any) -> list[Self]:
        found = reading.entries(source)
        grid = options.get("grid", cls.model_fields["grid"].default)
        if options.get("random"):
            found = [one for one in found if not one.is_long]
        elif isinstance(grid, int) and 2 <= grid <= LARGEST_GRID:
            reading.checked(reading.parted(found)[0], grid)  # which can name lines here
        puzzle = made(cls, {**options, **_fields(found)})
        if puzzle.random:
            puzzle.listed()  # before anybody says what is chosen
        return [puzzle]

    def listed(self) -> list[tuple[str, str]]:
        """The words and clues that `random` draws from; UsageError where it cannot."""
        clues = self.clues or ("",) * len(self.words)
        listed = reading.usable(zip(self.words, clues, strict=True), self.grid)
        if not 2 <= self.random <= reading.MOST:
            raise UsageError(f"`random={self.random}`: expected at least 2 words and at most {reading.MOST:,}.")
        if self.random > len(listed):
            raise UsageError(f"`random={self.random}`: there are only {len(listed)} words that fit the grid.")
        return listed

    def sample(self, seed: int) -> Self:
        """This crossword with the words that `random` asks for."""
        if not self.random:
            return self
        listed = self.listed()
        for attempt in range(REDRAWS):
            order = Rng(seed, attempt).numpy.permutation(len(listed))[: self.random]
            chosen = [listed[place] for place in order.tolist()]
            clues = tuple(clue for _, clue in chosen)
            given = {"words": tuple(word for word, _ in chosen), "clues": clues if any(clues) else (), "random": 0}
            try:
                return made(type(self), {**self.model_dump(), **given})
            except UsageError as error:
                refused = error
        raise refused

    def describe(self) -> str:
        if self.random:
            return f"{self.random} of {len(self.words):,} words, grid {self.grid}x{self.grid}"
        letters = sum(map(len, self.words))
        short = f"; left out, since a word has two letters: {', '.join(self.too_short)}" if self.too_short else ""
        return f"{len(self.words)} words of {letters} letters, grid {self.grid}x{self.grid}{short}"

    @cached_property
    def numbers(self) -> Words:
        """The words for kernels."""
        return Words.of(self.words, self.grid)

    def space(self) -> Choices:
        return self.numbers.space()

    def costs(self, genomes: Genomes) -> Costs:
        return AIMS[self.optimise].costs(self.numbers, genomes)

    def ranking(self) -> Ranking:
        """A layout without errors is a crossword; what is left of its cost says how good it is."""
        return Ranking(
            tolerance=ERROR - 1,
            cost_text=self.cost_text,
            merits=self.merits,
            partial=self.partial,
            advice=self.advice,
            alike=self.numbers.alike,
        )

    def wording(self) -> Wording:
        return Wording(word="crossword", marked=self.marked)

    def marked(self, genome: Genomes) -> Text:
        """A layout with errors, and which they are."""
        from problems.crossword.drawing import marked

        return marked(self.layout(genome), self.left_out(genome))

    def canonical(self, genomes: Genomes) -> Genomes:
        return self.numbers.canonical(genomes)

    def symmetry(self) -> Symmetry:
        return Symmetry(images=2, image=self.image)

    def image(self, genomes: Genomes, number: int) -> Genomes:
        return self.numbers.transposed(genomes) if number else genomes

    def verify(self, genome: Genomes) -> bool:
        """All words are there and can be read, nothing else can, and the seed counts no error."""
        layout = self.layout(genome)
        return not judge.faults(layout, self.words, self.grid) and judge.errors(layout) == 0

    def layout(self, genome: Genomes) -> Layout:
        """A genome's words at their places, those left out not among them."""
        clues = self.clues or ("",) * len(self.words)
        places = zip(*(values.tolist() for values in self.numbers.places(np.asarray(genome))), strict=True)
        return Layout(
            tuple(
                Placed(word, clue, row, column, across)
                for word, clue, (row, column, across, out) in zip(self.words, clues, places, strict=True)
                if not out
            )
        )

    def left_out(self, genome: Genomes) -> list[str]:
        """The words that a genome has no place for."""
        out = self.numbers.places(np.asarray(genome))[3]
        return [word for word, missing in zip(self.words, out.tolist(), strict=True) if missing]

    def usual_stop(self, recipe: str | None) -> dict[str, Any]:
        """The seed's, or enough generations that more of them hardly better a layout: some seconds."""
        if recipe == "classic":
            return {"solutions": 1, "generations": GENERATIONS}
        return {"generations": usual_generations(len(self.words))}

    def merits(self, genome: Genomes) -> dict[str, float]:
        layout = self.layout(genome)
        return {
            "crossings": layout.crossings,
            "rows": layout.rows,
            "columns": layout.columns,
            "area": layout.area,
            "density": round(layout.density, 3),
        }

    def cost_text(self, cost: int) -> str:
        errors, quality = divmod(cost, ERROR)
        if not errors:
            return f"{quality} (complete)"
        # only where the words that are laid have no error is there a quality: `Aims.costs`
        return f"{errors // LEFT_OUT} left out" if quality else f"{errors} errors"

    def partial(self, genome: Genomes) -> str | None:
        """The words left out of a layout that is right otherwise."""
        left_out = self.left_out(genome)
        if not 0 < len(left_out) < len(self.words) or self.cost(genome) // ERROR > LEFT_OUT * len(left_out):
            return None
        return f"{', '.join(left_out)} left out"

    def advice(self, genome: Genomes) -> str:
        from problems.crossword.obstacles import obstacle
        from problems.crossword.sizes import smallest_grid

        grid = smallest_grid(self.words, LARGEST_GRID)
        if grid is None:
            why = obstacle(self.words) or f"No grid up to {LARGEST_GRID}x{LARGEST_GRID}, the largest, held all."
            return f"{why} Leave out what has no place."
        if grid <= self.grid:
            return "All fit this grid: try another `seed`, or `seconds=60`"
        return f"All fit a grid of {grid}x{grid}: `grid={grid}`"

    def recipes(self) -> dict[str, Recipe]:
        return {"fast": Fast(self.numbers, AIMS[self.optimise]).recipe(), "classic": classic(self.numbers)}

    def show(self, genome: Genomes) -> str:
        return self.styled(genome).plain

    def styled(self, genome: Genomes) -> Text:
        from problems.crossword.drawing import drawn

        return drawn(self.layout(genome), self.left_out(genome))

    def compact(self, genome: Genomes) -> Text:
        from problems.crossword.drawing import drawn

        return drawn(self.layout(genome), self.left_out(genome), gap="")

    def svg(self, genome: Genomes) -> str:
        from problems.crossword.numbering import numbered
        from problems.crossword.picture import grid_only

        return grid_only(numbered(self.layout(genome)), solved=True)


def _fields(found: Sequence[reading.Entry]) -> dict[str, tuple[str, ...]]:
    """What a list says about a crossword."""
    kept, short = reading.parted(found)
    clues = tuple(one.clue for one in kept)
    return {
        "words": tuple(one.word for one in kept),
        "clues": clues if any(clues) else (),
        "too_short": tuple(f"{one.word} (line {one.line})" for one in short),
    }
