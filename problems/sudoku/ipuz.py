"""A sudoku from ipuz, which is JSON. What ipuz does not say, the box, is in our own field `puzzle-islands:box`."""

from __future__ import annotations

import json
from typing import Any

from islands.errors import UsageError
from problems.sudoku.alphabets import Grid, alphabet_of, grid_of
from problems.sudoku.symbols import LARGEST, SIZES, SMALLEST, box_text, parse_box, square_box, symbols, values_of


def read_ipuz(text: str, box: str | None, alphabet: str | None) -> Grid:
    """The puzzle of an ipuz file. UsageError says what is wrong with it."""
    source = text.strip().removesuffix(";").removeprefix("ipuz(").removesuffix(")")
    try:
        data = json.loads(source)
        rows = data["puzzle"]
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this looks like ipuz, but is not: {error}.") from error
    except (KeyError, TypeError) as error:
        raise UsageError("this is JSON without a puzzle: expected ipuz, or rows such as [[5, 3, 0], ...].") from error
    if "sudoku" not in str(data.get("kind")):
        raise UsageError(f"an ipuz puzzle of the kind {data.get('kind')!r}; expected http://ipuz.org/sudoku#1.")
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(rows) for row in rows):
        raise UsageError("the ipuz field `puzzle` is no square grid: expected n rows of n cells.")
    n = len(rows)
    if n not in SIZES:
        raise UsageError(f"a {n}x{n} grid: expected a size from {SMALLEST} to {LARGEST} that boxes can divide.")
    own = data.get("puzzle-islands:box")
    box = box or (own if isinstance(own, str) else None)
    shape = parse_box(box) if box else square_box(n)
    side = shape[0] * shape[1]
    if side != n:
        raise UsageError(f"this is a {n}x{n} grid; boxes of {box_text(shape)} make one of {side}x{side}.")
    empty = str(data.get("empty", 0))
    cells = ["." if cell == empty else cell for row in rows for cell in map(_symbol, row)]
    if alphabet is None:
        named = [name for name in ("1", "0", "A") if data.get("charset") == "".join(symbols(name, n))]
        fitting = [name for name in (*named, "numbers") if values_of(name, n).keys() >= set(cells)]
        alphabet = fitting[0] if fitting else alphabet_of([cells], shape, False)
    return grid_of(cells, shape, alphabet, 1)


def _symbol(cell: Any) -> str:
    """A cell is a value, null, or an object with a value."""
    if isinstance(cell, dict):
        cell = cell.get("value", cell.get("cell"))
    return "." if cell is None else str(cell)
