"""Crosswords as monospaced text: the letters, and the empty grid with its numbers and clues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap

from rich.cells import cell_len
from rich.text import Text

from problems.crossword.judge import listed_errors
from problems.crossword.layout import Cell, Layout
from problems.crossword.numbering import Numbered, numbered

WIDE = 40  # columns of an empty grid that a page of text can hold, at four characters each
LINE = 100  # characters of a line of clues
PROSE = 60  # ... and of what is said below a grid, if that is not wider
NAMED = 10  # words left out that are named
AS_IS, END = "\u202d", "\u202c"  # around letters that a terminal would turn around once more: Hebrew, Arabic
SHADE = "░"
CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"  # by the lines that meet: up 1, right 2, down 4, left 8


def summary(layout: Layout) -> str:
    """The size and what makes it good, in a line."""
    words, crossings = len(layout.words), layout.crossings
    return (
        f"{words} word{'s' * (words != 1)}, {crossings} crossing{'s' * (crossings != 1)}, "
        f"{layout.rows} rows x {layout.columns} columns"
    )


def drawn(layout: Layout, left_out: Sequence[str] = (), gap: str = " ", wrong: Collection[Cell] | None = None) -> Text:
    """The letters and a line about them; on a terminal the letters where words cross are bold. `gap`: between cells.

    Where cells that are `wrong` are given, they have a star in front.
    """
    if not layout.words:
        return Text("(no words)")
    sheet = numbered(layout)
    crossed = set(map(sheet.seen, _crossed(sheet.layout)))
    starred = {sheet.seen((row - layout.top, column - layout.left)) for row, column in wrong or ()}
    width = max(cell_len(letter) for letter in sheet.layout.cells.values())
    lines = []
    for i, row in enumerate(sheet.rows()):
        line = Text()
        for j, letter in enumerate(row[::-1] if sheet.leftward else row):
            padded = (letter or "·") + " " * (width - cell_len(letter or "·")) + ("" if wrong is not None else gap)
            line.append("" if wrong is None else "*" if (i, j) in starred else " ", "red")
            line.append(padded, "dim" if letter is None else "bold" if (i, j) in crossed else "")
        line.rstrip()
        lines.append(Text.assemble(AS_IS, line, END) if sheet.leftward else line)
    lines.append(Text(summary(layout)))
    if left_out:
        more = f" and {len(left_out) - NAMED:,} more" if len(left_out) > NAMED else ""
        notice = wrap(f"left out: {', '.join(left_out[:NAMED])}{more}", max(PROSE, *(line.cell_len for line in lines)))
        lines += [Text(line, "yellow") for line in notice]
    return Text("\n").join(lines)


def marked(layout: Layout, left_out: Sequence[str] = ()) -> Text:
    """A layout with what the seed counts as errors: cells with a star, and each error in words."""
    found = sorted(listed_errors(layout.words), key=lambda error: -error.errors)
    wrong = set().union(*(error.cells for error in found))
    lines = [f"{error.errors:3} {'error' if error.errors == 1 else 'errors'}: {error.text}" for error in found[:NAMED]]
    lines += [f"    and {len(found) - NAMED:,} more of them"] if len(found) > NAMED else []
    return Text("\n").join([drawn(layout, left_out, wrong=wrong), *map(Text, lines)])


def solved_lines(sheet: Numbered) -> list[str]:
    """The letters alone."""
    return drawn(sheet.layout).plain.splitlines()[: sheet.layout.rows]


def _crossed(layout: Layout) -> set[Cell]:
    """The cells of two words."""
    times = Counter(cell for placed in layout.words for cell, _ in placed.letters)
    return {cell for cell, count in times.items() if count > 1}


def empty_lines(sheet: Numbered) -> list[str]:
    """The grid with its numbers and without its letters; lines only around cells, holes shaded."""
    cells, holes = set(map(sheet.seen, sheet.layout.cells)), set(map(sheet.seen, sheet.holes))
    numbers = {sheet.seen(cell): number for cell, number in sheet.numbers.items()}

    def between(*four: Cell) -> str:
        return SHADE if all(cell in holes for cell in four) else " "

    lines = []
    for i in range(sheet.layout.rows + 1):
        rule, line = "", ""
        for j in range(sheet.layout.columns + 1):
            here, left, above, corner = (i, j), (i, j - 1), (i - 1, j), (i - 1, j - 1)
            upright, level = here in cells or left in cells, here in cells or above in cells
            up, back = above in cells or corner in cells, left in cells or corner in cells
            met = up + 2 * level + 4 * upright + 8 * back
            rule += CORNERS[met] if met else between(here, left, above, corner)
            rule += ("─" if level else between(here, above)) * 3
            line += "│" if upright else between(here, left)
            line += between(here) * 3 if here not in cells else f"{numbers.get(here, ''):<3}"
        lines += [rule.rstrip(), line.rstrip()]
    return lines[:-1]


def clue_lines(sheet: Numbered) -> Iterator[str]:
    """Across, then down, wrapped under the numbers."""
    for name, entries in sheet.lists.items():
        yield name
        for entry in entries:
            first, *others = wrap(entry.clue, LINE - 5)
            yield f"{entry.number:3}  {first}"
            yield from (f"     {line}" for line in others)
        yield ""
