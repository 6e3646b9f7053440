"""New puzzles on their way out: Ctrl-C keeps what is made, and what a maker could not find out is said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.status import Status

from islands.model.capabilities import Sheet
from islands.terminal import making as making_
from islands.terminal.making import MOST_REMARKS, Making, write_instances
from problems.sudoku import Sudoku

FOUR = "1..............."


def sheets(count: int, remark: str = "") -> Iterator[Sheet]:
    """So many, and then Ctrl-C."""
    for _ in range(count):
        yield Sheet(Sudoku(givens=FOUR, box="2x2"), np.array([1] + [0] * 15, np.int32), remark=remark)
    raise KeyboardInterrupt


def test_a_file_keeps_the_puzzles_that_were_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    assert write_instances(sheets(2), 5, file, sys.stdout, force=False) == 130
    assert len(Sudoku.read(file.read_text())) == 2
    said = capsys.readouterr().err
    assert f"interrupted: 2 of 5 puzzles made and kept in {file}" in said
    assert "holds no more" not in said


def test_without_any_there_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert write_instances(sheets(0), 5, tmp_path / "a.txt", sys.stdout, force=False) == 130
    assert list(tmp_path.iterdir()) == []
    assert "interrupted: 0 of 5 puzzles made" in capsys.readouterr().err


def test_the_screen_has_them_already(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_instances(sheets(1), 5, None, sys.stdout, force=False) == 130
    assert "interrupted: 1 of 5 puzzles made" in capsys.readouterr().err


def test_a_signal_between_two_puzzles_ends_it_and_a_second_one_at_once() -> None:
    making = Making(sheets(9), 9)
    for _ in making:
        assert making.interrupt()
        assert not making.interrupt()
    assert making.count == 1


@pytest.mark.parametrize(("is_terminal", "begun"), [(True, 2), (False, 0)])
def test_the_status_is_not_begun_for_each_puzzle_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_terminal: bool, begun: int
) -> None:
    starts: list[Status] = []
    monkeypatch.setattr(Status, "start", lambda status: starts.append(status))
    monkeypatch.setattr(making_, "Console", partial(Console, force_terminal=is_terminal))
    write_instances(sheets(20), 20, tmp_path / "a.txt", sys.stdout, force=False)
    assert len(starts) == begun


def test_remarks_are_said_some_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_instances(sheets(MOST_REMARKS + 2, "too hard"), 9, tmp_path / "a.txt", sys.stdout, force=False)
    said = capsys.readouterr().err
    assert "puzzle 1: too hard" in said
    assert said.count("too hard") == MOST_REMARKS
    assert "the same of 2 more" in said
