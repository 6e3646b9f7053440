"""Conflict-driven clause learning on native groups, for large grids.

Guess: the open group with the fewest places per weight, there the place that the phase prefers, else the most active.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.operators.jit import lean_kernel
from problems.sudoku.analyze import Desk, Scores, analyze
from problems.sudoku.clauses import DISTANCE, LENGTH, LITERALS, USEFUL, Clauses, clause_reason, infer, watch
from problems.sudoku.groups import Ints
from problems.sudoku.propagate import DECIDED, OPEN, PLACE, TRUE, Board, set_false, set_true, undo
from problems.sudoku.search import luby

Counters = NDArray[np.int64]
Reals = NDArray[np.float64]

SIZE, COUNT, USED, FOUND, DONE, CONFLICTS, RESTARTS, LEFT, DEEPEST, PROPAGATIONS, DECISIONS = range(11)
STEP, QUICK, SLOW = range(3)
CLOSED = (1 << 31) - 1


@lean_kernel
def _lightest(tally: Ints, rates: Ints) -> Any:
    """The open group with the fewest places per weight; -1 where none is open."""
    least = np.int32(CLOSED)
    for group in range(tally.shape[0]):
        places = tally[group] >> 24
        load = np.int32(places * rates[group]) if places > 1 else np.int32(CLOSED)
        least = min(least, load)
    if least == CLOSED:
        return -1
    for group in range(tally.shape[0]):
        places = tally[group] >> 24
        if places > 1 and np.int32(places * rates[group]) == least:
            return group
    return -1


@lean_kernel
def _preferred(board: Board, group: int, phase: NDArray[np.bool_], activity: Reals) -> Any:
    """The open place of the group that the phase prefers, else the most active."""
    chosen, most = np.uint32(0), -1.0
    for place in range(board.starts[group], board.ends[group]):
        candidate = board.members[place]
        if board.value[candidate] == OPEN:
            if phase[candidate]:
                return candidate
            if activity[candidate] > most:
                chosen, most = candidate, activity[candidate]
    return chosen


@lean_kernel
def _note(board: Board, clauses: Clauses, desk: Desk, counters: Counters, length: int, distance: int) -> int:
    """Add desk.clause to the pool and watch it; its place."""
    place, clause = counters[USED], counters[COUNT]
    clauses.places[clause] = place
    clauses.pool[place + LENGTH] = length
    clauses.pool[place + DISTANCE] = distance
    clauses.pool[place + USEFUL] = 1
    for k in range(length):
        clauses.pool[place + LITERALS + k] = desk.clause[k]
    watch(clauses, clause)
    counters[USED] += LITERALS + length
    counters[COUNT] += 1
    return place


@lean_kernel
def learn(board: Board, clauses: Clauses, desk: Desk, scores: Scores, phase: NDArray[np.bool_], levels: Ints, counters: Counters, reals: Reals,
          glucose: bool, conflicts: int, limit: int) -> bool:
    """Search until a solution, the end, so many conflicts, `limit` clauses, or a full pool; True with a solution on the board."""
    size, depth = counters[SIZE], 0
    head = 0 if counters[CONFLICTS] == 0 else size
    head = 0
    room = clauses.pool.shape[0] - board.value.shape[0] - LITERALS
    since = 0
    while True:
        before = size
        size, one, other = infer(board, clauses, head, size, depth)
        head = size
        counters[PROPAGATIONS] += size - before
        if one >= 0:
            if depth == 0:
                counters[DONE] = 1
                return False
            counters[CONFLICTS] += 1
            conflicts -= 1
            since += 1
            start = levels[depth - 1]
            if start > counters[DEEPEST]:
                counters[DEEPEST] = start
                for k in range(start):
                    candidate = board.trail[k]
                    phase[candidate] = board.value[candidate] == TRUE
            length, back, distance = analyze(board, clauses.pool, desk, scores, one, other, size, depth, counters[CONFLICTS], reals[STEP])
            reals[STEP] /= 0.95
            if reals[STEP] > 1e100:
                for k in range(scores.activity.shape[0]):
                    scores.activity[k] *= 1e-100
                reals[STEP] *= 1e-100
            reals[QUICK] += (distance - reals[QUICK]) / 32
            reals[SLOW] += (distance - reals[SLOW]) / min(counters[CONFLICTS], 4096)
            undo(board, size, np.int64(levels[back]))
            size = np.int64(levels[back])
            head = size
            depth = back
            reason = np.int64(DECIDED)
            if length > 1:
                reason = clause_reason(_note(board, clauses, desk, counters, length, distance))
            literal = np.int64(desk.clause[0])
            if literal & 1:
                size = set_false(board, np.uint32(literal >> 1), reason, depth, size)
            else:
                size = set_true(board, np.uint32(literal >> 1), reason, depth, size)
            continue
        over = conflicts <= 0 or counters[COUNT] >= limit or counters[USED] >= room
        if glucose:
            again = since >= 50 and reals[QUICK] * 0.85 > reals[SLOW]
        else:
            again = since >= counters[LEFT]
        if (over or again) and depth > 0:
            undo(board, size, np.int64(levels[0]))
            size = np.int64(levels[0])
            head = size
            depth = 0
        if over:
            counters[SIZE] = size
            return False
        if again:
            since = 0
            counters[RESTARTS] += 1
            counters[LEFT] = 100 * luby(counters[RESTARTS])
            reals[QUICK] = reals[SLOW]
        group = _lightest(board.tally, scores.rates)
        if group < 0:
            return True
        counters[DECISIONS] += 1
        levels[depth] = size
        depth += 1
        size = set_true(board, _preferred(board, group, phase, scores.activity), np.int64(DECIDED), depth, size)
