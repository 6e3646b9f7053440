"""Naked and hidden singles in one rule: a group with one open place makes it true, a true candidate empties its groups.

A group's tally is (how many of its candidates are not false) << 24 | the XOR of their numbers, so that the last one is
read off directly. Two true candidates in one group are the only way in which candidates contradict each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.operators.space import Memory
from problems.sudoku.groups import Groups, Ints, Number, Table

PLACE = 1 << 24  # one candidate in a tally
NUMBER = PLACE - 1
FALSE, OPEN, TRUE = -1, 0, 1
DECIDED = -1  # the reason of a guess, or of a given


class Board(NamedTuple):
    """What is known of m candidates in some groups."""

    groups: Table  # (m, 4) or lists, as in `Groups`
    members: Table
    starts: Table
    ends: Table
    value: NDArray[np.int8]  # (m,): FALSE, OPEN or TRUE
    reason: Ints  # (m,): of a true one the group, of a false one the true one; negative: other reasons
    level: Ints  # (m,): how many guesses there were
    trail: Table  # (m,): the decided ones, in order
    tally: Ints  # (groups,)


CHANGING = Board._fields[4:]  # what a search changes


def new_board(groups: Groups, true: Table) -> Board:
    """All candidates open but the `true` ones, which begin the trail."""
    m = len(groups.candidates)
    sizes = (groups.ends - groups.starts)[: groups.total].astype(np.int32)
    tally = np.zeros(len(sizes), np.int32)
    if m:
        names = np.bitwise_xor.reduceat(groups.placed, groups.starts[: groups.total])
        tally[:] = names.astype(np.int32) | sizes << 24
    value, (reason, level), trail = np.zeros(m, np.int8), np.zeros((2, m), np.int32), np.zeros(m, np.uint32)
    value[true], reason[true], trail[: len(true)] = TRUE, DECIDED, true
    return Board(*groups[1:], value, reason, level, trail, tally)


def board_of(groups: Groups, memory: Memory) -> Board:
    """The board whose changing part is in the memory."""
    return Board(*groups[1:], *(memory[name] for name in CHANGING))


@inner_kernel
def group_count(groups: Table, candidate: Number) -> Number:
    """How many groups a candidate is in; which of both forms they have is decided when this is compiled."""
    if groups.ndim == 2:
        return 4
    return groups[np.uint32(candidate + 1)] - groups[candidate]


@inner_kernel
def group_at(groups: Table, candidate: Number, k: Number) -> Number:
    """The k-th of them."""
    if groups.ndim == 2:
        return groups[candidate, k]
    return groups[np.uint32(groups[candidate] + k)]


@lean_kernel
def set_true(board: Board, candidate: Number, reason: Number, level: Number, size: Number) -> Number:
    """An open candidate becomes true; the new size of the trail."""
    board.value[candidate] = TRUE
    board.reason[candidate] = reason
    board.level[candidate] = level
    board.trail[size] = candidate
    return size + 1


@lean_kernel
def set_false(board: Board, candidate: Number, reason: Number, level: Number, size: Number) -> Number:
    """An open candidate becomes false, and true what is left alone in a group; the new size of the trail."""
    board.value[candidate] = FALSE
    board.reason[candidate] = reason
    board.level[candidate] = level
    board.trail[size] = candidate
    size += 1
    for k in range(group_count(board.groups, candidate)):
        group = group_at(board.groups, candidate, k)
        tally = (board.tally[group] - PLACE) ^ candidate
        board.tally[group] = tally
        if tally < 2 * PLACE:
            last = np.uint32(tally & NUMBER)
            if board.value[last] == OPEN:
                size = set_true(board, last, np.int64(group), level, size)
    return size


@lean_kernel
def propagate(board: Board, head: Number, size: Number, level: Number) -> tuple[Number, Number, Number]:
    """All consequences of trail[head:size]; (new size, -1, -1), or with the two true candidates that collide."""
    while head < size:
        candidate: Number = board.trail[head]
        head += 1
        if board.value[candidate] != TRUE:
            continue
        for k in range(group_count(board.groups, candidate)):
            group = group_at(board.groups, candidate, k)
            place: Number = board.starts[group]
            left = (board.tally[group] >> 24) - 1
            while left > 0:  # the others of the group that are not false
                if left == 1:  # its number is what is left of the tally
                    other: Number = np.uint32((board.tally[group] & NUMBER) ^ candidate)
                else:
                    other = board.members[place]
                    place = np.uint32(place + 1)
                    if board.value[other] == FALSE or other == candidate:
                        continue
                left -= 1
                if board.value[other] == TRUE:
                    return size, np.int64(candidate), np.int64(other)
                size = set_false(board, other, np.int64(candidate), level, size)
        if board.groups.ndim == 1:
            foes = np.uint32(board.tally.shape[0] + candidate)
            for place in range(board.starts[foes], board.ends[foes]):
                other = board.members[place]
                if board.value[other] == TRUE:
                    return size, np.int64(candidate), np.int64(other)
                if board.value[other] == OPEN:
                    size = set_false(board, other, np.int64(candidate), level, size)
    return size, np.int64(-1), np.int64(-1)


@lean_kernel
def undo(board: Board, size: Number, start: Number) -> None:
    """trail[start:size] are open again."""
    for place in range(size - 1, start - 1, -1):
        candidate = board.trail[place]
        if board.value[candidate] == FALSE:
            for k in range(group_count(board.groups, candidate)):
                group = group_at(board.groups, candidate, k)
                board.tally[group] = (board.tally[group] + PLACE) ^ candidate
        board.value[candidate] = OPEN
