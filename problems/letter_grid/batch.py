"""Many letter grids of one word as one run."""

from __future__ import annotations

from collections.abc import Sequence

from islands.errors import UsageError
from islands.problem import made
from islands.space import Genomes
from problems.letter_grid.puzzle import LetterGrid
from problems.sudoku.batch import Batch, fields_of


class _OneOfMany(LetterGrid, frozen=True):
    place: int

    @property
    def number(self) -> int:
        return self.place + 1


class Many(Batch, frozen=True):
    """Many letter grids of one word. A genome is the number of the puzzle, from 0, and its grid."""

    def _puzzle(self, genome: Genomes) -> LetterGrid:
        place = int(genome[0])
        return _OneOfMany(word=self.alphabet, givens=tuple(self._givens[place].tolist()), place=place)


def batch_of(puzzles: Sequence[LetterGrid], solutions: int | None) -> Many:
    """The puzzles of one file, up to so many solutions of each."""
    for option in ("target", "tournament_size", "rotation"):
        if getattr(puzzles[0], option) != LetterGrid.model_fields[option].default:
            flag = "--" + option.replace("_", "-")
            raise UsageError(f"{flag} is for a run of one puzzle; there are {len(puzzles)} in it.")
    return made(Many, fields_of(puzzles, solutions))
