"""Why no layout holds all words of a short list: which rule is in the way, found out by trying all layouts.

A crossword as people know it has one rule: every run of two or more letters is a word of the list. The seed document
has another one: words of the same direction may not lie side by side. That is more where both cross a third word in
neighbouring cells and touch nowhere else: no wrong run comes of it, and yet it counts as fifteen errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import nan

from problems.crossword.layout import Cell, Layout, Placed

STEPS = 40_000  # places that are looked at; about a second


class TooMany(Exception):
    """There are more layouts than can be tried."""


def obstacle(words: Sequence[str]) -> str:
    """Why all these words make no crossword, whatever its size, in a sentence; empty where that is not known."""
    try:
        if layout_of(words, side_by_side=False) is not None:
            return ""
        found = layout_of(words, side_by_side=True)
    except TooMany:
        return ""
    if found is None:
        return "There is no layout of all words in which they only touch where they cross: all were tried."
    one, other, third = _neighbours(found)
    return (
        f"A layout of all words exists, but {one} and {other} lie side by side inside {third} in it, and words of one "
        "direction may not lie side by side."
    )


def layout_of(words: Sequence[str], *, side_by_side: bool) -> Layout | None:
    """The first layout of all words, if there is any."""
    tried: set[frozenset[Placed]] = set()
    steps = iter(range(STEPS))

    def completed(laid: frozenset[Placed]) -> frozenset[Placed] | None:
        left = [word for word in words if word not in {one.word for one in laid}]
        if not left:
            return laid
        for word in left:
            for place in _crossings(word, laid):
                if next(steps, None) is None:
                    raise TooMany
                longer = laid | {place}
                if longer not in tried and _fits(place, laid, side_by_side=side_by_side):
                    tried.add(longer)
                    found = completed(longer)
                    if found is not None:
                        return found
        return None

    # which way the first word lies is of no account, nor whether all is turned over
    found = completed(frozenset({Placed(words[0], "", 0, 0, True)}))
    return None if found is None else Layout(tuple(sorted(found)))


def _crossings(word: str, laid: frozenset[Placed]) -> Iterator[Placed]:
    """Where a word can cross one that lies there, by their letters alone."""
    for other in sorted(laid):
        for (row, column), letter in other.letters:
            for k, own in enumerate(word):
                if own == letter:
                    start = (row - k, column) if other.across else (row, column - k)
                    yield Placed(word, "", *start, not other.across)


def _fits(place: Placed, laid: frozenset[Placed], *, side_by_side: bool) -> bool:
    """Whether a word may lie there: no other run comes of it, and if need be no neighbour of its own direction."""
    letters: dict[Cell, str] = {}
    parallel: set[Cell] = set()
    for one in laid:
        letters |= one.letters
        parallel |= {cell for cell, _ in one.letters} if one.across == place.across else set()
    strict, (down, right) = not side_by_side, (0, 1) if place.across else (1, 0)
    end = (place.row + down * len(place.word), place.column + right * len(place.word))
    if (place.row - down, place.column - right) in letters or end in letters:
        return False
    for (row, column), letter in place.letters:
        beside = {(row - right, column - down), (row + right, column + down)}
        if (row, column) not in letters:
            if beside & letters.keys():
                return False
        elif letters[row, column] != letter or parallel & (beside | {(row, column)} if strict else {(row, column)}):
            return False
    return True


def _neighbours(layout: Layout) -> tuple[str, str, str]:
    """Two words of one direction in neighbouring cells, and the word that both cross there; the layout has some."""
    return next(
        (one.word, other.word, third.word)
        for one, other in combinations(layout.words, 2)
        for third in layout.words
        if one.across == other.across != third.across and abs(_place(one, third) - _place(other, third)) == 1
    )


def _place(one: Placed, third: Placed) -> float:
    """Which cell of the third word this one crosses, from 0; not a number where it does not."""
    cells = {cell for cell, _ in one.letters}
    return next((place for place, (cell, _) in enumerate(third.letters) if cell in cells), nan)
