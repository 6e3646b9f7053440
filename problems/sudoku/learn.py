"""Conflict-driven clause learning on native groups, for large grids.

A guess makes true a place of the open group with the fewest places per weight: the one that the phase prefers, else the
most active. A contradiction teaches a clause and gives weight to the groups met on the way. The deepest assignment
without a contradiction becomes the phase. A solution is blocked by the clause that not all of its guesses are right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from problems.sudoku.analyze import Desk, Scores, analyze
from problems.sudoku.clauses import DISTANCE, LENGTH, LITERALS, MARKS, USEFUL, Clauses, clause_reason, infer, watch
from problems.sudoku.groups import Ints, Number, Reals
from problems.sudoku.propagate import DECIDED, OPEN, PLACE, TRUE, Board, set_false, set_true, undo
from problems.sudoku.search import DEPTH, DONE, FOUND, HEAD, LEFT, RESTARTS, SIZE, Counters, luby

# Further places in `counters`: clauses and where the pool ends; conflicts and assignments so far; conflicts since the
# last restart; attempts, rounds, rounds of this attempt and the conflicts left of both; how deep the phase and the best
# one are; when to reduce the clauses; the conflicts of a shortest attempt.
COUNT, USED, CONFLICTS, ASSIGNED, SINCE, ATTEMPT, ATTEMPT_LEFT, ROUND, TURN, ROUND_LEFT = range(7, 17)
DEEPEST, BEST, LIMIT, REDUCTIONS, ATTEMPT_UNIT = range(17, 22)
COUNTERS = 22
STEP, QUICK, SLOW = range(3)  # in `reals`: how much activity a conflict gives; mean distance of late and of all clauses
LATE, MANY = 32, 4096  # clauses over which these means run
DECAY = 0.95  # of activity, with every conflict
CLOSED = (1 << 31) - 1
BLOCK = 128  # groups looked at together
SHORTEST = 50  # conflicts between two restarts
PATIENCE = 100  # conflicts of the shortest Luby attempt
MARGIN = 0.85  # a restart when late clauses are worse than all by this factor


@inner_kernel
def _lightest(tally: Ints, rates: Ints) -> Number:
    """The open group with the fewest places per weight; -1 where none is open."""
    least, block = np.int32(CLOSED), -1
    for start in range(0, tally.shape[0], BLOCK):
        here, some, rate = np.int32(CLOSED), tally[start : start + BLOCK], rates[start : start + BLOCK]
        for k in range(some.shape[0]):  # in this form it is compiled to vector instructions
            now = some[k]
            load = np.int32(np.int32(now >> 24) * rate[k]) if now >= 2 * PLACE else np.int32(CLOSED)
            here = min(here, load)
        if here < least:
            least, block = here, start
    if block >= 0:
        for group in range(block, min(block + BLOCK, tally.shape[0])):
            if tally[group] >= 2 * PLACE and (tally[group] >> 24) * rates[group] == least:
                return group
    return -1


@inner_kernel
def _preferred(board: Board, group: Number, phase: NDArray[np.bool_], activity: Reals) -> Number:
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


@inner_kernel
def _assert(
    board: Board, clauses: Clauses, desk: Desk, levels: Ints, counters: Counters, length: Number, distance: Number
) -> None:
    """Keep desk.clause, go back to level counters[DEPTH] and make its first literal true there."""
    depth = counters[DEPTH]
    start = np.int64(levels[depth])
    undo(board, counters[SIZE], start)
    reason = np.int64(DECIDED)
    if length > 1:
        place, clause = counters[USED], counters[COUNT]
        clauses.places[clause] = place
        clauses.pool[place + LENGTH] = length
        clauses.pool[place + DISTANCE] = distance
        clauses.pool[place + MARKS] = USEFUL
        for k in range(length):
            clauses.pool[place + LITERALS + k] = desk.clause[k]
        watch(clauses, clause)
        counters[USED] += LITERALS + length
        counters[COUNT] += 1
        reason = clause_reason(place)
    candidate = np.uint32(desk.clause[0] >> 1)
    if desk.clause[0] & 1:
        counters[SIZE] = set_false(board, candidate, reason, depth, start)
    else:
        counters[SIZE] = set_true(board, candidate, reason, depth, start)
    counters[HEAD] = start


@inner_kernel
def _remember_phase(board: Board, phase: NDArray[np.bool_], counters: Counters, size: Number) -> None:
    """The deepest assignment without a contradiction is the phase."""
    if size > counters[DEEPEST]:
        counters[DEEPEST] = size
        for k in range(size):
            candidate = board.trail[k]
            phase[candidate] = board.value[candidate] == TRUE


@inner_kernel
def _conflict(
    board: Board,
    clauses: Clauses,
    desk: Desk,
    scores: Scores,
    levels: Ints,
    counters: Counters,
    reals: Reals,
    one: Number,
    other: Number,
) -> None:
    """Learn from a contradiction, and go back to where what was learnt decides something."""
    counters[CONFLICTS] += 1
    counters[SINCE] += 1
    counters[ROUND_LEFT] -= 1
    length, back, distance = analyze(
        board, clauses.pool, desk, scores, one, other, counters[SIZE], counters[DEPTH], counters[CONFLICTS], reals[STEP]
    )
    counters[DEPTH] = back
    _assert(board, clauses, desk, levels, counters, length, distance)
    reals[STEP] /= DECAY
    if reals[STEP] > 1e100:  # before it is infinite
        for k in range(scores.activity.shape[0]):
            scores.activity[k] *= 1e-100
        reals[STEP] *= 1e-100
    reals[QUICK] += (distance - reals[QUICK]) / LATE
    reals[SLOW] += (distance - reals[SLOW]) / min(counters[CONFLICTS], MANY)


@inner_kernel
def _is_stale(counters: Counters, reals: Reals) -> Number:
    """Whether to begin again: rounds judge by the clauses of late and by the Luby sequence in turn."""
    if counters[ROUND] & 1:
        return counters[SINCE] >= counters[LEFT]
    return counters[SINCE] >= SHORTEST and reals[QUICK] * MARGIN > reals[SLOW]


@inner_kernel
def _restart(board: Board, levels: Ints, counters: Counters, reals: Reals) -> None:
    """Back to where nothing is guessed."""
    if counters[DEPTH] > 0:
        undo(board, counters[SIZE], np.int64(levels[0]))
        counters[SIZE] = counters[HEAD] = levels[0]
        counters[DEPTH] = 0
    counters[SINCE] = 0
    counters[RESTARTS] += 1
    counters[LEFT] = PATIENCE * luby(counters[RESTARTS])
    reals[QUICK] = reals[SLOW]


@inner_kernel
def _block(board: Board, clauses: Clauses, desk: Desk, levels: Ints, counters: Counters) -> None:
    """All guesses of this solution together are wrong from here on."""
    counters[FOUND] += 1
    depth = counters[DEPTH]
    if depth == 0:
        counters[DONE] = 1
        return
    for k in range(depth):
        desk.clause[k] = 2 * board.trail[np.int64(levels[depth - 1 - k])] + 1
    counters[DEPTH] = depth - 1
    _assert(board, clauses, desk, levels, counters, depth, np.int64(1))  # a literal would be compiled apart


@lean_kernel
def learn(
    board: Board,
    clauses: Clauses,
    desk: Desk,
    scores: Scores,
    phase: NDArray[np.bool_],
    levels: Ints,
    counters: Counters,
    reals: Reals,
    work: Number,
) -> Number:
    """Search until a solution, the end, `work` assignments, the end of a round, too many clauses or a full pool.

    True with a solution, which is the phase then. All arguments but `desk` and `work` are the state of the search.
    """
    capacity = clauses.pool.shape[0] - board.value.shape[0] - LITERALS
    last = counters[ASSIGNED] + work
    while not counters[DONE]:
        before, depth = counters[SIZE], counters[DEPTH]
        size, one, other = infer(board, clauses, counters[HEAD], before, depth)
        counters[ASSIGNED] += size - before
        counters[SIZE] = counters[HEAD] = size
        is_full = counters[COUNT] >= counters[LIMIT] or counters[USED] >= capacity
        if one >= 0 and depth == 0:
            counters[DONE] = 1
            continue
        if one >= 0 and not is_full:
            _remember_phase(board, phase, counters, np.int64(levels[depth - 1]))
            _conflict(board, clauses, desk, scores, levels, counters, reals, one, other)
            continue
        if is_full or _is_stale(counters, reals):
            _restart(board, levels, counters, reals)
        if is_full or counters[ASSIGNED] >= last or counters[ROUND_LEFT] <= 0:
            return False
        group = _lightest(board.tally, scores.rates)
        if group < 0:
            counters[DEEPEST] = 0
            _remember_phase(board, phase, counters, size)
            counters[DEEPEST] = 0  # any other is as good
            _block(board, clauses, desk, levels, counters)
            return True
        depth = counters[DEPTH] + 1
        levels[depth - 1] = counters[SIZE]
        counters[DEPTH] = depth
        guess = _preferred(board, group, phase, scores.activity)
        counters[SIZE] = set_true(board, guess, np.int64(DECIDED), depth, counters[SIZE])
    return False
