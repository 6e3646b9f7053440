"""Rules as flat arrays for kernels.

There are two kinds of flat rules: its terms are all DIFFERENT, or their TOTAL lies between two bounds. All rules are
written as one of these. A flat term is made of one linear sum of cells: the sum itself, its absolute value, whether it
is 0, or an entry of a table. Functions of functions become tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from islands.errors import PuzzleError
from islands.operators.space import Arrangement, Space
from islands.rules.rules import AllDifferent, Count, Differ, Equal, Less, Rule, Sum
from islands.rules.terms import ABS, LARGEST, LOOKUP, SAME, Function, Term

Numbers = NDArray[np.int64]
Range = tuple[int, int]

DIFFERENT, TOTAL = range(2)
"""Kinds of rules."""
PLAIN, ABSOLUTE, ZERO, ENTRY = range(4)
"""What a flat term makes of its linear sum."""

RULE, MAKES, FACTOR, BASE, START, LINEAR, LEAST, GREATEST = range(8)
"""Columns of terms: its rule; what it makes; its factor in a TOTAL; where its table begins; its constant; its linear
sum at present; the ends of what it makes of it."""
KIND, FIRST, END, OFFSET, LOW, HIGH, NOW, COST, PLACE = range(9)
"""Columns of rules: its kind; its first term and the one after its last; where the counts of a DIFFERENT begin; the
bounds of a TOTAL; at present: its total, its cost, its place among the violated rules or -1."""

Flat = tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers, NDArray[np.int32], Numbers, Numbers]
"""link_starts (cells + 1,) and links (n, 2: term, factor): the terms of each cell; terms (n, 8); rules (n, 9); tables;
cell_starts (terms + 1,) and cells (n, 2: cell, factor) of each term; counts; violated rules (rules + 1,), their number
last; ends (cells, 2): the least and the greatest value of each cell.
The columns that are of the present, counts and violated are scratch memory of the kernels."""

ENDLESS = 1 << 60  # a bound that does not bind
MOST = 1 << 24  # counts, or entries of tables


def flatten(rules: Sequence[Rule], space: Space) -> Flat:
    """The arrays of all rules. PuzzleError where one of them cannot be written as arrays."""
    writer = _Writer(space)
    for rule in rules:
        writer.add(rule)
    return writer.arrays()


class _Writer:
    """Collects flat terms and rules."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.low, self.high = ranges(space)
        self.terms: list[list[int]] = []
        self.sums: list[dict[int, int]] = []  # the cells of each term and their factors
        self.rules: list[list[int]] = []
        self.tables: list[Numbers] = []
        self.known: dict[bytes, int] = {}  # where equal tables begin
        self.entries = self.counts = 0

    def add(self, rule: Rule) -> None:
        """Write a rule as one of the two kinds."""
        self.rule = rule
        match rule:
            case AllDifferent(terms=terms):
                self._different(terms)
            case Differ(a=a, b=b) if a.functions or b.functions:
                self._different([a, b])
            case Differ(a=a, b=b):
                self._total([a.same(b)], None, 0)
            case Sum(terms=terms, bounds=bounds):
                self._total(terms, bounds.least, bounds.most)
            case Count(terms=terms, value=value, bounds=bounds):
                self._total([term.same(value) for term in terms], bounds.least, bounds.most)
            case Equal(a=a, b=b):
                self._total([a - b], 0, 0)
            case Less(a=a, b=b):
                self._total([a - b], None, -1)

    def _different(self, terms: Sequence[Term]) -> None:
        first = len(self.terms)
        ends = [self._term(term, 1) for term in terms]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        if self.counts + high - low + 1 > MOST:
            raise self._fault(
                f"its terms lie between {low:,} and {high:,}, too far apart to count each value. Number the values: "
                "lookup(numbers, term)"
            )
        self.rules.append([DIFFERENT, first, len(self.terms), self.counts - low, 0, 0, 0, 0, -1])
        self.counts += high - low + 1

    def _total(self, terms: Sequence[Term], least: int | None, most: int | None) -> None:
        first, total = len(self.terms), sum(terms, start=Term())
        if total.cells:
            self._write(Term(total.cells), PLAIN, 1, 0, self._range(Term(total.cells)))
        for factor, function in total.functions:
            self._term(Term(functions=((1, function),)), factor)
        written = self.terms[first:]
        farthest = sum(abs(term[FACTOR]) * max(abs(term[LEAST]), abs(term[GREATEST])) for term in written)
        if farthest > LARGEST:
            raise self._fault(f"its sum can be as far from 0 as {farthest:,}, too large to calculate with")
        low = -ENDLESS if least is None else least - total.constant
        high = ENDLESS if most is None else most - total.constant
        self.rules.append([TOTAL, first, len(self.terms), 0, low, high, 0, 0, -1])

    def _term(self, term: Term, factor: int) -> Range:
        """Write one term; returns between which values it lies."""
        if not term.functions:
            return self._write(term, PLAIN, factor, 0, self._range(term))
        if term.cells or len(term.functions) > 1:
            raise self._fault(
                f"{term} is a sum with abs, lookup or same in it, which only Sum, Equal and Less can compare. Here "
                "each term must be a sum of cells, or one abs, lookup or same"
            )
        linear = term
        while linear.functions:
            self._check_parts(linear.functions[0][1])
            linear = linear.functions[0][1].inner
        own, function = term.functions[0]
        low, high = self._range(linear)
        if own == 1 and not term.constant and function.inner is linear and function.kind != LOOKUP:
            ends = (0, 1) if function.kind == SAME else (0, max(abs(low), abs(high)))
            return self._write(linear, ABSOLUTE if function.kind == ABS else ZERO, factor, 0, ends)
        begin, table = self._table(term, low, high)
        return self._write(linear, ENTRY, factor, begin - low, (int(table.min()), int(table.max())))

    def _check_parts(self, function: Function) -> None:
        """In a table of several dimensions a term that is too large would reach into the next row."""
        for part, size in function.parts:
            low, high = (0, 0) if part.functions else self._range(part)
            if low < 0 or high >= size:
                wrong = low if low < 0 else high
                raise self._fault(f"{part} can be {wrong}, but that side of the table has entries 0 to {size - 1}")

    def _fault(self, wrong: str) -> PuzzleError:
        return PuzzleError(f"{self.rule}: {wrong}{self.rule.place}.")

    def _table(self, term: Term, low: int, high: int) -> tuple[int, Numbers]:
        """The values of a term for every value of its linear sum, and where they begin among all tables."""
        if high - low >= MOST:
            raise self._fault(f"{term} is about values from {low:,} to {high:,}, too many for a table")
        try:
            table = _values(term, np.arange(low, high + 1))
        except IndexError as error:
            raise self._fault(f"{error}") from None
        begin = self.known.setdefault(table.tobytes(), self.entries)
        if begin == self.entries:
            self.tables.append(table)
            self.entries += len(table)
        return begin, table

    def _write(self, linear: Term, makes: int, factor: int, base: int, ends: Range) -> Range:
        """A flat term that makes values between these `ends`, which are returned; cells that cannot change are part
        of its constant."""
        fixed = {cell: by for cell, by in linear.cells.items() if self.low[cell] == self.high[cell]}
        constant = linear.constant + sum(by * self.low[cell] for cell, by in fixed.items())
        farthest = max(map(abs, self._range(linear)))
        if farthest * abs(factor) > LARGEST:
            raise self._fault(f"{linear} can be as far from 0 as {farthest:,}, too large to calculate with")
        self.terms.append([len(self.rules), makes, factor, base, constant, 0, *ends])
        self.sums.append({cell: by for cell, by in linear.cells.items() if cell not in fixed})
        return ends

    def _range(self, linear: Term) -> Range:
        ends = [sorted((by * self.low[cell], by * self.high[cell])) for cell, by in linear.cells.items()]
        return linear.constant + sum(low for low, _ in ends), linear.constant + sum(high for _, high in ends)

    def arrays(self) -> Flat:
        """All that was written."""
        links = [(cell, term, by) for term, cells in enumerate(self.sums) for cell, by in cells.items()]
        table = np.array(sorted(links), np.int64).reshape(-1, 3)
        return (
            _starts(table[:, 0], self.space.length),
            np.ascontiguousarray(table[:, 1:]),
            np.array(self.terms, np.int64).reshape(-1, 8),
            np.array(self.rules, np.int64).reshape(-1, 9),
            np.concatenate([np.zeros(0, np.int64), *self.tables]),
            np.cumsum([0, *map(len, self.sums)], dtype=np.int64),
            np.array([link for cells in self.sums for link in cells.items()], np.int64).reshape(-1, 2),
            np.zeros(self.counts, np.int32),
            np.zeros(len(self.rules) + 1, np.int64),
            np.stack((self.low, self.high), axis=1).astype(np.int64),
        )


def ranges(space: Space) -> tuple[list[int], list[int]]:
    """The least and the greatest value of each cell."""
    if not isinstance(space, Arrangement):
        return [0] * space.length, (space.options - 1).tolist()
    low, high = space.values.copy(), space.values.copy()
    for start, end in zip(space.starts[:-1], space.starts[1:], strict=True):
        cells = space.cells[start:end]
        low[cells], high[cells] = space.values[cells].min(), space.values[cells].max()
    return low.tolist(), high.tolist()


def _values(term: Term, sums: Numbers) -> Numbers:
    """The values of a term of at most one function, where its innermost linear sum has these values."""
    if not term.functions:
        return sums
    factor, function = term.functions[0]
    inner = _values(function.inner, sums)
    if function.table is None:
        own = np.abs(inner) if function.kind == ABS else (inner == 0).astype(np.int64)
    elif inner.min() < 0 or inner.max() >= len(function.table):
        raise IndexError(
            f"{function.inner} can be {inner.min() if inner.min() < 0 else inner.max()}, but lookup has entries "
            f"0 to {len(function.table) - 1}. Add to the term or to the table"
        )
    else:
        own = function.table[inner]
    return np.asarray(factor * own + term.constant, np.int64)


def _starts(sorted_owners: Numbers, owners: int) -> Numbers:
    """Where the entries of each owner begin, (owners + 1,)."""
    return np.searchsorted(sorted_owners, np.arange(owners + 1)).astype(np.int64)
