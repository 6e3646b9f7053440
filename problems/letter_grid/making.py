"""New letter grids: a random full grid, and cells taken out of it."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Sheet
from islands.operators.space import Genomes
from problems.letter_grid.puzzle import LetterGrid
from problems.letter_grid.target import Worded, written_in
from problems.sudoku.fast import solutions
from problems.sudoku.making import FILLED_USUALLY, Thinning, full_grid


class MakeLetterGrid(Worded, Thinning, frozen=True):
    """A new letter grid: any share of givens, or with --unique as few as leave one solution, none of them to spare. The
    solution may show the word in a row, column or diagonal."""

    examples: ClassVar[tuple[str, ...]] = (
        "One to print, with its solution:  islands make letter-grid --word MONKEY --unique -o monkey.html",
        "With the word on a diagonal:  islands make letter-grid --word DUMBWAITE --target diagonal --unique",
    )
    unique_share: ClassVar[float] = 0.0

    variant: str = Field(default="", description="other rules: diagonal, windoku, anti-knight, anti-king ...")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_proof()
        if self.variant:
            self._check_variant()
        return self

    def _check_variant(self) -> None:
        from problems.letter_grid.variants import checked

        try:
            checked(self.variant)
        except UsageError as error:
            raise ValueError(str(error)) from error
        if self.asked or self.difficulty:
            raise ValueError("`target` and `difficulty` are for letter grids without `variant`; leave one of them out")

    def make(self, rng: Rng) -> Sheet:
        if self.variant:
            from problems.sudoku.family.making import Wish, make

            share = self.unique_share if self.unique else FILLED_USUALLY
            wish = Wish(
                self.variant, box=self.shape, word=self.word, filled=self.filled, unique=self.unique, usual=share
            )
            return make(wish, rng)
        givens, full = self.thinned(lambda: self._full(rng), rng)
        return Sheet(LetterGrid(word=self.word, givens=tuple(givens.tolist())), givens, full, self.difficulty or "")

    def _full(self, rng: Rng) -> Genomes:
        """A solved grid; with a target, one that a search from the word on comes to."""
        if not self.asked:
            return full_grid(self.shape, rng)
        reading = self.asked[int(rng.numpy.integers(len(self.asked)))]
        start = written_in(np.zeros(len(self.word) ** 2, np.int32), reading)
        found, _ = solutions(*self.shape, start, 1, seed=int(rng.numpy.integers(1 << 32)))
        full: Genomes = found[0]
        return full
