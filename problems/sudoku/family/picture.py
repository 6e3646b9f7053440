"""A puzzle of the family as a picture, with its regions, cages and marks."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from islands.writing.svg import BOLD, CELL, FRAME, INK, LINE, MIDDLE, PAPER, RISE, SANS, TINT, document, legal
from problems.sudoku.family.drawing import Walls
from problems.sudoku.family.kinds import Extra
from problems.sudoku.family.layout import Layout
from problems.sudoku.family.ruleset import Ruleset

EDGE = 4  # around the grid
INSET = 5  # of a cage from the sides of its cells
SHADE = "#dfe4e9"  # thermometers, odd and even cells
GROUND = "#e9edd3"  # groups beside rows, columns and boxes
RIM = 6  # of a given in such a group
COLOURS = {"palindrome": "#b9c6d3", "whisper": "#b5dcb0", "renban": "#d9b8e0", "equal": "#e6d3a8"}
Point = tuple[float, float]


def middle(layout: Layout, cell: int) -> Point:
    row, column = layout.places[cell]
    return EDGE + CELL * (column + 0.5), EDGE + CELL * (row + 0.5)


def picture(rules: Ruleset, cells: Sequence[str], strong: Container[int], tinted: Container[int]) -> str:
    """Givens are bold; `tinted` cells have a coloured ground."""
    layout = rules.layout
    size = min(20, int(CELL * 1.5 / max(1, *map(len, cells))))
    texts = []
    for cell, text in enumerate(cells):
        x, y = middle(layout, cell)
        weight = BOLD if cell in strong else ""
        texts.append(f'<text x="{x:g}" y="{round(y + RISE * size)}"{weight}>{legal(text)}</text>' if text else "")
    body = [
        *_grounds(rules, tinted),
        *(line for extra in rules.extras if extra.kind in BELOW for line in BELOW[extra.kind](layout, extra)),
        *_lines(layout),
        *(line for extra in rules.extras if extra.kind in ABOVE for line in ABOVE[extra.kind](layout, extra)),
        f'<g font-family="{SANS}" font-size="{size}" fill="{INK}" {MIDDLE}>',
        *filter(None, texts),
        "</g>",
    ]
    return document(CELL * layout.columns + 2 * EDGE, CELL * layout.rows + 2 * EDGE, body)


def _grounds(rules: Ruleset, tinted: Container[int]) -> Iterator[str]:
    """Cells of groups beside the usual ones, and tinted ones; the diagonals are drawn as lines."""
    layout = rules.layout
    usual = {*layout.lines, *layout.homes}
    special = [cells for cells, name in rules.units.items() if cells not in usual and "diagonal" not in name]
    special += [extra.cells for extra in rules.extras if extra.kind == "group"]
    grouped = {cell for cells in special for cell in cells} if "disjoint" not in rules.names else set()
    for cell, (row, column) in enumerate(layout.places):
        x, y = EDGE + CELL * column, EDGE + CELL * row
        if cell in grouped:
            yield f'<rect x="{x}" y="{y}" {_square()} fill="{GROUND}"/>'
        if cell in tinted:  # of a group the rim is left
            rim = RIM if cell in grouped else 0
            yield f'<rect x="{x + rim}" y="{y + rim}" {_square(rim)} fill="{TINT}"/>'
    for cells, name in rules.units.items():
        if "diagonal" in name and cells not in usual:
            yield _path([middle(layout, cell) for cell in cells], LINE, 1.5)


def _square(rim: int = 0) -> str:
    return f'width="{CELL - 2 * rim}" height="{CELL - 2 * rim}"'


def _lines(layout: Layout) -> Iterator[str]:
    """Thin lines between cells, thick ones between regions and around all."""
    walls = Walls(layout)
    thin, thick = "", ""
    for row in range(layout.rows + 1):
        for column in range(layout.columns + 1):
            x, y = EDGE + CELL * column, EDGE + CELL * row
            here = (row, column) in layout.numbers
            for other, is_wall, side in (
                ((row, column - 1), walls.beside(row, column), f"M{x} {y}v{CELL}"),
                ((row - 1, column), walls.above(row, column), f"M{x} {y}h{CELL}"),
            ):
                if is_wall:
                    thick += side
                elif here or other in layout.numbers:
                    thin += side
    if thin:
        yield f'<path d="{thin}" stroke="{LINE}" fill="none"/>'
    yield f'<path d="{thick}" stroke="{FRAME}" stroke-width="2" stroke-linecap="square" fill="none"/>'


def _path(points: Sequence[Point], colour: str, width: float, more: str = "") -> str:
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path d="{line}" stroke="{colour}" stroke-width="{width:g}" fill="none" stroke-linejoin="round"{more}/>'


def _cage(layout: Layout, extra: Extra) -> Iterator[str]:
    """A dashed line inside the sides of its cells, and the sum in its first cell."""
    own, path = {layout.places[cell] for cell in extra.cells}, ""
    for row, column in sorted(own):
        x, y = EDGE + CELL * column, EDGE + CELL * row
        for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (row + di, column + dj) in own:
                continue
            ends = []
            for turn in (-1, 1):
                along = (row + dj * turn, column + di * turn)
                across = (along[0] + di, along[1] + dj)
                reach = CELL / 2 - INSET if along not in own else CELL / 2 + (INSET if across in own else 0)
                ends.append((x + CELL / 2 + dj * (CELL / 2 - INSET) + di * turn * reach,
                             y + CELL / 2 + di * (CELL / 2 - INSET) + dj * turn * reach))  # fmt: skip
            path += f"M{ends[0][0]:g} {ends[0][1]:g}L{ends[1][0]:g} {ends[1][1]:g}"
    dots = "" if extra.kind == "cage" else " 3"
    yield f'<path d="{path}" stroke="{FRAME}" stroke-width="1" stroke-dasharray="3 2{dots}" fill="none"/>'
    if extra.number is not None:
        row, column = min(own)
        x, y = EDGE + CELL * column + INSET - 1, EDGE + CELL * row + INSET + 7
        width = 6.2 * len(str(extra.number)) + 2
        yield f'<rect x="{x - 1:g}" y="{y - 9:g}" width="{width:g}" height="11" fill="{PAPER}"/>'
        yield f'<text x="{x:g}" y="{y:g}" font-family="{SANS}" font-size="10" fill="{INK}">{extra.number}</text>'


def _thermometer(layout: Layout, extra: Extra) -> Iterator[str]:
    points = [middle(layout, cell) for cell in extra.cells]
    yield _path(points, SHADE, 12, ' stroke-linecap="round"')
    yield f'<circle cx="{points[0][0]:g}" cy="{points[0][1]:g}" r="{CELL * 0.36:g}" fill="{SHADE}"/>'


def _arrow(layout: Layout, extra: Extra) -> Iterator[str]:
    (x, y), *shaft = [middle(layout, cell) for cell in extra.cells]
    yield _path([(x, y), *shaft], LINE, 2)
    yield f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.38:g}" stroke="{LINE}" stroke-width="2" fill="{PAPER}"/>'
    (ax, ay), (bx, by) = [(x, y), *shaft][-2:]
    dx, dy = (bx - ax) / CELL, (by - ay) / CELL
    head = [(bx - 6 * dx - 4 * dy, by - 6 * dy + 4 * dx), (bx, by), (bx - 6 * dx + 4 * dy, by - 6 * dy - 4 * dx)]
    yield _path(head, LINE, 2)


def _line(layout: Layout, extra: Extra) -> Iterator[str]:
    points = [middle(layout, cell) for cell in extra.cells]
    yield _path(points, COLOURS[extra.kind], 8, ' stroke-linecap="round"')


def _parity(layout: Layout, extra: Extra) -> Iterator[str]:
    r = CELL * 0.38
    for x, y in (middle(layout, cell) for cell in extra.cells):
        if extra.kind == "odd":
            yield f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{SHADE}"/>'
        else:
            yield f'<rect x="{x - r:g}" y="{y - r:g}" width="{2 * r:g}" height="{2 * r:g}" fill="{SHADE}"/>'


def _dot(layout: Layout, extra: Extra) -> Iterator[str]:
    """A dot, letter or sign between two cells."""
    (ax, ay), (bx, by) = (middle(layout, cell) for cell in extra.cells)
    x, y = (ax + bx) / 2, (ay + by) / 2
    if extra.kind in ("white", "black"):
        fill = PAPER if extra.kind == "white" else INK
        yield f'<circle cx="{x:g}" cy="{y:g}" r="6" stroke="{INK}" stroke-width="1" fill="{fill}"/>'
        usual = 1 if extra.kind == "white" else 2
        text, size, colour = ("" if extra.number == usual else str(extra.number)), 9, INK if fill == PAPER else PAPER
    elif extra.kind in ("x", "v"):
        yield f'<circle cx="{x:g}" cy="{y:g}" r="7" fill="{PAPER}"/>'
        text, size, colour = extra.kind.upper(), 12, INK
    else:
        lower = extra.cells[0 if extra.kind == "less" else 1]
        lx, ly = middle(layout, lower)
        tip, back = (0.35 * (lx - x) / (CELL / 2), 0.35 * (ly - y) / (CELL / 2)), 5
        dx, dy = tip[0] / 0.35, tip[1] / 0.35
        ends = [(x - 4 * dx - back * dy, y - 4 * dy + back * dx), (x + 4 * dx, y + 4 * dy),
                (x - 4 * dx + back * dy, y - 4 * dy - back * dx)]  # fmt: skip
        yield f'<circle cx="{x:g}" cy="{y:g}" r="7" fill="{PAPER}"/>'
        yield _path(ends, INK, 1.5)
        return
    if text:
        style = f'font-family="{SANS}" font-size="{size}" fill="{colour}" {MIDDLE}'
        yield f'<text x="{x:g}" y="{y + RISE * size:g}" {style}>{text}</text>'


Draw = Callable[[Layout, Extra], Iterator[str]]
BELOW: dict[str, Draw] = {
    "thermometer": _thermometer, "arrow": _arrow, "odd": _parity, "even": _parity, **dict.fromkeys(COLOURS, _line)
}  # fmt: skip
ABOVE: dict[str, Draw] = {
    "cage": _cage, "sum": _cage, **dict.fromkeys(("white", "black", "x", "v", "less", "greater"), _dot)
}  # fmt: skip
