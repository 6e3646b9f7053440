"""Files of one 9x9 puzzle per line, read by a kernel: as the reader of every format reads them, or not at all."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from islands.errors import UsageError
from problems.sudoku import Batch, Sudoku
from problems.sudoku.lines import BLOCK, Lines, lines_of

DATA = Path(__file__).parents[2] / "problems" / "sudoku" / "data"
PUZZLES = (DATA / "easy.sdm").read_text().split() + (DATA / "hard.sdm").read_text().split()
FIRST = PUZZLES[0]


def lines_in(text: str) -> Lines | None:
    return lines_of(partial(BytesIO, text.encode()), len(text.encode()))


def read(text: str) -> Lines:
    lines = lines_in(text)
    assert lines is not None
    return lines


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(PUZZLES),
        "\r\n".join(PUZZLES) + "\r\n",
        "# easy\n\n" + "  # hard ones\n  ".join(f"{puzzle} \n" for puzzle in PUZZLES),
        "\n".join(f"{puzzle} # number {number}" for number, puzzle in enumerate(PUZZLES)),
        "\n".join(PUZZLES).replace(".", "0"),
        "\n".join(PUZZLES).replace(".", "*"),
        "\n".join([*PUZZLES, PUZZLES[0].replace(".", "0"), PUZZLES[1].replace(".", "_")]),
    ],
    ids=["plain", "windows", "comments", "notes", "zeros", "stars", "several signs for empty"],
)
def test_reads_what_the_reader_of_every_format_reads(text: str) -> None:
    lines, expected = read(text), [puzzle.givens for puzzle in Sudoku.read(text)]
    assert (lines.count, lines.wrong) == (len(expected), 0)
    assert lines.rows(0, lines.count).tolist() == [list(givens) for givens in expected]


def test_any_part_of_a_long_file() -> None:
    many = (PUZZLES * (4 * BLOCK // len(PUZZLES)))[: 3 * BLOCK + 7]
    lines = read("\n\n".join(many))
    expected = np.array([[int(symbol) if symbol != "." else 0 for symbol in puzzle] for puzzle in many])
    assert lines.count == len(many)
    for first, last in ((0, 1), (BLOCK - 1, BLOCK + 1), (BLOCK, 2 * BLOCK), (5, 5), (2 * BLOCK + 3, len(many))):
        assert np.array_equal(lines.rows(first, last), expected[first:last])


def test_a_few_lines_that_are_no_puzzles_are_named_and_the_rest_is_read() -> None:
    short, letter = FIRST[:-1], "x" + FIRST[1:]
    lines = read("\n".join(["# three are wrong", *PUZZLES, short, *PUZZLES, letter, *PUZZLES, "55" + "." * 79]))
    assert (lines.count, lines.wrong) == (3 * len(PUZZLES), 3)
    assert lines.faults == (
        f"line {len(PUZZLES) + 2}: 80 characters, expected 81",
        f"line {2 * len(PUZZLES) + 3}: 'x' at row 1, column 1 is not a digit",
        f"line {3 * len(PUZZLES) + 4}: the given 5 stands twice in row 1: at row 1, column 1 and at row 1, column 2",
    )
    assert np.array_equal(lines.rows(0, len(PUZZLES)), lines.rows(len(PUZZLES), 2 * len(PUZZLES)))


@pytest.mark.parametrize(
    "text",
    [
        FIRST,
        "",
        "\n".join([*PUZZLES[:9], "oops"]),
        "\n".join([*PUZZLES, PUZZLES[0].replace(".", "0")]).replace("9", "."),
        "\n".join([*PUZZLES, 81 * "-"]),
        "# sudoku symbols=0-8\n" + "\n".join(PUZZLES),
        "\n".join(FIRST[start : start + 9] for start in range(0, 81, 9)),
        (DATA / "4x4.sdm").read_text(),
    ],
    ids=["one", "nothing", "a tenth is wrong", "is 0 a digit", "a drawn line", "a hint", "rows", "another size"],
)
def test_anything_else_is_left_to_the_reader_of_every_format(text: str) -> None:
    assert lines_in(text) is None


def test_a_batch_is_the_same_however_it_was_read() -> None:
    text = "\n".join(PUZZLES)
    assert Batch.of_lines(text.encode()) == Batch.of(Sudoku.read(text))


def test_a_batch_of_an_older_run_has_a_list_of_puzzles() -> None:
    assert Batch(puzzles=PUZZLES) == Batch(puzzles="".join(PUZZLES))
    for puzzles in (PUZZLES[0][:-1], "x" * 81, "", 5, [5]):
        with pytest.raises(ValidationError):
            Batch(puzzles=puzzles)


@pytest.mark.parametrize(("right", "wrong"), [(40, 5), (1, 1), (9, 1)])
@pytest.mark.parametrize("line", [FIRST[:-1], "x" + FIRST[1:], "55" + "." * 79], ids=["short", "letter", "twice"])
def test_where_too_many_lines_are_wrong_it_is_said_how_many_and_how_many_may_be(
    right: int, wrong: int, line: str
) -> None:
    with pytest.raises(UsageError, match=f"Of {right + wrong} lines {wrong} (is|are) wrong: with 10 right ones"):
        Sudoku.read("\n".join([FIRST] * right + [line] * wrong))


@pytest.mark.parametrize("text", ["x" * 81, f"{FIRST}\nx\ny", "53..7\n" * 9])
def test_of_other_texts_nothing_is_said_of_lines(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sudoku.read(text)
    assert "wrong: with" not in str(caught.value)
