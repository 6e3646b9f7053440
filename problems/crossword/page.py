"""Crosswords as an HTML page to print: empty grids with their clues, then, on pages of their own, the solutions.

The titles can be edited in the browser, since nobody wants to print "Crossword".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from islands.views.svg import legal
from problems.crossword.numbering import Entry, Numbered
from problems.crossword.picture import CELL, grid_only

EDGE = 1  # around a grid, in units of the picture: half a line

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossword</title>
<style>
@page { margin: 14mm }
* { box-sizing: border-box }
body { margin: 0; padding: 1.5rem; background: #fff; color: #000;
  font: 11pt/1.35 system-ui, "Segoe UI", Helvetica, Arial, sans-serif }
h1 { font-size: 18pt; margin: 0 0 4mm }
h2 { font-size: 12.5pt; margin: 0 0 1.5mm; break-after: avoid }
figure { margin: 0 0 6mm; break-inside: avoid; text-align: center }
figure svg { display: inline-block; max-width: 100%; height: auto }
section { margin: 0 auto 20mm; max-width: 190mm }
.clues { columns: 2; column-gap: 9mm }
.clues.many { columns: 3; column-gap: 6mm; font-size: 9pt }
ol { margin: 0 0 4mm; padding: 0; list-style: none }
li { break-inside: avoid; padding-left: 2.9em; text-indent: -2.9em; overflow-wrap: anywhere }
li b { display: inline-block; width: 2.4em; margin-right: .5em; text-align: right; text-indent: 0; white-space: nowrap }
@media print {
  body { padding: 0 }
  section { margin: 0; max-width: none !important; break-after: page }
  section:last-child { break-after: auto }
}
PAPERS</style>
"""

MANY = 60  # clues that two columns of the usual letters are good for
EMPTY, SOLVED = 9, 7  # millimetres of a cell, where the paper is large enough
LEAST = 6  # of a cell to write in: a larger grid gets larger paper
PAPERS = {"": (210, 279), "a3": (297, 420), "a2": (420, 594), "a1": (594, 841), "a0": (841, 1189)}
"""Widths and heights in millimetres; the first is what A4 and Letter have in common, and needs no name."""
ROOM = (28, 50)  # that margins and the title take


def page(sheets: Iterable[Numbered]) -> Iterator[str]:
    """The puzzles one after another, then the solutions in the same order."""
    named = (f"@page {name} {{ size: {wide}mm {tall}mm }}\n" for name, (wide, tall) in PAPERS.items() if name)
    yield PAGE.replace("PAPERS", "".join(named))
    kept = list(sheets)
    for name, solved in (("Crossword", False), ("Solution", True)):
        for place, sheet in enumerate(kept, 1):
            yield from _part(sheet, f"{name} {place}" if len(kept) > 1 else name, solved=solved)


def _part(sheet: Numbered, title: str, *, solved: bool) -> Iterator[str]:
    """A grid and its two lists: of clues, or of answers."""
    rows, columns = sheet.layout.rows, sheet.layout.columns
    paper, most = _paper(rows, columns)
    cell = min(most, SOLVED if solved else EMPTY)
    style = f' style="page: {paper}; max-width: {max(columns * cell, 190):.4g}mm"' if paper else ""
    yield f'<section{style}>\n<h1 contenteditable spellcheck="false">{title}</h1>\n'
    if sheet.left_out:
        yield f'<p dir="auto">{legal(sheet.lacking)}</p>\n'
    label = f"{'solved' if solved else 'empty'} grid, {rows} rows, {columns} columns"
    head = f'<svg role="img" aria-label="{label}" style="width: {(columns + 2 * EDGE / CELL) * cell:.4g}mm"'
    yield f"<figure>\n{grid_only(sheet, solved=solved, margin=EDGE).replace('<svg', head, 1)}</figure>\n"
    many = " many" if len(sheet.layout.words) > MANY else ""
    yield f'<div class="clues{many}">\n'
    for name, entries in sheet.lists.items():
        yield f"<h2>{name}</h2>\n<ol>\n"
        yield from (_item(entry, solved=solved) for entry in entries)
        yield "</ol>\n"
    yield "</div>\n</section>\n"


def _paper(rows: int, columns: int) -> tuple[str, float]:
    """The smallest paper on which a pen fits the cells, else the largest, and how large cells can be on it."""
    cells = {
        name: min((wide - ROOM[0]) / max(1, columns), (tall - ROOM[1]) / max(1, rows))
        for name, (wide, tall) in PAPERS.items()
    }
    fit = next((name for name, cell in cells.items() if cell >= LEAST), "a0")
    return fit, cells[fit]


def _item(entry: Entry, *, solved: bool) -> str:
    text = entry.placed.word if solved else entry.clue
    return f'<li dir="auto"><b>{entry.number}</b>{legal(text)}</li>\n'
