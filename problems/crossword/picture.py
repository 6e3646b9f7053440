"""Crosswords as SVG: black on white; what is no cell is left white, to save ink, but for holes between cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from islands.views.svg import BOLD, INK, PAPER, SANS, document, legal
from problems.crossword.layout import Cell
from problems.crossword.numbering import Numbered
from problems.crossword.setting import Line, columns_of

CELL = 36
MARGIN = 16
GREY = "#8a8a8a"  # of holes: 3.4 times as dark as paper, on a printer without colours too
COLUMN = 320  # the least width of a column of clues
GAP = 28  # between two of them
SIZE = 14  # of the clues' letters
LEADING = 19
INDENT = 34  # where a clue begins, right of its number


def grid_only(sheet: Numbered, *, solved: bool, margin: int = MARGIN) -> str:
    """The grid with its numbers; with its letters if `solved`."""
    wide, tall = _size(sheet)
    return document(wide + 2 * margin, tall + 2 * margin, _grid(sheet, margin, margin, solved=solved))


def with_clues(sheet: Numbered, *, solved: bool) -> str:
    """The same, and below it the clues in as many columns as there is room for, at least two."""
    wide, tall = _size(sheet)
    width = max(wide, 2 * COLUMN + GAP)
    columns = (width + GAP) // (COLUMN + GAP)
    each = (width + GAP) / columns - GAP
    stacks = columns_of(sheet, columns, (each - INDENT) / SIZE)
    top = MARGIN + tall + GAP
    body = _grid(sheet, MARGIN + (width - wide) // 2, MARGIN, solved=solved)
    body.append(f'<g font-family="{SANS}" font-size="{SIZE}" fill="{INK}">')
    for place, stack in enumerate(stacks):
        body += _column(stack, MARGIN + place * (each + GAP), top)
    body.append("</g>")
    height = top + LEADING * max(map(len, stacks), default=0) + MARGIN
    return document(width + 2 * MARGIN, height, body)


def _size(sheet: Numbered) -> tuple[int, int]:
    return CELL * sheet.layout.columns, CELL * sheet.layout.rows


def _grid(sheet: Numbered, left: int, top: int, *, solved: bool) -> list[str]:
    cells = sorted(sheet.layout.cells.items())
    drawn = [
        f'<g transform="translate({left} {top})" font-family="{SANS}" font-size="11" fill="{INK}">',
        f'<path d="{_squares(sorted(sheet.holes))}" fill="{GREY}"/>',
        f'<path d="{_squares(sheet.layout.cells)}" fill="{PAPER}" stroke="{INK}" stroke-width="1.25"/>',
    ]
    drawn += [
        f'<text x="{CELL * j + 3}" y="{CELL * i + 11.5}">{number}</text>' for (i, j), number in sheet.numbers.items()
    ]
    if solved:
        drawn += [
            '<g font-size="20" text-anchor="middle">',
            *(
                f'<text x="{CELL * j + CELL // 2}" y="{CELL * i + 30}">{legal(letter)}</text>'
                for (i, j), letter in cells
            ),
            "</g>",
        ]
    return [*drawn, "</g>"]


def _squares(cells: Iterable[Cell]) -> str:
    return "".join(f"M{CELL * j} {CELL * i}h{CELL}v{CELL}h-{CELL}z" for i, j in cells)


def _column(stack: Sequence[Line], left: float, top: int) -> list[str]:
    drawn = []
    for place, line in enumerate(stack):
        y = top + LEADING * place + SIZE
        if line.number is not None:
            drawn.append(f'<text x="{left + INDENT - 8:g}" y="{y}" text-anchor="end"{BOLD}>{line.number}</text>')
        if line.heading:
            drawn.append(f'<text x="{left:g}" y="{y}" font-size="16"{BOLD}>{line.text}</text>')
        else:
            drawn.append(f'<text x="{left + INDENT:g}" y="{y}">{legal(line.text)}</text>')
    return drawn
