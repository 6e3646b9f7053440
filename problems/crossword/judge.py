"""The rules of a crossword and the seed's count of errors, slow and obvious: sets of cells, no arithmetic of places.

Nothing here is used by a search; everything that a search finds, and every layout of another program, is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from problems.crossword.layout import Cell, Layout, Placed


def faults(layout: Layout, words: Sequence[str], grid: int | None = None) -> list[str]:
    """What keeps a layout from being a crossword of all these words, in words; an empty list = nothing."""
    return [*_missing(layout, words), *_outside(layout, grid), *_runs(layout), *_separate(layout)]


def _missing(layout: Layout, words: Sequence[str]) -> Iterator[str]:
    placed, wanted = Counter(one.word for one in layout.words), Counter(words)
    yield from (f"{word} is missing" for word in (wanted - placed).elements())
    yield from (f"{word} was not asked for" for word in (placed - wanted).elements())


def _outside(layout: Layout, grid: int | None) -> Iterator[str]:
    for one in layout.words:
        if grid is not None and any(not (0 <= row < grid and 0 <= column < grid) for (row, column), _ in one.letters):
            yield f"{one.word} leaves the grid"


def _runs(layout: Layout) -> Iterator[str]:
    """Read the grid as a person does: every run of two or more letters must be a placed word, and each word a run."""
    cells: dict[Cell, str] = {}
    for one in layout.words:
        for cell, letter in one.letters:
            if cells.setdefault(cell, letter) != letter:
                yield f"{one.word} needs {letter} where {cells[cell]} stands"
    read = Counter(_read(cells))
    meant = Counter((one.word, one.row, one.column, one.across) for one in layout.words)
    yield from (f"{word} is read, but no word lies there" for word, *_ in (read - meant).elements())
    yield from (f"{word} cannot be read at its place" for word, *_ in (meant - read).elements())


def _read(cells: dict[Cell, str]) -> Iterator[tuple[str, int, int, bool]]:
    for row, column in cells:
        for across, (down, right) in ((True, (0, 1)), (False, (1, 0))):
            if (row - down, column - right) in cells:
                continue
            run = cells[row, column]
            while (row + down * len(run), column + right * len(run)) in cells:
                run += cells[row + down * len(run), column + right * len(run)]
            if len(run) > 1:
                yield run, row, column, across


def _separate(layout: Layout) -> Iterator[str]:
    """All words hang together by their crossings."""
    if not layout.words:
        return
    rest, reached = list(layout.words[1:]), _cells(layout.words[0])
    while True:
        crossed = [one for one in rest if _cells(one) & reached]
        if not crossed:
            break
        rest = [one for one in rest if one not in crossed]
        reached = reached.union(*map(_cells, crossed))
    yield from (f"{one.word} does not hang together with {layout.words[0].word}" for one in rest)


class Error(NamedTuple):
    """Something that the seed counts: how many errors it is, where words meet that should not, and what in words."""

    errors: int
    cells: set[Cell]
    text: str


def errors(layout: Layout) -> int:
    """The seed's fitness of a layout."""
    return sum(error.errors for error in listed_errors(layout.words))


def listed_errors(words: Sequence[Placed]) -> Iterator[Error]:
    """The errors that the seed counts, one by one."""
    crossed = set()
    for one, other in combinations(words, 2):
        shared, beside = _cells(one) & _cells(other), _beside(one) & _cells(other)
        both = beside | (_beside(other) & _cells(one) if beside else set())
        if one.across == other.across:
            if shared or beside:
                where = "lies on" if shared else "lies next to"
                yield Error(15, shared or both, f"{one.word} {where} {other.word}, parallel to it")
        elif shared:
            crossed |= {one, other}
            (cell,) = shared
            letter, needed = dict(one.letters)[cell], dict(other.letters)[cell]
            if letter != needed:
                yield Error(1, shared, f"{one.word} needs {letter} where {other.word} needs {needed}")
        elif beside:
            yield Error(20, both, f"{one.word} touches {other.word} and does not cross it")
    yield from (Error(7, set(), f"{one.word} crosses no other word") for one in words if one not in crossed)
    parts = _components(words)
    if parts > 1:
        yield Error(30 * (parts - 1), set(), f"the words form {parts} parts that do not touch")


def _components(words: Sequence[Placed]) -> int:
    """Parts of the grid that do not touch."""
    cells = set().union(*map(_cells, words))
    count = 0
    while cells:
        count += 1
        border = {cells.pop()}
        while border:
            border = _around(border) & cells
            cells -= border
    return count


def _cells(one: Placed) -> set[Cell]:
    return {cell for cell, _ in one.letters}


def _beside(one: Placed) -> set[Cell]:
    return _around(_cells(one)) - _cells(one)


def _around(cells: Iterable[Cell]) -> set[Cell]:
    """The upper, lower, left and right neighbours of cells."""
    return {(row + down, column + right) for row, column in cells for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))}
