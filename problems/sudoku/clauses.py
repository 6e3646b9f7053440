"""Learnt clauses: at least one literal of each is true. Two literals of each are watched.

literal      2 k: candidate k is true, 2 k + 1: it is false
pool         the clauses one after the other: length, distance, marks, literals
distance     how many guesses the clause connects (LBD); the fewer the better
nodes        two for each clause: the next node with the same watched literal, a literal whose truth makes a visit
             needless, and where the clause is in the pool
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inlined_kernel, inner_kernel, lean_kernel
from problems.sudoku.groups import Ints, Number
from problems.sudoku.propagate import FALSE, TRUE, Board, propagate, set_false, set_true

LENGTH, DISTANCE, MARKS, LITERALS = range(4)  # of a clause in the pool
USEFUL, SENT = 1, 2  # marks: met since the last reduction; other islands know it


class Clauses(NamedTuple):
    """All clauses; how many there are and where the pool ends is counted elsewhere."""

    pool: Ints
    places: Ints  # where each clause begins in the pool
    nodes: Ints  # (2 * clauses, 3)
    heads: Ints  # (literals,): the first node of each watched literal; -1 = none


@inner_kernel
def clause_reason(place: Number) -> Number:
    """The reason of what a clause made true; no group, no candidate and no guess has this number."""
    return -2 - place


@inner_kernel
def truth(value: NDArray[np.int8], literal: Number) -> Number:
    """TRUE, OPEN or FALSE."""
    known = value[np.uint32(literal >> 1)]
    return -known if literal & 1 else known


@inner_kernel
def watch(clauses: Clauses, clause: Number) -> None:
    """Watch the first two literals of a clause."""
    place = clauses.places[clause]
    for k in range(2):
        node = 2 * clause + k
        literal = clauses.pool[place + LITERALS + k]
        clauses.nodes[node, 0] = clauses.heads[literal]
        clauses.nodes[node, 1] = clauses.pool[place + LITERALS + 1 - k]
        clauses.nodes[node, 2] = place
        clauses.heads[literal] = node


@lean_kernel
def watch_all(clauses: Clauses, count: Number) -> None:
    """Build all lists of watched literals anew."""
    clauses.heads[:] = -1
    for clause in range(count):
        watch(clauses, clause)


@inner_kernel
def _elsewhere(clauses: Clauses, value: NDArray[np.int8], place: Number) -> Number:
    """Put a literal that is not false in the second place of a clause; whether there is one."""
    pool = clauses.pool
    first = place + LITERALS
    for k in range(first + 2, first + pool[place + LENGTH]):
        literal = pool[k]
        if truth(value, literal) != FALSE:
            pool[k] = pool[first + 1]
            pool[first + 1] = literal
            return True
    return False


@inlined_kernel
def visit(board: Board, clauses: Clauses, candidate: Number, level: Number, size: Number) -> tuple[Number, Number]:
    """The clauses where this candidate's value made a watched literal false. (size, place of a false clause or -1)"""
    value, pool, nodes = board.value, clauses.pool, clauses.nodes
    false = np.int64(2 * candidate + (value[candidate] == TRUE))
    before, node = -1, clauses.heads[false]
    while node >= 0:
        following = nodes[node, 0]
        if truth(value, nodes[node, 1]) == TRUE:
            before, node = node, following
            continue
        place = np.int64(nodes[node, 2])
        first = place + LITERALS
        if pool[first] == false:
            pool[first], pool[first + 1] = pool[first + 1], pool[first]
        other = np.int64(pool[first])
        known = truth(value, other)
        nodes[node, 1] = other
        if known == TRUE:
            before, node = node, following
        elif _elsewhere(clauses, value, place):
            if before >= 0:
                nodes[before, 0] = following
            else:
                clauses.heads[false] = following
            literal = pool[first + 1]
            nodes[node, 0] = clauses.heads[literal]
            clauses.heads[literal] = node
            node = following
        elif known == FALSE:
            return size, place
        else:
            reason = clause_reason(place)
            if other & 1:
                size = set_false(board, np.uint32(other >> 1), reason, level, size)
            else:
                size = set_true(board, np.uint32(other >> 1), reason, level, size)
            before, node = node, following
    return size, -1


@inner_kernel
def infer(board: Board, clauses: Clauses, head: Number, size: Number, level: Number) -> tuple[Number, Number, Number]:
    """All consequences of trail[head:size] by groups and clauses.

    (new size, -1, -1), or with a contradiction: two true candidates of one group, or the place of a clause and -1.
    """
    native = head
    while True:
        size, one, other = propagate(board, native, size, level)
        if one >= 0:
            return size, one, other
        native = size
        while head < size and size == native:
            size, place = visit(board, clauses, board.trail[head], level, size)
            if place >= 0:
                return size, place, -1
            head += 1
        if head == size and size == native:
            return size, -1, -1
