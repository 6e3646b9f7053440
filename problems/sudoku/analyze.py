"""What a contradiction teaches: the first unique implication point, as a clause, without redundant literals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, inner_kernel
from problems.sudoku.clauses import LENGTH, LITERALS, MARKS, USEFUL, clause_reason
from problems.sudoku.groups import Ints, Number, Reals, Table
from problems.sudoku.propagate import DECIDED, TRUE, Board


class Desk(NamedTuple):
    """Where a clause is worked out: space for m candidates each."""

    clause: Table  # (m,): the literals of the clause
    seen: NDArray[np.bool_]  # (m,): in the clause, or implied by it
    met: Table  # (m,): the candidates seen
    stack: Table  # (m,): those whose reasons are still to be looked at
    levels: Ints  # (levels,): the last conflict in which each level was met


class Scores(NamedTuple):
    """What the search remembers of conflicts."""

    weights: Reals  # (groups,)
    rates: Ints  # (groups,): RATE / weight
    activity: Reals  # (m,)


RATE = 1 << 24


@inlined_kernel
def _ask(board: Board, desk: Desk, other: Number, stamp: Number, met: Number, top: Number) -> tuple[Number, Number]:
    """Why a candidate of a reason has its value is looked at later, unless it is seen. (met, top); top -1: a guess, or
    of a level of which nothing is in the clause."""
    if desk.seen[other] or board.level[other] == 0:
        return met, top
    if board.reason[other] == DECIDED or desk.levels[board.level[other]] != stamp:
        return met, -1
    desk.seen[other] = True
    desk.met[met] = other
    desk.stack[top] = other
    return met + 1, top + 1


@inlined_kernel
def _is_implied(board: Board, pool: Ints, desk: Desk, met: Number, candidate: Number, stamp: Number) -> Number:
    """Whether the other candidates of the clause imply this one's value: how many are seen then, or -1."""
    first = met
    desk.stack[0] = candidate
    top = 1
    while top > 0:  # the candidate itself, which is among the literals or members, is seen
        top -= 1
        candidate = desk.stack[top]
        reason = board.reason[candidate]
        if reason < DECIDED:
            place: Number = -2 - reason
            pool[place + MARKS] |= USEFUL
            for k in range(place + LITERALS, place + LITERALS + pool[place + LENGTH]):
                met, top = _ask(board, desk, np.uint32(pool[k] >> 1), stamp, met, top)
                if top < 0:
                    break
        elif board.value[candidate] == TRUE:
            for k in range(board.starts[np.uint32(reason)], board.ends[np.uint32(reason)]):
                met, top = _ask(board, desk, board.members[k], stamp, met, top)
                if top < 0:
                    break
        else:
            met, top = _ask(board, desk, np.uint32(reason), stamp, met, top)
    if top == 0:
        return met
    for place in range(first, met):
        desk.seen[desk.met[place]] = False
    return -1


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
    for k in range(1, length):
        desk.levels[board.level[clause[k]]] = stamp
    kept = 1
    for k in range(1, length):
        candidate = clause[k]
        implied = -1
        if board.reason[candidate] != DECIDED:
            implied = _is_implied(board, pool, desk, met, candidate, stamp)
        if implied >= 0:
            met = implied
        else:
            clause[kept] = candidate
            kept += 1
    for k in range(met):
        seen[desk.met[k]] = False
    back, distance = 0, 1
    for k in range(kept):
        candidate = clause[k]
        at = board.level[candidate]
        clause[k] = 2 * candidate + (board.value[candidate] == TRUE)
        if k > 0 and desk.levels[at] == stamp:
            desk.levels[at] = -1
            distance += 1
        if k > 0 and at > back:
            back = at
            clause[1], clause[k] = clause[k], clause[1]
    return kept, back, distance
