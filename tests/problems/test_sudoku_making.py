"""Sudoku the way a person does it, and new puzzles: grades, contradictions, full grids and what is left of them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_sudoku import SHAPES, shipped
from test_sudoku_formats import WIKIPEDIA, solved_grid

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.problem import made
from problems.sudoku import Sudoku
from problems.sudoku.fast import solutions
from problems.sudoku.grading import grade
from problems.sudoku.logic import LEVELS, contradiction
from problems.sudoku.making import MakeSudoku, full_grid
from problems.sudoku.symbols import first_repeat


class TestLogic:
    @pytest.mark.parametrize("level", LEVELS)
    def test_the_shipped_puzzles_are_unique_and_of_their_grade(self, level: str) -> None:
        for puzzle in shipped(f"{level}.sdm"):
            assert grade(puzzle.shape, puzzle.givens) == level
            found, proved = solutions(*puzzle.shape, np.array(puzzle.givens, np.int32), 2, seed=1)
            assert (len(found), proved) == (1, True)
            assert puzzle.verify(found[0])

    def test_a_full_grid_is_easy_and_an_empty_one_is_not(self) -> None:
        assert grade((3, 3), solved_grid((3, 3), 1)) == "easy"
        one_missing = solved_grid((3, 3), 1)
        one_missing[40] = 0
        assert grade((3, 3), one_missing) == "easy"
        assert grade((3, 3), [0] * 81) == "expert"

    def test_names_givens_that_contradict_each_other_and_only_those(self) -> None:
        givens = [0] * 81
        for column in range(8):
            givens[column] = column + 1  # row 1 needs a 9 in its last cell ...
        givens[5 * 9 + 8] = 9  # ... but column 9 has one
        givens[40] = 7  # which has nothing to do with it
        said = contradiction((3, 3), givens, [str(v) for v in range(1, 10)])
        assert said is not None
        assert "9 at row 6, column 9" in said
        assert "row 5, column 5" not in said
        assert "row 1" in said

    def test_says_nothing_where_singles_find_nothing_wrong(self) -> None:
        assert contradiction((3, 3), Sudoku(givens=WIKIPEDIA).givens, list("123456789")) is None

    def test_givens_that_are_blamed_have_no_solution_by_themselves(self) -> None:
        blamed = 0
        for seed in range(300):
            lot = np.random.default_rng(seed)
            givens = np.zeros(16, np.int32)
            givens[lot.permutation(16)[:6]] = lot.integers(1, 5, 6)
            if first_repeat((2, 2), tuple(givens.tolist())) is None:
                said = contradiction((2, 2), givens.tolist(), "1234") or ""
                alone = np.zeros(16, np.int32)
                for value, row, column in re.findall(r"(\d) at row (\d), column (\d)", said):
                    alone[4 * int(row) + int(column) - 5] = value
                assert (len(solutions(2, 2, alone, 1, seed=1)[0]) == 0) == bool(said)
                blamed += bool(said)
        assert blamed > 10


class TestMaking:
    @pytest.mark.parametrize("shape", [*SHAPES, (6, 6), (2, 8)])
    def test_full_grids_are_solved_and_differ(self, shape: tuple[int, int]) -> None:
        n = shape[0] * shape[1]
        grids = np.array([full_grid(shape, Rng(1, number)) for number in range(4)])
        assert Sudoku(box=f"{shape[0]}x{shape[1]}", givens=(0,) * n**2).verified(grids).all()
        assert len({grid.tobytes() for grid in grids}) > 2

    def test_every_4x4_grid_comes_up(self) -> None:
        """288 exist; 500 even draws hit 237 of them on average."""
        assert 210 <= len({full_grid((2, 2), Rng(2, number)).tobytes() for number in range(500)}) <= 288

    @pytest.mark.parametrize(
        "options",
        [{"size": 4, "filled": 0.5}, {"box": "2x3", "filled": 0.4}, {"size": 9, "filled": 0.0}, {"size": 16},
         {"size": 9, "filled": 1.0}],
    )  # fmt: skip
    def test_the_share_of_givens_is_as_asked_for(self, options: dict[str, object]) -> None:
        puzzle, shown, full, *_ = made(MakeSudoku, options).make(Rng(3))
        share = options.get("filled", 0.45)
        assert sum(v > 0 for v in puzzle.givens) == round(share * puzzle.size**2)
        assert shown.tolist() == list(puzzle.givens)
        assert puzzle.verify(full)
        assert len(solutions(*puzzle.shape, shown, 1, seed=1)[0]) == 1

    def test_unique_is_unique_and_the_seed_decides(self) -> None:
        maker = made(MakeSudoku, {"box": "3x2", "unique": True, "filled": 0.4})
        first, again, other = maker.make(Rng(1)), maker.make(Rng(1)), maker.make(Rng(2))
        assert first[0] == again[0] != other[0]
        assert len(solutions(3, 2, first[1], 5, seed=1)[0]) == 1

    def test_a_share_that_not_every_full_grid_can_have_is_met(self) -> None:
        maker = made(MakeSudoku, {"size": 4, "unique": True, "filled": 0.25})
        assert {len(maker.make(Rng(seed))[0].given_cells) for seed in range(10)} == {4}

    @pytest.mark.parametrize("level", ["medium", "expert"])
    def test_difficulty_is_as_asked_for(self, level: str) -> None:
        sheet = made(MakeSudoku, {"difficulty": level}).make(Rng(5))
        assert grade(sheet.puzzle.shape, sheet.puzzle.givens) == level == sheet.difficulty

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"size": 7}, "expected a size from 4 to 64"),
            ({"size": 6}, "6x6 grid can have boxes of 2x3 or 3x2 .*: add for instance `box=2x3`"),
            ({"size": 9, "box": "2x3"}, "`box=2x3` makes a 6x6 grid, but `size` says 9"),
            ({"size": 25, "unique": True}, "go up to 16x16"),
            ({"difficulty": "nightmare"}, "`difficulty='nightmare'`: expected 'easy', 'medium', 'hard' or 'expert'"),
            ({"filled": 2}, "`filled=2`: expected"),
            ({"sise": 9}, "Did you mean 'size'"),
        ],
    )
    def test_what_cannot_be_is_refused(self, options: dict[str, object], words: str) -> None:
        with pytest.raises(UsageError, match=words):
            made(MakeSudoku, options)
