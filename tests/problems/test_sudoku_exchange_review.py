"""What a file of another program says beyond cells and regions is a rule of the puzzle, or the file is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from islands.errors import UsageError
from islands.kernels.rng import Rng
from problems.letter_grid import LetterGrid
from problems.letter_grid.making import MakeLetterGrid
from problems.sudoku import Sudoku, Variant
from problems.sudoku.family.writing import fpuzzles

EMPTY = ". . . .\n" * 4
BOXES = [[[row + i, column + j] for i in (0, 1) for j in (0, 1)] for row in (0, 2) for column in (0, 2)]


def read(data: str | dict[str, Any]) -> Variant:
    (puzzle,) = Sudoku.read(data if isinstance(data, str) else json.dumps(data))
    assert isinstance(puzzle, Variant)
    return puzzle


def fpuzzle(size: int = 9, **fields: Any) -> dict[str, Any]:
    return {"size": size, "grid": [[{} for _ in range(size)] for _ in range(size)], **fields}


def sudokupad(**fields: Any) -> dict[str, Any]:
    return {"cells": [[{} for _ in range(4)] for _ in range(4)], "regions": BOXES, **fields}


def ipuz(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": [f"http://ipuz.org/{kind}#1"], "puzzle": [[0] * 4 for _ in range(4)], **fields}


def written(text: str) -> dict[str, Any]:
    puzzle = read(text)
    return fpuzzles(puzzle, np.array(puzzle.givens, np.int32))


class TestFpuzzlesIsRead:
    def test_a_whisper_with_another_difference_keeps_it(self) -> None:
        lines = [["R1C1", "R1C2"]]
        whispers = [{"lines": lines}, {"lines": lines, "value": "4"}]
        assert read(fpuzzle(whispers=whispers)).extras == ("whisper: r1c1 r1c2", "whisper 4: r1c1 r1c2")

    @pytest.mark.parametrize(("mark", "kind"), [("minimum", "less"), ("maximum", "greater")])
    def test_neighbours_that_are_both_lowest_or_highest_are_not_compared(self, mark: str, kind: str) -> None:
        extras = read(fpuzzle(4, **{mark: [{"cell": "R1C1"}, {"cell": "R1C2"}]})).extras
        assert set(extras) == {f"{kind}: r1c1 r2c1", f"{kind}: r1c2 r2c2", f"{kind}: r1c2 r1c3"}

    def test_cells_without_a_region_make_a_latin_square_if_all_are(self) -> None:
        data = fpuzzle(4)
        for cell in (cell for row in data["grid"] for cell in row):
            cell["region"] = None
        assert read(data).ruleset.layout.homes == {}
        data["grid"][0][0]["region"] = 0
        with pytest.raises(UsageError, match="r1c2 is in no region"):
            read(data)


class TestFpuzzlesIsWritten:
    def test_odd_and_even_are_said_of_each_cell(self) -> None:
        data = written(f"{EMPTY}odd: r1c1 r2c3\neven: r4c4")
        assert (data["odd"], data["even"]) == ([{"cell": "R1C1"}, {"cell": "R2C3"}], [{"cell": "R4C4"}])

    def test_a_whisper_keeps_its_difference(self) -> None:
        data = written(f"{'.' * 81}\nwhisper 3: r1c1 r1c2\nwhisper: r2c1 r2c2")
        assert [entry.get("value") for entry in data["whispers"]] == ["3", None]

    def test_boxes_that_are_not_the_usual_ones_are_regions(self) -> None:
        puzzle = read(f"# sudoku variant=diagonal box=3x2\n{'. . . . . .' * 1}\n" + ". . . . . .\n" * 5)
        again = read(json.dumps(fpuzzles(puzzle, np.array(puzzle.givens, np.int32))))
        assert set(again.ruleset.units) == set(puzzle.ruleset.units)

    @pytest.mark.parametrize(
        ("cells", "seen_from"),
        [
            ("r1c2 r2c1", ("R0C3", "DL")),
            ("r4c2 r3c1", ("R2C0", "DR")),
            ("r1c1 r2c2 r3c3 r4c4", ("R0C0", "DR")),
            ("r2c4 r3c3 r4c2", ("R1C5", "DL")),
        ],
    )
    def test_a_sum_along_a_diagonal_is_seen_from_outside(self, cells: str, seen_from: tuple[str, str]) -> None:
        (entry,) = written(f"{EMPTY}sum 6: {cells}")["littlekillersum"]
        assert (entry["cell"], entry["direction"]) == seen_from
        assert {cell.lower() for cell in entry["cells"]} == set(cells.split())

    @pytest.mark.parametrize("cells", ["r1c1 r1c2", "r2c2 r3c3", "r1c1 r2c2", "r1c1 r3c3", "r1c2 r2c1 r4c4"])
    def test_it_has_no_word_for_other_sums(self, cells: str) -> None:
        with pytest.raises(UsageError, match=f"no word for sum 6: {cells}"):
            written(f"{EMPTY}sum 6: {cells}")


class TestSudokuPad:
    def test_its_chess_moves_are_rules(self) -> None:
        metadata = {"title": "T", "antiknight": True, "antiking": "true"}
        assert read(sudokupad(metadata=metadata)).names == ("anti-knight", "anti-king")

    @pytest.mark.parametrize("fields", [{"foglight": [[0, 0]]}, {"global": ["x"]}, {"metadata": {"norowcol": True}}])
    def test_a_rule_that_is_not_known_is_named(self, fields: dict[str, Any]) -> None:
        name = "norowcol" if "metadata" in fields else next(iter(fields))
        with pytest.raises(UsageError, match=f"the rule '{name}' of this SudokuPad file is not known"):
            read(sudokupad(**fields))

    def test_a_cage_whose_values_may_repeat_is_a_sum(self) -> None:
        cages = [{"cells": [[0, 0], [3, 3]], "value": "8", "unique": False}, {"cells": [[0, 0], [0, 1]], "sum": 3}]
        assert read(sudokupad(cages=cages)).extras == ("sum 8: r1c1 r4c4", "cage 3: r1c1 r1c2")


class TestIpuz:
    @pytest.mark.parametrize(("kind", "names"), [("diagonalsudoku", ("diagonal",)), ("latinsquare", ("latin",))])
    def test_its_kinds_are_variants(self, kind: str, names: tuple[str, ...]) -> None:
        assert read(ipuz(f"sudoku/{kind}")).names == names

    def test_hyper_sudoku_has_windows(self) -> None:
        data = ipuz("sudoku/hypersudoku") | {"puzzle": [[0] * 9 for _ in range(9)]}
        assert read(data).names == ("windoku",)

    def test_without_boxes_it_is_a_latin_square(self) -> None:
        assert read(ipuz("sudoku", boxes=False)).names == ("latin",)
        for fields in ({"boxes": True}, {"boxes": False, "puzzle-islands:box": "2x2"}):  # as we write other boxes
            assert type(Sudoku.read(json.dumps(ipuz("sudoku", **fields)))[0]) is Sudoku

    def test_values_of_the_cages_of_a_calcudoku_may_repeat(self) -> None:
        cages = [{"cells": [[1, 1], [2, 1], [1, 2]], "value": 4, "operator": "+"}, {"cells": [[4, 4]], "value": 2}]
        puzzle = read(ipuz("sudoku/calcudoku", cages=cages))
        assert (puzzle.names, puzzle.extras) == (("latin",), ("sum 4: r1c1 r1c2 r2c1", "sum 2: r4c4"))

    @pytest.mark.parametrize(
        ("data", "complaint"),
        [
            (ipuz("sudoku/latintriangle"), "the kind 'latintriangle' of ipuz is not known"),
            (ipuz("sudoku/jigsawsudoku"), "of the kind jigsawsudoku; expected its 'zones'"),
            (ipuz("sudoku/killersudoku"), "of the kind killersudoku; expected its 'cages'"),
            (ipuz("sudoku/calcudoku", cages=[{"cells": [[1, 1], [1, 2]], "value": 3}]), "the operator 'left open'"),
        ],
    )
    def test_another_kind_or_half_of_one_is_refused(self, data: dict[str, Any], complaint: str) -> None:
        with pytest.raises(UsageError, match=complaint):
            read(data)


class TestLetters:
    def test_a_letter_grid_keeps_its_rules_and_its_word_in_its_file(self) -> None:
        sheet = MakeLetterGrid(word="LOVE", variant="diagonal", filled=0.5).make(Rng(1))
        text = "".join(map(str, sheet.puzzle.formats()[".txt"]([sheet])))
        for options in ({}, {"word": "LOVE"}, {"variant": "diagonal"}):
            (again,) = LetterGrid.read(text, **options)
            assert isinstance(again, Variant)
            assert (again.word, again.names, again.givens) == ("LOVE", ("diagonal",), sheet.puzzle.givens)
        (older,) = LetterGrid.read(text.replace("letter-grid", "sudoku"), word="LOVE")  # as it was before
        assert isinstance(older, Variant)

    def test_a_file_of_several_has_the_same_rules_for_all(self) -> None:
        rows = "L...\n....\n....\n....\n"
        parts = [f"# letter-grid word=LOVE variant={name}\n{rows}" for name in ("diagonal", "anti-king")]
        with pytest.raises(UsageError, match="other rules: diagonal and anti-king; expected the same"):
            LetterGrid.read("".join(parts))
