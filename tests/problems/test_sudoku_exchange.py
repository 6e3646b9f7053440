"""Puzzles of the family as other programs write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.problem import made
from problems.letter_grid import LetterGrid
from problems.letter_grid.making import MakeLetterGrid
from problems.sudoku import Sudoku, Variant
from problems.sudoku.family.lz import decompressed
from problems.sudoku.family.writing import fpuzzles
from problems.sudoku.making import MakeSudoku
from problems.sudoku.symbols import square_box

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def read(text: str) -> Variant:
    (puzzle,) = Sudoku.read(text)
    assert isinstance(puzzle, Variant)
    return puzzle


def fpuzzle(size: int = 4, **fields: Any) -> dict[str, Any]:
    grid: list[list[dict[str, Any]]] = [[{} for _ in range(size)] for _ in range(size)]
    grid[0][0] = {"value": 1, "given": True}
    return {"size": size, "grid": grid, "title": "A title", **fields}


def packed(text: str) -> str:
    """As f-puzzles packs it: whatever is known so far is a code, what is new a code and a character."""
    known: dict[str, int] = {}
    new: set[str] = set()
    bits: list[int] = []
    size, left, phrase = 2, 2, ""

    def put(number: int, count: int) -> None:
        bits.extend(number >> k & 1 for k in range(count))

    def emit() -> None:
        nonlocal size, left
        if phrase in new:
            new.discard(phrase)
            put(0, size)
            put(ord(phrase), 8)
            left -= 1
            if not left:
                left, size = 1 << size, size + 1
        else:
            put(known[phrase], size)
        left -= 1
        if not left:
            left, size = 1 << size, size + 1

    for c in text:
        if c not in known:
            known[c] = len(known) + 3
            new.add(c)
        if phrase + c in known:
            phrase += c
            continue
        emit()
        known[phrase + c] = len(known) + 3
        phrase = c
    emit()
    put(2, size)
    bits += [0] * (-len(bits) % 6)
    return "".join(BASE64[int("".join(map(str, bits[k : k + 6])), 2)] for k in range(0, len(bits), 6))


class TestFpuzzles:
    @pytest.mark.parametrize(
        ("fields", "extras"),
        [
            ({"killercage": [{"cells": ["R1C1", "R1C2"], "value": "5"}]}, ("cage 5: r1c1 r1c2",)),
            ({"killercage": [{"cells": ["R1C1", "R1C2"]}]}, ("cage: r1c1 r1c2",)),
            ({"thermometer": [{"lines": [["R1C1", "R2C2"], ["R1C1", "R1C2"]]}]},
             ("thermometer: r1c1 r2c2", "thermometer: r1c1 r1c2")),
            ({"arrow": [{"cells": ["R4C4"], "lines": [["R4C4", "R3C3", "R2C2"]]}]}, ("arrow: r4c4 r3c3 r2c2",)),
            ({"difference": [{"cells": ["R1C1", "R1C2"], "value": ""}]}, ("white: r1c1 r1c2",)),
            ({"ratio": [{"cells": ["R1C1", "R1C2"], "value": "3"}]}, ("black 3: r1c1 r1c2",)),
            ({"xv": [{"cells": ["R1C1", "R1C2"], "value": "V"}]}, ("v: r1c1 r1c2",)),
            ({"palindrome": [{"lines": [["R1C1", "R2C2", "R3C3"]]}]}, ("palindrome: r1c1 r2c2 r3c3",)),
            ({"odd": [{"cell": "R1C1"}], "even": [{"cell": "R2C2"}]}, ("odd: r1c1", "even: r2c2")),
            ({"minimum": [{"cell": "R1C1"}]}, ("less: r1c1 r2c1", "less: r1c1 r1c2")),
            ({"clone": [{"cells": ["R1C1"], "cloneCells": ["R3C3"]}]}, ("equal: r1c1 r3c3",)),
            ({"littlekillersum": [{"cell": "R0C1", "cells": ["R1C1", "R2C2"], "value": "6"}]}, ("sum 6: r1c1 r2c2",)),
            ({"extraregion": [{"cells": ["R1C1", "R2C2", "R3C3"]}]}, ("group: r1c1 r2c2 r3c3",)),
            ({"diagonal-": True}, ("group: r1c1 r2c2 r3c3 r4c4",)),
        ],
    )  # fmt: skip
    def test_every_rule_becomes_an_extra(self, fields: dict[str, Any], extras: tuple[str, ...]) -> None:
        puzzle = read(json.dumps(fpuzzle(**fields)))
        assert puzzle.extras == extras
        assert puzzle.givens == (1, *[0] * 15)

    def test_flags_are_names(self) -> None:
        data = fpuzzle(antiknight=True, antiking=True, **{"diagonal+": True, "diagonal-": True})
        assert read(json.dumps(data)).names == ("anti-knight", "anti-king", "diagonal")

    def test_regions_of_another_form_are_a_jigsaw(self) -> None:
        data = fpuzzle()
        for i, row in enumerate(data["grid"]):
            for cell in row:
                cell["region"] = i
        assert read(json.dumps(data)).regions == "AAAABBBBCCCCDDDD"

    def test_a_link_is_unpacked(self) -> None:
        data = json.dumps(fpuzzle(antiknight=True))
        assert decompressed(packed(data)) == data
        assert read("https://www.f-puzzles.com/?load=" + packed(data)).names == ("anti-knight",)

    @pytest.mark.parametrize(
        "link",
        [
            "https://sudokupad.app/fpuzzles{}",
            "https://sudokupad.app/fpuz{}",
            "https://sudokupad.app/fpuzzles{}?setting-nogrid=1",
            "https://app.crackingthecryptic.com/sudoku/?load=fpuzzles{}",
            "https://app.crackingthecryptic.com/sudoku/?load=fpuz{}",
            "fpuzzles{}",
        ],
    )
    def test_so_is_one_to_another_page(self, link: str) -> None:
        assert read(link.format(packed(json.dumps(fpuzzle(antiknight=True))))).names == ("anti-knight",)

    @pytest.mark.parametrize("link", ["sudokupad.app/sclN4IgzgNg9gdg", "sudokupad.app/abcdef", "f-puzzles.com/?id=5"])
    def test_one_without_the_puzzle_says_so(self, link: str) -> None:
        with pytest.raises(UsageError, match=r"this link does not have the puzzle in it.* export the puzzle"):
            read(f"https://{link}")

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (json.dumps(fpuzzle(sandwichsum=[{"cell": "R0C1", "value": "7"}])), "the rule 'sandwichsum' of this file"),
            (json.dumps(fpuzzle(arrow=[{"cells": ["R1C1", "R1C2"], "lines": [["R1C1", "R2C1"]]}])), "(a pill)"),
            (json.dumps(fpuzzle(killercage=[{"cells": ["R1C1", "R9C9"], "value": "5"}])), "r9c9 is outside the grid"),
            (json.dumps(fpuzzle(killercage=[{"value": "5"}])), "is damaged: "),
            (json.dumps(fpuzzle(antiknight=True))[:-40], "this looks like a puzzle in JSON, but is not whole"),
            ("https://www.f-puzzles.com/?load=" + packed(json.dumps(fpuzzle()))[:60], "the link cannot be unpacked"),
            (json.dumps(fpuzzle(negative=["ratio"])), "expected both"),
            (json.dumps(fpuzzle(negative=["white"])), "that all 'white' are shown ('negative') is not known here"),
            (json.dumps(fpuzzle(minimum=[{"cell": "R9C9"}])), "r9c9 is outside the grid of 4 rows"),
            (json.dumps(fpuzzle(killercage=[{"cells": ["R1C1", "R1C2"], "value": "-5"}])), "expected one above 0"),
            (json.dumps(fpuzzle(killercage=[{"cells": [], "value": "5"}])), "a rule of this file has no cells"),
            (json.dumps({**fpuzzle(), "size": float("inf")}), "'size' is 'inf': expected a whole number"),
            (json.dumps({**fpuzzle(), "size": 5}), "'grid' is not 5 rows of 5 cells"),
            (json.dumps(fpuzzle()).replace('"value": 1', '"value": 1.7'), "a given is '1.7': expected a whole number"),
            (json.dumps(fpuzzle()).replace('"value": 1', '"value": 99'), "r1c1 holds 99; expected 1 to 4"),
            (json.dumps(fpuzzle()).replace('"value": 1', '"givenPencilMarks": [1, 2]'), "gives pencil marks"),
        ],
    )  # fmt: skip
    def test_what_is_not_known_or_not_whole_is_said(self, text: str, complaint: str) -> None:
        with pytest.raises(UsageError) as caught:
            Sudoku.read(text)
        assert complaint in str(caught.value)

    def test_what_is_wrong_with_a_rule_names_no_line_of_our_notation(self) -> None:
        with pytest.raises(UsageError) as caught:
            Sudoku.read(json.dumps(fpuzzle(killercage=[{"cells": ["R1C1", "R1C2"], "value": "99"}])))
        assert str(caught.value).startswith("cage 99: r1c1 r1c2: the sum of 2 different values is 3 to 7")


def test_sumocue_has_cages_regions_and_diagonals() -> None:
    assert square_box(4) == (2, 2)
    cells = ["=5", "+0", "=0", "=3", *["=0"] * 12]
    puzzle = read("SumoCueV1D" + "".join(cells))
    assert (puzzle.extras, puzzle.givens[3], puzzle.names) == (("cage 5: r1c1 r1c2",), 3, ("diagonal",))
    rows = "".join(f"=0J{i}" for i in range(4) for _ in range(4))
    assert read("SumoCueV1" + rows).regions == "AAAABBBBCCCCDDDD"
    with pytest.raises(UsageError, match="15 cells: expected n x n"):
        Sudoku.read("SumoCueV1" + "=0" * 15)


def test_perfect_sudoku_has_cages() -> None:
    numbers = [5 * 256, 5 * 256, *(cell for cell in range(2, 16))]
    puzzle = read("2x2::k:" + ":".join(map(str, numbers)))
    assert puzzle.extras == ("cage 5: r1c1 r1c2",)
    with pytest.raises(UsageError, match="a grid of 0x0; expected 2x2 to"):
        Sudoku.read("0x0::k:")


def test_sudokupad_has_cages_and_refuses_drawings() -> None:
    cells: list[list[dict[str, Any]]] = [[{} for _ in range(4)] for _ in range(4)]
    cells[1][1]["value"] = 2
    regions = [[[i, j] for i in range(a, a + 2) for j in range(b, b + 2)] for a in (0, 2) for b in (0, 2)]
    data = {"cells": cells, "regions": regions, "cages": [{"cells": [[0, 0], [0, 1]], "value": 5}]}
    puzzle = read(json.dumps(data))
    assert (puzzle.extras, puzzle.givens[5], puzzle.box) == (("cage 5: r1c1 r1c2",), 2, "2x2")
    with pytest.raises(UsageError, match="has lines, which are drawn but not explained"):
        Sudoku.read(json.dumps({**data, "lines": [{"wayPoints": []}]}))
    with pytest.raises(UsageError, match="'cells' is not a square"):
        Sudoku.read(json.dumps({**data, "cells": cells[:3]}))
    with pytest.raises(UsageError, match="r0c1 of region 1 is outside the grid"):
        Sudoku.read(json.dumps({**data, "regions": [[[-1, 0]]]}))


def test_ipuz_has_zones_and_cages() -> None:
    data = {
        "version": "http://ipuz.org/v2",
        "kind": ["http://ipuz.org/sudoku#1"],
        "puzzle": [[1, 0, 0, 0], *[[0] * 4] * 3],
        "zones": [{"rect": [1, row, 4, row]} for row in range(1, 5)],
        "cages": [{"cells": [[1, 1], [2, 1]], "value": 3}],
    }
    puzzle = read(json.dumps(data))
    assert (puzzle.regions, puzzle.extras) == ("AAAABBBBCCCCDDDD", ("cage 3: r1c1 r1c2",))
    with pytest.raises(UsageError, match="expected left, top, right, bottom from 1 to 4"):
        Sudoku.read(json.dumps({**data, "zones": [{"rect": [1, 1, 10**8, 10**8]}]}))


@pytest.mark.parametrize("name", ["killer", "arrows", "thermometers,diagonal", "kropki", "xv", "jigsaw", "anti-knight"])
def test_what_is_written_as_f_puzzles_is_read_back(name: str) -> None:
    sheet = MakeSudoku(variant=name, size=6 if name == "jigsaw" else 9, filled=0.5).make(Rng(2))
    puzzle: Variant = sheet.puzzle
    text = json.dumps(fpuzzles(puzzle, sheet.genome))
    again = read(text)
    assert (again.givens, sorted(again.extras), again.regions) == (puzzle.givens, sorted(puzzle.extras), puzzle.regions)


def test_what_f_puzzles_has_no_word_for_is_said() -> None:
    sheet = MakeSudoku(variant="windoku").make(Rng(2))
    with pytest.raises(UsageError, match="f-puzzles has no word for windoku"):
        fpuzzles(sheet.puzzle, sheet.genome)


class TestLetters:
    def test_a_letter_grid_with_diagonals(self) -> None:
        sheet = MakeLetterGrid(word="MONKEY", variant="diagonal", unique=True).make(Rng(1))
        assert isinstance(sheet.puzzle, Variant)
        assert sheet.solution is not None
        assert sheet.puzzle.verify(sheet.solution)
        assert set(sheet.puzzle.show(sheet.solution)) - set("┌─┬┐│├┼┤└┴┘ \n") == set("MONKEY")
        again = LetterGrid.read(sheet.puzzle.show(sheet.genome).partition("\nvariant")[0], word="MONKEY", variant="x")
        assert again[0].givens == sheet.puzzle.givens

    def test_what_letters_cannot_have_is_said(self) -> None:
        with pytest.raises(UsageError, match="`variant=killer` is not for letters; expected some of diagonal"):
            made(LetterGrid, {"word": "LOVE", "variant": "killer"})
        with pytest.raises(UsageError, match="`target` and `variant` exclude each other"):
            made(LetterGrid, {"word": "LOVE", "variant": "diagonal", "target": "row"})
