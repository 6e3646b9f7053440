"""Sudokus and letter grids on paper: some to a page, with number, difficulty and seed, and pages of solutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from islands.model.capabilities import Sheets, Titled
from islands.operators.space import Genomes
from islands.writing import pdf
from islands.writing.sheets import FOUR, ONE, TWO, Draw, Figure, Grid, Part, html
from problems.sudoku.fast import solutions
from problems.sudoku.grading import grade
from problems.sudoku.symbols import LARGEST

if TYPE_CHECKING:
    from problems.sudoku.grid import BoxedGrid

GRADED = 9  # rows of the largest grid whose difficulty is found out here: beyond, it may take long
PUZZLES = {12: FOUR, 16: TWO, LARGEST: ONE}  # by the largest size: cells of about 7 mm, to write in
ANSWERS = {9: Grid.of(3, 4), 16: FOUR, 25: TWO, LARGEST: ONE}


def parts(sheets: Sheets, title: str) -> list[Part]:
    """The puzzles and their solutions; sheets of one puzzle that follow each other are one puzzle."""
    puzzles: list[Draw] = []
    answers: list[Draw] = []
    last: BoxedGrid | None = None
    number = 0
    for sheet in sheets:
        puzzle: BoxedGrid = sheet.puzzle
        if last is None or (puzzle.number, puzzle.givens) != (last.number, last.givens):
            last, number = puzzle, puzzle.number or number + 1
            caption = _caption(number, sheet.difficulty or puzzle.level or difficulty(puzzle), sheet.seed)
            puzzles.append(partial(_unsolved, puzzle, caption))
        solved = sheet.solution if sheet.solution is not None else sheet.genome
        if (solved > 0).all():
            answers.append(partial(_solved, puzzle, solved, number))
    if last is None:
        return []
    title, n = title or last.heading, last.size
    found = [Part(title, last.task, puzzles, _for(n, PUZZLES))]
    if answers:
        found.append(Part(f"{title}: solutions", "", answers, _for(n, ANSWERS)))
    return found


def difficulty(puzzle: BoxedGrid) -> str:
    """How hard the steps are that a person needs; empty for a large grid, other rules, or not one solution."""
    if puzzle.size > GRADED or not puzzle.is_plain:
        return ""
    level = grade(puzzle.shape, puzzle.givens)
    given = np.array(puzzle.givens, np.int32)
    unique = level != "expert" or len(solutions(*puzzle.shape, given, 2, seed=0)[0]) == 1
    return level if unique else ""


def _for(n: int, grids: dict[int, Grid]) -> Grid:
    return next(grid for largest, grid in grids.items() if n <= largest)


def _caption(number: int, level: str, seed: int | None) -> str:
    return " · ".join(filter(None, [str(number), level, "" if seed is None else f"seed {seed}"]))


def _unsolved(puzzle: BoxedGrid, caption: str) -> Figure:
    return Figure(puzzle.picture(puzzle.givens, tinted=False), caption)


def _solved(puzzle: BoxedGrid, grid: Genomes | Sequence[int], number: int) -> Figure:
    remark = puzzle.remark(np.asarray(grid))
    return Figure(puzzle.picture(grid), f"{number} · {remark}" if remark else str(number))


def _html(sheets: Sheets, title: str) -> Iterator[str]:
    return html(parts(sheets, title))


def _pdf(sheets: Sheets, title: str) -> Iterator[bytes]:
    return pdf.pages(parts(sheets, title))


FORMATS = {".html": Titled(_html), ".pdf": Titled(_pdf)}
