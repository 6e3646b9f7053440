"""Moves of one genome: the space is kept, and something changes where anything can."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng
from islands.operators.moves import EXCHANGE, INSERT, REVERSE, SWAP, make_move, moves_of, plan_of
from islands.operators.space import Arrangement, Choices


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
    rng, plan = Rng(seed), plan_of(space)
    genome = space.sample(1, rng)[0]
    for move in moves_of(space):
        for _ in range(5):
            make_move(genome, move, plan, rng.state)
            assert space.contains(genome[None]).all()


@given(length=st.integers(3, 12), seed=st.integers(0, 999))
def test_every_move_of_distinct_values_changes_the_genome(length, seed):
    space, rng = Arrangement(range(length)), Rng(seed)
    genome = space.sample(1, rng)[0]
    for move in moves_of(space):
        before = genome.copy()
        make_move(genome, move, plan_of(space), rng.state)
        assert (genome != before).any()


def segments(move, after):
    """Every genome that the move makes of 0 1 2 3 4, and those that are said to come of it."""
    space = Arrangement(range(5))
    made = set()
    for seed in range(300):
        genome = np.arange(5, dtype=np.int32)
        make_move(genome, move, plan_of(space), Rng(seed).state)
        made.add(tuple(genome.tolist()))
    return made, {tuple(after(list(range(5)), i, j)) for i in range(5) for j in range(5) if i != j}


def test_a_swap_exchanges_any_two():
    def swapped(row, i, j):
        row[i], row[j] = row[j], row[i]
        return row

    made, expected = segments(SWAP, swapped)
    assert made == expected


def test_an_insertion_shifts_what_lies_between():
    def inserted(row, i, j):
        row.insert(j, row.pop(i))
        return row

    made, expected = segments(INSERT, inserted)
    assert made == expected


def test_a_reversal_turns_any_segment():
    def turned(row, i, j):
        i, j = min(i, j), max(i, j)
        return row[:i] + row[i : j + 1][::-1] + row[j + 1 :]

    made, expected = segments(REVERSE, turned)
    assert made == expected


def test_an_exchange_needs_values_that_are_allowed_in_both_places():
    space = Choices(4, [2, 2, 9, 1])
    for seed in range(50):
        genome = np.array([0, 1, 8, 0], np.int32)
        make_move(genome, EXCHANGE, plan_of(space), Rng(seed).state)
        assert space.contains(genome[None]).all()
        assert genome[3] == 0


def test_a_swap_of_repeated_values_looks_for_different_ones():
    space = Arrangement([1] * 5 + [2] * 5)
    changed = 0
    for seed in range(200):
        genome = space.sample(1, Rng(seed))[0]
        before = genome.copy()
        make_move(genome, SWAP, plan_of(space), Rng(seed, 1).state)
        changed += bool((genome != before).any())
    assert changed > 180  # 111 with one try


@pytest.mark.parametrize("space", [Arrangement([4]), Arrangement([1, 2], [0, 1]), Arrangement([1, 2], [-1, -1]),
                                   Choices(3, 1)])  # fmt: skip
def test_where_nothing_can_move_there_are_no_moves(space):
    assert moves_of(space) == []
