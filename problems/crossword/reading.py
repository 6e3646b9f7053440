"""The words of a list as they stand in a grid, and why some words cannot make a crossword."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from islands.errors import UsageError, shortened
from problems.crossword.lists import PARTS, items

MOST = 1000  # words of one crossword
DROPPED = frozenset(" -'’‘.\u00a0\u00ad\u2010\u2011")  # ice cream, jack-in-the-box and don't are written without
NAMED = 6  # words of a group and groups in a message


class Entry(NamedTuple):
    """A word in capitals, its clue, the line it came from (0 = none), and how it is written there."""

    word: str
    clue: str = ""
    line: int = 0
    written: str = ""

    @property
    def named(self) -> str:
        """For a message."""
        return f"line {self.line}, {shortened(self.written)}:" if self.line else f"{shortened(self.word)}:"

    @property
    def is_long(self) -> bool:
        """Whether it has enough parts to look like a word and a clue in one."""
        return len(self.written.split()) > PARTS


def entries(text: str) -> list[Entry]:
    """All words of a list, in capitals; nothing is refused yet."""
    return [Entry(capitals(item.word), item.clue, item.line, item.word) for item in items(text)]


def parted(found: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """The words of a list, and those of a single letter, which are left out where others remain."""
    kept: list[Entry] = []
    short: list[Entry] = []
    for entry in found:
        (short if len(entry.word) == 1 and entry.word.isalpha() else kept).append(entry)
    return (kept, short) if kept else (short, [])


def capitals(word: str) -> str:
    """A word as it stands in a grid: composed letters, each in capitals where that is one letter too."""
    return unicodedata.normalize("NFC", word).translate(CAPITALS)


class _Capitals(dict[int, str]):
    """What stands in a grid for the letter of a code point, for `str.translate`; each is looked up once.

    Georgian stays as it is: hardly a font has its capitals, U+1C90 to U+1CBF.
    """

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        capital = letter.upper()
        kept = letter if len(capital) > 1 or "\u1c90" <= capital <= "\u1cbf" else capital
        self[code] = "" if letter in DROPPED else kept
        return self[code]


CAPITALS = _Capitals()


def usable(found: Iterable[tuple[str, str]], grid: int) -> list[tuple[str, str]]:
    """The words that can stand in a crossword, each once with its first clue: what `--random` draws from."""
    clues: dict[str, str] = {}
    for word, clue in found:
        if word.isalpha() and 2 <= len(word) <= grid:
            clues[word] = clues.get(word) or clue
    return list(clues.items())


def checked(found: Sequence[Entry], grid: int) -> None:
    """UsageError where words cannot make one crossword, whatever their places."""
    if not found:
        raise UsageError(
            "there is no word in it: expected one word in a line, perhaps with a clue behind a tab, comma or colon."
        )
    if len(found) > MOST:
        raise UsageError(f"{len(found):,} words are too many: at most {MOST:,}. Draw some of them: `random=30`")
    known: dict[str, Entry] = {}
    for entry in found:
        _check_word(entry, grid)
        first = known.setdefault(entry.word, entry)
        if first is not entry:
            lines = f" (lines {first.line} and {entry.line})" if entry.line else ""
            raise UsageError(f"{shortened(entry.word)} stands in it twice{lines}: a word is used once.")
    if len(found) == 1:
        raise UsageError(
            f"{shortened(found[0].word)} alone is no crossword: expected at least two words, each in a line."
        )
    _check_letters([entry.word for entry in found])


def _check_word(entry: Entry, grid: int) -> None:
    word, named = entry.word, entry.named
    if entry.is_long:
        raise UsageError(
            f"{named} is it a word and a clue? Put a tab, a comma, a semicolon or a colon between them; "
            f"a word of more than {PARTS} parts is written with hyphens."
        )
    strange = next((letter for letter in word if not letter.isalpha()), None)
    if strange is not None:
        what = f"the digit {strange}" if strange.isdigit() else repr(strange)
        if unicodedata.combining(strange) or unicodedata.category(strange).startswith("M"):
            what = f"the combining mark U+{ord(strange):04X}, which makes no letter of its own,"
        raise UsageError(
            f"{named} has {what} in it: expected letters, and a tab, comma, semicolon or colon before a clue."
        )
    if len(word) < 2:
        raise UsageError(f"{named} too short: a word has at least two letters.")
    if len(word) > grid:
        raise UsageError(
            f"{named} has {len(word)} letters, the grid is {grid}x{grid}. Leave it out, or add `grid={len(word)}`"
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
    named = [_some(group) for _, group in sorted(groups, key=lambda group: -len(group[1]))]
    raise UsageError(
        f"{len(groups)} groups of words have no letter in common, so that they cannot cross: "
        f"{' | '.join(named[:NAMED])}{' | ...' if len(named) > NAMED else ''}. Leave all but one group out."
    )


def _some(words: Sequence[str]) -> str:
    return ", ".join(words[:NAMED]) + (f" and {len(words) - NAMED} more" if len(words) > NAMED else "")
