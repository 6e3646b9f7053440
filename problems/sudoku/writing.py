"""Sudokus on paper and in files. A sheet is a puzzle and a grid of values, in which 0 is an empty cell."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text

from islands.model.capabilities import Format, Sheets, Titled
from islands.operators.space import Genomes
from islands.writing.svg import grid_picture
from islands.writing.words import many
from problems.sudoku.logic import units_of
from problems.sudoku.symbols import ALPHABETS, box_text, symbols

if TYPE_CHECKING:
    from problems.sudoku.grid import BoxedGrid


def texts(
    puzzle: BoxedGrid, grid: Sequence[int] | Genomes, alphabet: str | None = None, empty: str = "."
) -> list[list[str]]:
    """The rows as symbols."""
    n = puzzle.size
    known = [empty, *symbols(alphabet or puzzle.spelling, n)]
    cells = [known[int(value)] for value in grid]
    return [cells[start : start + n] for start in range(0, n * n, n)]


def drawn(puzzle: BoxedGrid, grid: Genomes, wrong: Container[int] = ()) -> Text:
    """The grid with its boxes, and the puzzle's remark as a comment; on a terminal givens are bold. `wrong` cells have
    a star.
    """
    return _framed(puzzle, grid, puzzle.spelling, " ", wrong)


def drawn_compactly(puzzle: BoxedGrid, grid: Genomes) -> Text:
    """The same with nothing between the cells, and a character for each; a comment says which."""
    alphabet = _characters(puzzle)
    known = Text(puzzle.note(alphabet) if alphabet != puzzle.spelling else "", "green")
    return known + _framed(puzzle, grid, alphabet, "")


def _framed(puzzle: BoxedGrid, grid: Genomes, alphabet: str, gap: str, wrong: Container[int] = ()) -> Text:
    rows, columns = puzzle.shape
    n = puzzle.size
    cells = texts(puzzle, grid, alphabet)
    width = max(cell_len(cell) for row in cells for cell in row)
    rule = ["─" * ((width + len(gap)) * columns + len(gap))] * rows
    lines: list[Text] = [Text("┌" + "┬".join(rule) + "┐")]
    for i, row in enumerate(cells):
        if i and i % rows == 0:
            lines.append(Text("├" + "┼".join(rule) + "┤"))
        line = Text("│")
        for j, cell in enumerate(row):
            if j and j % columns == 0:
                line.append(gap + "│")
            place, is_given = i * n + j, puzzle.givens[i * n + j]
            line.append(" " * (width - cell_len(cell)) + (gap if place not in wrong else ""))
            line.append("*" if place in wrong else "", "bold red")
            line.append(cell, "bold" if is_given else "dim" if cell == "." else "red" if place in wrong else "cyan")
        lines.append(line.append(gap + "│"))
    lines.append(Text("└" + "┴".join(rule) + "┘"))
    remark = puzzle.remark(grid)
    return Text("\n").join([*lines, Text(f"# {remark}", "green")] if remark else lines)


def conflicts(puzzle: BoxedGrid, grid: Genomes) -> set[int]:
    """The cells whose value stands a second time in their row, column or box."""
    values = grid.tolist()
    return {
        cell
        for unit in units_of(puzzle.shape)
        for cell in unit
        if sum(values[other] == values[cell] for other in unit) > 1
    }


def marked(puzzle: BoxedGrid, grid: Genomes) -> Text:
    """The grid, and which cells contradict each other."""
    wrong = conflicts(puzzle, grid)
    caption = f"{many(len(wrong), 'cell')} marked *: a second one in the row, column or box has the same value"
    return drawn(puzzle, grid, wrong).append(f"\n{caption}" if wrong else "")


def picture(puzzle: BoxedGrid, grid: Sequence[int] | Genomes, *, tinted: bool = True) -> str:
    """Givens are bold, and those that the puzzle says have a coloured ground."""
    cells = (puzzle.given_cells, puzzle.tinted(grid) if tinted else set())
    strong, ground = ({divmod(cell, puzzle.size) for cell in some} for some in cells)
    return grid_picture(texts(puzzle, grid, empty=""), boxes=puzzle.shape, strong=strong, tinted=ground)


def _characters(puzzle: BoxedGrid) -> str:
    """An alphabet for formats that have no space for numbers of two digits."""
    return "1" if puzzle.spelling == "numbers" else puzzle.spelling


def _heading(puzzle: BoxedGrid) -> str:
    return f"# puzzle {puzzle.number}\n" if puzzle.number else ""


def _sdm(sheets: Sheets) -> Iterator[str]:
    """One line each; of many puzzles its number, where it is not that of the line before and one more."""
    last = 0
    for number, (puzzle, grid, *_) in enumerate(sheets):
        alphabet = _characters(puzzle)
        if not number:
            yield puzzle.note(alphabet)
        if puzzle.number != last + 1:
            yield _heading(puzzle)
        last = puzzle.number
        yield "".join(cell for row in texts(puzzle, grid, alphabet) for cell in row) + "\n"


def _sdk(sheets: Sheets) -> Iterator[str]:
    """[Puzzle] has the givens, [State] what is known beside them."""
    for puzzle, grid, *_ in sheets:
        alphabet = _characters(puzzle)
        yield puzzle.note(alphabet) + _heading(puzzle)
        parts: dict[str, Sequence[int] | Genomes] = {"Puzzle": puzzle.givens, "State": grid}
        for name, values in parts.items():
            if name == "Puzzle" or (grid > 0).sum() > len(puzzle.given_cells):
                yield f"[{name}]\n" + "".join("".join(row) + "\n" for row in texts(puzzle, values, alphabet))


def _txt(sheets: Sheets) -> Iterator[str]:
    """Cells between spaces, numbers with 0 = empty or the letters of a word; above a solved grid its givens as a
    comment."""
    for number, (puzzle, grid, *_) in enumerate(sheets):
        alphabet = "numbers" if puzzle.spelling in ALPHABETS else puzzle.spelling
        yield "\n" if number else ""
        yield puzzle.note(alphabet) + _heading(puzzle)
        if (grid > 0).all():
            yield from _rows(puzzle, puzzle.givens, alphabet, "# ")
        yield from _rows(puzzle, grid, alphabet, "")


def _rows(puzzle: BoxedGrid, grid: Sequence[int] | Genomes, alphabet: str, before: str) -> Iterator[str]:
    width = max(map(len, symbols(alphabet, puzzle.size)))
    for row in texts(puzzle, grid, alphabet, empty="0" if alphabet == "numbers" else "."):
        yield before + " ".join(cell.rjust(width) for cell in row) + "\n"


def _ipuz(sheets: Sheets, title: str) -> Iterator[str]:
    """The first one: an ipuz file holds one puzzle."""
    for puzzle, grid, *_ in islice(sheets, 1):
        n = puzzle.size
        plain = puzzle.spelling == "numbers" or (puzzle.spelling == "1" and n <= 9)
        known: list[Any] = [*range(n + 1)] if plain else [".", *symbols(puzzle.spelling, n)]
        data = {
            "version": "http://ipuz.org/v2",
            "kind": ["http://ipuz.org/sudoku#1"],
            **({"title": title} if title else {}),
            "dimensions": {"width": n, "height": n},
            "charset": "".join(symbols(_characters(puzzle), n)),
            "empty": known[0],
            "boxes": puzzle.shape[0] == puzzle.shape[1],
            "puzzle-islands:box": box_text(puzzle.shape),
            "puzzle": _nested(puzzle.givens, n, known),
        }
        if (grid > 0).all():
            data["solution"] = _nested(grid.tolist(), n, known)
        yield json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _nested(values: Sequence[int], n: int, known: Sequence[Any]) -> list[list[Any]]:
    return [[known[value] for value in values[start : start + n]] for start in range(0, n * n, n)]


FORMATS: dict[str, Format] = {".sdm": _sdm, ".sdk": _sdk, ".txt": _txt, ".ipuz": Titled(_ipuz)}
