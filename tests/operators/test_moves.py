"""Moves of one genome: the space is kept, and something changes where anything can."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators.moves import moves_of
from islands.operators.space import Arrangement, Choices


def chances(seed):
    return iter(Rng(seed).numpy.random(10_000).tolist()).__next__


@st.composite
def spaces(draw):
    """Small spaces of both kinds, with groups, fixed cells and repeated values."""
    length = draw(st.integers(1, 9))
    if draw(st.booleans()):
        return Choices(length, draw(st.lists(st.integers(1, 4), min_size=length, max_size=length)))
    values = draw(st.lists(st.integers(-5, 5), min_size=length, max_size=length))
    return Arrangement(values, draw(st.lists(st.sampled_from([-1, 0, 3]), min_size=length, max_size=length)))


@given(space=spaces(), seed=st.integers(0, 999))
def test_moves_stay_in_the_space(space, seed):
    chance = chances(seed)
    genome = space.sample(1, Rng(seed))[0]
    for move in moves_of(space):
        for _ in range(5):
            move(genome, chance)
            assert space.contains(genome[None]).all()


@given(length=st.integers(3, 12), seed=st.integers(0, 999))
def test_every_move_of_distinct_values_changes_the_genome(length, seed):
    space = Arrangement(range(length))
    genome, chance = space.sample(1, Rng(seed))[0], chances(seed)
    for move in moves_of(space):
        before = genome.copy()
        move(genome, chance)
        assert (genome != before).any()


def test_an_insertion_shifts_what_lies_between_and_a_reversal_turns_a_segment():
    swap, insert, reverse = moves_of(Arrangement(range(6)))
    corners = {"swap": (swap, [4, 1, 2, 3, 0, 5]), "insert": (insert, [1, 2, 3, 4, 0, 5]),
               "reverse": (reverse, [4, 3, 2, 1, 0, 5])}  # fmt: skip
    for move, after in corners.values():
        genome = np.arange(6, dtype=np.int32)
        move(genome, iter([0.0, 0.7]).__next__)  # from place 0 to place 4
        assert genome.tolist() == after
    back = np.arange(6, dtype=np.int32)
    insert(back, iter([0.7, 0.0]).__next__)
    assert back.tolist() == [4, 0, 1, 2, 3, 5]


def test_an_exchange_needs_values_that_are_allowed_in_both_places():
    space = Choices(4, [2, 2, 9, 1])
    _, exchange = moves_of(space)
    for seed in range(50):
        genome = np.array([0, 1, 8, 0], np.int32)
        exchange(genome, chances(seed))
        assert space.contains(genome[None]).all()
        assert genome[3] == 0


@pytest.mark.parametrize("space", [Arrangement([4]), Arrangement([1, 2], [0, 1]), Arrangement([1, 2], [-1, -1]),
                                   Choices(3, 1)])  # fmt: skip
def test_where_nothing_can_move_there_are_no_moves(space):
    assert moves_of(space) == []
