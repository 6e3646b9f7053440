"""A file of puzzles that is too large for a job: the job says where it is, and the file stays there."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from islands.errors import UsageError
from islands.operators.space import Stored
from problems.sudoku.lines import BLOCK, Changed, Lines, lines_of


class LargeFile(BaseModel, frozen=True, extra="forbid"):
    """Where a file of one 9x9 puzzle per line is, and by what it is known again."""

    path: str
    count: int = Field(ge=2, description="of its puzzles")
    checksum: str

    def rows(self, numbers: NDArray[np.integer[Any]] | range) -> Stored:
        """The puzzles with these numbers, (k, 81). UsageError where the file is not there, or is another by now."""
        if not len(numbers):
            return np.empty((0, 81), np.uint8)
        lines = self._lines()
        try:
            if isinstance(numbers, range) and len(numbers) == 1:
                return _block(lines, numbers.start // BLOCK)[numbers.start % BLOCK :][:1]
            if isinstance(numbers, range):
                return lines.rows(numbers.start, numbers.stop)
            first, last = int(numbers.min()), int(numbers.max()) + 1
            if last - first <= 2 * len(numbers) + BLOCK:
                near: Stored = lines.rows(first, last)[numbers - first]
                return near
            return np.concatenate([lines.rows(number, number + 1) for number in numbers.tolist()])
        except Changed:
            raise self._changed() from None

    def _lines(self) -> Lines:
        lines = lines_in(self.path)
        if lines is None or (lines.count, lines.checksum) != (self.count, self.checksum):
            raise self._changed()
        return lines

    def _changed(self) -> UsageError:
        return UsageError(
            f"{self.path} is not what it was when the run began; the puzzles of the run are in it. Put it back as it "
            "was, or begin a new run."
        )


def lines_in(path: str) -> Lines | None:
    """The puzzles of a file of one per line; None where it is something else. It is looked through once."""
    try:
        status = Path(path).stat()
        return _looked_through(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}. It has the puzzles of the run: put it back, on every machine "
            "that takes part."
        ) from error


@lru_cache(maxsize=4)
def _looked_through(path: str, size: int, _changed: int) -> Lines | None:
    return lines_of(lambda: Path(path).open("rb"), size)


@lru_cache(maxsize=4)
def _block(lines: Lines, number: int) -> Stored:
    """The puzzles between two places of the file that are remembered: whoever asks for one mostly asks for the next."""
    return lines.rows(number * BLOCK, min((number + 1) * BLOCK, lines.count))
