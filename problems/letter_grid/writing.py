"""Letter grids as a page to print; in all other ways they are on paper as sudokus are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from islands.model.capabilities import Format
from islands.operators.space import Genomes
from problems.letter_grid.target import written_in
from problems.sudoku import writing as sudoku
from problems.sudoku.fast import solutions

if TYPE_CHECKING:
    from problems.letter_grid.puzzle import LetterGrid

SEED = 1  # of the search for a solution to print


def _html(sheets: Iterable[tuple[LetterGrid, Genomes]]) -> Iterator[str]:
    """A page to print: the puzzles, and on a sheet of its own their solutions."""
    answers: list[str] = []
    last, number = None, 0
    for puzzle, grid in sheets:
        if last is None:
            yield sudoku.PAGE.format(
                title=f"letter grid {escape(puzzle.word)}",
                hint=f"Every row, column and box has each letter of {escape(' '.join(puzzle.word))} once.",
            )
        if puzzle.givens != last:
            last, number = puzzle.givens, puzzle.number or number + 1
            yield sudoku.figure(sudoku.picture(puzzle, puzzle.givens), str(number))
        solved = grid if (grid > 0).all() else _solution(puzzle)
        told = puzzle.remark(solved) if solved is not None else "no solution"
        caption = f"{number}{f' · {escape(told)}' if told else ''}"
        answers.append(sudoku.figure("" if solved is None else sudoku.picture(puzzle, solved), caption))
    yield '<h1 style="break-before: page">Solutions</h1>\n'
    yield from answers


def _solution(puzzle: LetterGrid) -> Genomes | None:
    """One that shows the target, if there is any."""
    given = np.array(puzzle.givens, np.int32)
    for start in [written_in(given, reading) for reading in puzzle.readings] or [given]:
        found, _ = solutions(*puzzle.shape, start, 1, seed=SEED)
        if len(found):
            solved: Genomes = found[0]
            return solved
    return None


FORMATS: dict[str, Format] = {**sudoku.FORMATS, ".html": _html}
