"""Operators on choices: every locus keeps a legal value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators import choose
from islands.operators.space import Choices

CROSSOVERS = {"one_point": choose.one_point(), "two_point": choose.two_point(), "uniform_mix": choose.uniform_mix()}
option_lists = st.lists(st.integers(1, 5), min_size=1, max_size=10)


@pytest.mark.parametrize("name", CROSSOVERS)
@given(options=option_lists, seed=st.integers(0, 999))
def test_two_children_share_out_the_parents_values_locus_by_locus(name, options, seed):
    space, rng = Choices(len(options), options), Rng(seed)
    families = space.sample(8, rng).reshape(4, 2, -1)
    born = CROSSOVERS[name](families, rng)
    assert born.shape == families.shape
    assert (np.sort(born, axis=1) == np.sort(families, axis=1)).all()


def cuts(name):
    """How often a child changes its parent between neighbours, over many families of unlike parents."""
    parents = np.stack((np.zeros(9, np.int32), np.ones(9, np.int32)))
    born = CROSSOVERS[name](np.tile(parents, (300, 1, 1)), Rng(1))
    return set(np.abs(np.diff(born[:, 0])).sum(axis=1).tolist())


def test_one_point_cuts_once_two_point_at_most_twice_uniform_anywhere():
    assert cuts("one_point") == {1}
    assert cuts("two_point") == {0, 1, 2}
    assert max(cuts("uniform_mix")) > 4


@given(options=option_lists, seed=st.integers(0, 999))
def test_reset_changes_one_locus_to_another_legal_value(options, seed):
    space, rng = Choices(len(options), options), Rng(seed)
    genomes = space.sample(10, rng)
    mutants = genomes.copy()
    choose.reset(space)(mutants, rng)
    assert space.contains(mutants).all()
    assert ((mutants != genomes).sum(axis=1) == (1 if max(options) > 1 else 0)).all()


def test_reset_reaches_every_other_value():
    genomes = np.full((200, 1), 2, np.int32)
    choose.reset(Choices(1, 4))(genomes, Rng(1))
    assert set(genomes.ravel().tolist()) == {0, 1, 3}


@given(length=st.integers(1, 9), seed=st.integers(0, 999))
def test_swapping_loci_moves_two_values(length, seed):
    genomes = np.tile(np.arange(length, dtype=np.int32), (10, 1))
    choose.swap_loci(Choices(length, length))(genomes, Rng(seed))
    assert (np.sort(genomes, axis=1) == np.arange(length)).all()
    assert ((genomes != np.arange(length)).sum(axis=1) == (2 if length > 1 else 0)).all()


@given(length=st.integers(2, 9), seed=st.integers(0, 999))
def test_reversing_loci_reverses_one_segment(length, seed):
    genomes = np.tile(np.arange(length, dtype=np.int32), (5, 1))
    choose.reverse_loci(Choices(length, length))(genomes, Rng(seed))
    for genome in genomes.tolist():
        moved = [i for i, value in enumerate(genome) if i != value]
        first, last = moved[0], moved[-1]
        assert genome[first : last + 1] == list(range(last, first - 1, -1))


@pytest.mark.parametrize("make", [choose.swap_loci, choose.reverse_loci])
def test_values_do_not_change_places_where_options_differ(make):
    with pytest.raises(ValueError, match="same options"):
        make(Choices(2, [2, 3]))
