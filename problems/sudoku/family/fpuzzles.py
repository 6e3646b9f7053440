"""f-puzzles' JSON as a text in our notation. A rule that is not known here is refused by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from islands.errors import UsageError, quoted
from problems.sudoku.family.translating import (
    LARGEST,
    cell_name,
    cell_names,
    grid_lines,
    listed,
    objects,
    reason,
    usual_box,
    whole,
)

Object = dict[str, Any]

FLAGS = {"antiknight": "anti-knight", "antiking": "anti-king", "nonconsecutive": "non-consecutive",
         "disjointgroups": "disjoint"}  # fmt: skip
IGNORED = {
    "size", "grid", "title", "author", "ruleset", "solution", "line", "rectangle", "circle", "text", "cage", "negative",
    "disabledlogic", "truecandidatesoptions", "successMessage", "diagonal+", "diagonal-",
    "highlightConflicts", "cosmetic",
}  # fmt: skip


def numbered_kind(kind: str, entry: Object) -> str:
    """An extra's kind, and its number if it has one."""
    value = str(entry.get("value", "") or "").strip()
    if value and (number := whole(value, f"the number of a {kind}")) < 0:
        raise UsageError(f"the number of a {kind} is {number}: expected one above 0.")
    return f"{kind} {whole(value, kind)}" if value else kind


def _lines(kind: str) -> Callable[[Object], Iterator[str]]:
    return lambda entry: (f"{kind}: {cell_names(line)}" for line in _drawn(entry))


def _drawn(entry: Object) -> list[Any]:
    """The lines of an entry."""
    return listed(entry["lines"], "'lines'", "lines, each a list of cells")


def _whispers(entry: Object) -> Iterator[str]:
    """With a number, where the difference is another one than usual."""
    return (f"{numbered_kind('whisper', entry)}: {cell_names(line)}" for line in _drawn(entry))


def _arrow(entry: Object) -> Iterator[str]:
    if len(listed(entry["cells"], "'cells' of an arrow", "one cell")) != 1:
        raise UsageError("an arrow whose sum fills several cells (a pill) is not known here; expected one circle.")
    for line in _drawn(entry):
        cell_names(line)
        circle, *shaft = line
        yield f"arrow: {cell_names(entry['cells'])} {cell_names(shaft if circle in entry['cells'] else line)}"


def _little_killer(entry: Object) -> Iterator[str]:
    if str(entry.get("value", "")).isdecimal() and entry.get("cells"):
        yield f"sum {entry['value']}: {cell_names(entry['cells'])}"
    elif entry.get("value"):
        raise UsageError(f"a little killer sum {entry['value']!r} without its cells.")


def _xv(entry: Object) -> Iterator[str]:
    value = str(entry.get("value") or "").strip()
    if value.lower() not in ("", "x", "v"):
        raise UsageError(f"the value of an 'xv' is {quoted(value)}: expected X or V.")
    if value:
        yield f"{value.lower()}: {cell_names(entry['cells'])}"


def _clone(entry: Object) -> Iterator[str]:
    cells = listed(entry["cells"], "'cells' of a clone", "cells")
    clones = listed(entry["cloneCells"], "'cloneCells'", f"cells, as many as the {len(cells)} they are clones of")
    if len(clones) != len(cells):
        raise UsageError(f"a clone of {len(cells)} cells has {len(clones)} in 'cloneCells'; expected as many.")
    for one, other in zip(cells, clones, strict=True):
        yield f"equal: {cell_name(one)} {cell_name(other)}"


def _extreme(sign: str, n: int, entries: Sequence[Object]) -> Callable[[Object], Iterator[str]]:
    """A cell lower or higher than its neighbours, but for those that are marked as well: these are not compared."""

    def lines(entry: Object) -> Iterator[str]:
        name, marked = cell_name(entry["cell"]), {cell_name(other["cell"]) for other in entries}
        row, column = (int(part) for part in re.findall(r"\d+", name))
        if not (1 <= row <= n and 1 <= column <= n):
            raise UsageError(f"{name} is outside the grid of {n} rows and {n} columns.")
        for i, j in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 1 <= i <= n and 1 <= j <= n and f"r{i}c{j}" not in marked:
                yield f"r{row}c{column} {sign} r{i}c{j}"

    return lines


def _kinds(n: int, data: Object) -> dict[str, Callable[[Object], Iterator[str]]]:
    return {
        "killercage": lambda entry: iter([f"{numbered_kind('cage', entry)}: {cell_names(entry['cells'])}"]),
        "thermometer": _lines("thermometer"),
        "arrow": _arrow,
        "difference": lambda entry: iter([f"{numbered_kind('white', entry)}: {cell_names(entry['cells'])}"]),
        "ratio": lambda entry: iter([f"{numbered_kind('black', entry)}: {cell_names(entry['cells'])}"]),
        "xv": _xv,
        "palindrome": _lines("palindrome"),
        "renban": _lines("renban"),
        "whispers": _whispers,
        "extraregion": lambda entry: iter([f"group: {cell_names(entry['cells'])}"]),
        "odd": lambda entry: iter([f"odd: {cell_name(entry['cell'])}"]),
        "even": lambda entry: iter([f"even: {cell_name(entry['cell'])}"]),
        "minimum": _extreme("<", n, data.get("minimum") or ()),
        "maximum": _extreme(">", n, data.get("maximum") or ()),
        "clone": _clone,
        "littlekillersum": _little_killer,
    }


def _regions(n: int, cells: Sequence[Object]) -> list[int] | None:
    """The region of each cell, which is that of its box where nothing is said; None where no cell is in one."""
    box = usual_box(n) or (1, n)
    said = [cell.get("region", k // n // box[0] * box[0] + k % n // box[1]) for k, cell in enumerate(cells)]
    if all(home is None for home in said):
        return None
    if None in said:
        k = said.index(None)
        raise UsageError(f"r{k // n + 1}c{k % n + 1} is in no region of this file; expected all cells to be, or none.")
    return [whole(home, "a region") for home in said]


def fpuzzles_lines(data: Object) -> Iterator[str]:
    n, rows = whole(data["size"], "'size'"), data["grid"]
    if not 2 <= n <= LARGEST or {len(rows), *(len(objects(row, "a row of 'grid'")) for row in rows)} != {n}:
        raise UsageError(f"'grid' is not {n} rows of {n} cells, as 'size' says; expected 2 to {LARGEST} of them.")
    flat = [cell for row in rows for cell in row]
    if any(cell.get("givenPencilMarks") for cell in flat):
        raise UsageError("this file gives pencil marks in cells ('givenPencilMarks'), which are not known here.")
    values = [whole(cell.get("value") or 0, "a given") if cell.get("given") else 0 for cell in flat]
    homes = _regions(n, flat)
    names = [name for flag, name in FLAGS.items() if data.get(flag)]
    names += [] if homes is not None else ["latin"]
    both = data.get("diagonal+") and data.get("diagonal-")
    names += ["diagonal"] if both else []
    negative = listed(data.get("negative") or [], "'negative'", "names of rules, such as ['xv']")
    if unknown := [rule for rule in negative if rule not in ("xv", "ratio")]:
        raise UsageError(f"that all {unknown[0]!r} are shown ('negative') is not known here; known are xv and ratio.")
    names += ["all-xv"] if "xv" in negative else []
    if "ratio" in negative or (data.get("nonconsecutive") and data.get("difference")):
        if not ("ratio" in negative and data.get("nonconsecutive")):
            raise UsageError("dots of which only those of one kind are all shown are not known here; expected both.")
        names = [name for name in names if name != "non-consecutive"] + ["all-dots"]
    yield from grid_lines(n, values, names, homes)
    if bool(data.get("diagonal+")) != bool(data.get("diagonal-")):
        cells = [(i, n - 1 - i if data.get("diagonal+") else i) for i in range(n)]
        yield "group: " + " ".join(f"r{i + 1}c{j + 1}" for i, j in cells)
    kinds = _kinds(n, data)
    for key, entries in data.items():
        if key in kinds:
            try:
                for entry in objects(entries or [], repr(key)):
                    yield from kinds[key](entry)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                raise UsageError(f"{key!r} of this file is damaged: {reason(error)}.") from error
        elif key not in IGNORED and key not in FLAGS and entries:
            raise UsageError(f"the rule {key!r} of this file is not known here; known are {', '.join(kinds)}.")
