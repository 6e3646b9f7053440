"""The variants that have a name: `--variant diagonal,anti-knight`.

Some add groups to a grid, some pairs of cells that exclude each other, some say how grids overlap, and some only that
the puzzle's file has extras of their kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from islands.errors import UsageError, unknown
from problems.sudoku.family.layout import OVERLAPPING, Cells, Layout, Place, boxes

Groups = dict[Cells, str]
Pair = tuple[int, int]

KNIGHT = [(1, 2), (2, 1), (1, -2), (2, -1)]
KING = [(0, 1), (1, 0), (1, 1), (1, -1)]
BESIDE = [(0, 1), (1, 0)]
ASTERISK = [(1, 4), (2, 2), (2, 6), (4, 1), (4, 4), (4, 7), (6, 2), (6, 6), (7, 4)]
GIRANDOLA = [(0, 0), (0, 8), (1, 4), (4, 1), (4, 4), (4, 7), (7, 4), (8, 0), (8, 8)]


@dataclass(frozen=True)
class Named:
    """What a name adds."""

    sentence: str
    groups: Callable[[Layout, Place], Groups] | None = None  # of the grid at a corner
    apart: Callable[[Layout], list[Pair]] | None = None  # cells with different values
    kinds: tuple[str, ...] = ()  # the extras that it stands for
    boxed: bool = True  # whether the grid has its boxes


def diagonals(layout: Layout, corner: Place) -> Groups:
    span = range(layout.n)
    return {
        layout.pick(corner, [(i, i) for i in span]): "the diagonal down",
        layout.pick(corner, [(i, layout.n - 1 - i) for i in span]): "the diagonal up",
    }


def windows(layout: Layout, corner: Place) -> Groups:
    """Boxes between the boxes, one row and column of cells apart from each other and from the edge."""
    rows, columns = layout.box or (0, 0)
    n = layout.n
    if rows != columns:
        raise UsageError(f"windoku needs square boxes; this is a {n}x{n} grid with boxes {rows}x{columns}.")
    found: Groups = {}
    starts = range(1, n - rows, rows + 1)
    for number, (top, left) in enumerate(product(starts, starts), 1):
        found[layout.pick(corner, product(range(top, top + rows), range(left, left + columns)))] = f"window {number}"
    return found


def middles(layout: Layout, corner: Place) -> Groups:
    rows, columns = layout.box or (0, 0)
    if rows % 2 == 0 or columns % 2 == 0:
        raise UsageError(f"centre-dot needs boxes with a middle cell; these are {rows}x{columns}.")
    return {layout.pick(corner, [box[layout.n // 2] for box in boxes((rows, columns))]): "the centre cells"}


def disjoint(layout: Layout, corner: Place) -> Groups:
    every = boxes(layout.box or (1, layout.n))
    return {layout.pick(corner, [box[k] for box in every]): f"the places {k + 1} of all boxes" for k in range(layout.n)}


def _figure(name: str, places: list[Place]) -> Callable[[Layout, Place], Groups]:
    def groups(layout: Layout, corner: Place) -> Groups:
        if layout.n != 9:
            raise UsageError(f"{name} is for 9x9 grids; this one is {layout.n}x{layout.n}.")
        return {layout.pick(corner, places): f"the {name}"}

    return groups


def _steps(layout: Layout, steps: list[Place]) -> Iterator[Pair]:
    """Pairs of cells of one grid that are such a step apart."""
    for cell, (row, column) in enumerate(layout.places):
        for down, right in steps:
            other = layout.numbers.get((row + down, column + right))
            if other is not None and _together(layout, (row, column), (row + down, column + right)):
                yield cell, other


def _together(layout: Layout, one: Place, other: Place) -> bool:
    n = layout.n
    return any(
        all(0 <= place[0] - top < n and 0 <= place[1] - left < n for place in (one, other))
        for top, left in layout.corners
    )


def neighbours(layout: Layout) -> list[Pair]:
    """Cells with a common side."""
    return list(_steps(layout, BESIDE))


VARIANTS: dict[str, Named] = {
    "diagonal": Named("Both diagonals hold each value once.", groups=diagonals),
    "windoku": Named("The windows between the boxes hold each value once.", groups=windows),
    "asterisk": Named("The nine cells of the asterisk hold each value once.", groups=_figure("asterisk", ASTERISK)),
    "girandola": Named("The nine cells of the girandola hold each value once.", groups=_figure("girandola", GIRANDOLA)),
    "centre-dot": Named("The middle cells of the boxes hold each value once.", groups=middles),
    "disjoint": Named("Cells at the same place of their boxes hold each value once.", groups=disjoint),
    "latin": Named("There are no boxes.", boxed=False),
    "jigsaw": Named("Regions of any form take the place of boxes.", boxed=False),
    "anti-knight": Named(
        "Cells a knight's move apart differ.", apart=lambda layout: list(_steps(layout, KNIGHT))
    ),
    "anti-king": Named("Cells that touch, even at a corner, differ.", apart=lambda layout: list(_steps(layout, KING))),
    "non-consecutive": Named("Cells with a common side are not consecutive."),
    "killer": Named("", kinds=("cage",)),
    "sums": Named("", kinds=("sum",)),
    "arrows": Named("", kinds=("arrow",)),
    "thermometers": Named("", kinds=("thermometer",)),
    "inequality": Named("", kinds=("less", "greater")),
    "kropki": Named("", kinds=("white", "black")),
    "xv": Named("", kinds=("x", "v")),
    "all-dots": Named(
        "All dots are shown: cells without one between them are neither consecutive nor double.",
        kinds=("white", "black"),
    ),
    "all-xv": Named("All X and V are shown: no other neighbours have the sum 10 or 5.", kinds=("x", "v")),
    **{name: Named("Every grid is a sudoku of its own; they share the cells in which they overlap.")
       for name in OVERLAPPING},
}  # fmt: skip


def parsed(text: str) -> tuple[str, ...]:
    """The names in `diagonal,anti-knight`, each once. UsageError where there is no such variant."""
    words = [word.strip().lower().replace("_", "-").replace(" ", "-") for word in text.split(",")]
    names = [name for word in words if word for name in SYNONYMS.get(word, word).split(",")]
    for name in names:
        if name not in VARIANTS:
            raise unknown("variant", name, VARIANTS)
    layouts = [name for name in dict.fromkeys(names) if name in OVERLAPPING]
    shapes = [name for name in ("latin", "jigsaw") if name in names]
    if len(layouts) > 1 or len(shapes) > 1 or (layouts and shapes):
        raise UsageError(f"`variant={text}`: {' and '.join((*layouts, *shapes))} exclude each other; keep one of them.")
    return tuple(dict.fromkeys(names))


SYNONYMS = {
    "x": "diagonal", "diagonals": "diagonal", "sudoku-x": "diagonal", "hyper": "windoku", "center-dot": "centre-dot",
    "center": "centre-dot", "antiknight": "anti-knight", "antiking": "anti-king", "nonconsecutive": "non-consecutive",
    "irregular": "jigsaw", "cages": "killer", "thermo": "thermometers", "thermos": "thermometers",
    "thermometer": "thermometers", "arrow": "arrows", "dots": "kropki", "greater-than": "inequality",
    "less": "inequality", "greater": "inequality", "sum": "sums", "futoshiki": "latin,inequality",
    "quasigroup": "latin", "latin-square": "latin", "disjoint-groups": "disjoint",
}  # fmt: skip
"""What else people call them."""
