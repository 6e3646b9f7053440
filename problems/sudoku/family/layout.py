"""Where the cells of a puzzle are: one square grid, or several that overlap; and what holds each value once.

A cell has a number, row by row over all grids, and a name, r1c1 for the first row and column of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

Place = tuple[int, int]  # row and column, from 0
Cells = tuple[int, ...]

MOST_CELLS = 4096  # of all grids together


@dataclass(frozen=True)
class Layout:
    """Square grids of n x n cells at some corners, each with boxes, regions or neither."""

    n: int
    corners: tuple[Place, ...] = ((0, 0),)
    box: tuple[int, int] | None = None
    regions: str = ""  # of a single grid: a letter for each cell

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Row and column of each cell."""
        found = {(top + i, left + j) for top, left in self.corners for i in range(self.n) for j in range(self.n)}
        return tuple(sorted(found))

    @cached_property
    def numbers(self) -> dict[Place, int]:
        """The cell at a place."""
        return {place: number for number, place in enumerate(self.places)}

    @property
    def rows(self) -> int:
        return max(top for top, _ in self.corners) + self.n

    @property
    def columns(self) -> int:
        return max(left for _, left in self.corners) + self.n

    @property
    def is_square(self) -> bool:
        return len(self.corners) == 1

    @cached_property
    def stray(self) -> Place | None:
        """The corner of a grid that does not hang together with the first one by cells they share; None: all do."""
        joined, left = [self.corners[0]], list(self.corners[1:])
        for top, side in joined:  # grows meanwhile
            near = [other for other in left if abs(other[0] - top) < self.n and abs(other[1] - side) < self.n]
            joined += near
            left = [other for other in left if other not in near]
        return left[0] if left else None

    def name(self, cell: int) -> str:
        row, column = self.places[cell]
        return f"r{row + 1}c{column + 1}"

    def named(self, cells: Iterable[int]) -> str:
        return " ".join(map(self.name, cells))

    def pick(self, corner: Place, places: Iterable[Place]) -> Cells:
        """The cells at some places of the grid at a corner."""
        return tuple(self.numbers[corner[0] + i, corner[1] + j] for i, j in places)

    @property
    def squares(self) -> list[Cells]:
        """The cells of each grid, row by row."""
        n = self.n
        return [self.pick(corner, [(i, j) for i in range(n) for j in range(n)]) for corner in self.corners]

    @cached_property
    def lines(self) -> dict[Cells, str]:
        """Rows and columns of every grid, with their names."""
        span, found = range(self.n), {}
        for corner in self.corners:
            for k in span:
                found[self.pick(corner, [(k, j) for j in span])] = f"row {corner[0] + k + 1}"
                found[self.pick(corner, [(i, k) for i in span])] = f"column {corner[1] + k + 1}"
        return found

    @cached_property
    def homes(self) -> dict[Cells, str]:
        """Boxes or regions, with their names. Boxes that two grids share are one."""
        if self.regions:
            letters = dict.fromkeys(self.regions)
            return {
                tuple(cell for cell, letter in enumerate(self.regions) if letter == own): f"region {own}"
                for own in letters
            }
        found: dict[Cells, str] = {}
        for corner in self.corners if self.box else ():
            for number, places in enumerate(boxes(self.box or (1, self.n))):
                found.setdefault(self.pick(corner, places), f"box {number + 1}")
        return found

    @cached_property
    def home_of(self) -> tuple[int, ...]:
        """The number of each cell's box or region; all 0 where there are none."""
        found = [0] * len(self.places)
        for number, cells in enumerate(self.homes):
            for cell in cells:
                found[cell] = number
        return tuple(found)


def boxes(box: tuple[int, int]) -> list[list[Place]]:
    """The places of each box of a grid."""
    rows, columns = box
    n = rows * columns
    return [
        [(top + i, left + j) for i in range(rows) for j in range(columns)]
        for top in range(0, n, rows)
        for left in range(0, n, columns)
    ]


OVERLAPPING: dict[str, Sequence[tuple[float, float]]] = {
    "samurai": [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)],
    "twin": [(0, 0), (1, 1)],
    "triplet": [(0, 0), (1, 1), (2, 2)],
    "cross": [(0, 1), (1, 0), (1, 2), (2, 1)],
    "butterfly": [],
}
"""Corners, in steps of a grid without one row and column of boxes. A butterfly's grids are a box apart."""


def corners_of(name: str, box: tuple[int, int]) -> tuple[Place, ...]:
    """The corners of a named layout."""
    rows, columns = box
    n = rows * columns
    if name == "butterfly":
        return (0, 0), (0, columns), (rows, 0), (rows, columns)
    return tuple((int(i * (n - rows)), int(j * (n - columns))) for i, j in OVERLAPPING[name])
