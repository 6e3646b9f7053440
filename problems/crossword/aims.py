"""What makes one crossword better than another, and the cost that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Costs, Genomes
from problems.crossword.classic import LEFT_OUT, sweep_errors
from problems.crossword.placement import Words

Aim = Literal["balance", "crossings", "compact", "square"]

ERROR = 10_000_000  # the cost of one error; all that is below tells crosswords apart


@dataclass(frozen=True)
class Aims:
    """What a word left out, a crossing, a cell of the box, one of the square around it, and a row too many weigh."""

    left_out: int
    crossing: int
    area: int
    square: int
    difference: int
    temperatures: tuple[float, float]  # of a walk, first and last

    @property
    def weights(self) -> NDArray[np.int64]:
        return np.array([self.left_out, self.crossing, self.area, self.square, self.difference], np.int64)

    def costs(self, words: Words, genomes: Genomes) -> Costs:
        """Errors first; where the words that are laid have none, also how far from good their layout is."""
        figures = np.empty((len(genomes), 4), np.int64)
        sweep_errors(words.letters, words.lengths, words.grid, np.ascontiguousarray(genomes, np.int32), figures)
        errors, crossings, tall, wide = figures.T
        most = int(words.lengths.sum()) // 2
        quality = (
            self.crossing * (most - crossings)
            + self.area * tall * wide
            + self.square * np.maximum(tall, wide) ** 2
            + self.difference * np.abs(tall - wide)
        )
        left_out = (genomes == 2 * words.halves).sum(axis=1)
        legal = errors == LEFT_OUT * left_out
        return np.asarray(ERROR * errors + np.where(legal, np.clip(quality, 0, ERROR - 1), 0), np.int64)


AIMS: dict[Aim, Aims] = {
    "balance": Aims(2000, 40, 1, 0, 1, (16.0, 4.0)),
    "crossings": Aims(5000, 200, 1, 0, 0, (60.0, 10.0)),
    "compact": Aims(1000, 4, 2, 0, 0, (12.0, 3.0)),
    "square": Aims(32_000, 128, 1, 64, 0, (384.0, 96.0)),  # of equal ones the smaller box
}
