"""Random numbers for kernels, and equal bits with and without the compiler."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from islands.kernels.rng import Rng, below, next_word, uniform

MASK = (1 << 64) - 1


def xoshiro256plusplus(state):
    """The reference algorithm of Blackman and Vigna on Python integers."""

    def rotl(word, k):
        return ((word << k) | (word >> (64 - k))) & MASK

    result = (rotl((state[0] + state[3]) & MASK, 23) + state[0]) & MASK
    shifted = (state[1] << 17) & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotl(state[3], 45)
    return result


@given(st.lists(st.integers(0, MASK), min_size=4, max_size=4))
def test_words_are_those_of_xoshiro256plusplus(words):
    state = np.array(words, np.uint64)
    assert [int(next_word(state)) for _ in range(10)] == [xoshiro256plusplus(words) for _ in range(10)]


@given(n=st.integers(1, 2**31 - 1), seed=st.integers(0, 2**32))
def test_below_stays_below(n, seed):
    state = Rng(seed).state
    assert all(0 <= below(state, n) < n for _ in range(20))


def test_below_and_uniform_are_even():
    state = Rng(1).state
    counts = np.bincount([below(state, 5) for _ in range(5000)], minlength=5)
    assert counts.min() > 850
    draws = np.array([uniform(state) for _ in range(5000)])
    assert 0 <= draws.min() < 0.01 < 0.99 < draws.max() < 1
    assert abs(draws.mean() - 0.5) < 0.02


def test_places_have_their_own_randomness_and_equal_places_the_same():
    assert Rng(1, 2, 3).state.tolist() == Rng(1, 2, 3).state.tolist()
    assert Rng(1, 2, 3).numpy.random() == Rng(1, 2, 3).numpy.random()
    states = {tuple(Rng(*place).state.tolist()) for place in [(1, 2, 3), (1, 3, 2), (2, 1, 3), (1, 2), (1, 2, 4)]}
    assert len(states) == 5


SCRIPT = """
    import hashlib, warnings
    warnings.simplefilter("ignore")
    import numpy as np
    from islands.operators import arrange, select
    from islands.kernels.keys import keys_of
    from islands.kernels.rng import Rng
    from islands.operators.space import Arrangement
    from problems.magic_square import MagicSquare

    digest = hashlib.sha256()
    rng, space = Rng(7), Arrangement(range(3, 15), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, -1, 2])
    genomes = space.sample(8, rng)
    for make in (arrange.swap, arrange.rotate, arrange.reverse):
        make(space)(genomes, rng)
        digest.update(genomes.tobytes())
    costs = genomes[:, 0].astype(np.int64)
    for choose in (select.tournament(3), select.mating_pool(), select.everyone()):
        parents = choose(genomes, costs, (6, 2), rng)
        digest.update(parents.tobytes())
    for make in (arrange.inversion, arrange.order, arrange.cycle):
        digest.update(make(space)(genomes[parents], rng).tobytes())
    digest.update(keys_of(genomes).tobytes())
    puzzle = MagicSquare(size=4)
    squares, memory = puzzle.space().sample(3, rng), {}
    costs = puzzle.costs(squares)
    digest.update(costs.tobytes())
    puzzle.recipes()["fast"].improve(squares, costs, rng, memory)
    for array in (squares, costs, puzzle.canonical(squares), memory["waited"], rng.state):
        digest.update(array.tobytes())
    print(digest.hexdigest())
"""


@pytest.mark.slow
def test_kernels_give_the_same_bits_without_the_compiler():
    def run(disable):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disable}
        command = [sys.executable, "-c", textwrap.dedent(SCRIPT)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert run("0") == run("1")
