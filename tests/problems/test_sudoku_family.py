"""Sudokus with other rules: the search against brute force, every way to write them down, every kind that is made."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from islands.driver.api import solve
from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.problem import made
from problems.sudoku import Sudoku, Variant
from problems.sudoku.family.kinds import KINDS, Extra
from problems.sudoku.family.layout import Layout
from problems.sudoku.family.names import VARIANTS
from problems.sudoku.family.notation import fault_of
from problems.sudoku.family.patterns import random_regions
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.family.search import solutions
from problems.sudoku.family.sums import combinations_of
from problems.sudoku.making import MakeSudoku

FOUR = "AAABACBBCCDBCDDD"


def all_of(rules: Ruleset, seed: int = 1) -> set[tuple[int, ...]]:
    """Every solution, each found once, and proved to be all."""
    found, complete = solutions(rules, np.zeros(len(rules.layout.places), np.int32), 10**6, seed)
    assert complete
    as_set = {tuple(grid) for grid in found.tolist()}
    assert len(as_set) == len(found)
    return as_set


def latin_squares() -> list[tuple[int, ...]]:
    squares = sorted(all_of(Ruleset(Layout(4), (), ())))
    assert len(squares) == 576
    return squares


def read(text: str, **options: str) -> Variant:
    (puzzle,) = Sudoku.read(text, **options)
    assert isinstance(puzzle, Variant)
    return puzzle


def unique(puzzle: Variant) -> tuple[int, ...]:
    found, complete = solutions(puzzle.ruleset, np.array(puzzle.givens, np.int32), 2, 1)
    assert complete
    assert len(found) == 1
    assert puzzle.verify(found[0])
    return tuple(found[0].tolist())


class TestCounts:
    def test_plain_rules_have_the_288_grids(self) -> None:
        assert len(all_of(Ruleset(Layout(4, box=(2, 2)), (), ()))) == 288

    @pytest.mark.parametrize(
        ("names", "known"),
        [(("diagonal",), 48), (("anti-knight",), None), (("anti-king",), None), (("disjoint",), None)],
    )
    def test_names_leave_the_grids_that_obey_them(self, names: tuple[str, ...], known: int | None) -> None:
        rules = Ruleset(Layout(4, box=(2, 2)), names, ())
        every = all_of(Ruleset(Layout(4, box=(2, 2)), (), ()))
        truth = {grid for grid in every if not list(rules.faults(grid))}
        assert all_of(rules) == truth
        assert known is None or len(truth) == known

    def test_neighbours_that_are_not_consecutive(self) -> None:
        """Of order 5, where there are some."""
        every = all_of(Ruleset(Layout(5), (), (Extra("odd", (0,)), Extra("cage", (0, 6), 3))))
        rules = Ruleset(Layout(5), ("non-consecutive",), (Extra("odd", (0,)), Extra("cage", (0, 6), 3)))
        assert all_of(rules) == {grid for grid in every if not list(rules.faults(grid))}

    @pytest.mark.parametrize("seed", range(40))
    def test_random_extras_leave_the_latin_squares_that_obey_them(self, seed: int) -> None:
        lot, squares = random.Random(seed), latin_squares()
        truth = lot.choice(squares)
        extras = [extra for _ in range(lot.randint(1, 4)) if (extra := random_extra(lot, truth)) is not None]
        rules = Ruleset(Layout(4), (), tuple(extras))
        assert all_of(rules, seed) == {square for square in squares if not list(rules.faults(square))}

    def test_a_cage_of_many_combinations_is_counted_by_steps(self) -> None:
        assert combinations_of(20, 8, 84) is None
        truth = list(range(1, 13)) * 12
        rows = [truth[k : k + 12] for k in range(12)]
        givens = np.array([value for row in rows for value in row], np.int32)
        cells = tuple(13 * k for k in range(6))
        rules = Ruleset(Layout(12), (), (Extra("sum", cells, int(givens[list(cells)].sum())),))
        givens[[0, 1, 12, 13]] = 0
        found, complete = solutions(rules, givens, 10, 1)
        assert complete
        assert [int(grid[0]) for grid in found] == [1]


def random_extra(lot: random.Random, truth: tuple[int, ...]) -> Extra | None:
    """One that is true of this square."""
    kind = lot.choice(list(KINDS))
    about = KINDS[kind]
    cells = tuple(lot.sample(range(16), lot.randint(about.fewest, min(about.most or 5, 5))))
    number = {"cage": sum(truth[cell] for cell in cells), "sum": sum(truth[cell] for cell in cells), "whisper": 2}
    extra = Extra(kind, cells, number.get(kind, about.usual))
    return None if fault_of(extra, Layout(4)) else extra


@pytest.mark.parametrize("text", ["killer", "arrows", "thermometers"])
def test_counts_are_those_of_cp_sat(text: str) -> None:
    """A 6x6 grid with half of its marks, which has several solutions."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model")
    sheet = MakeSudoku(box="2x3", variant=text, filled=0.1).make(Rng(4))
    puzzle: Variant = sheet.puzzle
    model = cp_model.CpModel()
    x = [model.new_int_var(given or 1, given or 6, f"{cell}") for cell, given in enumerate(puzzle.givens)]
    for unit in puzzle.ruleset.units:
        model.add_all_different(x[cell] for cell in unit)
    for extra in puzzle.ruleset.extras:
        cells = [x[cell] for cell in extra.cells]
        if extra.kind == "cage":
            model.add_all_different(cells)
            model.add(sum(cells) == extra.number)
        elif extra.kind == "arrow":
            model.add(sum(cells[1:]) == cells[0])
        else:
            for one, other in pairwise(cells):
                model.add(one < other)

    class Count(cp_model.CpSolverSolutionCallback):  # type: ignore[misc,name-defined]
        count = 0

        def on_solution_callback(self) -> None:
            self.count += 1

    solver, counted = cp_model.CpSolver(), Count()
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, counted)
    found, complete = solutions(puzzle.ruleset, np.array(puzzle.givens, np.int32), 10**5, 1)
    assert complete
    assert len(found) == counted.count > 0
    assert all(puzzle.verified(found))


class TestMaking:
    @pytest.mark.parametrize("name", sorted(set(VARIANTS) - {"sums", "samurai", "triplet", "cross"}))
    def test_every_variant_is_made_with_one_solution_and_read_back(self, name: str) -> None:
        sheet = MakeSudoku(variant=name, unique=True, size=6 if name in ("latin", "jigsaw") else 9).make(Rng(1))
        puzzle: Variant = sheet.puzzle
        assert sheet.solution is not None
        assert unique(puzzle) == tuple(sheet.solution.tolist())
        text = "".join(map(str, puzzle.formats()[".txt"]([sheet])))
        again = read(text)
        assert (again.givens, again.extras, again.regions, again.names) == (
            puzzle.givens, puzzle.extras, puzzle.regions, puzzle.names,
        )  # fmt: skip
        ElementTree.fromstring(puzzle.svg(sheet.solution))
        assert read(puzzle.show(sheet.genome)).givens == puzzle.givens

    def test_samurai_shares_the_corners_of_the_middle(self) -> None:
        sheet = MakeSudoku(variant="samurai").make(Rng(1))
        puzzle: Variant = sheet.puzzle
        assert len(puzzle.givens) == 369
        assert len(puzzle.ruleset.units) == 5 * 27 - 4
        assert sheet.solution is not None
        assert puzzle.verify(sheet.solution)
        assert puzzle.describe().startswith("5 grids of 9x9, boxes 3x3, samurai")

    def test_regions_are_connected_and_as_large_as_a_row(self) -> None:
        regions = random_regions(7, Rng(3))
        assert sorted(regions.count(letter) for letter in set(regions)) == [7] * 7
        (puzzle,) = Sudoku.read("." * 49 + regions, variant="jigsaw")
        assert read(puzzle.show(np.zeros(49, np.int32))).regions == regions

    def test_what_cannot_be_made_is_said(self) -> None:
        with pytest.raises(UsageError, match="sums puzzles cannot be made"):
            made(MakeSudoku, {"variant": "sums"})
        with pytest.raises(UsageError, match="`difficulty` and `distinct` are for plain sudokus"):
            made(MakeSudoku, {"variant": "diagonal", "difficulty": "hard"})

    def test_a_large_grid_with_disjoint_groups_is_made(self) -> None:
        first, second = (MakeSudoku(variant="disjoint", size=25).make(Rng(seed)) for seed in (1, 2))
        for sheet in (first, second):
            assert sheet.puzzle.verify(sheet.solution)
        assert (first.solution != second.solution).any()


class TestReading:
    def test_three_ways_to_write_regions(self) -> None:
        rows = "\n".join(FOUR[k : k + 4] for k in range(0, 16, 4))
        texts = [
            "1..." + "." * 12 + FOUR,
            f"1...\n....\n....\n....\nregions:\n{rows}\n",
            f"1{'.' * 15}\nregions: {FOUR}",
        ]
        assert {read(text, variant="jigsaw").regions for text in texts} == {FOUR}

    def test_a_row_of_32_characters_is_not_a_grid_with_its_regions(self) -> None:
        sheet = MakeSudoku(variant="jigsaw", size=25).make(Rng(1))
        puzzle: Variant = sheet.puzzle
        text = "".join(map(str, puzzle.formats()[".txt"]([sheet])))
        assert any(len("".join(row.split())) == 32 for row in text.splitlines())
        again = read(text)
        assert (again.givens, again.regions) == (puzzle.givens, puzzle.regions)

    def test_a_killer_needs_no_grid(self) -> None:
        puzzle = read("# sudoku variant=killer box=2x2\ncage 3: r1c1 r1c2\n")
        assert puzzle.givens == (0,) * 16

    def test_signs_and_names_of_extras(self) -> None:
        puzzle = read("1...\n....\n....\n....\nr2c1 < r2c2\nr3c1 > R3C2\nThermometer: r4c1 r4c2\nblack: r1c2 r1c3")
        assert puzzle.extras == ("less: r2c1 r2c2", "greater: r3c1 r3c2", "thermometer: r4c1 r4c2", "black: r1c2 r1c3")

    def test_a_variant_by_keyword_is_of_the_same_class(self) -> None:
        assert isinstance(Sudoku(givens="." * 81, variant="x"), Variant)
        assert not isinstance(Sudoku(givens="." * 81), Variant)

    def test_python_solves_it_by_keyword(self, tmp_path: object) -> None:
        run = solve(
            "sudoku", givens="." * 16, box="2x2", variant="diagonal", solutions="all", out=str(tmp_path), islands=1
        )
        assert len(list(run)) == 48

    @pytest.mark.parametrize(
        ("text", "options", "complaint"),
        [
            ("." * 16, {"variant": "diagnal"}, "unknown variant 'diagnal'. Did you mean 'diagonal'?"),
            ("." * 16, {"variant": "latin,jigsaw"}, "latin and jigsaw exclude each other"),
            ("." * 16, {"variant": "samurai,twin"}, "samurai and twin exclude each other"),
            ("." * 16, {"variant": "asterisk"}, "asterisk is for 9x9 grids; this one is 4x4"),
            ("." * 16, {"variant": "latin,windoku"}, "windoku is about boxes, and this grid has none"),
            ("." * 16, {"variant": "killer"}, "killer: the puzzle has no cage. Add a line for each"),
            ("." * 16, {"variant": "jigsaw"}, "this jigsaw has no regions"),
            ("." * 16 + "AAAABBBBCCCCDDDE", {"variant": "jigsaw"}, "region D has 3 cells; every region of a 4x4"),
            ("." * 16 + "\ncage 3: r1c1 r5c1", {}, "line 2: r5c1 is outside the grid of 4 rows"),
            ("." * 16 + "\ncage 99: r1c1 r1c2", {}, "the sum of 2 different values is 3 to 7"),
            ("." * 16 + "\nsum 9: r1c1 r1c2", {}, "the sum of 2 values is 2 to 8"),
            ("." * 16 + "\ncage 4: r1c1 r1c2\ncage 5: r1c2 r1c3", {}, "overlap in r1c2; a cell is in one cage"),
            ("." * 16 + "\ncage 5: r1c1 r1c1", {}, "r1c1 is in it twice"),
            ("." * 16 + "\nthermo: r1c1 r1c2", {}, "unknown extra 'thermo'. Did you mean 'thermometer'?"),
            ("." * 16 + "\nless: r1c1 r1c2 r1c3", {}, "3 cells; expected 2"),
            ("." * 16 + "\ncage 5: r1c1 x1", {}, "'x1' is not a cell; expected r1c1"),
            ("." * 16 + "\nsum: r1c1 r1c2", {}, "expected the sum after sum"),
            ("." * 16 + "\ncage -5: r1c1 r1c2", {}, "line 2: cage -5: expected a whole number of 0 or more"),
            ("." * 16 + "\ncage 9999999: r1c1 r1c2", {}, "line 2: cage 9999999: expected a whole number"),
            ("." * 16 + "\nx: r1c1 r1c2", {}, "it says the sum 10, and two values of 1 to 4 have 8 at most"),
            ("." * 16 + "\narrow: r1c1 r1c2 r1c3 r1c4 r2c1 r3c1", {}, "5 cells sum to 5 at least, and the first is 4"),
            ("." * 16 + "\nregions: AAAABBBBCCCCDDD", {}, "the regions have 15 letters; expected one for each"),
            ("1...............", {"variant": "samurai"}, "16 cells: expected 369 for 5 grids of 9x9"),
            ("1..............1", {"variant": "diagonal"}, "stands twice in the diagonal down: at r1c1 and r4c4"),
            ("." * 16, {"variant": "diagonal", "crossover": "two-point"}, "`crossover` is for recipe classic"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said(self, text: str, options: dict[str, str], complaint: str) -> None:
        with pytest.raises(UsageError) as caught:
            Sudoku.read(text, **options)
        assert complaint in str(caught.value)

    def test_rules_that_contradict_each_other_have_no_solution_and_that_is_proved(self) -> None:
        rules = read("." * 16 + "\nr1c1 < r1c2\nr1c2 < r1c1").ruleset
        assert all_of(rules) == set()


def test_a_wrong_grid_is_marked_and_costs() -> None:
    puzzle = read("." * 16, variant="diagonal")
    grid = np.array([1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1], np.int32)
    assert not puzzle.verify(grid)
    assert puzzle.costs(grid[None])[0] > 0
    marked = puzzle.wording().marked
    assert marked is not None
    assert "they break a rule (the diagonal down" in marked(grid).plain


def test_of_all_signs_there_may_be_none() -> None:
    puzzle = read("." * 16, variant="all-xv", box="2x2")
    grids = [tuple(grid) for grid in all_of(puzzle.ruleset)]
    neighbours = [(4 * i + j, k) for i in range(4) for j in range(4)
                  for k in ([4 * i + j + 1] * (j < 3) + [4 * i + j + 4] * (i < 3))]  # fmt: skip
    plain = all_of(Ruleset(puzzle.ruleset.layout, (), ()))
    assert len(plain) == 288
    assert set(grids) == {grid for grid in plain if all(grid[a] + grid[b] != 5 for a, b in neighbours)}
    assert len(grids) == 8
