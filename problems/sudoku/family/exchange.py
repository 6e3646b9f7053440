"""What other programs write, as a text in our notation: f-puzzles, SudokuPad, ipuz, SumoCue and Perfect Sudoku.

What a file says beyond what we know is refused by its name, so that no rule is left out unnoticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import isqrt
from typing import Any

from islands.errors import UsageError
from problems.sudoku.family.lz import decompressed
from problems.sudoku.symbols import boxes_of

Object = dict[str, Any]
LINK = re.compile(r"(?:[?&]load=|\bfpuzzles|/(?:fpuz|fpuzzles))([A-Za-z0-9+/=%_-]{20,})")
SUMOCUE = re.compile(r"SumoCueV1(D?)((?:[=+]\d{1,6}(?:J\d{1,6})?)+)")
PERFECT = re.compile(r"(\d{1,6})x(\d{1,6}):(d?):(k):((?:\d{1,6}:)*\d{0,6})")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def translated(text: str) -> str | None:
    """A puzzle of another program in our notation; None where it is none of these. UsageError says what is wrong."""
    flat = re.sub(r"\s", "", text) if len(text) < 1_000_000 else ""
    if found := SUMOCUE.fullmatch(flat):
        return "\n".join(_sumocue(bool(found[1]), found[2]))
    if found := PERFECT.fullmatch(flat):
        return "\n".join(_perfect((int(found[1]), int(found[2])), bool(found[3]), found[5]))
    if found := LINK.search(flat) if "puz" in flat[:80] else None:
        return _of_json(_loaded(decompressed(found[1])))
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        is_ours = '"grid"' in text or '"cages"' in text or '"zones"' in text
        if is_ours:
            raise UsageError(f"this looks like a puzzle in JSON, but is not whole: {error}.") from error
        return None
    return _of_json(data)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"what is packed in this link is not a puzzle: {error}. Is the link complete?") from error


def _of_json(data: Any) -> str | None:
    if not isinstance(data, dict):
        return None
    try:
        if isinstance(data.get("grid"), list) and "size" in data:
            return "\n".join(_fpuzzles(data))
        if isinstance(data.get("cells"), list) and "regions" in data:
            return "\n".join(_sudokupad(data))
        if "sudoku" in str(data.get("kind")) and (data.get("zones") or data.get("cages")):
            return "\n".join(_ipuz(data))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UsageError(f"this puzzle in JSON is damaged: {type(error).__name__} at {error}.") from error
    return None


def _grid(n: int, values: list[int], names: list[str], homes: list[int] | None) -> Iterator[str]:
    """The first lines: names, rows, and regions where they are not the usual boxes."""
    shapes = boxes_of(n)
    box = min(shapes, key=lambda shape: (abs(shape[0] - shape[1]), shape)) if shapes else None
    usual = None
    if box is not None:
        usual = [i // box[0] * box[0] + j // box[1] for i in range(n) for j in range(n)]
    if homes is None and usual is None:
        names = [*names, "latin"]
    irregular = homes is not None and (usual is None or _numbered(homes) != _numbered(usual))
    if irregular:
        names = [*names, "jigsaw"]
    boxed = f" box={box[0]}x{box[1]}" if box is not None and not irregular else ""
    yield f"# sudoku variant={','.join(dict.fromkeys(names)) or ''}{boxed}" if names else f"# sudoku{boxed}"
    for start in range(0, n * n, n):
        yield " ".join(str(value) for value in values[start : start + n])
    if irregular and homes is not None:
        yield "regions: " + "".join(LETTERS[home] for home in _numbered(homes))


def _numbered(homes: list[int]) -> list[int]:
    """Regions by their first cell."""
    order = {home: number for number, home in enumerate(dict.fromkeys(homes))}
    return [order[home] for home in homes]


def _cell(name: str) -> str:
    """`R1C1`, as f-puzzles calls it."""
    found = re.fullmatch(r"[Rr](\d{1,6})[Cc](\d{1,6})", name.strip())
    if found is None:
        raise UsageError(f"{name!r} is not a cell of the grid.")
    return f"r{found[1]}c{found[2]}"


def _cells(names: list[str]) -> str:
    return " ".join(map(_cell, names))


# --- f-puzzles ---

FLAGS = {"antiknight": "anti-knight", "antiking": "anti-king", "nonconsecutive": "non-consecutive",
         "disjointgroups": "disjoint"}  # fmt: skip
IGNORED = {
    "size", "grid", "title", "author", "ruleset", "solution", "line", "rectangle", "circle", "text", "cage", "negative",
    "disabledlogic", "truecandidatesoptions", "successMessage", "diagonal+", "diagonal-",
    "highlightConflicts", "cosmetic",
}  # fmt: skip


def _numbered_kind(kind: str, entry: Object) -> str:
    value = str(entry.get("value", "") or "").strip()
    if value and not value.isdecimal():
        raise UsageError(f"{kind} {value!r}: expected a whole number.")
    return f"{kind} {value}" if value else kind


def _lines(kind: str) -> Callable[[Object], Iterator[str]]:
    return lambda entry: (f"{kind}: {_cells(line)}" for line in entry["lines"])


def _arrow(entry: Object) -> Iterator[str]:
    if len(entry["cells"]) != 1:
        raise UsageError("an arrow whose sum fills several cells (a pill) is not known here; expected one circle.")
    for line in entry["lines"]:
        circle, *shaft = line
        yield f"arrow: {_cells(entry['cells'])} {_cells(shaft if circle in entry['cells'] else line)}"


def _little_killer(entry: Object) -> Iterator[str]:
    if str(entry.get("value", "")).isdecimal() and entry.get("cells"):
        yield f"sum {entry['value']}: {_cells(entry['cells'])}"
    elif entry.get("value"):
        raise UsageError(f"a little killer sum {entry['value']!r} without its cells.")


def _xv(entry: Object) -> Iterator[str]:
    if entry.get("value"):
        yield f"{str(entry['value']).lower()}: {_cells(entry['cells'])}"


def _clone(entry: Object) -> Iterator[str]:
    for one, other in zip(entry["cells"], entry["cloneCells"], strict=True):
        yield f"equal: {_cell(one)} {_cell(other)}"


def _extreme(sign: str, n: int) -> Callable[[Object], Iterator[str]]:
    """A cell lower or higher than its neighbours."""

    def lines(entry: Object) -> Iterator[str]:
        row, column = (int(part) for part in re.findall(r"\d+", entry["cell"]))
        for i, j in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 1 <= i <= n and 1 <= j <= n:
                yield f"r{row}c{column} {sign} r{i}c{j}"

    return lines


def _kinds(n: int) -> dict[str, Callable[[Object], Iterator[str]]]:
    return {
        "killercage": lambda entry: iter([f"{_numbered_kind('cage', entry)}: {_cells(entry['cells'])}"]),
        "thermometer": _lines("thermometer"),
        "arrow": _arrow,
        "difference": lambda entry: iter([f"{_numbered_kind('white', entry)}: {_cells(entry['cells'])}"]),
        "ratio": lambda entry: iter([f"{_numbered_kind('black', entry)}: {_cells(entry['cells'])}"]),
        "xv": _xv,
        "palindrome": _lines("palindrome"),
        "renban": _lines("renban"),
        "whispers": _lines("whisper"),
        "extraregion": lambda entry: iter([f"group: {_cells(entry['cells'])}"]),
        "odd": lambda entry: iter([f"odd: {_cell(entry['cell'])}"]),
        "even": lambda entry: iter([f"even: {_cell(entry['cell'])}"]),
        "minimum": _extreme("<", n),
        "maximum": _extreme(">", n),
        "clone": _clone,
        "littlekillersum": _little_killer,
    }


def _fpuzzles(data: Object) -> Iterator[str]:
    n = int(data["size"])
    rows = data["grid"]
    if not 2 <= n <= len(LETTERS) or len(rows) != n or any(len(row) != n for row in rows):
        raise UsageError(f"the field `grid` is not {n} rows of {n} cells, as `size` says.")
    flat = [cell for row in rows for cell in row]
    values = [int(cell.get("value") or 0) if cell.get("given") else 0 for cell in flat]
    shapes = boxes_of(n)
    box = min(shapes, key=lambda shape: (abs(shape[0] - shape[1]), shape)) if shapes else (1, n)
    homes = [int(cell.get("region", k // n // box[0] * box[0] + k % n // box[1]) or 0) for k, cell in enumerate(flat)]
    names = [name for flag, name in FLAGS.items() if data.get(flag)]
    both = data.get("diagonal+") and data.get("diagonal-")
    names += ["diagonal"] if both else []
    negative = data.get("negative") or []
    names += ["all-xv"] if "xv" in negative else []
    if "ratio" in negative or (data.get("nonconsecutive") and data.get("difference")):
        if not ("ratio" in negative and data.get("nonconsecutive")):
            raise UsageError("dots of which only those of one kind are all shown are not known here; expected both.")
        names = [name for name in names if name != "non-consecutive"] + ["all-dots"]
    yield from _grid(n, values, names, homes)
    if bool(data.get("diagonal+")) != bool(data.get("diagonal-")):
        cells = [(i, n - 1 - i if data.get("diagonal+") else i) for i in range(n)]
        yield "group: " + " ".join(f"r{i + 1}c{j + 1}" for i, j in cells)
    kinds = _kinds(n)
    for key, entries in data.items():
        if key in kinds:
            for entry in entries or ():
                yield from kinds[key](entry)
        elif key not in IGNORED and key not in FLAGS and entries:
            raise UsageError(f"the rule {key!r} of this file is not known here; known are {', '.join(kinds)}.")


# --- SudokuPad, ipuz, SumoCue ---


def _sudokupad(data: Object) -> Iterator[str]:
    """Cells, regions and cages. Lines and pictures are drawings without a meaning in such a file."""
    rows = data["cells"]
    n = len(rows)
    for key in ("lines", "arrows", "overlays", "underlays"):
        if data.get(key):
            raise UsageError(
                f"this SudokuPad file has {key}, which are drawn but not explained in it. Write the rules down as "
                "extras (thermometer: r1c1 r1c2), or export the puzzle from f-puzzles."
            )
    values = [int(cell.get("value") or 0) for row in rows for cell in row]
    homes = [-1] * (n * n)
    for number, region in enumerate(data["regions"]):
        for row, column in region:
            homes[int(row) * n + int(column)] = number
    if -1 in homes and any(home >= 0 for home in homes):
        raise UsageError("some cells of this file are in no region; expected all, or none.")
    yield from _grid(n, values, [] if -1 not in homes else ["latin"], homes if -1 not in homes else None)
    for cage in data.get("cages") or ():
        if cage.get("cells"):
            cells = " ".join(f"r{int(row) + 1}c{int(column) + 1}" for row, column in cage["cells"])
            yield f"{_numbered_kind('cage', cage)}: {cells}"


def _ipuz(data: Object) -> Iterator[str]:
    """ipuz has zones, which are regions, and cages with an operation."""
    rows = data["puzzle"]
    n, empty = len(rows), str(data.get("empty", 0))
    given = [cell.get("value", cell.get("cell")) if isinstance(cell, dict) else cell for row in rows for cell in row]
    values = [0 if value is None or str(value) == empty else int(value) for value in given]
    homes = None
    if data.get("zones"):
        homes = [-1] * (n * n)
        for number, zone in enumerate(data["zones"]):
            for i, j in _places(zone):
                homes[i * n + j] = number
        if -1 in homes:
            raise UsageError("some cells of this ipuz file are in no zone; expected all.")
    yield from _grid(n, values, [], homes)
    for cage in data.get("cages") or ():
        if cage.get("operator", "+") != "+":
            raise UsageError(f"a cage with the operator {cage['operator']!r}; only sums, +, are known here.")
        cells = " ".join(f"r{i + 1}c{j + 1}" for i, j in _places(cage))
        yield f"{_numbered_kind('cage', cage)}: {cells}"


def _places(spec: Object) -> list[tuple[int, int]]:
    """Rows and columns from 0 of what ipuz gives as columns and rows from 1."""
    if "cells" in spec:
        return [(int(row) - 1, int(column) - 1) for column, row in spec["cells"]]
    left, top, right, bottom = (int(number) for number in spec["rect"])
    return [(i - 1, j - 1) for i in range(top, bottom + 1) for j in range(left, right + 1)]


def _sumocue(diagonal: bool, text: str) -> Iterator[str]:
    """Of each cell: = and the sum of the cage that begins there, or + and the cell where it begins; J its region."""
    entries = re.findall(r"([=+])(\d+)(?:J(\d+))?", text)
    n = isqrt(len(entries))
    if n * n != len(entries):
        raise UsageError(f"{len(entries)} cells: expected n x n of them, 81 for 9x9.")
    cages: dict[int, list[int]] = {}
    for cell, (sign, number, _) in enumerate(entries):
        cages.setdefault(cell if sign == "=" else int(number), []).append(cell)
    sums = {cell: int(number) for cell, (sign, number, _) in enumerate(entries) if sign == "="}
    yield from _caged(n, diagonal, cages, sums, [int(home) for *_, home in entries if home] or None)


def _perfect(box: tuple[int, int], diagonal: bool, text: str) -> Iterator[str]:
    """Of each cell: 256 times the sum of its cage, and the cage's number."""
    numbers = [int(number) for number in text.split(":") if number]
    n = box[0] * box[1]
    if len(numbers) != n * n:
        raise UsageError(f"{len(numbers)} cells: expected {n * n} for a {n}x{n} grid.")
    cages: dict[int, list[int]] = {}
    for cell, number in enumerate(numbers):
        cages.setdefault(number, []).append(cell)
    yield from _caged(n, diagonal, cages, {number: number // 256 for number in cages}, None)


def _caged(
    n: int, diagonal: bool, cages: dict[int, list[int]], sums: dict[int, int], homes: list[int] | None
) -> Iterator[str]:
    """A cage of one cell is a given; one with the sum 0 is none."""
    if unknown := set(cages) - set(sums):
        raise UsageError(f"a cell is of the cage that begins in cell {min(unknown)}, but none begins there.")
    if homes is not None and len(homes) != n * n:
        raise UsageError("some cells have a region (J), others have none; expected all or none.")
    values = [0] * (n * n)
    for first, cells in cages.items():
        if len(cells) == 1:
            values[cells[0]] = sums[first]
    yield from _grid(n, values, ["diagonal"] if diagonal else [], homes)
    for first, cells in cages.items():
        if len(cells) > 1 and sums[first]:
            yield f"cage {sums[first]}: " + " ".join(f"r{cell // n + 1}c{cell % n + 1}" for cell in cells)
