"""Crosswords as SVG: black on white; what is no cell is left white, to save ink, but for holes between cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from islands.writing.svg import BOLD, INK, PAPER, SANS, document, legal
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
    """The same, and below it the clues in as many columns as fit, at least two."""
    wide, tall = _size(sheet)
    width = max(wide, 2 * COLUMN + GAP)
    columns = (width + GAP) // (COLUMN + GAP)
    each = (width + GAP) / columns - GAP
    stacks = columns_of(sheet, columns, (each - INDENT) / SIZE)
    top = MARGIN + tall + GAP
    body = _grid(sheet, MARGIN + (width - wide) // 2, MARGIN, solved=solved)
    body.append(f'<g font-family="{SANS}" font-size="{SIZE}" fill="{INK}">')
    for place, stack in enumerate(stacks):
        body += _column(stack, MARGIN + place * (each + GAP), top, width + 2 * MARGIN if sheet.leftward else None)
    body.append("</g>")
    height = top + LEADING * max(map(len, stacks), default=0) + MARGIN
    return document(width + 2 * MARGIN, height, body)


def _size(sheet: Numbered) -> tuple[int, int]:
    return CELL * sheet.layout.columns, CELL * sheet.layout.rows


def _grid(sheet: Numbered, left: int, top: int, *, solved: bool) -> list[str]:
    cells = [(sheet.seen(cell), letter) for cell, letter in sorted(sheet.layout.cells.items())]
    numbers = [(sheet.seen(cell), number) for cell, number in sheet.numbers.items()]
    corner, end = (CELL - 3, ' text-anchor="end"') if sheet.leftward else (3, "")
    drawn = [
        f'<g transform="translate({left} {top})" font-family="{SANS}" font-size="11" fill="{INK}" direction="ltr">'
    ]
    if sheet.holes:  # an empty path is an error to some programs
        drawn.append(f'<path d="{_squares(sorted(map(sheet.seen, sheet.holes)))}" fill="{GREY}"/>')
    squares = _squares(cell for cell, _ in cells)
    drawn.append(f'<path d="{squares}" fill="{PAPER}" stroke="{INK}" stroke-width="1.25"/>')
    drawn += [f'<text x="{CELL * j + corner}" y="{CELL * i + 11.5}"{end}>{number}</text>' for (i, j), number in numbers]
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


def _column(stack: Sequence[Line], left: float, top: int, mirror: float | None) -> list[str]:
    """Its lines; in a picture as wide as `mirror` they begin at the right."""

    def text(x: float, y: int, content: str, more: str = "") -> str:
        where = f'x="{x:g}" y="{y}"' if mirror is None else f'x="{mirror - x:g}" y="{y}" direction="rtl"'
        return f"<text {where}{more}>{content}</text>"

    drawn = []
    for place, line in enumerate(stack):
        y = top + LEADING * place + SIZE
        if line.number is not None:
            drawn.append(text(left + INDENT - 8, y, str(line.number), f' text-anchor="end"{BOLD}'))
        if line.heading:
            drawn.append(text(left, y, line.text, f' font-size="16"{BOLD}'))
        else:
            drawn.append(text(left + INDENT, y, legal(line.text)))
    return drawn
