"""Where a file of another program or an extra is damaged, the message says what stands there and what was expected."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from islands.errors import UsageError
from problems.sudoku import Sudoku, Variant
from problems.sudoku.family.writing import fpuzzles

pytestmark = pytest.mark.xdist_group("sudoku")

ROWS = ". . . .\n" * 4
BOXES = [[[row + i, column + j] for i in (0, 1) for j in (0, 1)] for row in (0, 2) for column in (0, 2)]
BANDS = [{"rect": [1, 1, 4, 2]}, {"rect": [1, 2, 4, 2]}, {"rect": [1, 3, 4, 3]}, {"rect": [1, 4, 4, 4]}]
PAIR = ["R1C1", "R1C2"]


def complaint(data: str | dict[str, Any]) -> str:
    with pytest.raises(UsageError) as caught:
        Sudoku.read(data if isinstance(data, str) else json.dumps(data))
    return str(caught.value)


def fpuzzle(**fields: Any) -> dict[str, Any]:
    return {"size": 4, "grid": [[{} for _ in range(4)] for _ in range(4)], **fields}


def sudokupad(**fields: Any) -> dict[str, Any]:
    return {"cells": [[{} for _ in range(4)] for _ in range(4)], "regions": BOXES, **fields}


def ipuz(**fields: Any) -> dict[str, Any]:
    return {"kind": ["http://ipuz.org/sudoku#1"], "puzzle": [[0] * 4 for _ in range(4)], **fields}


class TestRegions:
    def test_a_cell_is_in_one_of_them_once(self) -> None:
        assert "r1c1 is in regions 1 and 2; expected" in complaint(sudokupad(regions=[BOXES[0], *BOXES[:3]]))
        assert "r1c1 is twice in region 1; expected" in complaint(sudokupad(regions=[[[0, 0], *BOXES[0]], *BOXES[1:]]))
        rows = [{"rect": [1, 1, 4, 1]}, {"cells": [[1, 1], [1, 2], [2, 2], [3, 2]]}]
        assert "r1c1 is in zones 1 and 2; expected" in complaint(ipuz(zones=rows))

    def test_each_has_as_many_cells_as_a_row(self) -> None:
        assert complaint(ipuz(zones=BANDS)) == "zone 1 has 8 cells; every zone of a 4x4 grid has 4."
        assert "region 1 has 3 cells" in complaint(sudokupad(regions=[BOXES[0][1:], *BOXES[1:]]))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (fpuzzle(size=1_000_000_000), "'size' is '1000000000': expected a whole number of nine digits at most"),
        (fpuzzle(size="4.5"), "'size' is '4.5': expected a whole number."),
        (fpuzzle(grid=[[1] * 4] * 4), "a row of 'grid' has 1 in it: expected objects"),
        (fpuzzle(grid=["abcd"] * 4), "a row of 'grid' is 'abcd': expected a list of objects"),
        (fpuzzle(negative="ratio"), "'negative' is 'ratio': expected a list of names of rules, such as ['xv']"),
        (fpuzzle(killercage=[{"cells": "R1C1"}]), "is 'R1C1': expected a list of cells, such as ['R1C1', 'R1C2']"),
        (fpuzzle(killercage=3), "'killercage' is 3: expected a list of objects"),
        (fpuzzle(thermometer=[{"lines": 3}]), "'lines' is 3: expected a list of lines, each a list of cells"),
        (fpuzzle(clone=[{"cells": PAIR, "cloneCells": ["R2C1"]}]), "a clone of 2 cells has 1 in 'cloneCells'"),
        (fpuzzle(xv=[{"cells": PAIR, "value": 5}]), "the value of an 'xv' is '5': expected X or V"),
        (fpuzzle(xv=[{"cells": PAIR, "value": "Q"}]), "the value of an 'xv' is 'Q': expected X or V"),
        (sudokupad(regions=[3]), "a region is 3: expected a list of cells"),
        (sudokupad(regions=[[3]]), "a cell of a region is 3: expected a list of 2 numbers, a row and a column"),
        (sudokupad(cages=[{"cells": "R1C1"}]), "'cells' of a cage is 'R1C1': expected a list of cells"),
        (ipuz(zones=[{"rect": [1, 2, 3]}]), "'rect' is [1, 2, 3]: expected a list of 4 numbers: left, top, right"),
        (ipuz(cages=[{"cells": [[1, 2, 3]]}]), "is [1, 2, 3]: expected a list of 2 numbers, a column and a row"),
        (ipuz(zones=[3]), "'zones' has 3 in it: expected objects"),
    ],
)
def test_what_stands_there_and_what_was_expected(data: dict[str, Any], said: str) -> None:
    assert said in complaint(data)


class TestExtras:
    @pytest.mark.parametrize("line", ["cage 5 r1c1 r1c2", "CAGE 5 R1C1 R1C2", "r1c1 r1c2", "cage5: r1c1"])
    def test_a_line_with_cells_is_meant_as_one(self, line: str) -> None:
        assert f"line 5: '{line}' is not an extra; expected a kind, a number" in complaint(ROWS + line)

    @pytest.mark.parametrize("number", ["five", "9" * 23, "-1", "1.5"])
    def test_its_number_is_a_number(self, number: str) -> None:
        said = f"line 5: cage {number}: expected a whole number of 0 or more, of six digits at most"
        assert said in complaint(f"{ROWS}cage {number}: r1c1 r1c2")

    def test_capitals_are_values_of_a_large_grid(self) -> None:
        rows = ["R1C2" + " ...." * 8, *(" ".join(["...."] * 9) for _ in range(35))]
        (puzzle,) = Sudoku.read("# sudoku box=9x4 symbols=1-9A-Z\n" + "\n".join(rows))
        assert puzzle.givens[:5] == (27, 1, 12, 2, 0)


def test_non_consecutive_beside_white_dots_is_not_written_as_fpuzzles() -> None:
    """To f-puzzles these two say that all dots are shown, which its reader here knows of both kinds alone."""

    def written(text: str) -> dict[str, Any]:
        (puzzle,) = Sudoku.read(text)
        assert isinstance(puzzle, Variant)
        return fpuzzles(puzzle, np.array(puzzle.givens, np.int32))

    with pytest.raises(UsageError, match="no word for non-consecutive beside white dots"):
        written(f"# sudoku variant=non-consecutive\n{ROWS}white 2: r1c2 r1c3")
    for text in (f"# sudoku variant=non-consecutive\n{ROWS}black: r1c2 r1c3", f"{ROWS}white 2: r1c2 r1c3"):
        assert Sudoku.read(json.dumps(written(text)))
