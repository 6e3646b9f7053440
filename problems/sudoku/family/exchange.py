"""What other programs write, as a text in our notation: f-puzzles, SudokuPad, ipuz, SumoCue and Perfect Sudoku.

What a file says beyond what we know is refused by its name, so that no rule is left out unnoticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isqrt
from typing import Any

from islands.errors import UsageError, quoted
from problems.sudoku.family.fpuzzles import FLAGS, fpuzzles_lines, numbered_kind
from problems.sudoku.family.lz import decompressed
from problems.sudoku.family.translating import (
    grid_lines,
    home_numbers,
    listed,
    objects,
    once_each,
    reason,
    square_rows,
    whole,
)

Object = dict[str, Any]
LINK = re.compile(r"(?:[?&]load=(?:fpuz(?:zles)?)?|/fpuz(?:zles)?|\bfpuzzles)([A-Za-z0-9+/=%_-]{20,})")
ADDRESS = re.compile(r"\s*https?://", re.IGNORECASE)
SUMOCUE = re.compile(r"SumoCueV1(D?)((?:[=+]\d{1,6}(?:J\d{1,6})?)+)")
PERFECT = re.compile(r"(\d{1,6})x(\d{1,6}):(d?):(k):((?:\d{1,6}:)*\d{0,6})")


def translated(text: str) -> str | None:
    """A puzzle of another program in our notation; None where it is none of these. UsageError says what is wrong."""
    flat = re.sub(r"\s", "", text) if len(text) < 1_000_000 else ""
    if found := SUMOCUE.fullmatch(flat):
        return "\n".join(_sumocue(bool(found[1]), found[2]))
    if found := PERFECT.fullmatch(flat):
        return "\n".join(_perfect((int(found[1]), int(found[2])), bool(found[3]), found[5]))
    if found := LINK.search(flat) if "puz" in flat[:80] else None:
        return _of_json(_loaded(decompressed(found[1])))
    if ADDRESS.match(text):
        raise UsageError(
            "this link does not have the puzzle in it, and nothing is fetched. Open it, and export the puzzle as an "
            "f-puzzles link or as JSON; or type its rows."
        )
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(text, object_pairs_hook=once_each)
    except (ValueError, RecursionError) as error:
        is_ours = '"grid"' in text or '"cages"' in text or '"zones"' in text
        if is_ours:
            raise UsageError(f"this looks like a puzzle in JSON, but is not whole: {error}.") from error
        return None
    return _of_json(data)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=once_each)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"what is packed in this link is not a puzzle: {error}. Is the link complete?") from error


def _of_json(data: Any) -> str | None:
    if not isinstance(data, dict):
        return None
    try:
        if isinstance(data.get("grid"), list) and "size" in data:
            return "\n".join(fpuzzles_lines(data))
        if isinstance(data.get("cells"), list) and "regions" in data:
            return "\n".join(_sudokupad(data))
        if "sudoku" in str(data.get("kind")) and isinstance(data.get("puzzle"), list):
            names = _ipuz_names(data)
            if names or data.get("zones") or data.get("cages"):
                return "\n".join(_ipuz(data, names))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UsageError(f"this puzzle in JSON is damaged: {reason(error)}.") from error
    return None


SUDOKUPAD = {"cells", "regions", "cages", "id", "cellSize", "title", "author", "rules", "solution", "videos",
             "metadata", "metaData"}  # fmt: skip
DRAWN = ("lines", "arrows", "overlays", "underlays")


def _sudokupad(data: Object) -> Iterator[str]:
    """Cells, regions and cages. Lines and pictures are drawings without a meaning in such a file."""
    rows = data["cells"]
    n = square_rows(rows, "cells")
    for key in DRAWN:
        if data.get(key):
            raise UsageError(
                f"this SudokuPad file has {key}, which are drawn but not explained in it. Write the rules down as "
                "extras (thermometer: r1c1 r1c2), or export the puzzle from f-puzzles."
            )
    about = {**(data.get("metaData") or {}), **(data.get("metadata") or {})}
    flags = {key: value for key, value in about.items() if value is True or str(value).lower() in ("true", "1", "yes")}
    unknown = [key for key, value in data.items() if value and key not in SUDOKUPAD]
    unknown += [key for key in flags if key not in FLAGS]
    if unknown:
        raise UsageError(f"the rule {unknown[0]!r} of this SudokuPad file is not known here.")
    names = [name for flag, name in FLAGS.items() if flag in flags]
    values = [whole(cell.get("value") or 0, "a given") for row in rows for cell in objects(row, "a row of 'cells'")]
    regions = listed(data["regions"], "'regions'", "regions")
    homes = home_numbers(n, (_pairs(region, "a region", "row") for region in regions), "region")
    if -1 in homes and any(home >= 0 for home in homes):
        raise UsageError("some cells of this file are in no region; expected all, or none.")
    names += ["latin"] if -1 in homes else []
    yield from grid_lines(n, values, names, homes if -1 not in homes else None)
    for cage in objects(data.get("cages") or [], "'cages'"):
        told = {"value": cage.get("value") or cage.get("sum")}
        if cage.get("cells") and (cage.get("unique") is not False or told["value"]):
            cells = " ".join(f"r{i + 1}c{j + 1}" for i, j in _pairs(cage["cells"], "'cells' of a cage", "row"))
            yield f"{numbered_kind('sum' if cage.get('unique') is False else 'cage', told)}: {cells}"


def _ipuz_names(data: Object) -> list[str]:
    """The variants that an ipuz file is of by its kinds, such as http://ipuz.org/sudoku/diagonalsudoku#1."""
    kinds = data["kind"] if isinstance(data["kind"], list) else [data["kind"]]
    has_boxes = data.get("boxes", True) or data.get("zones") or data.get("puzzle-islands:box")  # see `ipuz`
    names = [] if has_boxes else ["latin"]
    for kind in (str(kind).partition("#")[0].rstrip("/").rpartition("/")[2] for kind in kinds):
        if kind not in IPUZ:
            raise UsageError(f"the kind {quoted(kind)} of ipuz is not known here; known are {', '.join(IPUZ)}.")
        variants, field = IPUZ[kind]
        if field and not data.get(field):
            raise UsageError(f"this ipuz file is of the kind {kind}; expected its {field!r}.")
        names += [name for name in variants if name not in names]
    return names


IPUZ: dict[str, tuple[tuple[str, ...], str]] = {
    "sudoku": ((), ""), "wordoku": ((), ""), "latinsquare": (("latin",), ""), "diagonalsudoku": (("diagonal",), ""),
    "hypersudoku": (("windoku",), ""), "jigsawsudoku": ((), "zones"), "killersudoku": ((), "cages"),
    "calcudoku": (("latin",), "cages"),
}  # fmt: skip
"""The kinds of sudoku that ipuz has: the variants they are, and the field without which they are none."""


def _ipuz(data: Object, names: list[str]) -> Iterator[str]:
    """ipuz has zones, which are regions, and cages with an operation; values of a calcudoku's cages may repeat."""
    rows = data["puzzle"]
    n, empty = square_rows(rows, "puzzle"), str(data.get("empty", 0))
    given = [cell.get("value", cell.get("cell")) if isinstance(cell, dict) else cell for row in rows for cell in row]
    values = [0 if value is None or str(value) == empty else whole(value, "a given") for value in given]
    homes = None
    if data.get("zones"):
        homes = home_numbers(n, (_places(zone, n) for zone in objects(data["zones"], "'zones'")), "zone")
        if -1 in homes:
            raise UsageError("some cells of this ipuz file are in no zone; expected all.")
    repeated = "calcudoku" in str(data["kind"])
    yield from grid_lines(n, values, names, homes)
    for cage in objects(data.get("cages") or [], "'cages'"):
        if cage.get("operator", "" if repeated and len(_places(cage, n)) > 1 else "+") != "+":
            raise UsageError(
                f"a cage with the operator {cage.get('operator', 'left open')!r}; only sums, +, are known here."
            )
        cells = " ".join(f"r{i + 1}c{j + 1}" for i, j in _places(cage, n))
        yield f"{numbered_kind('sum' if repeated else 'cage', cage)}: {cells}"


def _places(spec: Object, n: int) -> list[tuple[int, int]]:
    """Rows and columns from 0 of what ipuz gives as columns and rows from 1."""
    if "cells" in spec:
        return [(row - 1, column - 1) for column, row in _pairs(spec["cells"], "'cells'", "column")]
    corners = listed(spec["rect"], "'rect'", "numbers: left, top, right, bottom", 4)
    left, top, right, bottom = (whole(number, "a corner of 'rect'") for number in corners)
    if not (1 <= left <= right <= n and 1 <= top <= bottom <= n):
        raise UsageError(f"'rect' {left}, {top}, {right}, {bottom}: expected left, top, right, bottom from 1 to {n}.")
    return [(i - 1, j - 1) for i in range(top, bottom + 1) for j in range(left, right + 1)]


def _pairs(cells: Any, what: str, first: str) -> list[tuple[int, int]]:
    """Cells as two numbers each, of which the first is a row or a column."""
    other = "column" if first == "row" else "row"
    expected = f"numbers, a {first} and a {other}"
    pairs = (listed(cell, f"a cell of {what}", expected, 2) for cell in listed(cells, what, "cells"))
    return [(whole(one, f"a {first}"), whole(two, f"a {other}")) for one, two in pairs]


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
    yield from grid_lines(n, values, ["diagonal"] if diagonal else [], homes)
    for first, cells in cages.items():
        if len(cells) > 1 and sums[first]:
            yield f"cage {sums[first]}: " + " ".join(f"r{cell // n + 1}c{cell % n + 1}" for cell in cells)
