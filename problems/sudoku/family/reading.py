"""Puzzles of the family from text."""

from __future__ import annotations

from math import isqrt
from typing import Any

from islands.errors import UsageError
from problems.sudoku.family.exchange import translated
from problems.sudoku.family.layout import OVERLAPPING, Layout, corners_of
from problems.sudoku.family.names import parsed
from problems.sudoku.family.notation import (
    CELL,
    Page,
    drawn_regions,
    extra_of,
    headed_parts,
    jigsaws_in,
    line_of,
    places_of,
    regions_of,
    symbols_in,
    taken_apart,
    values_in,
)
from problems.sudoku.reading import read
from problems.sudoku.symbols import parse_box

Fields = dict[str, Any]
LARGEST = 64  # rows of a grid without boxes
SIGNS = ":<>≤≥#"  # one of them is in every extra, name of a variant or region; cells are where it was forgotten


def is_of_family(text: str) -> bool:
    """Whether a text has extras, names of variants or regions beside its grid."""
    may_be = any(sign in text for sign in SIGNS) or CELL.search(text) is not None
    return translated(text) is not None or (may_be and taken_apart(text).is_of_family)


def read_family(text: str, options: Fields) -> list[tuple[int, Fields]]:
    """All puzzles of a text, each with the line it begins in and the fields that follow from it."""
    parts = headed_parts(text)
    if len(parts) == 1:
        return _read_part(text, options)
    found = []
    for before, part in parts:
        try:
            found += [(before + line, fields) for line, fields in _read_part(part, options)]
        except UsageError:
            _read_part("\n" * before + part, options)  # the same complaint, with the line of the whole text
            raise
    return found


def _read_part(text: str, options: Fields) -> list[tuple[int, Fields]]:
    other = translated(text)
    page = taken_apart(other or text)
    _said_beside(page, options)
    names = parsed(",".join(filter(None, [*page.variants, options.get("variant")])))
    alphabet = options.get("word") or options.get("alphabet")
    told = alphabet or _said(page, "symbols")
    layouts = [name for name in names if name in OVERLAPPING]
    if page.regions and (layouts or page.corners or "latin" in names):
        without = "grids that overlap" if layouts or page.corners else "rules of Latin squares"
        raise UsageError(f"there are regions, and {without}, which have none. Leave one of them out.")
    if layouts or page.corners:
        found = [_overlapping(page, layouts, options, told)]
    elif "jigsaw" in names or "latin" in names or page.regions:
        pages = jigsaws_in(page) if "jigsaw" in names else [(1, page)]
        found = [(line, _square(one, names, told)) for line, one in pages]
    else:
        found = _boxed(page, options, alphabet)
    for line, fields in found:
        layout = layout_of(fields, names)
        lines = ((entry, 0 if other else number) for number, entry in page.extras)  # another program's have no lines
        fields["extras"] = tuple(line_of(extra_of(entry, layout, number), layout) for entry, number in lines)
        fields["variant"] = ",".join(names)
        del line
    return found


def _said_beside(page: Page, options: Fields) -> None:
    """Add to a page the regions, grids and extras that are said beside its text. UsageError where it has its own."""
    regions, grids, extras = (options.get(name) or "" for name in ("regions", "grids", "extras"))
    are_listed = isinstance(extras, list | tuple) and all(isinstance(extra, str) for extra in extras)
    if not (isinstance(regions, str) and isinstance(grids, str) and (are_listed or not extras)):
        raise UsageError("`extras` is a list of texts, ['cage 15: r1c1 r1c2']; `regions` and `grids` are texts.")
    if name := "regions" if regions and page.regions else "grids" if grids and page.corners else "":
        raise UsageError(f"`{name}` is said in the text of the givens as well. Leave one of them out.")
    page.regions = page.regions or "".join(regions.split())
    page.corners = page.corners or places_of(grids)
    page.extras += [(0, extra) for extra in extras]


def layout_of(fields: Fields, names: tuple[str, ...]) -> Layout:
    """Where the cells are, by the fields of a puzzle."""
    if fields.get("regions"):
        return Layout(isqrt(len(fields["regions"])), regions=fields["regions"])
    if "latin" in names:
        return Layout(isqrt(len(fields["givens"])))
    box = parse_box(fields["box"])
    if fields.get("grids"):
        corners = tuple(places_of(fields["grids"]))
    else:
        overlapping = next((name for name in names if name in OVERLAPPING), None)
        corners = corners_of(overlapping, box) if overlapping else ((0, 0),)
    return Layout(box[0] * box[1], corners, box)


def _boxed(page: Page, options: Fields, alphabet: str | None) -> list[tuple[int, Fields]]:
    box = options.get("box")
    if not any(line.partition("#")[0].strip() for line in page.grid):
        box = box or _said(page, "box") or "3x3"
        n = parse_box(box)[0] * parse_box(box)[1]
        return [(1, {"box": box, "alphabet": alphabet or "numbers", "givens": (0,) * n * n})]
    grids = read("\n".join(page.grid), box, alphabet)
    return [(grid.line, grid.fields) for grid in grids]


def _said(page: Page, name: str) -> str:
    """What a comment says: `# sudoku box=2x3 symbols=0-9A-F`."""
    words = (word for line in page.grid if "#" in line for word in line.split())
    return next((word.partition("=")[2] for word in words if word.startswith(f"{name}=")), "")


def _square(page: Page, names: tuple[str, ...], alphabet: str) -> Fields:
    """A grid with regions, or a Latin square."""
    lines = page.grid if "latin" in names else regions_of(page)
    cells, separated = symbols_in(lines)
    if "latin" not in names and not page.regions:
        page.regions = drawn_regions(page.grid)
    n = isqrt(len(page.regions) if page.regions else len(cells))
    regions = len(page.regions)
    if regions and cells and regions != len(cells):
        raise UsageError(f"the regions have {regions} letters; expected one for each of the {len(cells)} cells.")
    if not cells and page.regions:
        cells = ["."] * (n * n)
    if len(cells) != n * n or not 2 <= n <= LARGEST:
        size = f" for regions of {regions} letters" if regions else ""
        raise UsageError(f"{len(cells)} cells: expected n x n of them{size}, from 2x2 to {LARGEST}x{LARGEST}.")
    if "latin" not in names and not page.regions:
        raise UsageError(
            f"this jigsaw has no regions: expected a line  regions: ...  with a letter for each of its {n * n} cells, "
            f"{n * n} more characters in its one line, or lines drawn between regions."
        )
    values, alphabet = values_in(cells, n, [range(n * n)], alphabet, separated)
    return {"alphabet": alphabet, "givens": values, "regions": page.regions}


def _overlapping(page: Page, layouts: list[str], options: Fields, alphabet: str) -> tuple[int, Fields]:
    box = options.get("box") or _said(page, "box") or "3x3"
    grids = " ".join(f"r{row + 1}c{column + 1}" for row, column in page.corners)
    layout = layout_of({"box": box, "grids": grids}, tuple(layouts))
    cells, separated = symbols_in(page.grid)
    cells = cells or ["."] * len(layout.places)
    if len(cells) == layout.rows * layout.columns:  # the gaps between the grids are written, too
        cells = [cells[row * layout.columns + column] for row, column in layout.places]
    if len(cells) != len(layout.places):
        raise UsageError(
            f"{len(cells)} cells: expected {len(layout.places)} for {len(layout.corners)} grids of "
            f"{layout.n}x{layout.n}, or {layout.rows}x{layout.columns} with something in the gaps between them."
        )
    values, alphabet = values_in(cells, layout.n, layout.squares, alphabet, separated)
    return 1, {"box": box, "alphabet": alphabet, "givens": values, "grids": grids}
