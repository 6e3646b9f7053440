"""Shuffling long arrays: permutations, from the state alone, every one as likely."""

import numpy as np
import pytest

from islands.kernels.rng import Rng
from islands.kernels.shuffle import IN_CACHE, shuffle
from islands.operators.space import Arrangement


@pytest.mark.parametrize("length", [0, 1, 2, 100, IN_CACHE - 1, IN_CACHE, IN_CACHE * 3 + 7])
def test_a_shuffled_array_is_a_permutation(length):
    numbers = np.arange(length, dtype=np.int32)
    shuffle(numbers, Rng(1).state)
    assert (np.sort(numbers) == np.arange(length)).all()


def test_it_depends_on_the_state_alone():
    first, again, other = (np.arange(100_000, dtype=np.int32) for _ in range(3))
    for numbers, seed in ((first, 1), (again, 1), (other, 2)):
        shuffle(numbers, Rng(seed).state)
    assert (first == again).all()
    assert (first == other).mean() < 0.01


def test_every_number_may_go_anywhere():
    """Mean and spread of where one number lands are those of chance."""
    rng, length = Rng(3), 2 * IN_CACHE
    places = []
    for _ in range(60):
        numbers = np.arange(length, dtype=np.int32)
        shuffle(numbers, rng.state)
        places.append(int(np.flatnonzero(numbers == 5)[0]) / length)
    assert abs(np.mean(places) - 0.5) < 4 * np.sqrt(1 / 12 / 60)
    assert 0.2 < np.std(places) < 0.4


def test_large_samples_are_of_the_space():
    space = Arrangement(np.arange(7, 7 + 40_000))
    genomes = space.sample(2, Rng(1))
    assert space.contains(genomes).all()
    assert (genomes[0] != genomes[1]).any()
