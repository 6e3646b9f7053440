"""A puzzle of the family as text: cells, and lines between boxes or regions, whatever their form is."""

from __future__ import annotations

from collections.abc import Container, Sequence

from rich.cells import cell_len
from rich.text import Text

from problems.sudoku.family.layout import Layout

CORNERS = " ╴╷┐╶─┌┬╵┘│┤└┴├┼"  # by the sides that meet: 1 left, 2 below, 4 right, 8 above


class Walls:
    """Which sides of cells have a line: those between two boxes or regions, and the frame."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.home = {place: layout.home_of[cell] for place, cell in layout.numbers.items()}

    def beside(self, row: int, column: int) -> bool:
        """A line to the left of a place."""
        return self.home.get((row, column)) != self.home.get((row, column - 1))

    def above(self, row: int, column: int) -> bool:
        return self.home.get((row, column)) != self.home.get((row - 1, column))

    def corner(self, row: int, column: int) -> str:
        """What stands at the upper left corner of a place."""
        sides = (
            self.above(row, column - 1)
            + 2 * self.beside(row, column)
            + 4 * self.above(row, column)
            + 8 * self.beside(row - 1, column)
        )
        return CORNERS[sides]


def drawn(
    layout: Layout, cells: Sequence[str], givens: Container[int], wrong: Container[int] = (), gap: str = " "
) -> Text:
    """The grid; on a terminal givens are bold. `wrong` cells have a star."""
    walls = Walls(layout)
    width = max(map(cell_len, cells))
    rows, columns = range(layout.rows + 1), range(layout.columns + 1)
    upright = {j for j in columns if any(walls.beside(i, j) for i in rows)}
    lines: list[Text] = []
    for i in rows:
        if any(walls.above(i, j) for j in columns):
            lines.append(Text(_rule(walls, i, upright, width, gap).rstrip()))
        if i == layout.rows:
            break
        line = Text()
        for j in columns:
            if j in upright:
                line.append(gap if j else "").append("│" if walls.beside(i, j) else " ")
            cell = layout.numbers.get((i, j))
            if j == layout.columns:
                break
            text = " " if cell is None else cells[cell]
            line.append(" " * (width - cell_len(text)) + (gap if cell not in wrong else ""))
            line.append("*" if cell in wrong else "", "bold red")
            style = "bold" if cell in givens else "dim" if text == "." else "red" if cell in wrong else "cyan"
            line.append(text, style)
        line.rstrip()
        lines.append(line)
    return Text("\n").join(lines)


def _rule(walls: Walls, row: int, upright: set[int], width: int, gap: str) -> str:
    """The line above a row."""
    line = ""
    for j in range(walls.layout.columns + 1):
        if j in upright:
            before = "─" if j and walls.above(row, j - 1) else " "
            line += (before * len(gap) if j else "") + walls.corner(row, j)
        if j < walls.layout.columns:
            line += ("─" if walls.above(row, j) else " ") * (width + len(gap))
    return line
