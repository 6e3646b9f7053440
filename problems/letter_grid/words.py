"""Which words make a grid, and how they are spelt: in capitals, each letter one character.

A small letter counts as its capital, in NFC: A and a combining diaeresis are Ä. The capital of ß is ẞ, not SS: a cell
holds one letter.
"""

from __future__ import annotations

import unicodedata

from problems.sudoku.symbols import SIZES, boxes_of

LARGEST = 25
LENGTHS = [n for n in SIZES if n <= LARGEST]
LETTERS = ("Lu", "Ll", "Lt", "Lo")  # Unicode's kinds of letters, but for those that only modify others
SHARP_S = {"ß": "ẞ"}


def spelt(word: str) -> str:
    """The word in capitals. ValueError where it makes no grid: says what is wrong and which words do."""
    letters = [_capital(character) for character in unicodedata.normalize("NFC", word.strip())]
    for place, letter in enumerate(letters):
        if letter in letters[:place]:
            raise ValueError(f"{letter} stands in it twice; expected {_expected()}, for instance LOVE")
    if len(letters) not in LENGTHS:
        few = f"{len(letters)} letter{'' if len(letters) == 1 else 's'}"
        raise ValueError(f"{few}, which boxes cannot divide; expected {_expected()}, for instance LOVE or MONKEY")
    return "".join(letters)


def box_of(word: str) -> tuple[int, int]:
    """Rows and columns of a box: as square as can be, and no higher than wide."""
    rows, columns = sorted(boxes_of(len(word))[0])
    return rows, columns


def _expected() -> str:
    return f"{', '.join(map(str, LENGTHS[:-1]))} or {LENGTHS[-1]} different letters"


def _capital(character: str) -> str:
    kind = unicodedata.category(character)
    if kind.startswith("M"):
        raise ValueError(f"the combining character U+{ord(character):04X} makes no letter here; expected {_expected()}")
    if kind not in LETTERS:
        raise ValueError(f"{character!r} is no letter; expected {_expected()}, for instance LOVE")
    capital = SHARP_S.get(character, character.upper())
    if len(capital) > 1:
        raise ValueError(f"{character!r} has no capital of its own, but {capital!r}; expected {_expected()}")
    return capital
