"""Crosswords on paper and in files, by suffix. A sheet is a puzzle and a genome."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from islands.model.capabilities import Format
from islands.operators.space import Genomes
from problems.crossword.drawing import WIDE, clue_lines, empty_lines, solved_lines, summary
from problems.crossword.exchange import ipuz, json_object, puz
from problems.crossword.numbering import Numbered, numbered
from problems.crossword.page import page
from problems.crossword.picture import with_clues

if TYPE_CHECKING:
    from problems.crossword import Crossword

Sheet = tuple["Crossword", Genomes]


def _numbered(sheets: Iterable[Sheet]) -> Iterator[Numbered]:
    return (numbered(puzzle.layout(genome), puzzle.left_out(genome)) for puzzle, genome in sheets)


def _txt(sheets: Iterable[Sheet]) -> Iterator[str]:
    """Empty grids with their clues, then the solutions."""
    solved: list[str] = []
    for place, sheet in enumerate(_numbered(sheets), 1):
        wide = sheet.layout.columns > WIDE
        grid = [f"(a grid of more than {WIDE} columns: export .html or .svg)"] if wide else empty_lines(sheet)
        title = [f"Crossword {place}: {summary(sheet.layout)}", *filter(None, [sheet.lacking])]
        yield "\n".join([*title, "", *grid, "", *clue_lines(sheet), ""])
        solved += [f"Solution {place}", "", *solved_lines(sheet), ""]
    yield "\n".join(solved)


def _html(sheets: Iterable[Sheet]) -> Iterator[str]:
    return page(_numbered(sheets))


def _json(sheets: Iterable[Sheet]) -> Iterator[str]:
    """A list of objects."""
    between = "["
    for sheet in _numbered(sheets):
        yield f"{between}\n{json.dumps(json_object(sheet), ensure_ascii=False)}"
        between = ","
    yield "[]\n" if between == "[" else "\n]\n"


def _only(write: Callable[[Numbered], str | bytes]) -> Format:
    """The first one, of formats that hold one."""
    return lambda sheets: (write(sheet) for sheet in _numbered(islice(sheets, 1)))


FORMATS: dict[str, Format] = {
    ".txt": _txt,
    ".html": _html,
    ".json": _json,
    ".svg": _only(lambda sheet: with_clues(sheet, solved=False)),
    ".solved.svg": _only(lambda sheet: with_clues(sheet, solved=True)),
    ".ipuz": _only(lambda sheet: json.dumps(ipuz(sheet), ensure_ascii=False, indent=1) + "\n"),
    ".puz": _only(puz),
}
