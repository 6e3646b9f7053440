"""A board on which words are laid and taken up again: the legality of a place in a few steps per letter.

A board is three times as wide as the grid, so that a layout may drift: only its box must not outgrow the grid.

    letters  (n, longest)        of each word, as numbers from 1
    lying    (n, 4)              row, column and way of each word (0 across, 1 down, 2 not on the board), and its length
    cells    (5, width * width)  the letter of each cell, and 1 + the word across and down that cover it, 0 = none;
                                 the open cells in any order, and where in that order each cell stands
    figures  (9,)                see the names below

Everything is int64, so that each kernel is compiled once. A place is legal where both ends are free, every new cell has
no neighbour beside it, and every shared cell has the right letter, is not covered in the same direction and has no
neighbour beside it that is. A layout of such places has no errors in the seed's count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel
from problems.crossword.placement import Words

Table = NDArray[np.int64]

GRID, WIDTH, OPEN, CROSSINGS, TOP, BOTTOM, LEFT, RIGHT, LAID = range(9)
LETTER, ACROSS, DOWN, LISTED, RANK = range(5)  # rows of `cells`; an open cell is covered by one word only
ROW, COLUMN, WAY, LENGTH = range(4)  # columns of `lying`
OFF = 2  # the way of a word that is not on the board


@dataclass(frozen=True)
class Board:
    """The arrays for one layout of these words."""

    letters: Table
    lying: Table
    cells: Table
    figures: Table

    @classmethod
    def of(cls, words: Words) -> Board:
        width = 3 * words.grid + 2
        lying = np.full((len(words.lengths), 4), OFF, np.int64)
        lying[:, LENGTH] = words.lengths
        figures = np.zeros(9, np.int64)
        figures[[GRID, WIDTH, TOP, LEFT]] = words.grid, width, width, width
        return cls(words.letters.astype(np.int64), lying, np.zeros((5, width * width), np.int64), figures)


@inner_kernel
def _open(cell: int, cells: Table, figures: Table) -> None:
    cells[LISTED, figures[OPEN]] = cell
    cells[RANK, cell] = figures[OPEN]
    figures[OPEN] += 1


@inner_kernel
def _close(cell: int, cells: Table, figures: Table) -> None:
    figures[OPEN] -= 1
    last = cells[LISTED, figures[OPEN]]
    cells[LISTED, cells[RANK, cell]] = last
    cells[RANK, last] = cells[RANK, cell]


@inner_kernel
def put(word: int, row: int, column: int, way: int, letters: Table, lying: Table, cells: Table, figures: Table) -> None:
    """Lay a word; its place must be legal."""
    step = figures[WIDTH] if way else 1
    cell = row * figures[WIDTH] + column
    for k in range(lying[word, LENGTH]):
        if cells[LETTER, cell] == 0:
            cells[LETTER, cell] = letters[word, k]
            _open(cell, cells, figures)
        else:
            _close(cell, cells, figures)
            figures[CROSSINGS] += 1
        cells[ACROSS + way, cell] = word + 1
        cell += step
    lying[word, ROW] = row
    lying[word, COLUMN] = column
    lying[word, WAY] = way
    figures[LAID] += 1
    enclose(word, lying, figures)


@inner_kernel
def enclose(word: int, lying: Table, figures: Table) -> None:
    """Widen the box by a word."""
    row, column, way = lying[word, ROW], lying[word, COLUMN], lying[word, WAY]
    more = lying[word, LENGTH] - 1
    if row < figures[TOP]:
        figures[TOP] = row
    if column < figures[LEFT]:
        figures[LEFT] = column
    if row + 1 + more * way > figures[BOTTOM]:
        figures[BOTTOM] = row + 1 + more * way
    if column + 1 + more * (1 - way) > figures[RIGHT]:
        figures[RIGHT] = column + 1 + more * (1 - way)


@inner_kernel
def measure(lying: Table, figures: Table) -> None:
    """The box of the words on the board."""
    figures[TOP] = figures[LEFT] = figures[WIDTH]
    figures[BOTTOM] = figures[RIGHT] = 0
    for word in range(lying.shape[0]):
        if lying[word, WAY] != OFF:
            enclose(word, lying, figures)


@inner_kernel
def take(word: int, lying: Table, cells: Table, figures: Table) -> None:
    """Take a word up; the box is as it was until `measure`."""
    way = lying[word, WAY]
    step = figures[WIDTH] if way else 1
    cell = lying[word, ROW] * figures[WIDTH] + lying[word, COLUMN]
    for _ in range(lying[word, LENGTH]):
        cells[ACROSS + way, cell] = 0
        if cells[DOWN - way, cell] == 0:
            cells[LETTER, cell] = 0
            _close(cell, cells, figures)
        else:
            _open(cell, cells, figures)
            figures[CROSSINGS] -= 1
        cell += step
    lying[word, WAY] = OFF
    figures[LAID] -= 1


@inner_kernel
def fits(word: int, start: int, way: int, letters: Table, lying: Table, cells: Table, figures: Table) -> int:
    """How many words a word would cross from this cell on; -1 where it must not lie."""
    width, length = figures[WIDTH], lying[word, LENGTH]
    step = width if way else 1
    side = 1 if way else width
    if cells[LETTER, start - step] or cells[LETTER, start + length * step]:
        return -1
    crossings = 0
    cell = start
    for k in range(length):
        letter = cells[LETTER, cell]
        if letter == 0:
            if cells[LETTER, cell - side] or cells[LETTER, cell + side]:
                return -1
        elif (
            letter != letters[word, k]
            or cells[ACROSS + way, cell]
            or cells[ACROSS + way, cell - side]
            or cells[ACROSS + way, cell + side]
        ):
            return -1
        else:
            crossings += 1
        cell += step
    return crossings
