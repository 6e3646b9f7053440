"""Valid codes where walks get lost: a code is changed peg by peg, uphill too, until it is consistent with all turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.kernels.rng import Rng, RngState, below, uniform
from islands.operators.space import Genomes
from problems.mastermind.consistent import WORK, History, Table, place

TEMPERATURE = 0.5  # a step that costs one more is taken with probability exp(-2)

RUNS, STEPS = 50, 200_000  # of annealing, before backtracking goes on: few seconds
LOOKS = 100  # of backtracking, then: few seconds


@inner_kernel
def _wrong(said: Table, state: Table) -> Any:
    """By how much blacks, and blacks and whites, differ from what the judge said."""
    wrong = 0
    for turn in range(said.shape[1]):
        wrong += abs(said[0, turn] - state[0, turn]) + abs(said[1, turn] - state[1, turn])
    return wrong


@lean_kernel
def _anneal(
    code: Table, guesses: Table, counts: Table, said: Table, state: Table, have: Table, steps: int, rng: RngState
) -> bool:
    """Change a code until it is valid, or for `steps` steps; `state` and `have` must be zero."""
    pegs, colours = code.shape[0], have.shape[0]
    for peg in range(pegs):
        place(guesses, counts, state, have, peg, code[peg], 1)
    wrong = _wrong(said, state)
    for _ in range(steps):
        if wrong == 0:
            return True
        a, b = below(rng, pegs), below(rng, pegs)
        new_a, new_b = code[b], code[a]
        if a == b or below(rng, 2):
            b, new_a = a, (code[a] + 1 + below(rng, colours - 1)) % colours
        old_a, old_b = code[a], code[b]
        place(guesses, counts, state, have, a, old_a, -1)
        if b != a:
            place(guesses, counts, state, have, b, old_b, -1)
            place(guesses, counts, state, have, b, new_b, 1)
        place(guesses, counts, state, have, a, new_a, 1)
        after = _wrong(said, state)
        if after <= wrong or uniform(rng) < np.exp((wrong - after) / TEMPERATURE):
            wrong = after
            code[a] = new_a
            if b != a:
                code[b] = new_b
            continue
        place(guesses, counts, state, have, a, new_a, -1)
        if b != a:
            place(guesses, counts, state, have, b, new_b, -1)
            place(guesses, counts, state, have, b, old_b, 1)
        place(guesses, counts, state, have, a, old_a, 1)
    return bool(wrong == 0)


def annealed(history: History, code: Genomes, steps: int, rng: Rng) -> bool:
    """Make a code valid in place; False where it did not become valid in `steps` steps."""
    state, have = np.zeros_like(history.said), np.zeros(history.colours, np.int32)
    return bool(_anneal(code, history.guesses, history.counts, history.said, state, have, steps, rng.state))


def first_valid(history: History, rng: Rng) -> Genomes | None:
    """A valid code: by backtracking, or, if that gets lost, by annealing; None where no code is valid, or, in a game
    too large to walk through, none was found. (Of 20,000 steps one run in six or more ends with a valid code.)"""
    on, found = history.begin(), np.empty((1, history.pegs), np.int32)
    code: Genomes = found[0]
    if on.go(found, WORK):
        return code
    for _ in range(0 if on.done else RUNS):
        code[:] = rng.numpy.integers(0, history.colours, history.pegs)
        if annealed(history, code, STEPS, rng):
            return code
    for _ in range(LOOKS):
        if on.go(found, WORK):
            return code
    return None


def some_valid(history: History, most: int, rng: Rng) -> tuple[Genomes, int]:
    """Up to `most` different valid codes, (n, pegs), and about how many there are: from how often one came twice."""
    first = first_valid(history, rng)
    found = [] if first is None else [first]
    for _ in range(most if found else 0):
        code = rng.numpy.integers(0, history.colours, history.pegs).astype(np.int32)
        if annealed(history, code, STEPS, rng):
            found.append(code)
    codes = np.unique(np.array(found, np.int32).reshape(-1, history.pegs), axis=0)
    twice = len(found) - len(codes)
    return codes, len(codes) if 4 * len(codes) <= len(found) else len(found) ** 2 // (2 * max(1, twice))
