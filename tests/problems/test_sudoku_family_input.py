"""A sudoku with other rules is the same puzzle, however it is given: as fields, as a text, as a file of our own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from islands.driver.api import make_job
from islands.errors import UsageError
from islands.model.capabilities import Sheet
from islands.model.title import title
from problems.sudoku import Sudoku, Variant

pytestmark = pytest.mark.xdist_group("sudoku")

ROWS = ". . . .\n" * 4
CAGE = "cage 5: r1c1 r1c2"
BENT = "AAABACBBCCDBCDDD"
BOXES = [[[row + i, column + j] for i in (0, 1) for j in (0, 1)] for row in (0, 2) for column in (0, 2)]


def in_python(**fields: Any) -> Variant:
    """What `solve("sudoku", ...)` solves: made, saved and made again."""
    puzzle = make_job("sudoku", fields).settled(lambda: 1).problem
    assert isinstance(puzzle, Variant)
    return puzzle


def in_a_file(**parameters: Any) -> Variant:
    """What a job file says."""
    puzzle = make_job("sudoku", {}, {"parameters": parameters}).settled(lambda: 1).problem
    assert isinstance(puzzle, Variant)
    return puzzle


def fpuzzle(size: int = 4, **fields: Any) -> str:
    return json.dumps({"size": size, "grid": [[{} for _ in range(size)] for _ in range(size)], **fields})


@pytest.mark.parametrize("given", [in_python, in_a_file])
class TestPythonAndJobFiles:
    def test_a_variant_in_the_text_is_a_rule(self, given: Any) -> None:
        assert given(givens=f"# sudoku variant=diagonal\n{ROWS}").names == ("diagonal",)
        assert given(givens=f"{ROWS}variant: diagonal", variant="anti-king").names == ("diagonal", "anti-king")

    @pytest.mark.parametrize("header", ["", "# sudoku variant=killer\n"])
    def test_so_are_cages(self, given: Any, header: str) -> None:
        assert given(givens=f"{header}{ROWS}{CAGE}").extras == (CAGE,)

    def test_so_is_a_puzzle_of_another_program(self, given: Any) -> None:
        assert given(givens=fpuzzle(antiking=True)).names == ("anti-king",)
        assert given(givens=fpuzzle()).ruleset.layout.box == (2, 2)

    def test_extras_regions_and_grids_may_stand_beside_the_text(self, given: Any) -> None:
        puzzle = given(givens=f"{ROWS}v: r1c3 r1c4", extras=[CAGE])
        assert puzzle.extras == ("v: r1c3 r1c4", CAGE)
        assert given(givens=(0,) * 16, box="2x2", extras=[CAGE]).extras == (CAGE,)
        assert given(givens=ROWS, regions=BENT).regions == BENT
        assert given(givens=ROWS, regions=f"\n{BENT[:8]}\n{BENT[8:]}\n").regions == BENT
        assert given(givens="", box="2x2", grids="r1c1 r3c3").ruleset.layout.corners == ((0, 0), (2, 2))
        assert given(givens=(0,) * 28, box="2x2", grids="R1C1 R3C3").ruleset.layout.corners == ((0, 0), (2, 2))

    @pytest.mark.parametrize("word", ["AB", "AABC"])
    def test_a_word_has_a_letter_for_each_value(self, given: Any, word: str) -> None:
        with pytest.raises(UsageError, match=f"`word` has the letters '{word}': expected 4 different ones"):
            given(givens=(0,) * 16, box="2x2", word=word)


def test_a_title_has_no_long_list_of_extras() -> None:
    job = make_job("sudoku", {"givens": f"# sudoku variant=diagonal\n{ROWS}{CAGE}"}).settled(lambda: 1)
    assert title(job) == "sudoku box=2x2 variant=diagonal"


class TestWhatContradicts:
    @pytest.mark.parametrize("extras", [[5], 5, CAGE])
    def test_extras_are_a_list_of_texts(self, extras: Any) -> None:
        with pytest.raises(UsageError, match=r"`extras` is a list of texts, \['cage 15: r1c1 r1c2'\]"):
            in_python(givens=ROWS, extras=extras)

    def test_regions_are_said_once(self) -> None:
        with pytest.raises(UsageError, match="`regions` is said in the text of the givens as well"):
            in_python(givens=f"{ROWS}regions: {BENT}", regions=BENT)

    @pytest.mark.parametrize("corners", ["r1c1 r900c900", "r1c1 r5c1", "r1c1 r4c4 r9c9 r12c12"])
    def test_grids_that_overlap_hang_together(self, corners: str) -> None:
        with pytest.raises(UsageError, match=r"the grid at r\d+c\d+ shares no cell with the others"):
            Sudoku.read(f"# sudoku box=2x2\ngrids: {corners}")
        assert Sudoku.read("# sudoku box=2x2\ngrids: r1c1 r7c7 r4c4")

    def test_a_note_in_a_table_is_no_extra(self) -> None:
        assert len(Sudoku.read(f"id,puzzle,note\n1,{'.' * 81},start at r1c3\n2,{'.' * 81},\n")) == 2

    def test_a_plain_sudoku_stays_one(self) -> None:
        assert type(make_job("sudoku", {"givens": ROWS}).problem) is Sudoku
        with pytest.raises(UsageError, match="unknown option of sudoku 'exras'"):
            make_job("sudoku", {"givens": ROWS, "exras": [CAGE]})


NAMELESS = {
    "f-puzzles": fpuzzle(killercage=[{"cells": ["R1C1", "R1C2"], "value": "5"}]),
    "f-puzzles 9x9": fpuzzle(9, killercage=[{"cells": ["R1C1", "R1C2"], "value": "5"}]),
    "SudokuPad": json.dumps(
        {"cells": [[{}] * 4] * 4, "regions": BOXES, "cages": [{"cells": [[0, 0], [0, 1]], "value": 5}]}
    ),
    "ipuz": json.dumps(
        {"kind": ["http://ipuz.org/sudoku#1"], "puzzle": [[0] * 4] * 4, "cages": [{"rect": [1, 1, 2, 1], "value": 5}]}
    ),
    "SumoCue": "SumoCueV1=5+0=0=0" + "=0" * 12,
    "Perfect": "2x2::k:" + ":".join(["1281", "1281", *map(str, range(2, 16))]),
    "extras": ROWS + CAGE,
    "6x6": "# sudoku box=3x2\n" + ". . . . . .\n" * 6 + CAGE,
    "grids": f"# sudoku box=2x2\ngrids: r1c1 r3c3\n{CAGE}",
    "regions": f"{ROWS}regions: {BENT}",
    "anti-king with regions": f"# sudoku variant=anti-king\n{ROWS}regions: {BENT}",
    "latin": f"# sudoku variant=latin\n{ROWS}{CAGE}",
}


@pytest.mark.parametrize("kind", NAMELESS)
def test_what_is_written_keeps_its_boxes_regions_and_extras(kind: str) -> None:
    (puzzle,) = Sudoku.read(NAMELESS[kind])
    assert isinstance(puzzle, Variant)
    sheet = Sheet(puzzle, np.array(puzzle.givens, np.int32))
    again = Sudoku.read("".join(map(str, puzzle.formats()[".txt"]([sheet, sheet]))))  # as if these were two solutions
    assert [one.ruleset.units for one in again if isinstance(one, Variant)] == [puzzle.ruleset.units] * 2
    assert [one.extras for one in again if isinstance(one, Variant)] == [puzzle.extras] * 2


def test_a_recipe_that_is_unknown_is_one_of_sudoku() -> None:
    with pytest.raises(UsageError, match="unknown recipe of sudoku with these parameters: 'slow'"):
        make_job("sudoku:Variant", {"givens": f"{ROWS}{CAGE}", "recipe": "slow"}).settled(lambda: 1)
