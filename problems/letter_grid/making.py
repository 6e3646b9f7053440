"""New letter grids: a random full grid, and cells taken out of it."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from islands.operators.rng import Rng
from islands.space import Genomes
from problems.letter_grid.puzzle import USUAL, LetterGrid
from problems.letter_grid.target import Reading, wanted, written_in
from problems.letter_grid.words import box_of, spelt
from problems.sudoku.fast import solutions
from problems.sudoku.making import Thinning, full_grid


class MakeLetterGrid(Thinning, frozen=True):
    """A new letter grid: any share of givens, or with --unique as few as leave one solution, none of them to spare. The
    solution may show the word in a row, column or diagonal."""

    unique_share: ClassVar[float] = 0.0

    word: str = Field(
        default=USUAL, description="different letters: 4 make a 4x4 grid, 6, 8, 9, 10, 12, 16, 25 larger ones"
    )
    target: str = Field(
        default="none",
        title="none|row|column|diagonal|any",
        description="where the word is read in the solution; one of several with commas: row,column",
    )
    line: int | None = Field(
        default=None,
        ge=1,
        description="which row, column or diagonal, from 1; the main diagonal is 1; default: any of them",
    )
    reversed: bool = Field(default=False, description="the word may also be read backwards")

    @field_validator("word")
    @classmethod
    def _spelt(cls, word: str) -> str:
        return spelt(word)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._readings()
        self._check_proof()
        return self

    def _readings(self) -> list[Reading]:
        return wanted(len(self.word), self.target, self.line, self.reversed)

    @property
    def shape(self) -> tuple[int, int]:
        return box_of(self.word)

    def make(self, rng: Rng) -> tuple[LetterGrid, Genomes]:
        givens = self.thinned(lambda: self._full(rng), rng)
        return LetterGrid(word=self.word, givens=tuple(givens.tolist())), givens

    def _full(self, rng: Rng) -> Genomes:
        """A solved grid; with a target, one that a search from the word on comes to."""
        readings = self._readings()
        if not readings:
            return full_grid(self.shape, rng)
        reading = readings[int(rng.numpy.integers(len(readings)))]
        start = written_in(np.zeros(len(self.word) ** 2, np.int32), reading)
        found, _ = solutions(*self.shape, start, 1, seed=int(rng.numpy.integers(1 << 32)))
        full: Genomes = found[0]
        return full
