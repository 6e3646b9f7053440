"""Files of the family."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from islands.errors import UsageError
from islands.model.capabilities import Format, Sheets, Titled
from islands.operators.space import Genomes
from problems.sudoku.family.kinds import KINDS, Extra
from problems.sudoku.family.layout import Layout
from problems.sudoku.family.names import VARIANTS
from problems.sudoku.family.notation import line_of
from problems.sudoku.family.ruleset import MARKS
from problems.sudoku.family.translating import usual_box

if TYPE_CHECKING:
    from problems.sudoku.family.puzzle import Variant


def rows_of(layout: Layout, cells: Sequence[str], before: str = "") -> Iterator[str]:
    """A line for each row; `-` in the gaps between grids."""
    width = max(map(len, cells))
    for row in range(layout.rows):
        numbers = (layout.numbers.get((row, column)) for column in range(layout.columns))
        yield before + " ".join(("-" if cell is None else cells[cell]).rjust(width) for cell in numbers) + "\n"


def _txt(sheets: Sheets) -> Iterator[str]:
    """The grid and its extras, as it is read; above a solved grid its givens as a comment."""
    for number, sheet in enumerate(sheets):
        yield "\n" if number else ""
        yield from written(sheet.puzzle, sheet.genome, sheet.remark)


def written(puzzle: Variant, grid: Genomes, remark: str = "") -> Iterator[str]:
    layout = puzzle.ruleset.layout
    yield puzzle.note(puzzle.spelling)
    if remark:
        yield f"# {remark}\n"
    if puzzle.number:
        yield f"# puzzle {puzzle.number}\n"
    if (grid > 0).all():
        yield from rows_of(layout, puzzle.texts(puzzle.givens), "# ")
    yield from rows_of(layout, puzzle.texts(grid))
    if puzzle.regions:
        n = puzzle.size
        yield "regions:\n"
        yield from (puzzle.regions[start : start + n] + "\n" for start in range(0, n * n, n))
    if puzzle.grids:
        yield f"grids: {puzzle.grids}\n"
    yield from (f"{extra}\n" for extra in puzzle.extras)


NAMES = {"anti-knight": "antiknight", "anti-king": "antiking", "non-consecutive": "nonconsecutive",
         "disjoint": "disjointgroups"}  # fmt: skip
MARKED = {"cage": "killercage", "white": "difference", "black": "ratio", "x": "xv", "v": "xv", "group": "extraregion",
          "odd": "odd", "even": "even"}  # fmt: skip
LINED = {"thermometer": "thermometer", "palindrome": "palindrome", "renban": "renban", "whisper": "whispers"}


def _fpuzzles(sheets: Sheets, title: str) -> Iterator[str]:
    """The first one, as f-puzzles and the programs that read its files have it."""
    for puzzle, grid, *_ in islice(sheets, 1):
        yield json.dumps(fpuzzles(puzzle, grid, title)) + "\n"


def fpuzzles(puzzle: Variant, grid: Genomes, title: str = "") -> dict[str, Any]:
    """UsageError where f-puzzles has no word for a rule."""
    rules, n = puzzle.ruleset, puzzle.size
    layout = rules.layout
    named = {"diagonal", "jigsaw", *NAMES, *(name for name in puzzle.names if VARIANTS[name].kinds)} - set(MARKS)
    unknown = [name for name in puzzle.names if name not in named]
    unknown += [extra.kind for extra in rules.extras if extra.kind not in {*MARKED, *LINED, "arrow", "sum"}]
    if not unknown and layout.is_square:  # of sums it knows those of whole diagonals
        unknown = [line_of(extra, layout) for extra in rules.extras
                   if extra.kind == "sum" and _diagonal(layout, extra.cells) is None]  # fmt: skip
    if unknown or not layout.is_square:
        raise UsageError(f"f-puzzles has no word for {unknown[0] if unknown else 'grids that overlap'}; try .txt.")
    if "non-consecutive" in puzzle.names and any(extra.kind == "white" for extra in rules.extras):
        raise UsageError("f-puzzles has no word for non-consecutive beside white dots: to it these two say that all "
                         "white dots are shown; try .txt.")  # fmt: skip
    told = bool(layout.regions) or layout.box != usual_box(n)  # what the regions are
    rows: list[list[dict[str, Any]]] = [[{} for _ in range(n)] for _ in range(n)]
    for cell, (given, value) in enumerate(zip(puzzle.givens, grid.tolist(), strict=True)):
        about = rows[cell // n][cell % n]
        about.update({"value": given, "given": True} if given else {"value": value} if value else {})
        about.update({"region": layout.home_of[cell]} if told else {})
    data: dict[str, Any] = {"size": n, "title": title, "grid": rows}
    data.update({NAMES[name]: True for name in puzzle.names if name in NAMES})
    data.update({"diagonal+": True, "diagonal-": True} if "diagonal" in puzzle.names else {})
    for extra in rules.extras:
        for kind, entry in _entries(extra, layout):
            data.setdefault(kind, []).append(entry)
    return data


def _entries(extra: Extra, layout: Layout) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields for a kind of extra, and what is written there."""
    cells = [layout.name(cell).upper() for cell in extra.cells]
    told = extra.number is not None and extra.number != KINDS[extra.kind].usual
    number = str(extra.number) if told else ""
    if extra.kind in LINED:
        yield LINED[extra.kind], {"lines": [cells], **({"value": number} if told else {})}
    elif extra.kind == "arrow":
        yield "arrow", {"cells": cells[:1], "lines": [cells]}
    elif extra.kind == "sum":
        cell, direction, seen = _diagonal(layout, extra.cells) or ("", "", [])
        yield "littlekillersum", {"cell": cell, "cells": seen, "direction": direction, "value": number}
    elif extra.kind in ("odd", "even"):
        yield from ((extra.kind, {"cell": cell}) for cell in cells)
    else:
        yield MARKED[extra.kind], {"cells": cells, "value": extra.kind.upper() if extra.kind in ("x", "v") else number}


def _diagonal(layout: Layout, cells: Sequence[int]) -> tuple[str, str, list[str]] | None:
    """Of a whole diagonal: the cell outside from which it is seen, in which direction, and its cells from there."""
    n, seen = layout.n, sorted(layout.places[cell] for cell in cells)
    (top, left), down = seen[0], -1 if sum(seen[0]) == sum(seen[-1]) else 1
    line = [(top + k, left + down * k) for k in range(n) if top + k < n and 0 <= left + down * k < n]
    if seen != line or not (top == 0 or left == (0 if down == 1 else n - 1)):
        return None
    names = [f"R{i + 1}C{j + 1}" for i, j in line]
    return f"R{top}C{left + 1 - down}", "DR" if down == 1 else "DL", names


FORMATS: dict[str, Format] = {".txt": _txt, ".json": Titled(_fpuzzles)}
