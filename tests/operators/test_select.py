"""Selections and survival: who mates, who lives on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators import select, survive

SELECTIONS = {
    "tournament": select.tournament(3),
    "mating_pool": select.mating_pool(),
    "truncation": select.truncation(0.5),
    "universal": select.universal(0.5),
    "everyone": select.everyone(),
}
costs_of = st.lists(st.integers(0, 50), min_size=1, max_size=30).map(lambda costs: np.array(costs, np.int64))


def rows_of(name, costs, shape, seed=1):
    return SELECTIONS[name](np.zeros((len(costs), 1), np.int32), costs, shape, Rng(seed))


@pytest.mark.parametrize("name", SELECTIONS)
@given(costs=costs_of, families=st.integers(0, 20), parents=st.integers(1, 3), seed=st.integers(0, 99))
def test_a_selection_is_rows_of_the_population(name, costs, families, parents, seed):
    rows = rows_of(name, costs, (families, parents), seed)
    assert rows.shape == (families, parents)
    assert rows.dtype == np.int64
    assert ((rows >= 0) & (rows < len(costs))).all()


@given(n=st.integers(2, 12), seed=st.integers(0, 99), size=st.integers(1, 5))
def test_parents_of_a_tournament_family_differ(n, seed, size):
    rows = select.tournament(size)(np.zeros((n, 1), np.int32), np.arange(n), (50, 2), Rng(seed))
    assert (rows[:, 0] != rows[:, 1]).all()


@pytest.mark.parametrize("name", ["truncation", "everyone"])
def test_parents_of_other_families_differ_where_the_pool_allows(name):
    rows = rows_of(name, np.arange(10), (200, 3))
    assert all(len(set(family)) == 3 for family in rows.tolist())


@given(n=st.integers(4, 40), seed=st.integers(0, 99))
def test_parents_from_a_mating_pool_differ_unless_the_pool_holds_one_row(n, seed):
    rows = rows_of("mating_pool", np.arange(n), (100, 2), seed)
    if len(np.unique(rows)) > 1:
        assert (rows[:, 0] != rows[:, 1]).all()


def test_a_tournament_prefers_low_costs():
    rows = rows_of("tournament", np.arange(100), (5000, 1))
    assert rows.mean() < 35  # the best of 3 of 0..99 is 24.75 on average


def test_the_worst_never_wins_a_tournament_of_two_but_anyone_else_may():
    rows = select.tournament(2)(np.zeros((5, 1), np.int32), np.arange(5), (2000, 1), Rng(1))
    assert set(rows.ravel().tolist()) == {0, 1, 2, 3}


def test_in_a_tie_either_wins():
    rows = select.mating_pool(1.0)(np.zeros((2, 1), np.int32), np.zeros(2, np.int64), (200, 1), Rng(5))
    assert set(rows.ravel().tolist()) == {0, 1}


def test_a_mating_pool_holds_half_the_population():
    rows = rows_of("mating_pool", np.zeros(100, np.int64), (5000, 2))
    assert 25 < len(np.unique(rows)) <= 50


def test_truncation_takes_the_best_share():
    costs = np.array([5, 1, 4, 2, 3, 0])
    assert set(rows_of("truncation", costs, (200, 2)).ravel().tolist()) == {1, 3, 5}


def test_universal_sampling_gives_each_its_share_of_the_wheel():
    """Costs 0, 1, 2 have merits 1, 1/2, 0: with steps of a third of the wheel, row 0 gets two places, row 1 one."""
    rows = select.universal(1.0)(np.zeros((3, 1), np.int32), np.array([0, 1, 2]), (6000, 1), Rng(1))
    counts = np.bincount(rows.ravel(), minlength=3)
    assert counts[2] == 0
    assert counts[0] > 1.7 * counts[1]


def test_universal_sampling_of_equals_takes_everyone_once():
    rows = select.universal(1.0)(np.zeros((8, 1), np.int32), np.full(8, 7), (4000, 1), Rng(1))
    assert set(rows.ravel().tolist()) == set(range(8))


def test_everyone_is_his_own_parent():
    assert rows_of("everyone", np.arange(3), (5, 1)).ravel().tolist() == [0, 1, 2, 0, 1]


def test_children_replace_the_living():
    stay, new = survive.children()(np.arange(4), np.arange(6), 5, Rng(1))
    assert (stay.tolist(), new.tolist()) == ([], [0, 1, 2, 3, 4])


def test_the_best_survive_and_a_child_goes_first_at_equal_cost():
    stay, new = survive.best()(np.array([3, 1, 9]), np.array([1, 5, 0]), 4, Rng(1))
    assert (stay.tolist(), new.tolist()) == ([1, 0], [2, 0])
    stay, new = survive.best()(np.array([3, 1, 9]), np.array([1, 5, 0]), 2, Rng(1))
    assert (stay.tolist(), new.tolist()) == ([], [2, 0])
