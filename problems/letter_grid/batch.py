"""Many letter grids of one word as one run."""

from __future__ import annotations

from typing import Any

from islands.model.problem import made
from problems.letter_grid.puzzle import LetterGrid
from problems.sudoku.batch import Batch


class Many(Batch, frozen=True):
    """Many letter grids of one word. A genome is the number of the puzzle, from 0, and its grid."""

    def _one(self, fields: dict[str, Any]) -> LetterGrid:
        return made(LetterGrid, {"word": self.alphabet, **fields})
