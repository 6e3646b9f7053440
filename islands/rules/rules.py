"""The rules a puzzle can declare. Each says plainly what it means, on one genome given as a list: `holds` for the
verifier, `cost` for how far it is from holding. The search works with other code, in `flat` and `kernels`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from islands.rules.terms import Term, as_term, whole


class Rule:
    """What must hold in a solution."""

    place = ""  # where it was declared, for messages: " (queens.py, line 11, in rules)"

    def cost(self, genome: Sequence[int]) -> int:
        """How wrong it is; 0 = it holds."""
        raise NotImplementedError

    def holds(self, genome: Sequence[int]) -> bool:
        raise NotImplementedError

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self} is a rule, not a condition that could be tested: yield it; all rules that are yielded must hold"
        )


def _terms(values: Any, rule: str) -> list[Term]:
    if isinstance(values, Term | str) or not isinstance(values, Iterable):
        raise TypeError(f"{rule} needs a list of terms, not {values!r} ({type(values).__name__})")
    values = list(values)
    if any(isinstance(value, np.ndarray | list | tuple) for value in values):
        raise TypeError(f"{rule} needs a flat list of terms, not rows of them: write x.ravel(), or a rule for each row")
    terms = [as_term(value) for value in values]
    if not terms:
        raise TypeError(f"{rule} needs at least one term")
    return terms


def _listed(terms: Sequence[Term]) -> str:
    return f"[{', '.join(map(repr, terms[:3]))}{', ...' if len(terms) > 3 else ''}]"


class _Bounds:
    """From `least` to `most`, or exactly one number."""

    def __init__(self, rule: str, exactly: Any, least: Any, most: Any) -> None:
        if isinstance(exactly, Term):
            raise TypeError(f"{rule} needs a whole number to compare with, not {exactly} (Term): yield Equal(a, b)")
        given = [value for value in (exactly, least, most) if value is not None]
        if not given or (exactly is not None and len(given) > 1):
            raise TypeError(f"{rule} needs a number, or least=, most= or both of them")
        self.least = None if least is None else whole(least, "least")
        self.most = None if most is None else whole(most, "most")
        if exactly is not None:
            self.least = self.most = whole(exactly, "the number")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise TypeError(f"{rule} can never hold: from {self.least} up to {self.most}")

    def miss(self, number: int) -> int:
        """By how much a number lies outside."""
        below = 0 if self.least is None else max(0, self.least - number)
        return below if self.most is None else max(below, number - self.most)

    def __repr__(self) -> str:
        if self.least == self.most:
            return f"{self.least}"
        parts = [f"least={self.least}"] * (self.least is not None) + [f"most={self.most}"] * (self.most is not None)
        return ", ".join(parts)


class AllDifferent(Rule):
    """No two of the terms are equal. Its cost: how many would have to change."""

    def __init__(self, terms: Any, *others: Any) -> None:
        if others:
            raise TypeError("AllDifferent needs one list of terms: AllDifferent([a, b, c])")
        self.terms = _terms(terms, "AllDifferent")

    def cost(self, genome: Sequence[int]) -> int:
        return len(self.terms) - len({term.value(genome) for term in self.terms})

    def holds(self, genome: Sequence[int]) -> bool:
        values = sorted(term.value(genome) for term in self.terms)
        return all(values[i] != values[i + 1] for i in range(len(values) - 1))

    def __repr__(self) -> str:
        return f"AllDifferent({_listed(self.terms)})"


class Sum(Rule):
    """The terms add up to `total`, or to at least `least` and at most `most`. Its cost: by how much they do not."""

    def __init__(self, terms: Any, total: Any = None, *, least: Any = None, most: Any = None) -> None:
        self.terms, self.bounds = _terms(terms, "Sum"), _Bounds("Sum", total, least, most)

    def cost(self, genome: Sequence[int]) -> int:
        return self.bounds.miss(sum(term.value(genome) for term in self.terms))

    def holds(self, genome: Sequence[int]) -> bool:
        total, bounds = sum(term.value(genome) for term in self.terms), self.bounds
        return (bounds.least is None or total >= bounds.least) and (bounds.most is None or total <= bounds.most)

    def __repr__(self) -> str:
        return f"Sum({_listed(self.terms)}, {self.bounds})"


class Count(Rule):
    """As many of the terms as `number` have this value, or from `least` to `most`. Its cost: how many are off."""

    def __init__(self, terms: Any, value: Any, number: Any = None, *, least: Any = None, most: Any = None) -> None:
        self.terms, self.value = _terms(terms, "Count"), as_term(value)
        self.bounds = _Bounds("Count", number, least, most)

    def _number(self, genome: Sequence[int]) -> int:
        value = self.value.value(genome)
        return [term.value(genome) for term in self.terms].count(value)

    def cost(self, genome: Sequence[int]) -> int:
        return self.bounds.miss(self._number(genome))

    def holds(self, genome: Sequence[int]) -> bool:
        number, bounds = self._number(genome), self.bounds
        return (bounds.least is None or number >= bounds.least) and (bounds.most is None or number <= bounds.most)

    def __repr__(self) -> str:
        return f"Count({_listed(self.terms)}, {self.value}, {self.bounds})"


class _Pair(Rule):
    """A rule of two terms."""

    def __init__(self, a: Any = None, b: Any = None, *others: Any) -> None:
        name = type(self).__name__
        if b is None or others:
            raise TypeError(f"{name} needs two terms: {name}(a, b)")
        if isinstance(a, np.ndarray | list | tuple) or isinstance(b, np.ndarray | list | tuple):
            raise TypeError(f"{name} compares two terms, not lists of them: yield a rule for each pair")
        self.a, self.b = as_term(a), as_term(b)

    def _values(self, genome: Sequence[int]) -> tuple[int, int]:
        return self.a.value(genome), self.b.value(genome)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.a}, {self.b})"


class Differ(_Pair):
    """The two terms are not equal. Its cost: 1 where they are."""

    def cost(self, genome: Sequence[int]) -> int:
        return int(not self.holds(genome))

    def holds(self, genome: Sequence[int]) -> bool:
        a, b = self._values(genome)
        return a != b


class Equal(_Pair):
    """The two terms are equal. Its cost: by how much they differ."""

    def cost(self, genome: Sequence[int]) -> int:
        a, b = self._values(genome)
        return abs(a - b)

    def holds(self, genome: Sequence[int]) -> bool:
        a, b = self._values(genome)
        return a == b


class Less(_Pair):
    """The first term is less than the second. Its cost: by how much it would have to be less."""

    def cost(self, genome: Sequence[int]) -> int:
        a, b = self._values(genome)
        return max(0, a - b + 1)

    def holds(self, genome: Sequence[int]) -> bool:
        a, b = self._values(genome)
        return a < b
