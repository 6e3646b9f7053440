"""Sudoku formats: what is written is read again, every way people write is understood, garbage is refused in words."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import problems.sudoku
from islands.errors import UsageError
from islands.model.capabilities import Sheet
from problems.sudoku import Sudoku
from problems.sudoku.reading import read
from problems.sudoku.symbols import BLANKS, SIZES, box_text, boxes_of, label, symbols, values_of
from problems.sudoku.writing import FORMATS

DATA = Path(problems.sudoku.__file__).parent / "data"
WIKIPEDIA = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def solved_grid(box: tuple[int, int], seed: int) -> list[int]:
    """A solved grid: the cyclic pattern with values, rows and columns of it renamed."""
    rows, columns = box
    n = rows * columns
    shuffled = random.Random(seed)
    names = shuffled.sample(range(1, n + 1), n)
    lines = [
        band * rows + i for band in shuffled.sample(range(columns), columns) for i in shuffled.sample(range(rows), rows)
    ]
    return [names[(row % rows * columns + row // rows + column) % n] for row in lines for column in range(n)]


@st.composite
def puzzles(draw: st.DrawFn) -> Sudoku:
    box = draw(st.sampled_from(SIZES).flatmap(lambda n: st.sampled_from(boxes_of(n))))
    grid = solved_grid(box, draw(st.integers(0, 1000)))
    kept = draw(st.floats(0, 1))
    hidden = random.Random(draw(st.integers(0, 1000)))
    givens = tuple(value if hidden.random() < kept else 0 for value in grid)
    alphabet = draw(st.sampled_from(["numbers", "1", "0", "A"]))
    return Sudoku(box=box_text(box), alphabet=alphabet, givens=givens)


def read_or_refused(text: str) -> list[Sudoku]:
    """The puzzles of a text; none where it is refused, which is a matter of words."""
    try:
        return Sudoku.read(text)
    except UsageError as error:
        return [] if 0 < len(str(error)) < 2000 else pytest.fail(f"no words, or too many: {error}")


def written(puzzle: Sudoku, suffix: str) -> str:
    return "".join(FORMATS[suffix]([Sheet(puzzle, np.array(puzzle.givens, np.int32))]))


class TestRoundTrip:
    @settings(max_examples=60)
    @given(puzzles(), st.sampled_from([".sdm", ".sdk", ".txt", ".ipuz"]))
    def test_what_is_written_is_read_again(self, puzzle: Sudoku, suffix: str) -> None:
        (again,) = Sudoku.read(written(puzzle, suffix))
        assert (again.box, again.givens) == (puzzle.box, puzzle.givens)

    @pytest.mark.parametrize("alphabet", ["numbers", "1", "0", "A"])
    @pytest.mark.parametrize("suffix", [".sdm", ".sdk", ".txt", ".ipuz"])
    def test_a_small_one_in_every_alphabet(self, alphabet: str, suffix: str) -> None:
        """Up to 9x9 every symbol of one alphabet but the last is one of another too."""
        givens = tuple(value if cell % 3 else 0 for cell, value in enumerate(solved_grid((3, 3), 4)))
        puzzle = Sudoku(alphabet=alphabet, givens=givens)
        assert Sudoku.read(written(puzzle, suffix))[0].givens == givens

    @settings(max_examples=40)
    @given(puzzles())
    def test_what_is_shown_is_read_again(self, puzzle: Sudoku) -> None:
        """The drawn boxes say their shape; the alphabet is said here, as few givens can leave it open."""
        text = puzzle.show(np.array(puzzle.givens, np.int32))
        (again,) = Sudoku.read(text, alphabet=puzzle.alphabet)
        assert (again.box, again.givens) == (puzzle.box, puzzle.givens)

    @pytest.mark.parametrize("box", ["4x4", "6x6", "2x2"])
    def test_empty_grids_whose_lines_could_be_two_things(self, box: str) -> None:
        n = int(box[0]) ** 2
        empty = Sudoku(box=box, givens=(0,) * n**2)
        for suffix in (".sdm", ".sdk", ".txt", ".ipuz"):
            sheets = [Sheet(empty, np.array(empty.givens, np.int32))] * (1 if suffix == ".ipuz" else 16)
            assert {again.box for again in Sudoku.read("".join(FORMATS[suffix](sheets)))} == {box}
        assert Sudoku.read(empty.show(np.zeros(n**2, np.int32)))[0].box == box

    def test_many_puzzles_in_one_file(self) -> None:
        for suffix in (".sdm", ".sdk", ".txt"):
            sheets = [Sheet(p, np.array(p.givens, np.int32)) for p in Sudoku.read((DATA / "16x16.sdk").read_text())]
            again = Sudoku.read("".join(FORMATS[suffix](sheets)))
            assert [p.givens for p in again] == [sheet.puzzle.givens for sheet in sheets]

    def test_a_solved_grid_keeps_its_givens_apart(self) -> None:
        puzzle = Sudoku(givens=WIKIPEDIA)
        solved = np.array(solved_grid((3, 3), 1), np.int32)
        puzzle = puzzle.model_copy(update={"givens": tuple(np.where(np.arange(81) % 2, solved, 0).tolist())})
        assert "[State]" not in written(puzzle, ".sdk")
        (from_sdk,) = Sudoku.read("".join(FORMATS[".sdk"]([Sheet(puzzle, solved)])))
        assert from_sdk.givens == puzzle.givens
        data = json.loads("".join(FORMATS[".ipuz"]([Sheet(puzzle, solved)])))
        assert np.array(data["solution"]).ravel().tolist() == solved.tolist()
        assert sum(map(sum, data["puzzle"])) < sum(map(sum, data["solution"]))
        _, unsolved, answer = "".join(puzzle.formats()[".html"]([Sheet(puzzle, solved)])).split("<section>")
        assert unsolved.count('font-weight="bold"') == answer.count('font-weight="bold"') == 40
        assert unsolved.count("></text>") == 41
        assert "></text>" not in answer


class TestUnderstands:
    def same(self, text: str, **options: str) -> None:
        assert Sudoku.read(text, **options)[0].givens == Sudoku(givens=WIKIPEDIA).givens

    def rows(self) -> list[str]:
        return [WIKIPEDIA[start : start + 9] for start in range(0, 81, 9)]

    def test_a_line_with_dots_or_zeros_or_other_blanks(self) -> None:
        for blank in "0_*?":
            self.same(WIKIPEDIA.replace(".", blank))
        self.same(f"\ufeff  {WIKIPEDIA}\r\n")

    def test_rows_of_characters_grouped_as_you_like(self) -> None:
        self.same("\n".join(self.rows()))
        self.same("\n\n".join(" ".join(row[i : i + 3] for i in (0, 3, 6)) for row in self.rows()))
        self.same("\n".join(",".join(row) for row in self.rows()))

    def test_sdk_with_hash_lines_and_sections(self) -> None:
        self.same("#A Somebody\n#D a sudoku\n[Puzzle]\n" + "\n".join(self.rows()) + "\n[State]\n" + "123456789\n" * 9)

    def test_numbers_between_spaces_with_comments(self) -> None:
        lines = [" ".join(row).replace(".", "0") for row in self.rows()]
        self.same("# the seed's format\n" + "\n".join(lines) + "  # the end\n")

    def test_tabs_with_minus_one_after_two_header_lines(self) -> None:
        lines = ["\t".join("-1" if cell == "." else cell for cell in row) + "\t" for row in self.rows()]
        self.same("3\n1\n" + "\n".join(lines) + "\n")

    @pytest.mark.parametrize("separator", [",", ";", "\t", ", "])
    @pytest.mark.parametrize("quote", ["", '"'])
    def test_spreadsheets_with_empty_cells(self, separator: str, quote: str) -> None:
        lines = [separator.join(quote + cell.replace(".", "") + quote for cell in row) for row in self.rows()]
        self.same("\n".join(lines))

    @pytest.mark.parametrize(("bar", "rule"), [("|", "------+-------+------"), (" | ", "=" * 21), ("│", "───┼───┼───")])
    def test_drawn_lines(self, bar: str, rule: str) -> None:
        drawn = [bar.join(row[i : i + 3] for i in (0, 3, 6)) for row in self.rows()]
        self.same("\n".join([*drawn[:3], rule, *drawn[3:6], rule, *drawn[6:]]))

    def test_drawn_lines_say_what_the_boxes_of_6x6_are(self) -> None:
        flat = "123|456\n456|123\n---+---\n......\n......\n---+---\n......\n......".replace("......", "...|...")
        assert Sudoku.read(flat)[0].box == "2x3"
        tall = "12|34|56\n" + "..|..|..\n" * 2 + "--+--+--\n" + "..|..|..\n" * 3
        assert Sudoku.read(tall)[0].box == "3x2"
        assert Sudoku.read("2\n3\n" + flat)[0].box == "2x3"
        irregular = tall.replace("12|34|56", "12|3|456").replace("..|..|..", "..|.|...")
        with pytest.raises(UsageError, match="boxes of 2x3 or 3x2"):
            Sudoku.read(irregular)

    def test_the_seeds_25x25_with_two_digits(self) -> None:
        puzzle = Sudoku.read((DATA / "25x25.txt").read_text())[0]
        assert (puzzle.box, puzzle.alphabet, max(puzzle.givens)) == ("5x5", "numbers", 25)

    def test_ipuz_in_its_own_ways(self) -> None:
        cells = [[0 if cell == "." else int(cell) for cell in row] for row in self.rows()]
        base = {"kind": ["http://ipuz.org/sudoku#1"], "version": "http://ipuz.org/v2"}
        self.same(json.dumps({**base, "puzzle": cells}))
        self.same("ipuz(" + json.dumps({**base, "puzzle": cells}) + ");")
        self.same(json.dumps({**base, "empty": "#", "puzzle": [[cell or "#" for cell in row] for row in cells]}))
        with pytest.raises(UsageError, match="this is a 9x9 grid; boxes of 2x3 make one of 6x6"):
            Sudoku.read(json.dumps({**base, "puzzle": cells}), box="2x3")
        objects = [[{"value": cell} if cell else None for cell in row] for row in cells]
        self.same(json.dumps({**base, "puzzle": objects}))

    def test_givens_may_be_text_in_python_too(self) -> None:
        assert Sudoku(givens=WIKIPEDIA).givens == read(WIKIPEDIA)[0].values


class TestAlphabets:
    @pytest.mark.parametrize(
        ("alphabet", "n", "text"),
        [("1", 9, "1-9"), ("1", 16, "1-9A-G"), ("0", 16, "0-9A-F"), ("A", 25, "A-Y"), ("0", 36, "0-9A-Z"),
         ("1", 49, "1-9A-Za-n"), ("1", 10, "1-9A"), ("numbers", 25, "the numbers 1-25")],
    )  # fmt: skip
    def test_have_names(self, alphabet: str, n: int, text: str) -> None:
        assert label(alphabet, n) == text

    @pytest.mark.parametrize("alphabet", ["1", "0", "A"])
    @pytest.mark.parametrize("n", [16, 25, 36, 49])
    def test_are_told_apart_by_what_occurs(self, alphabet: str, n: int) -> None:
        box = boxes_of(n)[0]
        names = symbols(alphabet, n)
        line = "".join("." if cell % 3 == 0 else names[value - 1] for cell, value in enumerate(solved_grid(box, 3)))
        (grid,) = read(line)
        assert (grid.alphabet, grid.box) == (alphabet, box)

    def test_small_letters_are_capitals_where_those_are_enough(self) -> None:
        assert values_of("0", 16)["f"] == 16
        assert values_of("1", 49)["a"] == 36
        assert "z" not in values_of("1", 49)

    def test_zero_is_a_blank_where_it_repeats(self) -> None:
        line = "".join("0" if cell % 3 else "123456789ABCDEFG"[v - 1] for cell, v in enumerate(solved_grid((4, 4), 3)))
        assert read(line)[0].alphabet == "1"

    def test_zero_is_a_value_where_every_symbol_occurs_and_none_repeats(self) -> None:
        full = "".join("0123456789ABCDEF"[v - 1] for v in solved_grid((4, 4), 3))
        assert read(full)[0].alphabet == "0"

    def test_zero_beside_another_blank_is_a_value_and_may_not_repeat(self) -> None:
        rows = ["0123456789ABCDEF", "0" + "." * 15, *["." * 16] * 14]
        with pytest.raises(UsageError, match=r"0 stands twice in column 1: at row 1, column 1 and at row 2, column 1"):
            Sudoku.read("\n".join(rows))

    def test_zero_beside_another_blank_in_a_small_grid_is_ambiguous(self) -> None:
        line = "".join("." if cell % 2 else str(value - 1) for cell, value in enumerate(solved_grid((3, 3), 3)))
        with pytest.raises(UsageError, match=r"`alphabet=1` \(1-9\) or `alphabet=0` \(0-8\)"):
            read(line)
        with pytest.raises(UsageError, match="`alphabet=1`"):
            read("00" + line[2:])  # though 0 stands twice in a row
        assert read(line.replace("8", "0"), alphabet="0")[0].alphabet == "0"
        assert read(line[:-1] + "9")[0].alphabet == "1"  # with a 9, 0 can only be empty

    def test_neither_0_nor_g_is_ambiguous(self) -> None:
        names = "123456789ABCDEF."
        line = "".join("." if cell % 2 else names[v - 1] for cell, v in enumerate(solved_grid((4, 4), 3)))
        with pytest.raises(UsageError, match=r"`alphabet=1` \(1-9A-G\) or `alphabet=0` \(0-9A-F\)"):
            read(line)
        ones, zeros = read(line, alphabet="1")[0], read(line, alphabet="0")[0]
        assert [v + 1 if v else 0 for v in ones.values] == list(zeros.values)


class TestRefuses:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "no puzzle in it"),
            ("# nothing\n\n", "no puzzle in it"),
            (WIKIPEDIA[:-1], "80 cells.*nearest size has 81"),
            (WIKIPEDIA.replace("9", "x", 1), r"row 2, column 5.*'x' is no symbol of a 9x9 grid; expected 1-9"),
            ("5" + WIKIPEDIA[:1] + WIKIPEDIA[2:], "5 stands twice in row 1: at row 1, column 1 and at row 1, column 2"),
            ("53..7....5" + WIKIPEDIA[10:], "twice in column 1: at row 1, column 1 and at row 2, column 1"),
            ("53..7.....5" + WIKIPEDIA[11:], "twice in box 1: at row 1, column 1 and at row 2, column 2"),
            ("123\n" * 3, "3 cells"),
            ("1234567\n" * 7, "7 cells"),
            ("." * 81 * 81, "81x81 grid; the largest is 64x64"),
            ("123456789\n12345678\n", "line 2 has 8 cells, line 1 has 9"),
            ("." * 9 + "\n" + "." * 9, "2 lines of 9 cells"),
            ("......\n" * 6, "boxes of 2x3 or 3x2"),
            ("1234" * 4 + "\n" + ("1234" * 4 + "\n") * 15, "`box=4x4` or `box=2x2`"),
            ("1 2 3 4\n0 0 0 0\n-1 0 0 0\n0 0 0 0", "0 and -1"),
            ("1 2 3 5\n0 0 0 0\n0 0 0 0\n0 0 0 0", "'5' is no symbol of a 4x4 grid"),
            ("-" * 100_000 + "x", "line 1 has 100,001 characters"),
            ("|1" * 4000, "4000 cells"),
            ("a\0b", "binary data"),
            ('{"puzzle": 3', "looks like ipuz"),
            ('{"puzzle": [[1]], "kind": ["http://ipuz.org/crossword#1"]}', "expected http://ipuz.org/sudoku#1"),
            ('{"puzzle": [[1, 2]], "kind": ["http://ipuz.org/sudoku#1"]}', "no square grid"),
        ],
    )  # fmt: skip
    def test_in_words(self, text: str, words: str) -> None:
        with pytest.raises(UsageError, match=words):
            Sudoku.read(text)

    @pytest.mark.parametrize("box", ["3", "3x", "x3", "1x9", "9x9", "0x0", "axb", "2x3x4", "99999999999x2"])
    def test_a_box_that_is_none(self, box: str) -> None:
        with pytest.raises(UsageError, match="`box="):
            Sudoku.read(WIKIPEDIA, box=box)

    def test_a_box_that_does_not_fit(self) -> None:
        with pytest.raises(UsageError, match="boxes of 2x3 make a 6x6 grid"):
            Sudoku.read(WIKIPEDIA, box="2x3")

    def test_names_the_puzzle_of_many(self) -> None:
        with pytest.raises(UsageError, match=r"puzzle 2 \(line 3\): the given 5 stands twice"):
            Sudoku.read(f"{WIKIPEDIA}\n\n55{WIKIPEDIA[2:]}\n")

    @settings(max_examples=300)
    @given(st.text(max_size=400) | st.text(alphabet="0123456789.ABG \n\t|-+#[]{}x,", max_size=400))
    def test_garbage_in_words_or_a_puzzle(self, text: str) -> None:
        assert all(len(puzzle.givens) == puzzle.size**2 for puzzle in read_or_refused(text))

    @settings(max_examples=100)
    @given(st.data())
    def test_damaged_files_in_words_or_a_puzzle(self, data: st.DataObject) -> None:
        """A good file with a piece cut out, doubled or replaced."""
        text = written(data.draw(puzzles()), data.draw(st.sampled_from([".sdm", ".sdk", ".txt", ".ipuz"])))
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        damaged = (
            text[:start]
            + data.draw(st.sampled_from(["", text[start:end] * 2, "#", "\n", "\t", "Z", "99 "]))
            + text[end:]
        )
        assert all(len(puzzle.givens) == puzzle.size**2 for puzzle in read_or_refused(damaged))

    @given(
        st.recursive(
            st.none() | st.integers() | st.text(max_size=3),
            lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["value", "cell"]), inner),
        )
    )
    def test_ipuz_garbage(self, cells: object) -> None:
        with pytest.raises(UsageError):
            Sudoku.read(json.dumps({"kind": ["http://ipuz.org/sudoku#1"], "puzzle": cells}))


def test_blanks_are_no_symbols() -> None:
    assert not BLANKS & {symbol for name in ("1", "0", "A") for symbol in symbols(name, 49)}


def test_puzzles_in_a_column_beside_their_solutions_are_read() -> None:
    puzzle, solved = ".1.4.......3.2.1", "2134341212434321"
    lines = [f"{number},{puzzle},{solved},easy" for number in (1, 2, 3)]
    for text in ("\n".join(lines), "\n".join(("id,quizzes,solutions,level", *lines)), f"{puzzle},{solved}"):
        grids = read(text)
        assert len(grids) == text.count(puzzle)
        assert all(grid.values == read(puzzle)[0].values for grid in grids)


def test_titles_between_puzzles_are_passed_over() -> None:
    rows = ".1.4\n....\n...3\n.2.1\n"
    assert len(read(f"Grid 01\n{rows}Grid 02\n{rows}")) == 2
    assert read(f"Puzzle #1:\n{rows}")[0].values == read(rows)[0].values


def test_values_from_zero_on_between_blanks_are_not_taken_for_empty_cells() -> None:
    puzzle = Sudoku(givens=(1, 2, 0, 0, 3, 4) + (0,) * 10, box="2x2", alphabet="0")
    shown = puzzle.show(np.array(puzzle.givens, np.int32))
    with pytest.raises(UsageError, match="several ways"):
        Sudoku.read(shown)
    assert Sudoku.read(shown, alphabet="0")[0].givens == puzzle.givens
    assert Sudoku.read(shown.replace(".", "0"))[0].givens[:2] == (0, 1)  # no other sign for an empty cell
