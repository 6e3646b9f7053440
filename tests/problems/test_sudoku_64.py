"""The largest sudokus: 64x64, in numbers, in characters, on paper."""

from __future__ import annotations

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.model.capabilities import Sheet
from islands.operators.space import Genomes
from problems.sudoku import Batch, Sudoku
from problems.sudoku.fast import solutions
from problems.sudoku.making import MakeSudoku
from problems.sudoku.symbols import SIZES, symbols


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    return MakeSudoku(size=64, filled=0.9).make(Rng(1))


def written(sheet: Sheet, suffix: str) -> str:
    write = sheet.puzzle.formats()[suffix]
    return "".join(map(str, write([sheet])))


def test_every_size_has_a_character_for_each_value() -> None:
    for alphabet in ("1", "0", "A"):
        assert all(len(set(symbols(alphabet, n))) == n for n in SIZES)


@pytest.mark.parametrize("suffix", [".txt", ".sdm", ".sdk"])
def test_what_is_written_is_read_back(sheet: Sheet, suffix: str) -> None:
    (puzzle,) = Sudoku.read(written(sheet, suffix))
    assert puzzle.givens == sheet.puzzle.givens


def test_a_page_and_a_picture_are_drawn(sheet: Sheet) -> None:
    assert sheet.puzzle.svg(sheet.genome).count("<text") == 64 * 64
    assert "<svg" in written(sheet, ".html")
    assert len(sheet.puzzle.compact(sheet.genome).plain.splitlines()[1]) < 64 + 20


@pytest.mark.slow
def test_it_is_solved_alone_and_in_a_batch(sheet: Sheet) -> None:
    given: Genomes = np.array(sheet.puzzle.givens, np.int32)
    found, complete = solutions(8, 8, given, 2, seed=1)
    assert complete
    assert len(found) == 1
    assert sheet.puzzle.verify(found[0])
    both = Batch.of([sheet.puzzle, sheet.puzzle])
    assert both.verify(np.concatenate(([1], found[0])).astype(np.int32))
