"""What a contradiction teaches: the first unique implication point, as a clause, without redundant literals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, inner_kernel
from problems.sudoku.clauses import LENGTH, LITERALS, MARKS, USEFUL, clause_reason
from problems.sudoku.groups import Ints, Number, Reals, Table
from problems.sudoku.propagate import DECIDED, FALSE, TRUE, Board


class Desk(NamedTuple):
    """Where a clause is worked out: space for m candidates each."""

    clause: Table  # (m,): the literals of the clause
    seen: NDArray[np.bool_]  # (m,): in the clause, or implied by it
    met: Table  # (m,): the candidates seen
    levels: Ints  # (levels,): the last conflict in which each level was met


class Scores(NamedTuple):
    """What the search remembers of conflicts."""

    weights: Reals  # (groups,)
    rates: Ints  # (groups,): RATE / weight
    activity: Reals  # (m,)


RATE = 1 << 24


@inlined_kernel
def _is_known(board: Board, desk: Desk, candidate: Number) -> Number:
    """Whether the clause says it already, or it holds without a guess."""
    return desk.seen[candidate] or board.level[candidate] == 0


@inlined_kernel
def _is_implied(board: Board, pool: Ints, desk: Desk, candidate: Number) -> Number:
    """Whether the others of the clause alone are the reason of this one's value.

    Reasons of reasons are not asked: they were for a quarter of all time, and made clauses shorter by a fiftieth.
    """
    reason = board.reason[candidate]
    if reason < DECIDED:
        place: Number = -2 - reason
        for k in range(place + LITERALS, place + LITERALS + pool[place + LENGTH]):
            if not _is_known(board, desk, np.uint32(pool[k] >> 1)):
                return False
        return True
    if board.value[candidate] == FALSE:
        return _is_known(board, desk, np.uint32(reason))
    for k in range(board.starts[np.uint32(reason)], board.ends[np.uint32(reason)]):
        if not _is_known(board, desk, board.members[k]):
            return False
    return True


@inlined_kernel
def _meet(
    board: Board,
    desk: Desk,
    scores: Scores,
    candidate: Number,
    level: Number,
    step: Number,
    length: Number,
    met: Number,
    ahead: Number,
) -> tuple[Number, Number, Number]:
    """One of those that imply a contradiction. (clause length, candidates met, how many of this level are ahead)"""
    if desk.seen[candidate] or board.level[candidate] == 0:
        return length, met, ahead
    desk.seen[candidate] = True
    desk.met[met] = candidate
    scores.activity[candidate] += step
    if board.level[candidate] == level:
        return length, met + 1, ahead + 1
    desk.clause[length] = candidate
    return length + 1, met + 1, ahead


@inner_kernel
def _trace(
    board: Board,
    pool: Ints,
    desk: Desk,
    scores: Scores,
    one: Number,
    other: Number,
    size: Number,
    level: Number,
    step: Number,
) -> tuple[Number, Number]:
    """From a contradiction back to the one candidate of this level that implies it. (clause length, candidates met)

    desk.clause holds candidates: that one, then those of other levels. The reasons are read where they are, once for
    each of their three forms: copied to one list first, they took a twentieth of the whole search longer.
    """
    length, met, ahead, place, is_true = 1, 0, 0, size, False
    reason = clause_reason(one)
    if other >= 0:
        length, met, ahead = _meet(board, desk, scores, np.uint32(one), level, step, length, met, ahead)
        reason = other
    while True:
        if reason < DECIDED:
            start = -2 - reason
            pool[start + MARKS] |= USEFUL
            for k in range(start + LITERALS, start + LITERALS + pool[start + LENGTH]):
                cause = np.uint32(pool[k] >> 1)
                length, met, ahead = _meet(board, desk, scores, cause, level, step, length, met, ahead)
        elif is_true:
            scores.weights[reason] += 1
            scores.rates[reason] = RATE / scores.weights[reason]
            for k in range(board.starts[np.uint32(reason)], board.ends[np.uint32(reason)]):
                length, met, ahead = _meet(board, desk, scores, board.members[k], level, step, length, met, ahead)
        elif reason >= 0:
            length, met, ahead = _meet(board, desk, scores, np.uint32(reason), level, step, length, met, ahead)
        place -= 1
        while not desk.seen[board.trail[place]]:
            place -= 1
        candidate = board.trail[place]
        ahead -= 1
        if ahead == 0:
            desk.clause[0] = candidate
            return length, met
        reason, is_true = np.int64(board.reason[candidate]), board.value[candidate] == TRUE


@inner_kernel
def analyze(
    board: Board,
    pool: Ints,
    desk: Desk,
    scores: Scores,
    one: Number,
    other: Number,
    size: Number,
    level: Number,
    stamp: Number,
    step: Number,
) -> tuple[Number, Number, Number]:
    """The clause that a contradiction teaches, in desk.clause; (its length, the level to go back to, its distance).

    Its first literal is the one that becomes true there, its second is of that level.
    """
    clause, seen = desk.clause, desk.seen
    length, met = _trace(board, pool, desk, scores, one, other, size, level, step)
    kept = 1
    for k in range(1, length):
        candidate = clause[k]
        if board.reason[candidate] == DECIDED or not _is_implied(board, pool, desk, candidate):
            clause[kept] = candidate
            kept += 1
    for k in range(met):
        seen[desk.met[k]] = False
    back, distance = 0, 1
    for k in range(kept):
        candidate = clause[k]
        at = board.level[candidate]
        clause[k] = 2 * candidate + (board.value[candidate] == TRUE)
        if k > 0 and desk.levels[at] != stamp:
            desk.levels[at] = stamp
            distance += 1
        if k > 0 and at > back:
            back = at
            clause[1], clause[k] = clause[k], clause[1]
    return kept, back, distance
