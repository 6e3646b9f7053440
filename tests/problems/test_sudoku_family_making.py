"""New puzzles with other rules: how far cells are taken out, and grids that come from a pattern."""

from __future__ import annotations

import numpy as np
import pytest

from islands.errors import IslandsError
from islands.kernels.rng import Rng
from problems.sudoku import Sudoku, Variant
from problems.sudoku.family import making, thinning
from problems.sudoku.family.layout import Layout
from problems.sudoku.family.making import Wish, make
from problems.sudoku.family.patterns import PATTERNS
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.family.search import solutions
from problems.sudoku.making import MakeSudoku


def filled(variant: str) -> tuple[Ruleset, np.ndarray, list[int]]:
    """The rules of a 6x6 puzzle with all cells given, its grid, and an order of its cells."""
    puzzle = make(Wish(variant, box=(2, 3), filled=1.0), Rng(3)).puzzle
    full = np.array(puzzle.givens, np.int32)
    return puzzle.ruleset, full, Rng(4).numpy.permutation(36).tolist()


@pytest.mark.parametrize("variant", ["inequality", "killer", "diagonal", "kropki,anti-king"])
def test_several_cells_at_a_time_leave_what_one_at_a_time_does(variant: str) -> None:
    rules, full, cells = filled(variant)
    givens = full.copy()
    for cell in cells:
        givens[cell] = 0
        if len(solutions(rules, givens, 2, 0)[0]) > 1:
            givens[cell] = full[cell]
    taken, unknown = thinning.thinned(rules, full, cells, 0)
    assert taken.tolist() == givens.tolist()
    assert unknown == []


def test_it_stops_at_the_share_that_is_asked_for() -> None:
    rules, full, cells = filled("killer")
    assert int((thinning.thinned(rules, full, cells, 11)[0] > 0).sum()) == 11


class TestUnknown:
    @pytest.fixture(autouse=True)
    def _no_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(thinning, "LONG", 0)
        monkeypatch.setattr(thinning, "PATIENCE", 1)

    def test_what_is_not_proved_within_the_limit_stays_and_is_counted(self) -> None:
        rules, full, cells = filled("killer")
        givens, unknown = thinning.thinned(rules, full, cells, 0)
        assert givens.tolist() == full.tolist()
        assert sorted(unknown) == list(range(36))

    def test_the_file_says_so_and_is_read(self) -> None:
        sheet = MakeSudoku(box="2x2", variant="killer").make(Rng(1))
        assert sheet.remark.startswith("16 givens, 16 of which may be more than one solution takes")
        text = "".join(map(str, sheet.puzzle.formats()[".txt"]([sheet])))
        assert f"# {sheet.remark}\n" in text
        assert Sudoku.read(text)[0] == sheet.puzzle

    def test_a_share_that_is_not_reached_is_an_error_that_says_why(self) -> None:
        with pytest.raises(IslandsError, match="with 16 givens it is proved, fewer took too long"):
            MakeSudoku(box="2x2", variant="killer", filled=0.5, unique=True).make(Rng(1))


@pytest.mark.parametrize("name", sorted(PATTERNS))
@pytest.mark.parametrize("rows", [2, 3, 5, 8])
def test_patterns_obey_their_rule(name: str, rows: int) -> None:
    layout = Layout(rows * rows, box=(rows, rows))
    rules = Ruleset(layout, (name,), ())
    first, second = (PATTERNS[name](layout, Rng(seed)) for seed in (1, 2))
    assert list(rules.faults(first.tolist())) == []
    assert first.tolist() != second.tolist()


def test_large_windokus_are_made_and_read_back() -> None:
    first, second = (MakeSudoku(variant="windoku", size=25).make(Rng(seed)) for seed in (1, 2))
    for sheet in (first, second):
        assert sheet.solution is not None
        assert sheet.puzzle.verify(sheet.solution)
    assert first.puzzle.givens != second.puzzle.givens
    (again,) = Sudoku.read("".join(map(str, first.puzzle.formats()[".txt"]([first]))))
    assert isinstance(again, Variant)
    assert again.givens == first.puzzle.givens


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["inequality", "killer"])
def test_marks_at_16x16_come_to_an_end_with_one_solution(variant: str) -> None:
    sheet = MakeSudoku(variant=variant, size=16).make(Rng(1))
    givens = np.array(sheet.puzzle.givens, np.int32)
    assert sheet.solution is not None
    assert sheet.puzzle.verify(sheet.solution)
    assert 0 < int((givens > 0).sum()) < 100
    assert thinning.is_only(sheet.puzzle.ruleset, givens, sheet.solution, 100)


@pytest.mark.parametrize(("called", "name"), [("irregular", "jigsaw"), ("quasigroup", "latin"), ("Futoshiki", "latin")])
def test_a_variant_without_boxes_has_any_size_whatever_it_is_called(called: str, name: str) -> None:
    puzzle = MakeSudoku(variant=called, size=5, filled=0.5).make(Rng(1)).puzzle
    assert isinstance(puzzle, Variant)
    assert (puzzle.size, puzzle.names[0]) == (5, name)


@pytest.mark.parametrize(
    ("size", "why"), [(9, "there may be none. Try another"), (64, "above 25x25 few kinds can be made. Try a smaller")]
)
def test_where_no_grid_came_up_it_is_said_why(monkeypatch: pytest.MonkeyPatch, size: int, why: str) -> None:
    monkeypatch.setattr(making, "full_grid", lambda rules, rng: None)
    with pytest.raises(IslandsError, match=why):
        make(Wish("diagonal", size), Rng(1))
