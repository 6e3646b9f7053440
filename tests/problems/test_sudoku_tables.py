"""One 25x25 sudoku as people have it: in tables with and without headings, in JSON, with any mark for an empty cell."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from islands.errors import UsageError
from islands.kernels.rng import Rng
from problems.sudoku import Sudoku
from problems.sudoku.making import MakeSudoku
from problems.sudoku.symbols import symbols

Rows = list[list[int]]

PUZZLE, GIVENS, *_ = MakeSudoku(size=25, filled=0.45).make(Rng(3))
ROWS: Rows = GIVENS.reshape(25, 25).tolist()
OPEN_END: Rows = [[*row[:-3], *([0, 0, 0] if number % 2 else row[-3:])] for number, row in enumerate(ROWS)]
"""Some rows end with empty cells."""


def flat(rows: Rows) -> tuple[int, ...]:
    return tuple(value for row in rows for value in row)


def joined(rows: Rows, between: str = " ", empty: str = "0") -> str:
    return "\n".join(between.join(str(value) if value else empty for value in row) for row in rows) + "\n"


def frame(rows: Rows, **options: object) -> str:
    """As pandas writes it."""
    stream = io.StringIO()
    pd.DataFrame(rows).replace(0, np.nan).astype("Int64").to_csv(stream, **options)
    return stream.getvalue()


def named(rows: Rows, names: Sequence[str], between: str = ",", empty: str = "") -> str:
    return between.join(names) + "\n" + joined(rows, between, empty)


def characters(rows: Rows, alphabet: str, empty: str) -> str:
    known = [empty, *symbols(alphabet, 25)]
    return "\n".join("".join(known[value] for value in row) for row in rows) + "\n"


def trimmed(rows: Rows, between: str) -> str:
    """Without the empty cells at the end of a row."""
    return "\n".join(line.rstrip(between) for line in joined(rows, between, "").splitlines())


def bars(rows: Rows) -> str:
    lines = ["| " + " | ".join(str(value or "") for value in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * 25, *lines[1:]])


STYLES: dict[str, Callable[[Rows], str]] = {
    "blanks": joined,
    "tabs": lambda rows: joined(rows, "\t"),
    "commas": lambda rows: joined(rows, ","),
    "commas at the ends": lambda rows: joined(rows, ",").replace("\n", ",\n"),
    "semicolons": lambda rows: joined(rows, "; "),
    "dots": lambda rows: joined(rows, empty="."),
    "dashes": lambda rows: joined(rows, empty="-"),
    "dashes between commas": lambda rows: joined(rows, ",", "-"),
    "empty fields": lambda rows: joined(rows, ",", ""),
    "quoted fields": lambda rows: "\n".join(",".join(f'"{value or ""}"' for value in row) for row in rows),
    "empty fields cut off": lambda rows: trimmed(rows, ","),
    "empty fields cut off, semicolons": lambda rows: trimmed(rows, ";"),
    "empty fields cut off, tabs": lambda rows: trimmed(rows, "\t"),
    "headed by words": lambda rows: named(rows, [f"c{n}" for n in range(1, 26)]),
    "headed by words, blanks": lambda rows: named(rows, [f"Col{n}" for n in range(25)], " ", "0"),
    "headed by numbers": lambda rows: named(rows, [str(n) for n in range(1, 26)]),
    "headed by letters": lambda rows: named(rows, [chr(ord("A") + n) for n in range(25)]),
    "a data frame": frame,
    "a data frame without names": lambda rows: frame(rows, index=False, header=False),
    "a data frame, headed": lambda rows: frame(rows, index=False),
    "minus one": lambda rows: "5\n5\n" + joined(rows, "\t", "-1"),
    "in one line": lambda rows: characters(rows, "1", ".").replace("\n", ""),
    "letters": lambda rows: characters(rows, "A", "."),
    "letters and dashes": lambda rows: characters(rows, "A", "-"),
    "a table of bars": bars,
    "shown": lambda rows: PUZZLE.show(np.array(rows, np.int32).ravel()),
    "JSON, zeros": json.dumps,
    "JSON, null": lambda rows: json.dumps([[value or None for value in row] for row in rows]),
    "JSON, texts": lambda rows: json.dumps([[str(value or "") for value in row] for row in rows], indent=1),
    "JSON, rows as texts": lambda rows: json.dumps(characters(rows, "A", ".").split()),
    "JSON, all cells": lambda rows: json.dumps(flat(rows)),
    "JSON, in an object": lambda rows: json.dumps({"name": "mine", "grid": rows}),
    "JSON, in a list": lambda rows: json.dumps([rows]),
    "ipuz": lambda rows: json.dumps({"kind": ["http://ipuz.org/sudoku#1"], "puzzle": rows}),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rows", [ROWS, OPEN_END], ids=["full", "open"])
def test_a_25x25_in_every_style(style: str, rows: Rows) -> None:
    (puzzle,) = Sudoku.read(STYLES[style](rows))
    assert puzzle.box == "5x5"
    assert puzzle.givens == flat(rows)


@pytest.mark.parametrize("style", ["blanks", "commas", "empty fields", "headed by words", "JSON, in a list", "dashes"])
def test_two_of_them_in_one_file(style: str) -> None:
    two = json.dumps([ROWS, OPEN_END]) if style.startswith("JSON") else STYLES[style](ROWS + OPEN_END)
    assert [puzzle.givens for puzzle in Sudoku.read(two)] == [flat(rows) for rows in (ROWS, OPEN_END)]


def test_a_last_column_that_is_empty_everywhere() -> None:
    """A spreadsheet saves as many columns as are used."""
    rows = [[*row[:-1], 0] for row in ROWS]
    assert Sudoku.read(joined([row[:-1] for row in rows], ",", ""))[0].givens == flat(rows)


def test_a_row_without_a_given_in_characters() -> None:
    rows = [ROWS[0], [0] * 25, *ROWS[2:]]
    for empty in "-.":
        assert Sudoku.read(characters(rows, "A", empty))[0].givens == flat(rows)


def test_a_cell_that_is_missing_where_empty_ones_are_written_is_no_empty_cell() -> None:
    damaged = joined(ROWS, ",").replace(",0\n", "\n", 1)
    with pytest.raises(UsageError, match="line 1 has 24"):
        Sudoku.read(damaged)


def test_boxes_of_two_columns_between_bars_are_no_table() -> None:
    row = "|12|34|56|78|\n"
    puzzle = Sudoku.read(row + "|..|..|..|..|\n" * 3 + "|--|--|--|--|\n" + "|..|..|..|..|\n" * 4)[0]
    assert puzzle.box == "4x2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "no puzzle in it"),
        ("[[5, 3", "looks like a JSON list, but is not"),
        ("[[5, true]]", "True in a JSON list is no cell"),
        ("[[5, 500]]", "a number above that in a JSON list"),
        ("[[5, -3]]", "a negative number in a JSON list"),
        ("[[[[1]]]]", "is no grid: expected rows of cells"),
        ('[["1 2", 3]]', "'1 2' in a JSON list is no cell"),
        ('{"name": "mine"}', "JSON without a puzzle"),
        ("[" * 100_000, "looks like a JSON list"),
    ],
)
def test_json_that_is_no_sudoku(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Sudoku.read(text)


def test_null_is_no_row() -> None:
    with pytest.raises(UsageError, match=r"this is null, JSON for nothing\. Expected rows such as"):
        Sudoku.read(" null\n")
