"""All rules of one puzzle, and what is wrong with a grid by them: shares nothing with the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from islands.errors import UsageError
from problems.sudoku.family.kinds import KINDS, Extra
from problems.sudoku.family.layout import Cells, Layout
from problems.sudoku.family.names import VARIANTS, Pair, neighbours

BANNED: dict[str, tuple[Callable[[int, int], bool], str]] = {
    "consecutive": (lambda a, b: abs(a - b) == 1, "consecutive"),
    "double": (lambda a, b: max(a, b) == 2 * min(a, b), "double"),
    "ten": (lambda a, b: a + b == 10, "of the sum 10"),
    "five": (lambda a, b: a + b == 5, "of the sum 5"),
}
"""What two neighbours may not be, by a name."""
BANS = {"non-consecutive": ("consecutive",), "all-dots": ("consecutive", "double"), "all-xv": ("ten", "five")}
MARKS = {"all-dots": ("white", "black"), "all-xv": ("x", "v")}  # where a mark stands, nothing is banned


@dataclass(frozen=True)
class Ruleset:
    """Names, extras and where the cells are."""

    layout: Layout
    names: tuple[str, ...]
    extras: tuple[Extra, ...]

    @cached_property
    def units(self) -> dict[Cells, str]:
        """What holds each value once: n cells each, with a name."""
        layout = self.layout
        found = {**layout.lines, **layout.homes}
        for name in self.names:
            groups = VARIANTS[name].groups
            if groups is None:
                continue
            if name != "diagonal" and layout.box is None:
                raise UsageError(f"{name} is about boxes, and this grid has none. Leave it out.")
            for corner in layout.corners:
                for cells, called in groups(layout, corner).items():
                    found.setdefault(cells, called)
        for extra in self.extras:
            if extra.kind == "group" and len(extra.cells) == layout.n:
                found.setdefault(extra.cells, f"the group {layout.named(extra.cells)}")
        return found

    @cached_property
    def apart(self) -> list[Pair]:
        """Pairs of cells with different values, beside those of the units."""
        rules = [VARIANTS[name].apart for name in self.names]
        return [pair for pairs in rules if pairs is not None for pair in pairs(self.layout)]

    @cached_property
    def banned(self) -> list[tuple[Pair, str]]:
        """What pairs of neighbours may not be."""
        found = []
        for name in self.names:
            marked = {frozenset(extra.cells) for extra in self.extras if extra.kind in MARKS.get(name, ())}
            for pair in neighbours(self.layout) if name in BANS else ():
                if frozenset(pair) not in marked:
                    found += [(pair, ban) for ban in BANS[name]]
        return found

    @property
    def sentences(self) -> list[str]:
        """The rules beside those of rows, columns and boxes, each once."""
        named = [VARIANTS[name].sentence for name in self.names]
        return [*dict.fromkeys(filter(None, [*named, *(KINDS[extra.kind].sentence for extra in self.extras)]))]

    def faults(self, values: Sequence[int]) -> Iterator[tuple[Cells, str]]:
        """The cells of each rule that a filled grid breaks, and the rule's name."""
        every = set(range(1, self.layout.n + 1))
        for cells, name in self.units.items():
            if {values[cell] for cell in cells} != every:
                seen = [values[cell] for cell in cells]
                yield tuple(cell for cell in cells if seen.count(values[cell]) > 1 or values[cell] not in every), name
        for one, other in self.apart:
            if values[one] == values[other]:
                yield (one, other), "cells that differ"
        for (one, other), ban in self.banned:
            if BANNED[ban][0](values[one], values[other]):
                yield (one, other), f"neighbours that are not {BANNED[ban][1]}"
        for extra in self.extras:
            if not KINDS[extra.kind].holds([values[cell] for cell in extra.cells], extra.number, self.layout.n):
                yield extra.cells, extra.kind
