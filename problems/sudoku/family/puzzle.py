"""One puzzle of the family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from islands.errors import UsageError, quoted, shortened
from islands.model.capabilities import Files, Format, Wording
from islands.operators.recipe import Recipe
from islands.operators.space import Choices, Costs, Genomes
from islands.writing.words import many
from problems.sudoku.family.names import VARIANTS, parsed
from problems.sudoku.family.notation import extra_of
from problems.sudoku.family.reading import layout_of, read_family
from problems.sudoku.family.ruleset import MARKS, Ruleset
from problems.sudoku.family.search import count_faults, fast
from problems.sudoku.grid import Parsed
from problems.sudoku.puzzle import Sudoku
from problems.sudoku.symbols import label, symbols

if TYPE_CHECKING:
    from rich.text import Text

MOST_VALUES = 64
CALLED = {
    "less": "sign", "greater": "sign", "white": "white dot", "black": "black dot", "x": "X", "v": "V",
    "odd": "rule of odd cells", "even": "rule of even cells", "equal": "rule of equal cells",
}  # fmt: skip
"""How an extra is counted in a sentence, where not by its own name."""


class Variant(Sudoku, frozen=True):
    """A sudoku with other rules. A genome is a value 1..n for each cell; 0 is not one of them."""

    classic_fields: ClassVar[tuple[str, ...]] = ()
    further_fields: ClassVar[tuple[str, ...]] = ()

    regions: str = Field(default="", description="a letter for each cell: its region, in place of boxes")
    grids: str = Field(default="", description="the corners of grids that overlap: r1c1 r7c7")
    extras: tuple[str, ...] = Field(default=(), description="further rules, such as cage 15: r1c1 r1c2")
    word: str = Field(default="", description="the letters that are the values, where they are letters")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        try:
            self._check()
        except UsageError as error:
            raise ValueError(str(error)) from error
        return self

    def _check(self) -> None:
        """UsageError where the rules contradict each other, or the givens them."""
        plain = Sudoku.model_fields
        for name in Sudoku.classic_fields:
            if getattr(self, name) != plain[name].default:
                raise UsageError(f"`{name}` is for recipe classic, which variants do not have. Leave it out.")
        layout, n = self.ruleset.layout, self.ruleset.layout.n
        if not 2 <= n <= MOST_VALUES:
            raise UsageError(f"a grid of {n}x{n}; expected 2x2 to {MOST_VALUES}x{MOST_VALUES}.")
        if layout.stray is not None:
            row, column = layout.stray
            raise UsageError(
                f"the grid at r{row + 1}c{column + 1} shares no cell with the others; expected grids that overlap: "
                f"r1c1 r{n}c{n} have one cell in common."
            )
        if self.word and (len(self.word) != n or len(set(self.word)) != n):
            raise UsageError(f"`word` has the letters {quoted(self.word)}: expected {n} different ones.")
        if len(self.givens) != len(layout.places):
            raise UsageError(f"{len(self.givens)} cells: expected {len(layout.places)}.")
        if not all(0 <= value <= n for value in self.givens):
            raise UsageError(f"the values of a grid with {n} values are 1 to {n}, and 0 for a cell to be found.")
        for cells, name in layout.homes.items():
            if len(cells) != n:
                raise UsageError(f"{name} has {len(cells)} cells; every region of a {n}x{n} grid has {n}.")
        self._check_extras()
        self._check_repeats()

    def _check_extras(self) -> None:
        names, kinds = self.names, {extra.kind for extra in self.ruleset.extras}
        for name in names:
            wanted = VARIANTS[name].kinds
            if wanted and name not in MARKS and not kinds.intersection(wanted):  # all of none is a rule, too
                raise UsageError(
                    f"{name}: the puzzle has no {' or '.join(wanted)}. Add a line for each, such as "
                    f"{wanted[0]}{' 15' if wanted[0] in ('cage', 'sum') else ''}: r1c1 r1c2"
                )
        owner: dict[int, str] = {}
        for text, extra in zip(self.extras, self.ruleset.extras, strict=True):
            for cell in extra.cells if extra.kind == "cage" else ():
                other = owner.setdefault(cell, text)
                if other != text:
                    where = self.ruleset.layout.name(cell)
                    both = f"{shortened(other)}  and  {shortened(text)}"
                    raise UsageError(f"the cages  {both}  overlap in {where}; a cell is in one cage.")

    def _check_repeats(self) -> None:
        rules, known = self.ruleset, self.symbols
        for cells, name in rules.units.items():
            seen: dict[int, int] = {}
            for cell in cells:
                value = self.givens[cell]
                if value and seen.setdefault(value, cell) != cell:
                    both = f"{rules.layout.name(seen[value])} and {rules.layout.name(cell)}"
                    raise UsageError(f"the given {known[value - 1]} stands twice in {name}: at {both}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        return parsed(self.variant)

    @cached_property
    def ruleset(self) -> Ruleset:
        layout = layout_of({**self.__dict__}, self.names)
        return Ruleset(layout, self.names, tuple(extra_of(line, layout) for line in self.extras))

    @classmethod
    def parse(cls, text: str, options: dict[str, Any]) -> list[Parsed]:
        return read_family(text, options)

    @classmethod
    def files(cls) -> Files:
        fields = ("regions", "grids", "extras", "word")
        files = super().files()
        return replace(files, fields=(*files.fields, *fields), together=None, many=None, large=None, example=None)

    @property
    def is_plain(self) -> bool:
        return False

    @property
    def size(self) -> int:
        return self.ruleset.layout.n

    @property
    def spelling(self) -> str:
        return self.word or self.alphabet

    @property
    def symbols(self) -> list[str]:
        """How the values 1..n are written."""
        return symbols(self.spelling, self.size)

    def describe(self) -> str:
        layout, n = self.ruleset.layout, self.size
        grid = f"{n}x{n}" if layout.is_square else f"{len(layout.corners)} grids of {n}x{n}"
        homes = f"boxes {self.box}" if layout.box else "regions" if layout.regions else "no boxes"
        kinds = [CALLED.get(extra.kind, extra.kind) for extra in self.ruleset.extras]
        counted = [many(kinds.count(kind), kind) for kind in dict.fromkeys(kinds)]
        named = [name for name in self.names if not VARIANTS[name].kinds]
        givens = many(len(self.given_cells), "given")
        return ", ".join([grid, homes, *named, *counted, f"symbols {label(self.spelling, n)}", givens])

    @property
    def heading(self) -> str:
        known = [name.capitalize() for name in self.names]
        return f"Sudoku: {', '.join(known)}" if known else "Sudoku"

    @property
    def task(self) -> str:
        values = label(self.spelling, self.size).replace("the numbers ", "")
        layout = self.ruleset.layout
        homes = " and every box" if layout.box else " and every region" if layout.regions else ""
        first = f"Every row, every column{homes} holds each of {values} once."
        return " ".join([first, *self.ruleset.sentences])

    def note(self, alphabet: str) -> str:
        if self.word:  # a letter grid
            return f"# letter-grid word={self.word} variant={self.variant}\n"
        boxed = self.ruleset.layout.box is not None
        variant = self.variant or ("" if boxed else "jigsaw" if self.regions else "latin")
        names = f" variant={variant}" if variant else ""
        box = f" box={self.box}" if boxed and self.box != "3x3" else ""
        named = "" if alphabet == "numbers" else f" symbols={label(alphabet, self.size)}"
        return f"# sudoku{names}{box}{named}\n"

    def space(self) -> Choices:
        return Choices(len(self.givens), self.size + 1)

    def costs(self, genomes: Genomes) -> Costs:
        return np.array([count_faults(self.ruleset, genome) + self._moved(genome) for genome in genomes], np.int64)

    def _moved(self, genome: Genomes) -> int:
        """Givens that have another value."""
        given = self._given
        return int(((given > 0) & (given != genome)).sum())

    def verify(self, genome: Genomes) -> bool:
        """Every rule, one after the other, and the givens are where they were."""
        values = [int(value) for value in genome]
        if len(values) != len(self.givens) or self._moved(genome):
            return False
        return next(self.ruleset.faults(values), None) is None

    def verified(self, genomes: Genomes) -> NDArray[np.bool_]:
        return np.array([self.verify(genome) for genome in genomes], np.bool_)

    def recipes(self) -> dict[str, Recipe]:
        return {"fast": fast(self.ruleset, self._given)}

    def wording(self) -> Wording:
        return Wording(marked=self.marked)

    def texts(self, grid: Sequence[int] | Genomes, empty: str = ".") -> list[str]:
        known = [empty, *self.symbols]
        return [known[int(value)] for value in grid]

    def styled(self, genome: Genomes) -> Text:
        from problems.sudoku.family.drawing import drawn

        return self._with_extras(drawn(self.ruleset.layout, self.texts(genome), self.given_cells), genome)

    def compact(self, genome: Genomes) -> Text:
        from problems.sudoku.family.drawing import drawn

        if max(map(len, self.symbols)) > 1:
            return self.styled(genome)
        return self._with_extras(drawn(self.ruleset.layout, self.texts(genome), self.given_cells, gap=""), genome)

    def _with_extras(self, text: Text, grid: Genomes) -> Text:
        """What is to be obeyed, below a grid that is not full yet."""
        if (grid > 0).all():
            return text
        lines = [f"variant: {self.variant}" if self.variant else "", f"grids: {self.grids}" if self.grids else ""]
        for line in filter(None, [*lines, *self.extras]):
            text.append(f"\n{line}", "green")
        return text

    def marked(self, genome: Genomes) -> Text:
        from problems.sudoku.family.drawing import drawn

        faults = list(self.ruleset.faults(genome.tolist()))
        wrong = {cell for cells, _ in faults for cell in cells}
        text = drawn(self.ruleset.layout, self.texts(genome), self.given_cells, wrong)
        named = ", ".join(dict.fromkeys(name for _, name in faults[:5]))
        return text.append(f"\n{many(len(wrong), 'cell')} marked *: they break a rule ({named})" if wrong else "")

    def picture(self, grid: Sequence[int] | Genomes, *, tinted: bool = True) -> str:
        from problems.sudoku.family.picture import picture

        given = self.given_cells
        return picture(self.ruleset, self.texts(grid, ""), given, given if tinted else set())

    def formats(self) -> dict[str, Format]:
        from problems.sudoku import paper
        from problems.sudoku.family.writing import FORMATS

        return {**FORMATS, **paper.FORMATS}
