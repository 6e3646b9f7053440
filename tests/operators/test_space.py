"""The two spaces: samples belong to them, other genomes do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators.space import Arrangement, Choices


@given(groups=st.lists(st.sampled_from([-1, 0, 2]), min_size=1, max_size=10), seed=st.integers(0, 99))
def test_samples_of_an_arrangement_belong_to_it(groups, seed):
    space = Arrangement(range(len(groups)), groups)
    genomes = space.sample(5, Rng(seed))
    assert genomes.shape == (5, space.length)
    assert genomes.dtype == np.int32
    assert space.contains(genomes).all()


def test_slots_are_the_free_cells_group_by_group():
    space = Arrangement([9, 8, 7, 6, 5], [3, -1, 0, 3, 0])
    assert space.cells.tolist() == [2, 4, 0, 3]
    assert space.starts.tolist() == [0, 2, 4]


def test_a_wrong_group_a_changed_given_or_a_repeated_value_does_not_belong():
    space = Arrangement([1, 2, 3, 4, 5], [0, 0, 1, 1, -1])
    candidates = np.array([[2, 1, 4, 3, 5], [3, 2, 1, 4, 5], [1, 2, 3, 5, 4], [1, 1, 3, 4, 5]], np.int32)
    assert space.contains(candidates).tolist() == [True, False, False, False]


@given(options=st.lists(st.integers(1, 6), min_size=1, max_size=8), seed=st.integers(0, 99))
def test_samples_of_choices_belong_to_them(options, seed):
    space = Choices(len(options), options)
    genomes = space.sample(5, Rng(seed))
    assert genomes.dtype == np.int32
    assert space.contains(genomes).all()
    assert not space.contains(genomes + space.options).any()
    assert not space.contains(genomes - space.options).any()


def test_one_number_of_options_serves_every_locus():
    assert Choices(3, 4).options.tolist() == [4, 4, 4]


@pytest.mark.parametrize("make", [
    lambda: Arrangement([]),
    lambda: Arrangement([[1, 2], [3, 4]]),
    lambda: Arrangement([1, 2, 3], [0, 0]),
    lambda: Arrangement([[1, 2], [3]]),
    lambda: Arrangement("123"),
    lambda: Arrangement([1.5, 2.5]),
    lambda: Arrangement({1, 2, 3}),
    lambda: Arrangement([1, None]),
    lambda: Arrangement(9),
    lambda: Arrangement([1, 2**31]),
    lambda: Arrangement([1, 10**30]),
    lambda: Choices(0, 3),
    lambda: Choices(-1, 3),
    lambda: Choices(2.5, 3),
    lambda: Choices(2, [3, 0]),
    lambda: Choices(2, [3, 3, 3]),
    lambda: Choices(2, [[3], [3, 3]]),
    lambda: Choices(2, "ab"),
])  # fmt: skip
def test_impossible_spaces_are_refused(make):
    with pytest.raises(ValueError, match=r"needs? .*(number|value)"):
        make()


@pytest.mark.parametrize("values", [range(3), (0, 1, 2), np.arange(3), np.arange(3, dtype=np.uint64), [0, True, 2]])
def test_whole_numbers_come_in_any_list(values):
    assert Arrangement(values).values.tolist() == [0, 1, 2]
