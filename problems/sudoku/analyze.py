"""What a contradiction teaches: the first unique implication point, as a clause, without redundant literals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, inner_kernel
from problems.sudoku.clauses import LENGTH, LITERALS, MARKS, USEFUL
from problems.sudoku.groups import Ints, Number, Reals, Table
from problems.sudoku.propagate import DECIDED, TRUE, Board


class Desk(NamedTuple):
    """Where a clause is worked out: space for m candidates each."""

    clause: Table  # (m,): the literals of the clause
    seen: NDArray[np.bool_]  # (m,): in the clause, or implied by it
    met: Table  # (m,): the candidates seen
    stack: Table  # (2 m,)
    levels: Ints  # (levels,): the last conflict in which each level was met


class Scores(NamedTuple):
    """What the search remembers of conflicts."""

    weights: Reals  # (groups,)
    rates: Ints  # (groups,): RATE / weight
    activity: Reals  # (m,)


RATE = 1 << 24


@inlined_kernel
def explain(board: Board, pool: Ints, candidate: Number, out: Table, start: Number) -> Number:
    """Write the candidates whose values are the reason of this one's value from out[start] on; the end."""
    reason = board.reason[candidate]
    if reason < -1:
        place = -2 - reason
        pool[place + MARKS] |= USEFUL
        for k in range(place + LITERALS, place + LITERALS + pool[place + LENGTH]):
            if pool[k] >> 1 != candidate:
                out[start] = pool[k] >> 1
                start += 1
    elif reason >= 0 and board.value[candidate] == TRUE:
        for k in range(board.starts[np.uint32(reason)], board.ends[np.uint32(reason)]):
            if board.members[k] != candidate:
                out[start] = board.members[k]
                start += 1
    elif reason >= 0:
        out[start] = reason
        start += 1
    return start


@inner_kernel
def _is_implied(board: Board, pool: Ints, desk: Desk, met: Number, candidate: Number, stamp: Number) -> Number:
    """Whether the other candidates of the clause imply this one's value: how many are seen then, or -1."""
    stack, seen = desk.stack, desk.seen
    first = met
    stack[0] = candidate
    top = 1
    while top > 0:
        top -= 1
        end = explain(board, pool, stack[top], stack, top)
        for k in range(top, end):
            other = stack[k]
            if seen[other] or board.level[other] == 0:
                continue
            if board.reason[other] == DECIDED or desk.levels[board.level[other]] != stamp:
                for place in range(first, met):
                    seen[desk.met[place]] = False
                return -1
            seen[other] = True
            desk.met[met] = other
            met += 1
            stack[top] = other
            top += 1
    return met


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

    desk.clause holds candidates: that one, then those of other levels.
    """
    stack, seen = desk.stack, desk.seen
    end, length, met, ahead, place = 0, 1, 0, 0, size
    if other >= 0:
        stack[0], stack[1] = one, other
        end = 2
    else:
        pool[one + MARKS] |= USEFUL
        for k in range(one + LITERALS, one + LITERALS + pool[one + LENGTH]):
            stack[end] = pool[k] >> 1
            end += 1
    while True:
        for k in range(end):
            candidate = stack[k]
            if seen[candidate] or board.level[candidate] == 0:
                continue
            seen[candidate] = True
            desk.met[met] = candidate
            met += 1
            scores.activity[candidate] += step
            if board.level[candidate] == level:
                ahead += 1
            else:
                desk.clause[length] = candidate
                length += 1
        place -= 1
        while not seen[board.trail[place]]:
            place -= 1
        candidate = board.trail[place]
        ahead -= 1
        if ahead == 0:
            desk.clause[0] = candidate
            return length, met
        reason = board.reason[candidate]
        if reason >= 0 and board.value[candidate] == TRUE:
            scores.weights[reason] += 1
            scores.rates[reason] = RATE / scores.weights[reason]
        end = explain(board, pool, candidate, stack, np.int64(0))  # a literal would be compiled apart


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
