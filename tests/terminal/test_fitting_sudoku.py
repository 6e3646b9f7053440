"""A grid on a narrow terminal: compact where that is enough, else cut off, never wrapped."""

from __future__ import annotations

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.model.loading import build
from islands.model.problem import Problem
from islands.terminal.fitting import fitted
from problems.crossword import Crossword
from problems.letter_grid import LetterGrid
from problems.sudoku import Batch, Sudoku
from problems.sudoku.making import MakeSudoku

PUZZLE, GIVENS, *_ = MakeSudoku(size=25, filled=0.45).make(Rng(1))
LAYOUT = Crossword(words=["horse", "rose"], grid=8)


def lines(problem: Problem, genome: np.ndarray, columns: int | None) -> list[str]:
    return fitted(problem, genome, columns).plain.splitlines()


@pytest.mark.parametrize("columns", [None, 87, 200])
def test_with_room_it_is_as_ever(columns: int | None) -> None:
    assert lines(PUZZLE, GIVENS, columns) == PUZZLE.show(GIVENS).splitlines()


@pytest.mark.parametrize("columns", [31, 40, 60, 80])
def test_a_25x25_sudoku_is_compact_below_87_columns(columns: int) -> None:
    shown = lines(PUZZLE, GIVENS, columns)
    assert shown[0] == "# sudoku box=5x5 symbols=1-9A-P"
    assert {len(line) for line in shown[1:]} == {31}
    assert Sudoku.read("\n".join(shown))[0].givens == PUZZLE.givens


def test_of_many_puzzles_too() -> None:
    batch = Batch.of([PUZZLE, PUZZLE])
    shown = lines(batch, np.concatenate(([1], GIVENS)), 60)
    assert shown[0] == "puzzle 2"
    assert shown[2:] == lines(PUZZLE, GIVENS, 60)[1:]


def test_letters_of_a_word_need_no_other_alphabet() -> None:
    grid = LetterGrid(word="ABCDEFGHIJKLMNOPQRSTUVWXY")
    shown = lines(grid, np.tile(np.arange(1, 26), 25), 60)
    assert shown[1].startswith("│ABCDE│FGHIJ│")


def test_a_crossword_without_gaps() -> None:
    rows, columns = np.array([[0, 0]], np.int32), np.array([[0, 2]], np.int32)
    (genome,) = LAYOUT.numbers.genomes(rows, columns, np.array([[True, False]]), np.zeros((1, 2), np.bool_))
    assert lines(LAYOUT, genome, 40)[:2] == ["H O R S E", "· · O · ·"]
    assert lines(LAYOUT, genome, 8)[:2] == ["HORSE", "··O··"]


def test_what_does_not_fit_at_all_is_cut_off_and_said() -> None:
    square = build("magic-square", None, {"size": 18})
    shown = lines(square, np.arange(1, 325), 40)
    assert all(len(line) <= 40 for line in shown[:-1])
    assert shown[-1] == "(cut off: 71 columns, the window has 40; all of it: islands show | less -S)"
