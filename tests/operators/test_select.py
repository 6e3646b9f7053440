"""Selections and survival: who mates, who lives on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators import select, survive
from islands.operators.recipe import Candidates

SELECTIONS = {
    "tournament": select.tournament(3),
    "mating_pool": select.mating_pool(),
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


def test_neighbours_that_mate_differ():
    rows = rows_of("everyone", np.arange(10), (200, 3))
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


def test_everyone_is_his_own_parent():
    assert rows_of("everyone", np.arange(3), (5, 1)).ravel().tolist() == [0, 1, 2, 0, 1]


def test_everyone_mates_once_with_his_neighbours():
    assert rows_of("everyone", np.arange(6), (2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]


def survivors(survive_, living, born, places, seed=1):
    """The rows that live on, of the living and then of the children."""
    costs = np.array([*living, *born], np.int64)
    genomes = np.arange(len(costs), dtype=np.int32)[:, None]
    rows = survive_(Candidates(costs, len(living), lambda: genomes), places, Rng(seed))
    return rows.tolist()


def test_children_replace_the_living():
    assert survivors(survive.children(), [0, 1, 2, 3], [0, 1, 2, 3, 4, 5], 5) == [4, 5, 6, 7, 8]


def test_the_best_survive_and_a_child_goes_first_at_equal_cost():
    assert survivors(survive.best(), [3, 1, 9], [1, 5, 0], 4) == [1, 0, 5, 3]  # the living stand before the children
    assert survivors(survive.best(), [3, 1, 9], [1, 5, 0], 2) == [5, 3]


def test_truncation_fills_the_places_with_the_best_in_turn():
    assert survivors(survive.truncation(0.5), [5, 1, 4], [2, 3, 0], 7) == [5, 1, 3, 5, 1, 3, 5]
    assert survivors(survive.truncation(0.01), [5, 1], [2, 3], 3) == [1, 1, 1]  # at least one


def test_truncation_decides_ties_by_lot():
    kept = {survivors(survive.truncation(0.5), [1], [1], 1, seed)[0] for seed in range(20)}
    assert kept == {0, 1}


def test_universal_sampling_gives_each_its_share_of_the_wheel():
    """Costs 0, 1, 2 have merits 1, 1/2, 0: in steps of a third of the wheel, row 0 gets two places, row 1 one."""
    rows = [survivors(survive.universal(1.0), [0, 1], [2], 3, seed) for seed in range(50)]
    assert all(sorted(row) == [0, 0, 1] for row in rows)


def test_universal_sampling_of_equals_takes_everyone_once():
    assert sorted(survivors(survive.universal(1.0), [7] * 4, [7] * 4, 8)) == list(range(8))


@pytest.mark.parametrize("chosen", [survive.truncation, survive.universal])
def test_a_punishment_counts_for_the_choice_only(chosen):
    """Who looks best is punished: the other one fills the places."""
    punished = chosen(0.5, lambda candidates: candidates.costs + 10 * (candidates.genomes()[:, 0] == 0))
    assert survivors(punished, [1], [2], 2) == [1, 1]


@given(living=costs_of, born=costs_of, places=st.integers(1, 20), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", ["children", "best", "truncation", "universal"])
def test_survivors_are_candidates_and_fit_their_places(name, living, born, places, seed):
    chosen = getattr(survive, name)(*[0.3] * (name in ("truncation", "universal")))
    rows = survivors(chosen, living, born, places, seed)
    assert len(rows) <= places
    assert all(0 <= row < len(living) + len(born) for row in rows)
