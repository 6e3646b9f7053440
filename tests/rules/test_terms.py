"""Terms: they can be added up, and whatever else is refused with what to write instead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.rules.rules import AllDifferent, Count, Differ, Equal, Less, Sum
from islands.rules.terms import Term, cells, lookup

X = cells(6)
GENOME = [5, -2, 0, 7, 7, 1]


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (X[0] + X[1], 3),
        (X[0] - 3 * X[1] + 4, 15),
        (2 - X[3], -5),
        (-X[3] * 2, -14),
        (+X[0], 5),
        (X[0] - X[0], 0),
        (0 * X[0] + 9, 9),
        (abs(X[1] - X[0]), 7),
        (2 * abs(X[1]) - 1, 3),
        (X[3].same(X[4]), 1),
        (X[3].same(5), 0),
        (lookup([4, 5, 6], X[5]), 5),
        (lookup([[1, 2], [3, 4]], X[2], X[5]), 2),
        (abs(lookup([4, -5, 6], X[5])), 5),
        (X.sum(), 18),
        (sum(X[:3]), 3),
        (np.int64(3) * X[0] + np.int32(1), 16),
        (np.dot([1, 2], X[:2]), 1),
    ],
    ids=str,
)
def test_a_term_has_the_value_that_it_says(term, value):
    assert isinstance(term, Term)
    assert term.value(GENOME) == value


def test_cells_are_an_array_that_can_be_sliced_and_shaped():
    assert [term.value(GENOME) for term in X + np.arange(6)] == [5, -1, 2, 10, 11, 6]
    assert [term.value(GENOME) for term in np.abs(X[1:] - X[:-1])] == [7, 2, 7, 0, 6]
    assert [term.value(GENOME) for term in X.reshape(2, 3)[:, 1]] == [-2, 7]
    assert [term.value(GENOME) for term in X[0] - X] == [0, 7, 5, -2, -2, 4]


@given(st.lists(st.integers(-9, 9), min_size=6, max_size=6), st.integers(-5, 5), st.integers(-5, 5))
def test_arithmetic_is_that_of_numbers(genome, factor, constant):
    assert (factor * (X[0] - X[1]) + constant).value(genome) == factor * (genome[0] - genome[1]) + constant
    assert (constant - (X[2] + X[3]) * factor).value(genome) == constant - (genome[2] + genome[3]) * factor


@pytest.mark.parametrize(
    "test",
    [lambda: X[0] > 3, lambda: X[0] == X[1], lambda: X[0] != 2, lambda: bool(X[0]), lambda: X[0] in [1],
     lambda: max(X[0], X[1]), lambda: not X[0], lambda: X == 3, lambda: 1 if X[0] else 2, lambda: sorted(X)],
)  # fmt: skip
def test_a_comparison_is_refused_with_the_rules_to_write(test):
    with pytest.raises(TypeError, match=r"value of x\[\d\] is not known yet.*Less\(a, b\), Equal\(a, b\), Differ"):
        test()


@pytest.mark.parametrize(
    "index",
    [lambda: [1, 2][X[0]], lambda: X[0] % 2, lambda: X[0] // 2, lambda: X[0] / 2, lambda: 7 % X[0], lambda: range(X[0]),
     lambda: X[0] ** 2, lambda: int(X[0]), lambda: X[0] & 1, lambda: divmod(X[0], 3), lambda: round(X[0])],
)  # fmt: skip
def test_an_index_or_a_division_is_refused_with_a_table_to_write(index):
    with pytest.raises(TypeError, match=r"x\[0\] is not known while rules are written.*lookup\(table, term\)"):
        index()


def test_a_product_of_two_terms_is_refused_with_a_table_to_write():
    with pytest.raises(TypeError, match=r"multiplies two terms.*lookup\(products, a, b\)"):
        X[0] * X[1]


@pytest.mark.parametrize("wrong", [lambda: X[0] * 1.5, lambda: X[0] + "1", lambda: X[0] - 0.5, lambda: X[0].same(2.0)])
def test_only_whole_numbers_are_parts_of_terms(wrong):
    with pytest.raises(TypeError, match="must be a whole number, not"):
        wrong()


def test_functions_of_sums_of_functions_are_refused():
    with pytest.raises(TypeError, match=r"abs of x\[1\] \+ abs\(x\[0\]\) is too deep.*lookup\(table, a, b\)"):
        abs(abs(X[0]) + X[1])


@pytest.mark.parametrize(
    ("table", "terms"), [([[1, 2]], 1), ([1, 2], 2), ([0.5], 1), (["a"], 1), ([], 1), ([[1], [2, 3]], 1)]
)
def test_a_table_needs_whole_numbers_and_a_dimension_for_each_term(table, terms):
    with pytest.raises((TypeError, ValueError), match=r"lookup needs a table of whole numbers|inhomogeneous"):
        lookup(table, *X[:terms])


@pytest.mark.parametrize(
    ("term", "text"),
    [(X[0] - 2 * X[1] + 3, "x[0] - 2*x[1] + 3"), (-X[0], "-x[0]"), (X[0] - X[0], "0"), (abs(X[0] - 1), "abs(x[0] - 1)"),
     (X[0].same(X[1]) + 1, "same(x[0] - x[1]) + 1"), (lookup([1], X[2]), "lookup(x[2])")],
)  # fmt: skip
def test_a_term_prints_as_it_is_written(term, text):
    assert repr(term) == text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AllDifferent(X[0]), "AllDifferent needs a list of terms"),
        (lambda: AllDifferent([]), "needs at least one term"),
        (lambda: Sum(X), "Sum needs a number, or least=, most="),
        (lambda: Sum(X, 3, most=4), "Sum needs a number, or least=, most="),
        (lambda: Sum(X, 3.5), "the number must be a whole number, not 3.5"),
        (lambda: Count(X, 1, least=3, most=2), "Count can never hold: from 3 up to 2"),
        (lambda: Equal(X, 3), "Equal compares two terms, not lists of them: yield a rule for each pair"),
        (lambda: Differ(X[0], [1, 2]), "Differ compares two terms, not lists of them"),
        (lambda: Less(X[0]), r"Less needs two terms: Less\(a, b\)"),
        (lambda: Less(X[0], X[1], X[2]), r"Less needs two terms: Less\(a, b\)"),
        (lambda: Equal("a", 3), "must be a whole number, not 'a'"),
        (lambda: bool(Less(X[0], X[1])), "is a rule, not a condition that could be tested: yield it"),
    ],
)
def test_a_rule_says_what_it_needs(make, words):
    with pytest.raises(TypeError, match=words):
        make()


@pytest.mark.parametrize(
    ("rule", "cost"),
    [
        (AllDifferent(X), 1),
        (AllDifferent([X[3], X[4], 7]), 2),
        (Sum(X, 18), 0),
        (Sum(X, 20), 2),
        (Sum([X[0], abs(X[1])], least=9, most=12), 2),
        (Sum(X, most=10), 8),
        (Count(X, 7, 2), 0),
        (Count(X, 7, most=1), 1),
        (Count(X, X[3], least=3), 1),
        (Differ(X[3], X[4]), 1),
        (Differ(X[0], X[4]), 0),
        (Equal(X[0], X[3]), 2),
        (Less(X[0], X[3]), 0),
        (Less(X[3], X[4]), 1),
        (Less(X[3], X[0]), 3),
    ],
    ids=str,
)
def test_a_rule_costs_what_it_says_and_holds_where_it_costs_nothing(rule, cost):
    assert rule.cost(GENOME) == cost
    assert rule.holds(GENOME) == (cost == 0)
