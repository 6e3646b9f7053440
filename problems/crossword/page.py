"""Crosswords as an HTML page to print: empty grids with their clues, then, on pages of their own, the solutions.

The titles can be edited in the browser, since nobody wants to print "Crossword".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from islands.writing.svg import legal
from problems.crossword.numbering import Entry, Numbered
from problems.crossword.picture import CELL, grid_only
from problems.crossword.setting import columns_of, wrapped

EDGE = 1  # around a grid, in units of the picture: half a line

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>TITLE</title>
<style>
@page { margin: 14mm }
* { box-sizing: border-box }
body { margin: 0; padding: 1.5rem; background: #fff; color: #000;
  font: 11pt/1.35 system-ui, "Segoe UI", Helvetica, Arial, sans-serif }
h1 { font-size: 18pt; margin: 0 0 4mm }
h2 { font-size: 1.1em; margin: 0 0 .4em; break-after: avoid }
p { margin: 0 0 4mm }
figure { margin: 0 0 5mm; break-inside: avoid; text-align: center }
figure svg { display: inline-block; max-width: 100%; height: auto }
section { margin: 0 auto 20mm; max-width: 190mm }
.clues { column-gap: 6mm }
ol { margin: 0 0 .8em; padding: 0; list-style: none }
li { break-inside: avoid; padding-inline-start: 2.9em; text-indent: -2.9em; overflow-wrap: anywhere }
li b { display: inline-block; width: 2.4em; margin-inline-end: .5em; text-align: end; text-indent: 0;
  white-space: nowrap }
@media print {
  body { padding: 0 }
  section { margin: 0; max-width: none !important; break-after: page }
  section:last-child { break-after: auto }
}
PAPERS</style>
"""

EMPTY, SOLVED = 9, 7  # millimetres of a cell, where the paper is large enough
LEAST = 6  # of a cell to write in: a larger grid gets larger paper
LEAST_SOLVED = 5
LETTERS = ((11, 87), (9, 56), (8, 56), (8, 41))  # points of a letter of the clues, and millimetres of a column of them
POINT = 0.3528  # in millimetres
LEADING = 1.35  # of a line, in letters
NUMBER = 2.9  # of a clue, in letters
GAP = 6  # millimetres between columns
PAPERS = {"": (210, 279), "a3": (297, 420), "a2": (420, 594), "a1": (594, 841), "a0": (841, 1189)}
"""Widths and heights in millimetres; the first is what A4 and Letter have in common, and needs no name."""
MARGINS = 28
OCCUPIED = (MARGINS, 50)  # millimetres that margins and the title take
TITLE, BELOW, SPARE = 13, 7, 6  # millimetres: of the title, below the grid, and in case that letters are wider


class Setting(NamedTuple):
    """How a grid and its lists are set on a page."""

    cell: float
    letters: int
    columns: int


def page(sheets: Iterable[Numbered]) -> Iterator[str]:
    """The puzzles one after another, then the solutions in the same order."""
    named = (f"@page {name} {{ size: {wide}mm {tall}mm }}\n" for name, (wide, tall) in PAPERS.items() if name)
    kept = list(sheets)
    head = legal(kept[0].title if kept else Numbered.title)
    yield PAGE.replace("PAPERS", "".join(named)).replace("TITLE", head)
    for sheet, title, solved in in_order(kept):
        yield from _part(sheet, title, solved=solved)


def in_order(sheets: Sequence[Numbered]) -> Iterator[tuple[Numbered, str, bool]]:
    """Every puzzle, then every solution, with its title and whether it is solved; of several with a number."""
    for solved in (False, True):
        for place, sheet in enumerate(sheets, 1):
            number = f" {place}" if len(sheets) > 1 else ""
            yield sheet, f"{sheet.title}{number}{': solution' if solved else ''}", solved


def _part(sheet: Numbered, title: str, *, solved: bool) -> Iterator[str]:
    """A grid and its two lists: of clues, or of answers."""
    rows, columns = sheet.layout.rows, sheet.layout.columns
    paper, most = paper_for(rows, columns)
    set_as = setting_for(sheet, *PAPERS[paper], most, solved=solved)
    style = f' style="page: {paper}; max-width: {max(columns * set_as.cell, 190):.4g}mm"' if paper else ""
    side = ' dir="rtl"' if sheet.leftward else ""
    yield f'<section{side}{style}>\n<h1 contenteditable spellcheck="false">{legal(title)}</h1>\n'
    if sheet.left_out:
        yield f'<p dir="auto">{legal(sheet.lacking)}</p>\n'
    label = f"{'solved' if solved else 'empty'} grid, {rows} rows, {columns} columns"
    head = f'<svg role="img" aria-label="{label}" style="width: {(columns + 2 * EDGE / CELL) * set_as.cell:.4g}mm"'
    yield f"<figure>\n{grid_only(sheet, solved=solved, margin=EDGE).replace('<svg', head, 1)}</figure>\n"
    yield f'<div class="clues" style="columns: {set_as.columns}; font-size: {set_as.letters}pt">\n'
    for name, entries in sheet.lists.items():
        yield f"<h2>{name}</h2>\n<ol>\n"
        yield from (_item(entry, solved=solved) for entry in entries)
        yield "</ol>\n"
    yield "</div>\n</section>\n"


def paper_for(rows: int, columns: int) -> tuple[str, float]:
    """The smallest paper on which a pen fits the cells, else the largest, and how large cells can be on it."""
    cells = {
        name: min((wide - OCCUPIED[0]) / max(1, columns), (tall - OCCUPIED[1]) / max(1, rows))
        for name, (wide, tall) in PAPERS.items()
    }
    fit = next((name for name, cell in cells.items() if cell >= LEAST), "a0")
    return fit, cells[fit]


def setting_for(sheet: Numbered, wide: int, tall: int, most: float, *, solved: bool) -> Setting:
    """Of those that take the fewest pages the one with the largest letters and cells."""
    width, height = wide - MARGINS, tall - MARGINS - SPARE
    most, least = (min(most, SOLVED), LEAST_SOLVED) if solved else (min(most, EMPTY), LEAST)
    cells = [most - step / 2 for step in range(int(2 * (most - least)) + 1)] or [most]
    notice = len(wrapped(sheet.lacking, width / (11 * POINT))) * 11 * POINT * LEADING + 4 if sheet.left_out else 0
    listed = replace(sheet, left_out=())
    found: dict[Setting, int] = {}
    for letters, column in LETTERS:
        columns = (width + GAP) // (column + GAP)
        size = letters * POINT
        each = ((width + GAP) / columns - GAP) / size - NUMBER
        lines = 1 + max(map(len, columns_of(listed, columns, each, solved=solved)), default=0)
        for cell in cells:
            left = height - TITLE - notice - BELOW - cell * sheet.layout.rows
            found[Setting(cell, letters, columns)] = ceil((lines * size * LEADING - left) / height)
    return min(found, key=lambda one: (max(0, found[one]), -one.letters * one.cell))


def _item(entry: Entry, *, solved: bool) -> str:
    text = entry.placed.word if solved else entry.clue
    return f"<li><b>{entry.number}</b><bdi>{legal(text)}</bdi></li>\n"
