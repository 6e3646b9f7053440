"""Random spaces, terms and rules for tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from islands.operators.space import Arrangement, Choices
from islands.rules.flat import ranges
from islands.rules.rules import AllDifferent, Count, Differ, Equal, Less, Sum
from islands.rules.terms import Term, cells, lookup

SMALL = st.integers(-4, 4)


@st.composite
def spaces(draw):
    """Both spaces, with groups, fixed cells, repeated values, places with one option."""
    length = draw(st.integers(2, 7))
    if draw(st.booleans()):
        return Choices(length, draw(st.lists(st.integers(1, 4), min_size=length, max_size=length)))
    values = draw(st.lists(st.integers(-3, 5), min_size=length, max_size=length))
    return Arrangement(values, draw(st.lists(st.sampled_from([-1, 0, 0, 1]), min_size=length, max_size=length)))


@st.composite
def sums(draw, space):
    """A sum of cells with factors, and a constant."""
    x = cells(space.length)
    chosen = draw(st.lists(st.tuples(st.integers(0, space.length - 1), SMALL), max_size=3))
    return sum((factor * x[cell] for cell, factor in chosen), start=Term()) + draw(SMALL)


@st.composite
def functions(draw, space):
    """abs, same or lookup of a sum, of which there may be another one."""
    term = draw(sums(space))
    low, high = _range(term, space)
    for kind in draw(st.lists(st.sampled_from(["abs", "same", "lookup", "scale"]), min_size=1, max_size=3)):
        if kind == "abs":
            term, low, high = abs(term), 0, max(abs(low), abs(high))
        elif kind == "same":
            term, low, high = term.same(draw(st.integers(low, high))), 0, 1
        elif kind == "scale":
            factor, constant = draw(st.integers(1, 3)), draw(SMALL)
            term, low, high = factor * term + constant, factor * low + constant, factor * high + constant
        else:
            table = draw(st.lists(SMALL, min_size=high - low + 1, max_size=high - low + 1))
            term, low, high = lookup(table, term - low), min(table), max(table)
    return term


def terms(space):
    return st.one_of(sums(space), functions(space))


@st.composite
def rules(draw, space):
    """Some rules, at least one."""
    one, several = terms(space), st.lists(terms(space), min_size=1, max_size=4)
    bounds = st.one_of(
        st.builds(lambda n: {"exactly": n}, SMALL), st.builds(lambda n: {"least": n}, SMALL),
        st.builds(lambda n, m: {"least": n, "most": n + abs(m)}, SMALL, SMALL),
    )  # fmt: skip

    def bounded(kind, *arguments):
        limits = draw(bounds)
        exactly = [limits.pop("exactly")] if "exactly" in limits else []
        return kind(*arguments, *exactly, **limits)

    made = []
    kinds = st.sampled_from([AllDifferent, Sum, Count, Differ, Equal, Less])
    for kind in draw(st.lists(kinds, min_size=1, max_size=4)):
        if kind is AllDifferent:
            made.append(AllDifferent(draw(several)))
        elif kind is Sum:
            made.append(bounded(Sum, draw(several)))
        elif kind is Count:
            made.append(bounded(Count, draw(several), draw(SMALL)))
        else:
            made.append(kind(draw(one), draw(one)))
    return made


def _range(term, space):
    low, high = ranges(space)
    ends = [sorted((factor * low[cell], factor * high[cell])) for cell, factor in term.cells.items()]
    return term.constant + sum(end[0] for end in ends), term.constant + sum(end[1] for end in ends)


def queens(size):
    x, columns = cells(size), np.arange(size)
    return Arrangement(range(size)), [AllDifferent(x + columns), AllDifferent(x - columns)]
