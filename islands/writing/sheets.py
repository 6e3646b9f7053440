"""Puzzles on paper: figures with captions, some to a page, and the solutions on pages of their own.

One HTML document, which loads nothing from elsewhere. `pdf.py` sets the same pages as PDF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from islands.writing.svg import legal, size_of

WIDE, TALL = 186, 252  # millimetres of a page inside its margins: what A4 and Letter have in common
MARGIN = 12  # at the left and right of A4; above it
HEAD = 20  # of the title and the line below it
CAPTION = 8  # below a figure
GAP = 8  # between figures

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
@page {{ margin: 12mm }}
* {{ box-sizing: border-box }}
body {{ margin: 0; padding: 1.5rem; background: #fff; color: #000;
  font: 11pt/1.35 system-ui, "Segoe UI", Helvetica, Arial, sans-serif }}
section {{ width: {wide}mm; margin: 0 auto 15mm }}
h1 {{ font-size: 18pt; line-height: 9mm; height: 9mm; margin: 0; overflow: hidden }}
p {{ height: 11mm; margin: 0; font-size: 10pt; line-height: 5mm }}
.figures {{ display: grid; gap: 0 {gap}mm; justify-items: center }}
figure {{ margin: 0; break-inside: avoid; text-align: center }}
figure svg {{ display: block; margin: 0 auto }}
figcaption {{ height: {caption}mm; line-height: {caption}mm; font-size: 10pt; white-space: nowrap }}
@media print {{
  body {{ padding: 0 }}
  section {{ margin: 0; break-after: page }}
  section:last-child {{ break-after: auto }}
}}
</style>
"""


@dataclass(frozen=True)
class Figure:
    """A picture, an SVG document with its size, and what stands below it."""

    picture: str
    caption: str = ""


Draw = Callable[[], Figure]
"""A figure that is drawn when its page is: thousands of pictures need not be in memory at once."""


@dataclass(frozen=True)
class Grid:
    """How figures stand on a page: columns, rows, and the size of each picture in millimetres."""

    columns: int
    rows: int
    wide: float
    tall: float

    @classmethod
    def of(cls, columns: int, rows: int) -> Grid:
        size = (WIDE - GAP * (columns - 1)) / columns, (TALL - HEAD) / rows - CAPTION
        return cls(columns, rows, *size)

    def scale(self, figure: Figure) -> tuple[float, float]:
        """Width and height of a figure's picture, as large as fits."""
        wide, tall = size_of(figure.picture)
        factor = min(self.wide / wide, self.tall / tall)
        return wide * factor, tall * factor


FOUR, TWO, ONE = Grid.of(2, 2), Grid.of(1, 2), Grid.of(1, 1)


@dataclass(frozen=True)
class Part:
    """Figures under one title: the puzzles, or their solutions."""

    title: str
    note: str  # a line or two below the title
    figures: Sequence[Draw]
    grid: Grid

    def pages(self) -> Iterator[list[Figure]]:
        each = self.grid.columns * self.grid.rows
        for start in range(0, len(self.figures), each):
            yield [draw() for draw in self.figures[start : start + each]]


def html(parts: Sequence[Part]) -> Iterator[str]:
    """The pages of all parts, one after the other."""
    if not parts:
        return
    yield PAGE.format(title=legal(parts[0].title), wide=WIDE, gap=GAP, caption=CAPTION)
    for part in parts:
        for figures in part.pages():
            yield f'<section>\n<h1 contenteditable spellcheck="false">{legal(part.title)}</h1>\n'
            yield f"<p>{legal(part.note)}</p>\n"
            yield f'<div class="figures" style="grid-template-columns: repeat({part.grid.columns}, 1fr)">\n'
            yield from (_figure(figure, part.grid) for figure in figures)
            yield "</div>\n</section>\n"


def _figure(figure: Figure, grid: Grid) -> str:
    wide, tall = grid.scale(figure)
    sized = figure.picture.replace("<svg", f'<svg style="width: {wide:.4g}mm; height: {tall:.4g}mm"', 1)
    height = f"{grid.tall + CAPTION:.4g}mm" if grid.rows > 1 else "auto"
    caption = f"<figcaption>{legal(figure.caption)}</figcaption>" if figure.caption else ""
    return f'<figure style="height: {height}">\n{sized}{caption}</figure>\n'
