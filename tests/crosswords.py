"""Legal layouts for tests, by the plainest way to make one."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from problems.crossword.layout import Layout, Placed

HOUSE = Layout(
    (
        Placed("HORSE", "Neighs & <kicks>", 3, 5, True),
        Placed("HOUSE", 'Has a "roof"', 3, 5, False),
        Placed("EAR", "", 3, 9, False),
        Placed("EVER", "Poets' always", 7, 5, True),
    )
)
"""A layout away from the origin:

    1HORS2E
     O . . . A
     U . . . R
     S . . . .
    3EVER
"""

ODD = "AZÄÖßÉÞЯЖΩШאبあ漢가字ŁĞỲ"


def laid(words: Sequence[str], clues: Sequence[str]) -> Layout:
    """The first word across, and each other one where it first crosses those before it; what does not is left out."""
    placed: list[Placed] = []
    for word, clue in zip(words, clues, strict=True):
        fit = (one for one in _crossing(word, clue, placed) if _legal(one, placed))
        one = next(fit, None) if placed else Placed(word, clue, 40, 40, True)
        placed += [] if one is None else [one]
    return Layout(tuple(placed))


def _crossing(word: str, clue: str, placed: Sequence[Placed]) -> list[Placed]:
    found = []
    for other in placed:
        for (row, column), letter in other.letters:
            for place, own in enumerate(word):
                if own == letter:
                    start = (row - place, column) if other.across else (row, column - place)
                    found.append(Placed(word, clue, *start, not other.across))
    return found


def _legal(one: Placed, placed: Sequence[Placed]) -> bool:
    """Every run of cells, of two and more, is a word that stands there, and no two letters share a cell."""
    layout = Layout((*placed, one))
    cells = layout.cells
    if any(cells[cell] != letter for word in layout.words for cell, letter in word.letters):
        return False
    runs = set()
    for row, column in cells:
        for down, right in ((0, 1), (1, 0)):
            if (row - down, column - right) not in cells:
                length = next(n for n in range(1, 100) if (row + n * down, column + n * right) not in cells)
                runs |= {(row, column, bool(right), length)} if length > 1 else set()
    return runs == {(word.row, word.column, word.across, len(word.word)) for word in layout.words}


@st.composite
def layouts(draw: st.DrawFn, letters: str = ODD, clues: st.SearchStrategy[str] | None = None) -> Layout:
    """Up to a dozen words of few letters, so that they cross."""
    few = draw(st.lists(st.sampled_from(letters), min_size=2, max_size=4, unique=True))
    words = draw(st.lists(st.text(few, min_size=2, max_size=7), min_size=1, max_size=12, unique=True))
    said = st.text(max_size=60) if clues is None else clues
    return laid(words, [draw(said) for _ in words])
