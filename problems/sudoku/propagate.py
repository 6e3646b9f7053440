"""Naked and hidden singles in one rule: a group with one open place makes it true, a true candidate empties its groups.

A group's tally is (how many of its candidates are not false) << 24 | the XOR of their numbers, so that the last one is
read off directly. Two true candidates in one group are the only way in which candidates contradict each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.operators.jit import kernel
from problems.sudoku.groups import Groups, Ints

PLACE = 1 << 24  # one candidate in a tally
NUMBER = PLACE - 1
FALSE, OPEN, TRUE = -1, 0, 1
DECIDED = -1  # the reason of a guess, or of a given


class Board(NamedTuple):
    """What is known of m candidates in some groups."""

    groups: Ints  # (m, 4), as in `Groups`
    members: Ints
    starts: Ints
    value: NDArray[np.int8]  # (m,): FALSE, OPEN or TRUE
    reason: Ints  # (m,): of a true one the group, of a false one the true one; negative: other reasons
    level: Ints  # (m,): how many guesses there were
    trail: Ints  # (m,): the decided ones, in order
    tally: Ints  # (groups,)


CHANGING = Board._fields[3:]  # what a search changes


def new_board(groups: Groups, true: Ints) -> Board:
    """All candidates open but the `true` ones, which begin the trail."""
    m = len(groups.candidates)
    sizes = np.diff(groups.starts)
    tally = np.zeros(len(sizes), np.int32)
    if m:
        tally[:] = np.bitwise_xor.reduceat(groups.members, groups.starts[:-1]) | sizes << 24
    value, (reason, level, trail) = np.zeros(m, np.int8), np.zeros((3, m), np.int32)
    value[true], reason[true], trail[: len(true)] = TRUE, DECIDED, true
    return Board(groups.groups, groups.members, groups.starts, value, reason, level, trail, tally)


@kernel
def set_true(board: Board, candidate: int, reason: int, level: int, size: int) -> int:
    """An open candidate becomes true; the new size of the trail."""
    board.value[candidate] = TRUE
    board.reason[candidate] = reason
    board.level[candidate] = level
    board.trail[size] = candidate
    return size + 1


@kernel
def set_false(board: Board, candidate: int, reason: int, level: int, size: int) -> int:
    """An open candidate becomes false, and true what is left alone in a group; the new size of the trail."""
    board.value[candidate] = FALSE
    board.reason[candidate] = reason
    board.level[candidate] = level
    board.trail[size] = candidate
    size += 1
    for k in range(4):
        group = np.int64(board.groups[candidate, k])
        tally = (board.tally[group] - PLACE) ^ candidate
        board.tally[group] = tally
        if tally < 2 * PLACE:
            last = np.int64(tally & NUMBER)
            if board.value[last] == OPEN:
                size = set_true(board, last, group, level, size)
    return size


@kernel
def propagate(board: Board, head: int, size: int, level: int) -> tuple[int, int, int]:
    """All consequences of trail[head:size]; (new size, -1, -1), or with the two true candidates that collide."""
    while head < size:
        candidate = np.int64(board.trail[head])
        head += 1
        if board.value[candidate] != TRUE:
            continue
        for k in range(4):
            group = board.groups[candidate, k]
            for place in range(board.starts[group], board.starts[group + 1]):
                other = np.int64(board.members[place])
                if board.value[other] == OPEN:
                    size = set_false(board, other, candidate, level, size)
                elif board.value[other] == TRUE and other != candidate:
                    return size, candidate, other
    return size, -1, -1


@kernel
def undo(board: Board, size: int, start: int) -> None:
    """trail[start:size] are open again."""
    for place in range(size - 1, start - 1, -1):
        candidate = board.trail[place]
        if board.value[candidate] == FALSE:
            for k in range(4):
                group = board.groups[candidate, k]
                board.tally[group] = (board.tally[group] + PLACE) ^ candidate
        board.value[candidate] = OPEN
