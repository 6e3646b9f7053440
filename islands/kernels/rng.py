"""Randomness as an argument: a uint64 state array for kernels, a NumPy Generator for everything else.

A NumPy Generator inside a kernel is about 80 times slower than these few lines (xoshiro256++ by Blackman and Vigna).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import kernel

RngState = NDArray[np.uint64]


class Rng:
    """All randomness of one place in a run, for instance of (seed, island, epoch).

    `state` is for kernels, `numpy` for everything else.
    """

    def __init__(self, seed: int, *place: int) -> None:
        self.place = place  # of an island's epoch: (island, epoch)
        self._sequence = np.random.SeedSequence(seed, spawn_key=place)
        self.state: RngState = self._sequence.generate_state(4, np.uint64).astype(np.uint64)

    @cached_property
    def numpy(self) -> np.random.Generator:
        return np.random.default_rng(self._sequence.spawn(1)[0])


@kernel
def next_word(state: RngState) -> Any:
    """The next 64 random bits."""
    total = state[0] + state[3]
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return result


@kernel
def below(state: RngState, n: int) -> Any:
    """A random integer in 0..n-1, for n < 2**31 (multiply-shift; the bias is below n / 2**32)."""
    return np.int64(((next_word(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def uniform(state: RngState) -> float:
    """A random float in [0, 1)."""
    return np.float64(next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
