"""How a text falls into words and clues, in the ways people write lists.

    tab         horse<tab>It neighs      as spreadsheets copy; where a line has a tab, nothing else divides it
    comma       horse, It neighs         semicolon   horse; It neighs
    quotes      "horse","It neighs, loudly"          as spreadsheets save; a clue in quotes may have several lines
    colon       horse: It neighs         dash        horse - It neighs, with blanks around: ice-cream is a word
    one line    horse, rose, ocean       words alone, with commas, semicolons or blanks between them
    marks       1. horse  2) rose  * ocean           numbers and marks in front of a word are passed over

Elsewhere the first of these in a line divides it. Lines that begin with # are comments; a heading such as `word,clue`
is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

PARTS = 3  # of a word, with blanks between them; a line of more is a word and its clue

MARK = re.compile(r"^(?:\d{1,4}[.)]|[*•·–—])\s+")  # of a line in a list: 1. horse, * rose
BETWEEN = re.compile(r"[,;:]|\s[-–—]\s")
QUOTED = re.compile(r'"((?:[^"]|"")*)" *')
UNCLOSED = re.compile(r'(?:^|[,;\t])\s*"(?:[^"]|"")*$')
WORD_HEADINGS = frozenset(("word", "words", "answer", "answers", "entry", "term", "solution"))
CLUE_HEADINGS = frozenset(("clue", "clues", "hint", "hints", "definition", "question", "description", ""))


class Item(NamedTuple):
    """A word as it is written, its clue, and its line from 1."""

    word: str
    clue: str
    line: int


def items(text: str) -> list[Item]:
    """All words of a text in order; nothing is refused."""
    records = [(line, MARK.sub("", record)) for line, record in _records(text) if not record.startswith("#")]
    if len(records) == 1:
        line, record = records[0]
        alone = _words_alone(record)
        if len(alone) > 1:
            return [Item(word, "", line) for word in alone]
    found = [Item(*_divided(record), line) for line, record in records]
    return [item for place, item in enumerate(found) if item.word and (place or not _is_heading(item))]


def _records(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers; a quoted clue holds its lines together, if it ever ends."""
    waiting: list[str] = []
    lines = re.split(r"\r?\n", text)  # a clue may have other line breaks in it
    for number, line in enumerate(lines, 1):
        if waiting:
            waiting.append(line)
            if line.count('"') % 2:
                yield number - len(waiting) + 1, "\n".join(waiting).strip()
                waiting = []
        elif line.count('"') % 2 and UNCLOSED.search(line):
            waiting = [line]
        elif line.strip():
            yield number, line.strip()
    for number, line in enumerate(waiting, len(lines) - len(waiting) + 1):
        if line.strip():
            yield number, line.strip()


def _divided(record: str) -> tuple[str, str]:
    """The word and the clue of one line."""
    quoted = QUOTED.match(record)
    if quoted is not None:
        word, rest = _unquoted(quoted), record[quoted.end() :]
        between = re.match(r"[,;:\t]|[-–—]\s", rest)
        if between is not None or not rest:
            return word, _clue(rest[1:], rest[:1], quotes=True)
    if "\t" in record:
        word, _, clue = record.partition("\t")
        return word.strip(), _clue(clue, "\t")
    between = BETWEEN.search(record)
    if between is None:
        return record, ""
    return record[: between.start()].strip(), _clue(record[between.end() :], between[0])


def _clue(text: str, between: str, *, quotes: bool = False) -> str:
    """What stands behind a word, without quotes that only hold it together and without empty fields behind it.

    `quotes`: the word has some, too.
    """
    text = text.strip()
    if between in (",", ";", "\t"):
        text = text.rstrip(between + " ")
        quoted = QUOTED.match(text)
        # behind a tab hardly anything needs quotes: there a clue may be a quotation
        if quoted is not None and (quotes or between != "\t" or '""' in quoted[1] or "\n" in quoted[1]):
            rest = text[quoted.end() :]
            if not rest or rest.startswith(between):  # further columns are no part of the clue
                return _unquoted(quoted)
    return text


def _unquoted(quoted: re.Match[str]) -> str:
    return quoted[1].replace('""', '"').strip()


def _words_alone(record: str) -> list[str]:
    """The words of a list in one line; none where it is a word and its clue."""
    if "\t" in record or '"' in record:
        return []
    pieces = re.split(r"[,;]", record)
    if len(pieces) == 1:
        return [] if BETWEEN.search(record) else record.split()
    words = [piece.strip() for piece in pieces if piece.strip()]
    return words if all(len(word.split()) <= PARTS and not BETWEEN.search(word) for word in words) else []


def _is_heading(item: Item) -> bool:
    """`word,clue`; also `sep=;`, which one program writes for itself."""
    word, clue = item.word.lower(), item.clue.lower()
    return (word in WORD_HEADINGS and clue in CLUE_HEADINGS and bool(clue)) or word == "sep="
