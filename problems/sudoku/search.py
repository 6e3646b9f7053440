"""Depth-first search for small grids: propagation, weights, Luby restarts until the first solution.

A guess makes true the preferred place of the open group with the fewest places per weight; when that fails it is false.
A group that a failure wiped out weighs one more. Before the first solution the search begins again every now and then;
after it the tree is walked to its end, which finds every solution once and proves that there are no others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.sudoku.groups import Ints, Number, all_groups, given_candidates
from problems.sudoku.propagate import (
    CHANGING,
    DECIDED,
    OPEN,
    PLACE,
    TRUE,
    Board,
    board_of,
    new_board,
    propagate,
    set_false,
    set_true,
    undo,
)

Weights = NDArray[np.float32]
Counters = NDArray[np.int64]

FAILURES = 30  # of the shortest attempt
WORK = 20_000  # guesses and failures of one generation: some hundredths of a second
DONE, FOUND, SIZE, HEAD, DEPTH, RESTARTS, LEFT = range(7)  # places in `counters`
COUNTERS = 7


@lean_kernel
def luby(i: Number) -> Number:
    """1 1 2 1 1 2 4 ...: the i-th term from 1."""
    while True:
        k = 1
        while (1 << k) - 1 < i:
            k += 1
        if (1 << k) - 1 == i:
            return 1 << (k - 1)
        i -= (1 << (k - 1)) - 1


@inner_kernel
def _lightest(tally: Ints, weights: Weights) -> Number:
    """The open group with the fewest places per weight; -1 where all groups have their one."""
    best, least = -1, np.float32(np.inf)
    for group in range(tally.shape[0]):
        if tally[group] >= 2 * PLACE:
            load = np.float32(tally[group] >> 24) / weights[group]
            if load < least:
                best, least = group, load
    return best


@inner_kernel
def _preferred(board: Board, group: Number, phase: NDArray[np.bool_], state: RngState) -> Number:
    """The open place of the group that the phase prefers, else any."""
    places: Number = np.int64(board.tally[group] >> 24)
    skip = below(state, places)
    chosen = np.uint32(0)
    for place in range(board.starts[group], board.ends[group]):
        candidate = board.members[place]
        if board.value[candidate] == OPEN:
            if phase[candidate]:
                return candidate
            if skip == 0:
                chosen = candidate
            skip -= 1
    return chosen


@inner_kernel
def _back(board: Board, levels: Ints, depth: Number, size: Number) -> Number:
    """The last guess was wrong: it is undone, and false from here on. The new size."""
    start = np.int64(levels[depth - 1])
    guess = board.trail[start]
    undo(board, size, start)
    return set_false(board, guess, np.int64(DECIDED), depth - 1, start)


@lean_kernel
def search(
    board: Board,
    weights: Weights,
    phase: NDArray[np.bool_],
    levels: Ints,
    counters: Counters,
    solutions: NDArray[np.bool_],
    work: Number,
    state: RngState,
) -> Number:
    """Go on until all rows of `solutions` are filled, the tree is done, or `work` guesses and failures; the work done.

    board, weights, levels and counters are the whole state: the next call goes on where this one ends.
    """
    size, depth, head = counters[SIZE], counters[DEPTH], counters[HEAD]
    first, spent = counters[FOUND], 0
    while spent < work and not counters[DONE] and counters[FOUND] - first < solutions.shape[0]:
        spent += 1
        size, one, other = propagate(board, head, size, depth)
        head = size
        group = -1
        if one < 0:
            group = _lightest(board.tally, weights)
            if group < 0:
                for candidate in range(board.value.shape[0]):
                    solutions[counters[FOUND] - first, candidate] = board.value[candidate] == TRUE
                counters[FOUND] += 1
        elif board.reason[other] >= 0:
            weights[board.reason[other]] += 1
        if group >= 0:
            levels[depth] = size
            depth += 1
            size = set_true(board, _preferred(board, group, phase, state), np.int64(DECIDED), depth, size)
            continue
        counters[LEFT] -= 1
        if depth == 0:
            counters[DONE] = 1
        elif counters[LEFT] < 0 and counters[FOUND] == 0:
            counters[RESTARTS] += 1
            counters[LEFT] = FAILURES * luby(counters[RESTARTS])
            undo(board, size, np.int64(levels[0]))
            head = size = np.int64(levels[0])
            depth = 0
        else:
            head = np.int64(levels[depth - 1])
            size = _back(board, levels, depth, size)
            depth -= 1
    counters[SIZE], counters[DEPTH], counters[HEAD] = size, depth, head
    return spent


def depth_first(box_rows: int, box_columns: int, givens: Ints) -> Improve:
    """Rows become solutions not found before, as many as a generation's work finds; the first row is the phase."""
    groups = all_groups(box_rows, box_columns)
    n = box_rows * box_columns

    def begin(memory: Memory) -> None:
        given = given_candidates(givens, n)
        board = new_board(groups, given)
        size, one, _ = propagate(board, 0, len(given), 0)
        counters = np.zeros(COUNTERS, np.int64)
        counters[SIZE] = counters[HEAD] = size
        counters[DONE], counters[LEFT] = one >= 0, FAILURES
        memory.update({name: getattr(board, name) for name in CHANGING})
        memory.update(weights=np.ones(len(board.tally), np.float32), levels=np.zeros(n * n + 1, np.int32))
        memory["counters"] = counters

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        if not memory:
            begin(memory)
        counters = memory["counters"]
        board = board_of(groups, memory)
        phase = np.zeros(n**3, np.bool_)
        phase[np.arange(n * n) * n + genomes[0] - 1] = True
        found = np.zeros((len(genomes), n**3), np.bool_)
        before = int(counters[FOUND])
        work = search(board, memory["weights"], phase, memory["levels"], counters, found, WORK, rng.state)
        new = int(counters[FOUND]) - before
        genomes[:new] = np.nonzero(found[:new])[1].reshape(new, n * n) % n + 1
        costs[:new] = 0
        return int(work)

    return improve
