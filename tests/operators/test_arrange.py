"""Operators on permutations: the space is kept, and each does what its name says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators import arrange
from islands.operators.arrange import from_inversion_sequence, inversion_sequence
from islands.operators.space import Arrangement

CROSSOVERS = {"inversion": (arrange.inversion, 2), "order": (arrange.order, 1), "cycle": (arrange.cycle, 2)}
MUTATIONS = {"swap": arrange.swap, "rotate": arrange.rotate, "reverse": arrange.reverse}


@st.composite
def arrangements(draw):
    """Up to 12 cells in up to 3 groups and fixed cells; values distinct, in any order, negative too."""
    values = draw(st.lists(st.integers(-500, 500), min_size=1, max_size=12, unique=True))
    groups = draw(st.lists(st.sampled_from([-1, 0, 1, 4]), min_size=len(values), max_size=len(values)))
    return Arrangement(values, groups)


def pair(space, first, second):
    return np.array([[first, second]], np.int32), space


@pytest.mark.parametrize("name", CROSSOVERS)
@given(space=arrangements(), seed=st.integers(0, 999))
def test_children_are_of_the_space(name, space, seed):
    make, children = CROSSOVERS[name]
    rng = Rng(seed)
    families = space.sample(10, rng).reshape(5, 2, -1)
    before = families.copy()
    born = make(space)(families, rng)
    assert born.shape == (5, children, space.length)
    assert born.dtype == np.int32
    assert space.contains(born.reshape(-1, space.length)).all()
    assert (families == before).all()


@pytest.mark.parametrize("name", CROSSOVERS)
@given(space=arrangements(), seed=st.integers(0, 999))
def test_equal_parents_have_equal_children(name, space, seed):
    make, _ = CROSSOVERS[name]
    genomes = space.sample(4, Rng(seed))
    born = make(space)(np.stack((genomes, genomes), axis=1), Rng(seed))
    assert (born == genomes[:, None]).all()


@pytest.mark.parametrize("name", MUTATIONS)
@given(space=arrangements(), seed=st.integers(0, 999))
def test_mutants_are_of_the_space_and_differ_where_anything_can_move(name, space, seed):
    rng = Rng(seed)
    genomes = space.sample(6, rng)
    mutants = genomes.copy()
    MUTATIONS[name](space)(mutants, rng)
    assert space.contains(mutants).all()
    movable = np.diff(space.starts).max(initial=0) > 1
    assert ((mutants != genomes).any(axis=1) == movable).all()


@given(st.permutations(range(1, 12)))
def test_an_inversion_sequence_can_be_undone(permutation):
    assert from_inversion_sequence(inversion_sequence(permutation)) == list(permutation)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20, unique=True))
def test_an_inversion_sequence_counts_greater_values_to_the_left(values):
    naive = [sum(left > value for left in values[: values.index(value)]) for value in sorted(values)]
    assert inversion_sequence(values) == naive


@given(values=st.permutations(range(5)), others=st.permutations(range(5)), point=st.integers(0, 4))
def test_the_inversion_crossover_exchanges_tails_whatever_the_values(values, others, point):
    scale = np.array([-7, 0, 3, 40, 41])
    space = Arrangement(scale)
    born = arrange.inversion(space, point, point)(np.array([[scale[values], scale[others]]], np.int32), Rng(1))[0]
    a, b = inversion_sequence(values), inversion_sequence(others)
    assert inversion_sequence(born[0].tolist()) == a[: point + 1] + b[point + 1 :]
    assert inversion_sequence(born[1].tolist()) == b[: point + 1] + a[point + 1 :]


def test_several_groups_form_one_inversion_sequence():
    space = Arrangement([1, 2, 3, 1, 2, 3], [0, 0, 0, 1, 1, 1])
    parents = np.array([[[1, 2, 3, 1, 2, 3], [3, 2, 1, 3, 2, 1]]], np.int32)
    born = arrange.inversion(space, 3, 3)(parents, Rng(1))[0]
    assert born[0].tolist() == [1, 2, 3, 1, 3, 2]  # sequences 0 0 0 0 | 1 0
    assert born[1].tolist() == [3, 2, 1, 2, 3, 1]  # sequences 2 1 0 2 | 0 0


@pytest.mark.parametrize(("low", "high"), [(-1, 3), (0, 9), (5, 4)])
def test_a_crossover_point_outside_the_genome_is_refused(low, high):
    with pytest.raises(ValueError, match=r"within 0\.\.8"):
        arrange.inversion(Arrangement(range(9)), low, high)


@given(seed=st.integers(0, 9999))
def test_order_crossover_keeps_a_segment_and_the_cyclic_order_of_the_other_parent(seed):
    space = Arrangement(range(8))
    rng = Rng(seed)
    mother, father = space.sample(2, rng).tolist()
    child = arrange.order(space)(np.array([[mother, father]], np.int32), rng)[0, 0].tolist()

    def textbook(left, right):
        kept = mother[left : right + 1]
        rest = [value for value in father[right + 1 :] + father[: right + 1] if value not in kept]
        after = 8 - right - 1
        return rest[after:] + kept + rest[:after]

    assert child in [textbook(left, right) for left in range(8) for right in range(left, 8)]


def test_cycle_crossover_as_in_eiben_and_smith():
    parents = np.array([[[1, 2, 3, 4, 5, 6, 7, 8, 9], [9, 3, 7, 8, 2, 6, 5, 1, 4]]], np.int32)
    born = arrange.cycle(Arrangement(range(1, 10)))(parents, Rng(1))[0]
    assert born[0].tolist() == [1, 3, 7, 4, 2, 6, 5, 8, 9]
    assert born[1].tolist() == [9, 2, 3, 8, 5, 6, 7, 1, 4]


@given(space=arrangements(), seed=st.integers(0, 999))
def test_cycle_crossover_gives_every_cell_a_parents_value(space, seed):
    families = space.sample(8, Rng(seed)).reshape(4, 2, -1)
    born = arrange.cycle(space)(families, Rng(seed))
    assert (np.sort(born, axis=1) == np.sort(families, axis=1)).all()


@given(seed=st.integers(0, 999))
def test_a_swap_changes_two_cells_of_one_group(seed):
    space = Arrangement(range(9), [0, 0, 0, 1, 1, 1, 2, -1, -1])
    genomes = space.sample(20, Rng(seed))
    mutants = genomes.copy()
    arrange.swap(space)(mutants, Rng(seed))
    for changed in mutants != genomes:
        assert changed.sum() == 2
        assert len(set(space.groups[changed].tolist())) == 1


def test_groups_are_drawn_by_their_free_cells():
    space = Arrangement(range(8), [0] * 6 + [1] * 2)
    genomes = np.tile(space.values, (4000, 1))
    arrange.swap(space)(genomes, Rng(1))
    assert 0.72 < (genomes[:, :6] != space.values[:6]).any(axis=1).mean() < 0.78


def test_rotations_go_both_ways_and_every_segment_can_be_reversed():
    space = Arrangement([5, 6, 7, 8])
    rotated, reversed_ = np.tile(space.values, (200, 1)), np.tile(space.values, (200, 1))
    arrange.rotate(space)(rotated, Rng(1))
    arrange.reverse(space)(reversed_, Rng(1))
    assert set(map(tuple, rotated.tolist())) == {(6, 7, 8, 5), (8, 5, 6, 7)}
    assert set(map(tuple, reversed_.tolist())) == {
        (6, 5, 7, 8), (7, 6, 5, 8), (8, 7, 6, 5), (5, 7, 6, 8), (5, 8, 7, 6), (5, 6, 8, 7),
    }  # fmt: skip


@pytest.mark.parametrize("values", [[1, 1, 2, 2, 2, 7], [0, 2_000_000_000, 5, 5, 9, -3]], ids=["repeated", "sparse"])
@pytest.mark.parametrize("name", CROSSOVERS)
@given(seed=st.integers(0, 999))
def test_values_may_occur_several_times_and_lie_far_apart(name, values, seed):
    space = Arrangement(values, [0, 0, 0, 0, 1, 1])
    make, children = CROSSOVERS[name]
    families = space.sample(8, Rng(seed)).reshape(4, 2, -1)
    born = make(space)(families, Rng(seed))
    assert born.shape == (4, children, 6)
    assert space.contains(born.reshape(-1, 6)).all()
    same = np.stack((families[:, 0], families[:, 0]), axis=1)
    assert (make(space)(same, Rng(seed)) == same[:, :1]).all()


def test_a_swap_of_repeated_values_looks_for_different_ones():
    space = Arrangement([1] * 5 + [2] * 5)
    genomes = space.sample(500, Rng(1))
    mutants = genomes.copy()
    arrange.swap(space)(mutants, Rng(2))
    assert (mutants != genomes).any(axis=1).mean() > 0.95  # 0.56 with one try
