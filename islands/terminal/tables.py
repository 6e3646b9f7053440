"""Tables that fit the terminal: where it is too narrow for all columns, those of the lowest rank are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TextIO, TypeVar

from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

WIDEST = 200  # characters of a line where there is no terminal
FOLDED = 12  # characters of a column that folds, at least
GAP = 2  # characters between two columns

Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column: what it says of a row, and of all rows."""

    heading: str
    rank: int
    cell: Callable[[Row], str]
    total: Callable[[Sequence[Row]], str] = lambda _: ""
    is_text: bool = False  # which stands at the left
    folds: bool = False  # into several lines of FOLDED characters or more


def console_for(file: TextIO) -> Console:
    """As wide as the terminal; without one, wide enough for everything."""
    console = Console(file=file, highlight=False)
    return console if console.is_terminal else Console(file=file, highlight=False, width=WIDEST)


def fitted(columns: Sequence[Column[Row]], rows: Sequence[Row], width: int, *, most: int | None = None) -> Table:
    """A table in as many columns as fit, of `most` rows at the most; then what the columns say of all rows."""
    shown = len(rows) if most is None or len(rows) <= most else most - 1
    totals = [column.total(rows) for column in columns] if len(rows) > 1 else []
    lines = [[column.cell(row) for column in columns] for row in rows[:shown]]
    texts = [[column.heading for column in columns], *lines, *([totals] if any(totals) else [])]
    widths = [
        min(max(len(line[place]) for line in texts), FOLDED if column.folds else WIDEST)
        for place, column in enumerate(columns)
    ]
    rest = f"and {len(rows) - shown:,} more" if shown < len(rows) else ""
    kept = _kept([column.rank for column in columns], widths, len(rest), width)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    for place in kept:
        column = columns[place]
        side: JustifyMethod = "left" if column.is_text else "right"
        table.add_column(column.heading, justify=side, no_wrap=not column.folds, min_width=widths[place])
    table.columns[0].style = "cyan"
    for line in lines:
        table.add_row(*(Text(line[place]) for place in kept))
    if rest:
        table.add_row("", Text(rest, style="dim"))
    if any(totals):
        table.add_row(*(Text(totals[place]) for place in kept), style="bold")
    return table


def _kept(ranks: Sequence[int], widths: Sequence[int], rest: int, width: int) -> list[int]:
    """The places of the columns that fit; the second is wide enough for a text of `rest` characters."""
    kept = list(range(len(ranks)))
    while len(kept) > 1:
        needed = sum(widths[place] + GAP for place in kept) - GAP
        if needed + max(0, rest - widths[kept[1]]) <= width:
            break
        kept.remove(min(kept, key=lambda place: ranks[place]))
    return kept
