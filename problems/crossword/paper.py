"""Crosswords as PDF: the pages of `page`, with every line at its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from islands.writing.pdf import Paper
from problems.crossword.numbering import Numbered
from problems.crossword.page import (
    BELOW,
    EDGE,
    GAP,
    LEADING,
    MARGINS,
    NUMBER,
    PAPERS,
    POINT,
    TITLE,
    Setting,
    in_order,
    paper_for,
    setting_for,
)  # fmt: skip
from problems.crossword.picture import CELL, grid_only
from problems.crossword.setting import Line, columns_of, wrapped

LEFT = MARGINS / 2
A4 = (210.0, 297.0)  # in place of what it has in common with Letter


def pages(sheets: Iterable[Numbered]) -> Iterator[bytes]:
    """The puzzles one after another, then the solutions in the same order."""
    kept = list(sheets)
    paper = Paper((text for sheet in kept for text in _texts(sheet)), (grid_only(sheet, solved=True) for sheet in kept))
    for sheet, title, solved in in_order(kept):
        _set(paper, sheet, title, solved=solved)
    yield paper.data()


def _texts(sheet: Numbered) -> Iterator[str]:
    """Everything that will be written."""
    yield from (f"{sheet.title}: solution 0123456789 Across Down", sheet.lacking)
    yield from (text for one in (*sheet.across, *sheet.down) for text in (one.clue, one.placed.word))


def _set(paper: Paper, sheet: Numbered, title: str, *, solved: bool) -> None:
    """A grid, and below it the lists; what does not fit goes on on further pages."""
    name, most = paper_for(sheet.layout.rows, sheet.layout.columns)
    set_as = setting_for(sheet, *PAPERS[name], most, solved=solved)
    wide, tall = PAPERS[name] if name else A4
    paper.page(wide, tall)
    paper.text(LEFT, LEFT + 7, title, 18, bold=True)
    top = LEFT + TITLE
    for line in wrapped(sheet.lacking, (wide - MARGINS) / (11 * POINT)) if sheet.left_out else ():
        paper.text(LEFT, top + 4, line, 11)
        top += 11 * POINT * LEADING
    width = (sheet.layout.columns + 2 * EDGE / CELL) * set_as.cell
    paper.picture((wide - width) / 2, top, grid_only(sheet, solved=solved, margin=EDGE), width)
    top += (sheet.layout.rows + 2 * EDGE / CELL) * set_as.cell + BELOW
    _lists(paper, sheet, set_as, top, (wide, tall), solved=solved)


def _lists(
    paper: Paper, sheet: Numbered, set_as: Setting, top: float, size: tuple[float, float], *, solved: bool
) -> None:
    """Columns of one height, on as many pages as they need."""
    wide, tall = size
    letter = set_as.letters * POINT
    column = (wide - MARGINS + GAP) / set_as.columns
    listed = replace(sheet, left_out=())
    stacks = columns_of(listed, set_as.columns, (column - GAP) / letter - NUMBER, solved=solved)
    lines = max(map(len, stacks), default=0)
    start = 0
    while start < lines:
        fit = max(1, int((tall - LEFT - top) / (letter * LEADING)))
        for place, stack in enumerate(stacks):
            for row, line in enumerate(stack[start : start + fit]):
                _line(paper, line, LEFT + place * column, top + (row + 0.8) * letter * LEADING, set_as.letters)
        start += fit
        if start < lines:
            paper.page(wide, tall)
            top = LEFT


def _line(paper: Paper, line: Line, x: float, y: float, letters: float) -> None:
    indent = NUMBER * letters * POINT
    if line.heading:
        paper.text(x, y, line.text, letters, bold=True)
        return
    if line.number is not None:
        paper.text(x + indent - 0.5 * letters * POINT, y, str(line.number), letters, bold=True, align="right")
    paper.text(x + indent, y, line.text, letters)
