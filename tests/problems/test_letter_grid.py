"""Letter grid: words, readings, cost, the seed's operators, search, proofs, making; against slow and obvious Python."""

from __future__ import annotations

import re
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from islands.errors import UsageError
from islands.kernels.rng import Rng
from islands.model.loading import build, load
from islands.model.problem import made
from problems.letter_grid import LetterGrid, classic
from problems.letter_grid.making import MakeLetterGrid
from problems.letter_grid.target import all_readings, shown
from problems.letter_grid.words import LENGTHS, box_of, spelt
from problems.sudoku.fast import solutions

TARGETS = {  # the exact numbers of 4x4 grids
    ("none", None, False): 288,
    ("row", 1, False): 12,
    ("row", 3, False): 12,
    ("column", 2, False): 12,
    ("row", None, False): 48,
    ("column", None, False): 48,
    ("row,column", None, False): 96,
    ("diagonal", 1, False): 2,
    ("diagonal", None, False): 4,
    ("any", None, False): 100,
    ("any", None, True): 152,
}


@cache
def all_grids() -> list[list[str]]:
    """Every 4x4 grid of LOVE, found by trying all rows."""
    rows = ["".join(row) for row in permutations("LOVE")]
    grids: list[list[str]] = [[]]
    for i in range(4):
        grids = [
            [*grid, row]
            for grid in grids
            for row in rows
            if all(a != b for old in grid for a, b in zip(old, row, strict=True))
        ]
        if i % 2:
            grids = [g for g in grids if all(len(set(g[i - 1][j : j + 2] + g[i][j : j + 2])) == 4 for j in (0, 2))]
    return grids


def lines_of(grid: list[str]) -> dict[tuple[str, int], str]:
    lines = {("row", i + 1): row for i, row in enumerate(grid)}
    lines |= {("column", j + 1): "".join(row[j] for row in grid) for j in range(4)}
    lines["diagonal", 1] = "".join(grid[i][i] for i in range(4))
    lines["diagonal", 2] = "".join(grid[i][3 - i] for i in range(4))
    return lines


def expected(target: str, line: int | None, backwards: bool) -> set[str]:
    """The grids that show LOVE as asked for."""
    words = {"LOVE", "EVOL"} if backwards else {"LOVE"}
    kinds = {"row", "column", "diagonal"} if target == "any" else set(target.split(","))
    return {
        "".join(grid)
        for grid in all_grids()
        if target == "none"
        or any(
            kind in kinds and line in (None, number) and text in words
            for (kind, number), text in lines_of(grid).items()
        )
    }


def letters(word: str, genomes: np.ndarray) -> list[str]:
    return ["".join(word[value - 1] for value in genome) for genome in genomes]


class TestWords:
    def test_small_letters_and_accents_count_as_capitals_in_nfc(self) -> None:
        assert spelt("  love ") == "LOVE"
        assert spelt("blöd") == spelt("blo\u0308d") == "BLÖD"
        assert spelt("Σωκρ") == "ΣΩΚΡ"

    def test_the_capital_of_sharp_s_is_one_letter(self) -> None:
        assert spelt("grüßen") == "GRÜẞEN"
        assert len(spelt("maßn")) == 4

    @pytest.mark.parametrize(
        ("word", "words"),
        [
            ("", "0 letters, which boxes cannot divide; expected 4, 6, 8, 9, 10, 12,"),
            ("L", "1 letter, which"),
            ("LOVED", "5 letters, .* 24 or 25 different letters"),
            ("LOVINGK", "7 letters"),
            ("ABCDEFGHIJK", "11 letters"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "26 letters"),
            ("EVER", "E stands in it twice"),
            ("eVeR", "E stands in it twice"),
            ("maſs", "S stands in it twice"),
            ("LO3E", "'3' is no letter"),
            ("LO E", "' ' is no letter"),
            ("L-VE", "'-' is no letter"),
            ("LO\u0302\u0302V", r"U\+0302 makes no letter"),
            ("ﬁsh", "'ﬁ' has no capital of its own, but 'FI'"),
            ("LO\0E", "is no letter"),
        ],
    )
    def test_what_makes_no_grid_is_refused_with_what_does(self, word: str, words: str) -> None:
        with pytest.raises(UsageError, match=words):
            build("letter-grid", None, {"word": word})

    def test_boxes_follow_from_the_length(self) -> None:
        boxes = {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 10: (2, 5), 12: (3, 4), 16: (4, 4), 25: (5, 5)}
        assert boxes.items() <= {n: box_of("ABCDEFGHIJKLMNOPQRSTUVWXY"[:n]) for n in LENGTHS}.items()

    @given(st.text(max_size=30))
    def test_any_text_is_a_word_or_refused_in_words(self, text: str) -> None:
        try:
            word = spelt(text)
        except ValueError as error:
            words = str(error)
            assert 10 < len(words) < 300
            return
        assert len(set(word)) == len(word)
        assert spelt(word) == word
        assert LetterGrid(word=word).size == len(word)


class TestGivens:
    @pytest.mark.parametrize(
        "text",
        ["L..E" + "." * 12, "L__E\n____\n____\n____", "l 0 0 e\n0 0 0 0\n0 0 0 0\n0 0 0 0\n",
         "L.|.E\n..|..\n--+--\n..|..\n..|..",
         '{"kind": ["http://ipuz.org/sudoku#1"], "puzzle": [["L",0,0,"E"],[0,0,0,0],[0,0,0,0],[0,0,0,0]]}'],
    )  # fmt: skip
    def test_rows_or_one_line_with_any_blank(self, text: str) -> None:
        puzzle = LetterGrid(word="love", givens=text)
        assert puzzle.givens == (1, 0, 0, 4) + (0,) * 12
        assert puzzle.describe() == "4x4, boxes 2x2, letters of LOVE, 2 givens"

    def test_a_file_may_name_its_word(self) -> None:
        puzzle = LetterGrid.read("# letter-grid word=BLO\u0308D\nB..\u00f6\n....\n....\n....\n")[0]
        assert (puzzle.word, puzzle.givens[:4]) == ("BLÖD", (1, 0, 0, 3))

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("LL" + "." * 14, "the given L stands twice in row 1: at row 1, column 1 and at row 1, column 2"),
            ("L....L..........", "twice in box 1: at row 1, column 1 and at row 2, column 2"),
            ("X" + "." * 15, "row 1, column 1 .*'X' is no symbol of a 4x4 grid; expected the letters of LOVE"),
            ("L....", "5 cells; boxes of 2x2 make a 4x4 grid with 4 in a row, 16 in all"),
            ("LOVE\nVEL", "line 2 has 3 cells"),
            ("LOVE\nVELO", "2 lines of 4 cells"),
            ("", "no puzzle in it: expected rows such as L..E or L 0 0 E"),
            ("\0\0", "binary"),
        ],
    )
    def test_what_is_wrong_is_named(self, text: str, words: str) -> None:
        with pytest.raises(UsageError, match=words):
            build("letter-grid", None, {"givens": text})

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"givens": "V" + "." * 15, "target": "row", "line": 1},
             "LOVE cannot be read: in row 1, the given V at row 1, column 1 is in the way of L"),
            ({"givens": "." * 8 + "L" + "." * 7, "target": "row", "line": 1},
             "in row 1, L would stand twice in column 1: at row 1, column 1 and at row 3, column 1"),
            ({"givens": "....L...........", "target": "diagonal", "line": 1},
             "in main diagonal, L would stand twice in column 1"),
            ({"target": "diagonal", "line": 3}, "`line=3`: there are 2 diagonals"),
            ({"target": "row", "line": 5}, "`line=5`: there are 4 rows"),
            ({"target": "any", "line": 1}, "`line=1` is one row, column or diagonal"),
            ({"line": 1}, "`line=1` is one row, column or diagonal"),
            ({"reversed": True}, "`reversed` is about a target"),
            ({"target": "rows"}, "`target=rows`: expected none, any, or some of row, column and diagonal"),
            ({"line": 0, "target": "row"}, "`line=0`: expected"),
        ],
    )  # fmt: skip
    def test_a_target_that_cannot_be(self, options: dict[str, object], words: str) -> None:
        with pytest.raises(UsageError, match=words):
            build("letter-grid", None, options)

    @given(st.text('LOVEXloveäß.0_ \n#|-+[]{}":,\u0308', max_size=80) | st.text(max_size=40))
    def test_any_text_is_givens_or_refused_in_words(self, text: str) -> None:
        try:
            found = LetterGrid.read(text)
        except UsageError as error:
            found, words = [], str(error)
            assert 10 < len(words) < 600
        assert all(puzzle.word == "LOVE" and len(puzzle.givens) == 16 for puzzle in found)

    def test_a_target_that_is_in_the_way_everywhere_tells_some_reasons(self) -> None:
        options = {"givens": "E...V...O......L", "target": "row"}
        with pytest.raises(UsageError, match=r"in row 1, .*; in row 2, .*; in row 3, .*; and so on in 1 more"):
            build("letter-grid", None, options)


class TestRules:
    @settings(max_examples=25)
    @given(st.sampled_from(["LOVE", "MONKEY", "DUPLICATN"]), st.integers(0, 99), st.booleans())
    def test_costs_of_a_population_are_the_seeds_fitness(self, word: str, seed: int, targeted: bool) -> None:
        puzzle = LetterGrid(word=word, target="any" if targeted else "none")
        genomes = puzzle.space().sample(4, Rng(seed))
        assert puzzle.costs(genomes).tolist() == [puzzle.cost(genome) for genome in genomes]
        assert all(
            sorted(row) == list(range(1, len(word) + 1)) for g in genomes for row in g.reshape(len(word), -1).tolist()
        )
        if not targeted:
            grids = [[list(map(str, row)) for row in g.reshape(len(word), -1)] for g in genomes]
            assert puzzle.costs(genomes).tolist() == [classic.fitness(grid, puzzle.shape) for grid in grids]

    def test_the_verifier_knows_all_grids_and_their_targets(self) -> None:
        every = np.array(
            [["LOVE".index(letter) + 1 for row in grid for letter in row] for grid in all_grids()], np.int32
        )
        for (target, line, backwards), count in TARGETS.items():
            puzzle = LetterGrid(target=target, line=line, reversed=backwards)
            right = [puzzle.verify(genome) for genome in every]
            assert sum(right) == count
            assert puzzle.verified(every).tolist() == right
            assert (puzzle.costs(every) == 0).tolist() == right

    def test_near_a_solution_is_none(self) -> None:
        puzzle = LetterGrid(givens="L" + "." * 15)
        grid = np.array([1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1], np.int32)
        other = grid % 4 + 1
        swapped = grid.copy()
        swapped[[4, 5]] = swapped[[5, 4]]
        assert puzzle.verified(np.array([grid, other, swapped], np.int32)).tolist() == [True, False, False]
        assert [puzzle.verify(g) for g in (grid, other, swapped)] == [True, False, False]

    def test_where_the_word_is_read_is_told(self) -> None:
        puzzle = LetterGrid()
        grid = np.array([1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1], np.int32)
        assert puzzle.show(grid).splitlines()[-1] == "# LOVE: row 1, row 4 reversed"
        assert LetterGrid(givens=puzzle.show(grid)).givens == tuple(grid.tolist())
        assert len(all_readings(9)) == 2 * (9 + 9 + 2)
        diagonal = np.zeros((4, 4), int)
        diagonal[[0, 1, 2, 3], [3, 2, 1, 0]] = [1, 2, 3, 4]
        assert [str(reading) for reading in shown(diagonal.ravel(), 4)] == ["other diagonal"]


class TestMaking:
    @pytest.mark.parametrize(
        "options", [{}, {"word": "MONKEY"}, {"word": "DUMBWAITE", "target": "diagonal", "line": 1}]
    )
    def test_unique_is_minimal(self, options: dict[str, object]) -> None:
        puzzle, givens, *_ = made(MakeLetterGrid, {**options, "unique": True}).make(Rng(1))
        found, proved = solutions(*puzzle.shape, givens, 2, seed=1)
        assert (len(found), proved) == (1, True)
        for cell in np.flatnonzero(givens):
            fewer = givens.copy()
            fewer[cell] = 0
            assert len(solutions(*puzzle.shape, fewer, 2, seed=1)[0]) == 2
        if "target" in options:
            assert "main diagonal" in [str(reading) for reading in shown(found[0], puzzle.size)]

    def test_other_wishes(self) -> None:
        puzzle, givens, *_ = made(MakeLetterGrid, {"word": "MONKEY", "filled": 0.5, "target": "row", "line": 2}).make(
            Rng(2)
        )
        assert (givens > 0).sum() == 18
        again, *_ = made(MakeLetterGrid, {"word": "MONKEY", "filled": 0.5, "target": "row", "line": 2}).make(Rng(2))
        assert puzzle == again
        assert LetterGrid(**{**puzzle.model_dump(), "target": "row", "line": 2}).readings

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"word": "LOVER"}, "5 letters"),
            ({"target": "row", "line": 9}, "there are 4 rows"),
            ({"word": "ABCDEFGHIJKLMNOPQRSTUVWXY", "unique": True}, "go up to 16x16"),
        ],
    )
    def test_what_cannot_be_is_refused(self, options: dict[str, object], words: str) -> None:
        with pytest.raises(UsageError, match=words):
            made(MakeLetterGrid, options)


class TestFormats:
    @pytest.mark.parametrize("suffix", [".sdm", ".sdk", ".txt", ".ipuz"])
    def test_what_is_written_is_read_again(self, suffix: str) -> None:
        sheet = made(MakeLetterGrid, {"word": "grüßen", "filled": 0.4}).make(Rng(1))
        puzzle = sheet.puzzle
        text = "".join(puzzle.formats()[suffix]([sheet]))
        assert LetterGrid.read(text) == [puzzle]
        assert "ẞ" in text

    def test_a_page_has_the_puzzles_and_a_sheet_of_solutions(self) -> None:
        sheets = [made(MakeLetterGrid, {"unique": True, "target": "row", "line": 1}).make(Rng(seed)) for seed in (1, 2)]
        write = sheets[0].puzzle.formats()[".html"]
        _, puzzles, answers = "".join(write(sheets)).split("<section>")
        assert puzzles.count("<figure") == answers.count("<figure") == 2
        assert ">Letter grid: LOVE<" in puzzles
        assert "row 1" not in puzzles
        assert answers.count("LOVE: row 1") == 2
        assert puzzles.count("</text>") == 32 == answers.count("</text>")
        twice = "".join(write([sheets[0]] * 2)).split("<section>")
        assert [part.count("<figure") for part in twice[1:]] == [1, 2]  # a puzzle once, with each of its solutions
        assert len(re.findall(r">[LOVE]</text>", puzzles)) == sum((sheet.genome > 0).sum() for sheet in sheets)


def test_the_class_is_found_by_name() -> None:
    assert load("letter-grid") is LetterGrid
