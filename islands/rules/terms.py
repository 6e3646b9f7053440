"""Terms: what rules are about. A cell's value, sums of them with whole factors, `abs`, `lookup` and `same` of such.

While rules are written no value is known, so that a term can be added up but not compared, tested or multiplied by
another. Each attempt is refused with what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Genomes

Whole = int | np.integer[Any]
Table = NDArray[np.int64]

ABS, SAME, LOOKUP = "abs", "same", "lookup"
LARGEST = 1 << 56  # of numbers in rules: kernels calculate with 64 bits


class Function:
    """The absolute value of a term, whether it is 0, or an entry of a table."""

    def __init__(
        self, kind: str, inner: Term, table: Table | None = None, parts: tuple[tuple[Term, int], ...] = ()
    ) -> None:
        if len(inner.functions) > 1 or (inner.functions and inner.cells):
            raise TypeError(
                f"{kind} of {inner} is too deep: inside abs, lookup and same there may be a sum of cells, or one other "
                "abs, lookup or same. A relation of two cells is lookup(table, a, b)"
            )
        self.kind, self.inner, self.table = kind, inner, table
        self.parts = parts  # of a table of several dimensions: the terms, and how many entries each chooses from

    def of(self, number: int) -> int:
        """The function's value where its inner term has this value."""
        if self.table is not None:
            if not 0 <= number < len(self.table):
                raise IndexError(f"{self}: entry {number} of a table with {len(self.table)} entries")
            return int(self.table[number])
        return abs(number) if self.kind == ABS else int(number == 0)

    def value(self, genome: Sequence[int]) -> int:
        return self.of(self.inner.value(genome))

    def __repr__(self) -> str:
        return f"abs({self.inner})" if self.kind == ABS else f"{self.kind}({self.inner})"


def _refuse(instead: str) -> Callable[..., NoReturn]:
    """A method that refuses with what to write instead; `{}` stands for the term."""

    def method(self: Term, *_: Any) -> NoReturn:
        raise TypeError(instead.format(self))

    return method


class Term:
    """A sum: cells and functions, each with a factor, and a constant."""

    __slots__ = ("cells", "constant", "functions")

    def __init__(
        self,
        cells: dict[int, int] | None = None,
        functions: tuple[tuple[int, Function], ...] = (),
        constant: int = 0,
    ) -> None:
        self.cells, self.functions, self.constant = cells or {}, functions, constant

    def value(self, genome: Sequence[int]) -> int:
        """The value in one genome, given as a list."""
        total = self.constant + sum(factor * genome[cell] for cell, factor in self.cells.items())
        return total + sum(factor * function.value(genome) for factor, function in self.functions)

    def same(self, other: Term | Whole) -> Term:
        """1 where this term and the other are equal, else 0."""
        return Term(functions=((1, Function(SAME, self - other)),))

    def __add__(self, other: Any) -> Term:
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy adds the term to each element
        other = as_term(other)
        cells = dict(self.cells)
        for cell, factor in other.cells.items():
            cells[cell] = cells.get(cell, 0) + factor
        cells = {cell: factor for cell, factor in cells.items() if factor}
        return Term(cells, self.functions + other.functions, self.constant + other.constant)

    def __mul__(self, factor: Any) -> Term:
        if isinstance(factor, np.ndarray):
            return NotImplemented
        if isinstance(factor, Term):
            raise TypeError(
                f"({self}) * ({factor}) multiplies two terms; only whole numbers can be factors. Write a table of the "
                "products: lookup(products, a, b)"
            )
        number = whole(factor, "a factor")
        cells = {cell: number * own for cell, own in self.cells.items() if number}
        functions = tuple((number * own, function) for own, function in self.functions if number)
        return Term(cells, functions, number * self.constant)

    def __sub__(self, other: Any) -> Term:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + as_term(other) * -1

    def __rsub__(self, other: Any) -> Term:
        return self * -1 + as_term(other)

    def __neg__(self) -> Term:
        return self * -1

    def __pos__(self) -> Term:
        return self

    def __abs__(self) -> Term:
        return Term(functions=((1, Function(ABS, self)),))

    __radd__, __rmul__ = __add__, __mul__

    _test = _refuse(
        "a rule cannot be tested while it is written: the value of {} is not known yet. Instead of `if` and "
        "comparisons yield a rule: Less(a, b), Equal(a, b), Differ(a, b); a.same(b) is 1 where both are equal, else 0"
    )
    _table = _refuse(
        "the value of {} is not known while rules are written: it can be added, multiplied by a whole number and given "
        "to abs, and nothing else. Write lookup(table, term), where the table has the result for every value"
    )
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _test
    __index__ = __int__ = __float__ = __mod__ = __floordiv__ = __truediv__ = __pow__ = _table
    __rmod__ = __rfloordiv__ = __rtruediv__ = __rpow__ = __divmod__ = __lshift__ = __rshift__ = _table
    __and__ = __or__ = __xor__ = __invert__ = __round__ = _table
    __hash__ = _refuse(
        "the value of {} is not known while rules are written, so that it cannot be in a set or a key of a dictionary. "
        "AllDifferent and Count are rules about equal values"
    )

    def __repr__(self) -> str:
        parts = [_product(factor, f"x[{cell}]") for cell, factor in self.cells.items()]
        parts += [_product(factor, repr(function)) for factor, function in self.functions]
        parts += [f"{self.constant:+d}"] * bool(self.constant or not parts)
        return " ".join([parts[0].removeprefix("+"), *(f"{part[0]} {part[1:]}" for part in parts[1:])])


def _product(factor: int, name: str) -> str:
    return f"{'-' if factor < 0 else '+'}{f'{abs(factor)}*' if abs(factor) != 1 else ''}{name}"


def cells(length: int) -> NDArray[Any]:
    """What `rules` is given as `x`: a NumPy array of the cells as terms, (length,); it can be reshaped and sliced."""
    array = np.empty(length, object)
    array[:] = [Term({cell: 1}) for cell in range(length)]
    return array


def whole(value: Any, what: str) -> int:
    """A whole number, or a TypeError that says what was expected to be one."""
    if not isinstance(value, int | np.integer | np.bool_):
        raise TypeError(f"{what} must be a whole number, not {value!r} ({type(value).__name__})")
    if abs(int(value)) > LARGEST:
        raise TypeError(f"{what} is {value}, too large: at most {LARGEST:,}")
    return int(value)


def as_term(value: Any) -> Term:
    """A term, also of a whole number."""
    return value if isinstance(value, Term) else Term(constant=whole(value, "a part of a term"))


def lookup(table: Any, *terms: Any) -> Term:
    """The entry of a table of whole numbers: lookup(list, a), or lookup(matrix, a, b), row a and column b.

    Every value that the terms can take must have an entry, counted from 0.
    """
    array = np.asarray(table)
    if array.dtype.kind not in "iub" or array.ndim != len(terms) or not array.size:
        raise TypeError(
            f"lookup needs a table of whole numbers with as many dimensions as there are terms ({len(terms)}), "
            f"not {array.dtype} of shape {array.shape}"
        )
    parts = tuple((as_term(term), size) for term, size in zip(terms, array.shape, strict=True))
    place = Term()
    for term, size in parts:
        place = place * size + term
    return Term(
        functions=((1, Function(LOOKUP, place, array.astype(np.int64).ravel(), parts if len(parts) > 1 else ())),)
    )


def numbers(genome: Genomes | Sequence[int]) -> list[int]:
    """A genome as plain numbers."""
    return genome.tolist() if isinstance(genome, np.ndarray) else list(genome)
