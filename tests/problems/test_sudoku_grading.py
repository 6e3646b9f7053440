"""Grades by the kernel beside a person's steps in plain Python; digging to the last cell; grids that are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from islands.driver.inputs import make_instances
from islands.errors import IslandsError, UsageError
from islands.kernels.rng import Rng
from islands.model.capabilities import Maker, Sheet
from islands.model.problem import made
from problems.sudoku import Sudoku, bands, digging
from problems.sudoku.grading import grade
from problems.sudoku.grid import check_grids
from problems.sudoku.logic import LEVELS, Solver
from problems.sudoku.making import MakeSudoku, full_grid
from problems.sudoku.symmetry import canonical

LARGEST_SUBSET = 3  # pairs and triples


class Person(Solver):
    """Who strikes out what cannot be, and fills in what must be."""

    def eliminations(self) -> bool:
        """Locked candidates, and naked pairs and triples; whether anything was struck out."""
        before = sum(mask.bit_count() for mask in self.masks)
        self._locked()
        for unit in self.units:
            self._subsets(unit)
        return sum(mask.bit_count() for mask in self.masks) < before

    def _locked(self) -> None:
        """A value whose places in one unit all lie in another has no place elsewhere in that."""
        for unit in self.units:
            for value in range(1, self.n + 1):
                places = [cell for cell in unit if self.masks[cell] >> value & 1]
                if not 1 < len(places) <= self.n // 2:
                    continue
                common = set(self.homes[places[0]]).intersection(*(self.homes[cell] for cell in places[1:]))
                for home in common:
                    if self.units[home] is not unit:
                        self._strike(set(self.units[home]).difference(places), 1 << value)

    def _subsets(self, unit: Sequence[int]) -> None:
        """Two cells with the same two values, or three with the same three, keep them from the rest of the unit."""
        open_ = [cell for cell in unit if not self.values[cell]]
        for size in range(2, LARGEST_SUBSET + 1):
            small = [cell for cell in open_ if self.masks[cell].bit_count() <= size]
            for cells in combinations(small, size):
                joined = 0
                for cell in cells:
                    joined |= self.masks[cell]
                if joined.bit_count() == size:
                    self._strike((cell for cell in open_ if cell not in cells), joined)

    def _strike(self, cells: Iterable[int], mask: int) -> None:
        for cell in cells:
            self.masks[cell] &= ~mask


def plain_grade(box: tuple[int, int], givens: Sequence[int]) -> str:
    """The hardest kind of step the puzzle needs."""
    person = Person(box, givens)
    hardest = 0
    while not all(person.values):
        for level, step in enumerate((person.hidden_singles, person.naked_singles, person.eliminations)):
            if step():
                hardest = max(hardest, level)
                break
        else:
            return "expert"
    return LEVELS[hardest]


def thinned(box: tuple[int, int], number: int) -> list[int]:
    """A full grid without some of its cells: one solution, or several."""
    rng = Rng(7, number)
    grid = full_grid(box, rng)
    cells = rng.numpy.permutation(len(grid))
    if box == bands.SHAPE and number % 2:
        givens, _ = digging.dug(grid, cells, int(rng.numpy.integers(20, 40)))
        return [int(value) for value in givens]
    grid[cells[int(rng.numpy.uniform(0.3, 0.6) * len(grid)) :]] = 0
    return [int(value) for value in grid]


def compare(box: tuple[int, int], count: int) -> set[str]:
    puzzles = [thinned(box, number) for number in range(count)]
    grades = [grade(box, puzzle) for puzzle in puzzles]
    assert grades == [plain_grade(box, puzzle) for puzzle in puzzles]
    return set(grades)


class TestGrades:
    def test_are_those_of_the_steps_in_plain_python(self) -> None:
        assert compare((3, 3), 300) == set(LEVELS)

    @pytest.mark.slow
    @pytest.mark.parametrize(("box", "count"), [((3, 3), 6000), ((2, 3), 1000), ((2, 2), 500), ((4, 4), 100)])
    def test_of_thousands_too(self, box: tuple[int, int], count: int) -> None:
        assert compare(box, count) >= {"easy", "expert"}

    def test_a_value_that_a_box_needs_in_a_row_is_struck_from_the_rest_of_it(self) -> None:
        """Also where it has three places there: row 1 of box 1 is left for 7, 8 and 9."""
        givens = [0] * 81
        givens[9:12], givens[18:21] = (1, 2, 3), (4, 5, 6)
        person = Person((3, 3), givens)
        person._locked()
        assert [person.masks[cell] >> 7 & 7 for cell in range(9)] == [7, 7, 7, 0, 0, 0, 0, 0, 0]


class TestDigging:
    def test_full_grids_are_right_and_every_digit_comes_anywhere(self) -> None:
        rng = Rng(3)
        grids = np.array([digging.full_grid(rng) for _ in range(400)])
        assert check_grids((3, 3), np.zeros_like(grids), grids).all()
        assert len(np.unique(grids, axis=0)) == 400
        counts = np.array([(grids == value).sum(axis=0) for value in range(1, 10)])
        assert counts.min() > 15  # of 44 on average

    def test_a_puzzle_to_the_last_cell_has_one_solution_and_loses_it_with_any_given(self) -> None:
        rng = Rng(4)
        for _ in range(30):
            grid = digging.full_grid(rng)
            givens, left = digging.dug(grid, rng.numpy.permutation(81), 0)
            assert left == np.count_nonzero(givens)
            assert ((givens == 0) | (givens == grid)).all()
            without = np.repeat(givens[None], left + 1, axis=0)
            without[np.arange(left), np.flatnonzero(givens)] = 0
            numbers, _ = bands.solutions(without, 2)
            assert np.bincount(numbers).tolist() == [2] * left + [1]

    def test_stops_where_enough_is_taken_out(self) -> None:
        rng = Rng(5)
        givens, left = digging.dug(digging.full_grid(rng), rng.numpy.permutation(81), 40)
        assert left == np.count_nonzero(givens) == 40

    def test_all_of_it_is_plain_python_without_the_compiler(self) -> None:
        program = (
            "from problems.sudoku.making import MakeSudoku; from islands.kernels.rng import Rng; "
            "print(MakeSudoku(unique=True, filled=0.6).make(Rng(1)).genome.tolist()); "
            "from problems.sudoku.grading import grade; print(grade((2, 2), [1, 2, 0, 0] + [0] * 12))"
        )
        command, environment = [sys.executable, "-c", program], {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        made_here = MakeSudoku(unique=True, filled=0.6).make(Rng(1)).genome.tolist()
        assert said.stdout.split("\n")[:2] == [str(made_here), grade((2, 2), [1, 2, 0, 0] + [0] * 12)]


def image(grid: NDArray[np.int32], lot: np.random.Generator) -> NDArray[np.int32]:
    """The same grid with other names, rows, columns, and perhaps reflected."""
    rows, columns = (np.concatenate([3 * k + lot.permutation(3) for k in lot.permutation(3)]) for _ in range(2))
    square = grid.reshape(9, 9)[rows][:, columns]
    names = np.concatenate(([0], lot.permutation(9) + 1)).astype(np.int32)
    found: NDArray[np.int32] = names[square.T if lot.random() < 0.5 else square].ravel()
    return found


class TestSameGrids:
    def test_every_image_has_the_same_smallest_one_which_is_an_image_itself(self) -> None:
        lot, rng = np.random.default_rng(1), Rng(6)
        grids = [digging.full_grid(rng) for _ in range(20)]
        smallest = [canonical(grid) for grid in grids]
        assert len({grid.tobytes() for grid in smallest}) == 20
        for grid, least in zip(grids, smallest, strict=True):
            assert least[:9].tolist() == list(range(1, 10))
            assert Sudoku(givens=tuple(least.tolist())).verify(least)
            assert all(np.array_equal(canonical(image(grid, lot)), least) for _ in range(5))
            assert np.array_equal(canonical(least), least)
            assert all(tuple(image(grid, lot)) >= tuple(least) for _ in range(20))

    def test_puzzles_that_are_made_distinct_have_keys_that_differ(self) -> None:
        maker = made(MakeSudoku, {"unique": True, "distinct": True})
        sheets = list(make_instances(maker, 5, seed=1))
        assert len({maker.key(sheet) for sheet in sheets}) == 5
        lot = np.random.default_rng(2)
        for sheet in sheets:
            assert sheet.solution is not None
            assert maker.key(sheet._replace(solution=image(sheet.solution, lot))) == maker.key(sheet)

    def test_like_ones_are_made_again_until_it_is_said_that_there_are_no_others(self) -> None:
        class Coins(Maker, frozen=True):
            def make(self, rng: Rng) -> Sheet:
                side = rng.numpy.integers(0, 3, 1).astype(np.int32)
                return Sheet(Sudoku(box="2x2", givens=(0,) * 16), side)

            def key(self, sheet: Sheet) -> bytes | None:
                return sheet.genome.tobytes()

        three = [int(sheet.genome[0]) for sheet in make_instances(Coins(), 3, seed=1)]
        assert sorted(three) == [0, 1, 2]
        assert three == [int(sheet.genome[0]) for sheet in make_instances(Coins(), 3, seed=1)]
        with pytest.raises(IslandsError, match="after 3 puzzles no further one came up"):
            list(make_instances(Coins(), 4, seed=1))

    @pytest.mark.parametrize("options", [{"size": 16, "unique": True}, {}, {"filled": 0.4}])
    def test_only_of_9x9_with_one_solution(self, options: dict[str, object]) -> None:
        with pytest.raises(UsageError, match="`distinct` is for 9x9 puzzles with one solution"):
            made(MakeSudoku, {"distinct": True, **options})
