"""Tables fit the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from islands.terminal.tables import Column, console_for, fitted

COLUMNS: list[Column[int]] = [
    Column("number", 3, str, lambda _: "all"),
    Column("its square", 1, lambda row: str(row**2), lambda rows: str(sum(row**2 for row in rows))),
    Column("in words", 2, lambda row: "one more than " * row + "nothing", is_text=True, folds=True),
]


def lines(rows: list[int], width: int, most: int | None = None) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as captured:
        console.print(fitted(COLUMNS, rows, width, most=most))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_every_column_where_there_is_room() -> None:
    assert lines([1, 2], 60) == [
        "number  its square  in words",
        "     1           1  one more than nothing",
        "     2           4  one more than one more than nothing",
        "   all           5",
    ]


def test_a_text_folds_before_a_column_is_left_out() -> None:
    heading, *rows = lines([1], 32)
    assert heading == "number  its square  in words"
    assert [row.split() for row in rows] == [["1", "1", "one", "more"], ["than", "nothing"]]


def test_the_column_of_the_lowest_rank_goes_first() -> None:
    assert lines([1], 28)[0] == "number  in words"
    assert lines([1], 10)[0] == "number"


def test_rows_beyond_the_most_are_counted_and_summed_up() -> None:
    rows = lines(list(range(9)), 60, most=4)
    assert [row.split()[0] for row in rows] == ["number", "0", "1", "2", "and", "all"]
    assert rows[-2].split() == ["and", "6", "more"]


@pytest.mark.parametrize("rows", [[], [7]])
def test_one_row_has_no_sum(rows: list[int]) -> None:
    assert not any("all" in line for line in lines(rows, 200))


def test_where_there_is_no_terminal_nothing_is_left_out() -> None:
    assert console_for(io.StringIO()).width == 200
