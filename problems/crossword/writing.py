"""Crosswords on paper and in files, by suffix. A sheet is a puzzle and a genome."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice

from islands.model.capabilities import Format, Sheets, Titled
from problems.crossword.drawing import WIDE, clue_lines, empty_lines, solved_lines, summary
from problems.crossword.exchange import ipuz, json_object, puz
from problems.crossword.numbering import Numbered, numbered
from problems.crossword.page import page
from problems.crossword.paper import pages as pdf_page
from problems.crossword.picture import with_clues


def _numbered(sheets: Sheets, title: str = "") -> Iterator[Numbered]:
    for puzzle, genome, *_ in sheets:
        yield numbered(puzzle.layout(genome), puzzle.left_out(genome), title or puzzle.title)


def _txt(sheets: Sheets, title: str) -> Iterator[str]:
    """Empty grids with their clues, then the solutions."""
    solved: list[str] = []
    for place, sheet in enumerate(_numbered(sheets, title), 1):
        wide = sheet.layout.columns > WIDE
        grid = [f"(a grid of more than {WIDE} columns: export .html or .svg)"] if wide else empty_lines(sheet)
        head = [f"{sheet.title} {place}: {summary(sheet.layout)}", *filter(None, [sheet.lacking])]
        yield "\n".join([*head, "", *grid, "", *clue_lines(sheet), ""])
        solved += [f"Solution {place}", "", *solved_lines(sheet), ""]
    yield "\n".join(solved)


def _html(sheets: Sheets, title: str) -> Iterator[str]:
    return page(_numbered(sheets, title))


def _pdf(sheets: Sheets, title: str) -> Iterator[bytes]:
    return pdf_page(_numbered(sheets, title))


def _json(sheets: Sheets, title: str) -> Iterator[str]:
    """A list of objects."""
    between = "["
    for sheet in _numbered(sheets, title):
        yield f"{between}\n{json.dumps(json_object(sheet), ensure_ascii=False)}"
        between = ","
    yield "[]\n" if between == "[" else "\n]\n"


def _only(write: Callable[[Numbered], str | bytes]) -> Titled:
    """The first one, of formats that hold one."""
    return Titled(lambda sheets, title: (write(sheet) for sheet in _numbered(islice(sheets, 1), title)))


def _picture(*, solved: bool) -> Format:
    """The first one, without its title."""
    return lambda sheets: (with_clues(sheet, solved=solved) for sheet in _numbered(islice(sheets, 1)))


FORMATS: dict[str, Format] = {
    ".txt": Titled(_txt),
    ".html": Titled(_html),
    ".pdf": Titled(_pdf),
    ".json": Titled(_json),
    ".svg": _picture(solved=False),
    ".solved.svg": _picture(solved=True),
    ".ipuz": _only(lambda sheet: json.dumps(ipuz(sheet), ensure_ascii=False, indent=1) + "\n"),
    ".puz": _only(puz),
}
