"""Many letter grids of one word as one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from islands.problem import made
from problems.letter_grid.puzzle import LetterGrid
from problems.sudoku.batch import Batch, fields_of


class Many(Batch, frozen=True):
    """Many letter grids of one word. A genome is the number of the puzzle, from 0, and its grid."""

    def _one(self, fields: dict[str, Any]) -> LetterGrid:
        return made(LetterGrid, {"word": self.alphabet, **fields})


def batch_of(puzzles: Sequence[LetterGrid], solutions: int | None) -> Many:
    """The puzzles of one file, up to so many solutions of each."""
    return made(Many, fields_of(puzzles, solutions))
