"""The stand-in for a puzzle whose code is not run: somebody else's, as long as nobody says that it is to be trusted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.model.problem import Problem
from islands.operators.space import Choices, Genomes, Stored


class Withheld(Problem):
    """A candidate is shown as its numbers; whether it is a solution is not known here."""


class AnyNumbers(Choices):
    """Genomes of a given length, of which nothing else is known."""

    def __init__(self, length: int) -> None:
        super().__init__(length, np.iinfo(np.int32).max)

    def contains(self, genomes: Genomes) -> NDArray[np.bool_]:
        return np.ones(len(genomes), np.bool_)

    def spans(self, genomes: Stored) -> bool:
        return True
