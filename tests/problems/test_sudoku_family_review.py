"""Sudokus with other rules, as a saboteur would try them: files of several, damaged JSON, wrong grids."""

from __future__ import annotations

import json

import numpy as np
import pytest

from islands.errors import UsageError
from islands.kernels.rng import Rng
from problems.sudoku import Sudoku, Variant
from problems.sudoku.family.layout import OVERLAPPING
from problems.sudoku.family.making import Wish, make
from problems.sudoku.family.names import VARIANTS
from problems.sudoku.family.picture import GROUND, TINT
from problems.sudoku.family.sums import steps_of
from problems.sudoku.family.writing import fpuzzles
from problems.sudoku.making import MakeSudoku


def several(variant: str, count: int) -> tuple[list[Variant], str]:
    """Puzzles, and the file in which `islands make` writes them."""
    sheets = [make(Wish(variant, box=(2, 3), filled=0.3), Rng(seed)) for seed in range(count)]
    puzzles: list[Variant] = [sheet.puzzle for sheet in sheets]
    return puzzles, "".join(map(str, puzzles[0].formats()[".txt"](sheets)))


class TestFilesOfSeveral:
    @pytest.mark.parametrize("variant", ["killer", "jigsaw", "diagonal", "thermometers,anti-king", "twin"])
    def test_what_is_made_is_read_back(self, variant: str) -> None:
        puzzles, text = several(variant, 3)
        again = Sudoku.read(text)
        assert [(one.givens, one.extras, one.regions, one.names) for one in again] == [
            (one.givens, one.extras, one.regions, one.names) for one in puzzles
        ]

    def test_a_wrong_one_is_named_by_the_line_of_the_file(self) -> None:
        _, text = several("killer", 3)
        lines = text.splitlines()
        wrong = next(k for k in range(len(lines) - 1, 0, -1) if lines[k].startswith("cage"))
        lines[wrong] = "cage 99: r1c1 r1c2"
        with pytest.raises(UsageError, match=f"line {wrong + 1}: cage 99: r1c1 r1c2: the sum of 2 different values"):
            Sudoku.read("\n".join(lines))

    def test_two_headers_of_one_puzzle_are_one_puzzle(self) -> None:
        (puzzle,) = Sudoku.read("# sudoku variant=diagonal\n# sudoku variant=anti-king\n" + "." * 16)
        assert puzzle.variant == "diagonal,anti-king"


class TestDamagedJson:
    def damaged(self, text: str) -> str:
        with pytest.raises(UsageError) as caught:
            Sudoku.read(text)
        return str(caught.value)

    def object(self) -> dict[str, object]:
        puzzle = make(Wish("killer", box=(2, 2), filled=0.5), Rng(1)).puzzle
        return fpuzzles(puzzle, np.array(puzzle.givens, np.int32))

    def test_a_name_that_is_there_twice(self) -> None:
        whole = json.dumps(self.object())
        assert "'size' is there twice" in self.damaged(whole.replace('"size": 4', '"size": 4, "size": 9'))
        assert "'killercage' is there twice" in self.damaged(whole[:-1] + ', "killercage": []}')

    def test_what_is_missing_or_of_another_kind_is_named(self) -> None:
        assert "'arrow' of this file is damaged: 'cells' is missing" in self.damaged(
            json.dumps({**self.object(), "arrow": [{"lines": [["R1C1", "R1C2"]]}]})
        )
        said = self.damaged(json.dumps({**self.object(), "killercage": [7]}))
        assert "'killercage' has 7 in it: expected objects" in said
        assert "Error" not in said


def grids_of(variant: str) -> tuple[Variant, list[np.ndarray]]:
    """A puzzle, and grids that obey rows, columns and boxes but only by chance the variant: two rows of a band or two
    columns of a stack change places, or two values everywhere."""
    sheet = make(Wish(variant, 9, filled=0.0), Rng(2))
    assert sheet.solution is not None
    puzzle: Variant = sheet.puzzle
    full = sheet.solution.reshape(9, 9)
    changed = []
    for k in range(0, 9, 3):
        for one, other in ((k, k + 1), (k, k + 2), (k + 1, k + 2)):
            rows, values = full.copy(), full.copy()
            rows[[one, other]] = full[[other, one]]
            values[full == one + 1], values[full == other + 1] = other + 1, one + 1
            columns = full.T.copy()
            columns[[one, other]] = full.T[[other, one]]
            changed += [rows.ravel(), values.ravel(), columns.T.ravel()]
    return puzzle, changed


OWN = sorted(set(VARIANTS) - {"sums", "latin", *OVERLAPPING})


@pytest.mark.parametrize("variant", OWN)
def test_each_rule_alone_rejects_grids_that_break_nothing_else(variant: str) -> None:
    puzzle, changed = grids_of(variant)
    usual = ("row", "column", "box")
    rejected = 0
    for grid in changed:
        names = [name for _, name in puzzle.ruleset.faults(grid.tolist())]
        assert not any(name.startswith(usual) for name in names)
        assert puzzle.verify(grid) == (not names)
        rejected += bool(names)
    assert rejected >= 9


@pytest.mark.parametrize("variant", [*OWN, "latin", "twin", "butterfly"])
def test_two_cells_that_change_places_are_rejected(variant: str) -> None:
    sheet = make(Wish(variant, 9, filled=0.0), Rng(2))
    assert sheet.solution is not None
    lot = np.random.default_rng(1)
    for _ in range(50):
        one, other = lot.choice(len(sheet.solution), 2, replace=False)
        grid = sheet.solution.copy()
        grid[[one, other]] = grid[[other, one]]
        assert sheet.puzzle.verify(grid) == bool(grid[one] == grid[other])


def test_a_given_of_a_group_still_shows_the_group() -> None:
    puzzle = make(Wish("asterisk", 9, filled=1.0), Rng(1)).puzzle
    picture = puzzle.picture(puzzle.givens)
    assert picture.count(f'fill="{GROUND}"') == 9
    assert picture.count(f'fill="{TINT}"') == 81


class TestRulesThatAreNotTaken:
    """None is left out unnoticed."""

    def test_a_sum_of_too_many_cells_is_refused_before_it_fills_the_memory(self) -> None:
        def summed(n: int, cells: int) -> str:
            names = [f"r{cell // n + 1}c{cell % n + 1}" for cell in range(cells)]
            return f"sum {cells * (n + 1) // 2}: {' '.join(names)}"

        (puzzle,) = Sudoku.read(summed(9, 81))
        assert isinstance(puzzle, Variant)
        with pytest.raises(UsageError, match=r"line 1: sum 8125: .*takes [\d,]+ steps; expected fewer cells") as said:
            Sudoku.read(summed(25, 625), box="5x5")
        assert len(str(said.value)) < 300

    @pytest.mark.parametrize(("size", "total"), [(1, 4), (3, 9), (5, 12), (4, 36)])
    def test_the_steps_of_a_sum_are_counted_beforehand(self, size: int, total: int) -> None:
        reached = [{0}]
        for _ in range(size):
            reached.append({so_far + value for so_far in reached[-1] for value in range(1, 10)})
        kept = [
            {so_far for so_far in sums if size - k <= total - so_far <= 9 * (size - k)}
            for k, sums in enumerate(reached)
        ]
        assert steps_of(9, size, total) == 9 * sum(map(len, kept[:-1]))

    @pytest.mark.parametrize("line", ["grids: r1c1 r3c3", "variant: latin", "variant: twin"])
    def test_regions_and_what_has_none_are_refused(self, line: str) -> None:
        with pytest.raises(UsageError, match="there are regions, and"):
            Sudoku.read(f"# sudoku box=2x2\n{line}\n{'. . . .' * 1}\n" + ". . . .\n" * 3 + "regions: AABBAABBCCDDCCDD")

    @pytest.mark.parametrize("line", ["r1c1 < r1c2 < r1c3", "r1c1 <= r1c2", "r1c1 ≤ r1c2", "r1c1 <"])
    def test_a_sign_that_is_not_known_is_shown_with_its_line(self, line: str) -> None:
        with pytest.raises(UsageError, match=f"line 5: '{line}' is not an extra"):
            Sudoku.read(f"{'. . . .' * 1}\n" + ". . . .\n" * 3 + line)


def test_a_file_has_a_jigsaw_in_each_line() -> None:
    regions = "AABBAABBCCDDCCDD"
    text = f"# from a list\n1...............{regions}\n\n..2.............{regions}\n"
    first, second = Sudoku.read(text, variant="jigsaw")
    assert isinstance(first, Variant)
    assert isinstance(second, Variant)
    assert (first.givens[0], second.givens[2], first.regions, second.regions) == (1, 2, regions, regions)
    with pytest.raises(UsageError, match=r"puzzle 2 \(line 2\): region A has 5 cells"):
        Sudoku.read(f"1...............{regions}\n................AABBAABBCCADCCDD", variant="jigsaw")


def test_signs_and_dots_are_counted_as_people_call_them() -> None:
    puzzle = Sudoku.read(". . . .\n" * 4 + "r1c1 < r1c2\nr2c1 > r2c2\nwhite: r1c3 r1c4\nwhite: r3c3 r3c4")[0]
    assert "2 signs, 2 white dots" in puzzle.describe()


class TestValuesFromZeroOn:
    """A file with 0 as a value is not read as one with 0 for an empty cell."""

    @pytest.mark.parametrize(
        ("variant", "size"), [("latin", 4), ("latin", 10), ("jigsaw", 5), ("twin", 4), ("diagonal", 9)]
    )
    def test_what_is_written_is_read_back(self, variant: str, size: int) -> None:
        sheet = MakeSudoku(variant=variant, size=size, alphabet="0", filled=0.5).make(Rng(1))
        (again,) = Sudoku.read("".join(map(str, sheet.puzzle.formats()[".txt"]([sheet]))))
        assert again.givens == sheet.puzzle.givens
        assert 1 in again.givens

    def test_digits_say_it_themselves_or_are_refused(self) -> None:
        rows = ["".join(str((i + j) % 10) for j in range(10)) for i in range(10)]
        (puzzle,) = Sudoku.read("\n".join([*rows[:9], 10 * "."]), variant="latin")
        assert (puzzle.givens[:3], puzzle.givens[90:]) == ((1, 2, 3), (0,) * 10)
        with pytest.raises(UsageError, match=r"several ways: add `alphabet=1` \(1-5\) or `alphabet=0` \(0-4\)"):
            Sudoku.read("01234\n" + ".....\n" * 4, variant="latin")
        (puzzle,) = Sudoku.read("00234\n" + "00000\n" * 4, variant="latin")
        assert puzzle.givens[:5] == (0, 0, 2, 3, 4)
