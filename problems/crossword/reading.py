"""Word lists: one word in a line, perhaps a tab and its clue; lines that begin with # are comments."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from islands.errors import UsageError

MOST = 1000  # words of one crossword
DROPPED = frozenset(" -'’.")  # ice cream, jack-in-the-box and don't are written without


class Entry(NamedTuple):
    """A word in capitals, its clue, and the line it came from."""

    word: str
    clue: str
    line: int


def entries(text: str) -> list[Entry]:
    """All lines of a word list, words in capitals; nothing is refused yet."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        word, _, clue = line.partition("\t")
        if word.strip() and not word.lstrip().startswith("#"):
            found.append(Entry(capitals(word.strip()), clue.strip(), number))
    return found


def capitals(word: str) -> str:
    """A word as it stands in a grid: composed letters, each in capitals where that is one letter too."""
    letters = unicodedata.normalize("NFC", word)
    return "".join(
        letter.upper() if len(letter.upper()) == 1 else letter for letter in letters if letter not in DROPPED
    )


def usable(found: Iterable[tuple[str, str]], grid: int) -> list[tuple[str, str]]:
    """The words with their clues that can stand in a crossword, each once: what `--random` draws from."""
    return list({word: clue for word, clue in found if word.isalpha() and 2 <= len(word) <= grid}.items())


def checked(words: Sequence[str], grid: int) -> None:
    """UsageError where words cannot make one crossword, whatever their places."""
    if not words:
        raise UsageError("there is no word in it: expected one word in a line, perhaps with a tab and a clue.")
    if len(words) > MOST:
        raise UsageError(f"{len(words):,} words are too many: at most {MOST:,}. Draw some of them: --random 30")
    lines: dict[str, int] = {}
    for number, word in enumerate(words, 1):
        _check_word(word, grid)
        if word in lines:
            raise UsageError(f"{word} stands in it twice (words {lines[word]} and {number}): a word is used once.")
        lines[word] = number
    if len(words) == 1:
        raise UsageError(f"{words[0]} alone is no crossword: expected at least two words.")
    _check_letters(words)


def _check_word(word: str, grid: int) -> None:
    strange = next((letter for letter in word if not letter.isalpha()), None)
    if strange is not None:
        what = f"the digit {strange}" if strange.isdigit() else repr(strange)
        raise UsageError(f"{word!r} has {what} in it: expected letters, and a tab before a clue.")
    if len(word) < 2:
        raise UsageError(f"{word!r} is too short: a word has at least two letters.")
    if len(word) > grid:
        raise UsageError(
            f"{word} has {len(word)} letters, the grid is {grid}x{grid}. Leave it out, or add --grid {len(word)}"
        )


def _check_letters(words: Sequence[str]) -> None:
    """Words that share no letter, directly or through others, cannot hang together."""
    groups: list[tuple[set[str], list[str]]] = []
    for word in words:
        joined = [group for group in groups if group[0] & set(word)]
        groups = [group for group in groups if not group[0] & set(word)]
        letters = set(word).union(*(group[0] for group in joined))
        groups.append((letters, [*(one for group in joined for one in group[1]), word]))
    if len(groups) == 1:
        return
    smallest = min((group[1] for group in groups), key=len)
    named = ", ".join(smallest[:10]) + (" ..." if len(smallest) > 10 else "")
    alone = len(smallest) == 1
    raise UsageError(
        f"{named} {'has' if alone else 'have'} no letter in common with any other word, "
        f"so that {'it' if alone else 'they'} cannot cross. Leave {'it' if alone else 'them'} out."
    )
