"""Checks of a search that comes from a file, before a kernel goes on with it: kernels trust every number they find.

What is checked is what keeps them inside their arrays and lets them end: what is decided, in which order, after how
many guesses and why; that clauses follow each other in the pool; that the lists of watched literals end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.operators.recall import LARGEST, expect
from islands.operators.space import Memory
from problems.sudoku.clauses import LENGTH, LITERALS
from problems.sudoku.groups import Groups, Ints
from problems.sudoku.learn import COUNT, LIMIT, USED
from problems.sudoku.propagate import DECIDED, FALSE, OPEN, PLACE, TRUE
from problems.sudoku.search import DEPTH, DONE, HEAD, SIZE


def check_board(memory: Memory, groups: Groups, guesses: int, counters: int) -> None:
    """ValueError where this is not the board of a search that has made at most so many guesses."""
    m, count = len(groups.candidates), groups.total
    value = expect(memory, "value", np.int8, (m,), FALSE, TRUE)
    reason, level = expect(memory, "reason", np.int32, (m,)), expect(memory, "level", np.int32, (m,), 0, guesses)
    trail = expect(memory, "trail", np.uint32, (m,), 0, max(m - 1, 0))
    tally = expect(memory, "tally", np.int32, (count,))
    levels = expect(memory, "levels", np.int32, (guesses + 1,), 0, m)
    numbers = expect(memory, "counters", np.int64, (counters,), -LARGEST, LARGEST)
    size, head, depth = (int(numbers[place]) for place in (SIZE, HEAD, DEPTH))
    if not (0 <= head <= size <= m and 0 <= depth <= guesses):
        raise ValueError("the counters are not of this board")
    decided, places = trail[:size].astype(np.int64), levels[:depth].astype(np.int64)
    if len(np.unique(decided)) != size or not np.array_equal(np.sort(decided), np.flatnonzero(value != OPEN)):
        raise ValueError("the trail is not what is decided")
    if depth and ((np.diff(places) <= 0).any() or places[-1] >= size):
        raise ValueError("the levels are not places of the trail in their order")
    if (level[decided] != np.searchsorted(places, np.arange(size), side="right")).any():
        raise ValueError("what is decided is of other levels")
    if (value[decided[places]] != TRUE).any() or (reason[decided[places]] != DECIDED).any():
        raise ValueError("a guess is not a candidate")
    if not np.array_equal(tally, _tallies(value, groups)):
        raise ValueError("the tallies do not count the candidates")
    settled = decided[:head][value[decided[:head]] == TRUE]
    if not numbers[DONE] and np.bincount(groups.of(settled), minlength=1).max() > 1:
        raise ValueError("two candidates of a group are true")
    _check_reasons(value, reason, decided, groups)


def _tallies(value: NDArray[np.int8], groups: Groups) -> Ints:
    """How many candidates of each group are not false, and the XOR of their numbers."""
    members, starts = groups.placed, groups.starts[: groups.total]
    if not len(members):
        return np.zeros(groups.total, np.int32)
    left = value[members] != FALSE
    counts = np.add.reduceat(left.astype(np.int32), starts)
    names = np.bitwise_xor.reduceat(np.where(left, members, 0), starts).astype(np.int32)
    return np.asarray(counts * PLACE | names, np.int32)


def _check_reasons(value: NDArray[np.int8], reason: Ints, decided: NDArray[np.int64], groups: Groups) -> None:
    """A true one is the last of a group, a false one excluded by a true one: all decided before it."""
    m, count = len(value), groups.total
    place = np.full(m, m)
    place[decided] = np.arange(len(decided))
    false = decided[(value[decided] == FALSE) & (reason[decided] >= 0)]
    causes = reason[false]
    if (causes >= m).any() or (value[causes] != TRUE).any() or (place[causes] >= place[false]).any():
        raise ValueError("a candidate is false for no reason")
    true = decided[(value[decided] == TRUE) & (reason[decided] >= 0)]
    causes = reason[true]
    if (causes >= count).any():
        raise ValueError("a candidate is true for no reason")
    if len(true):
        last = np.maximum.reduceat(place[groups.placed], groups.starts[:count])[causes]
        if (last != place[true]).any():  # no other candidate has this place: it is a member
            raise ValueError("a candidate is true for no reason")


def check_clauses(memory: Memory, candidates: int) -> None:
    """ValueError where these are not clauses about this many candidates; the board was checked before."""
    literals = 2 * candidates
    pool, places = expect(memory, "pool", np.int32, (None,)), expect(memory, "places", np.int32, (None,))
    nodes = expect(memory, "nodes", np.int32, (2 * len(places), 3))
    heads = expect(memory, "heads", np.int32, (literals,), -1, max(2 * len(places) - 1, -1))
    count, used, limit = (int(memory["counters"][place]) for place in (COUNT, USED, LIMIT))
    if not (0 <= count <= limit <= len(places) and 0 <= used <= len(pool) - candidates - LITERALS - 1):
        raise ValueError("there is no space for one more clause")
    begins = places[:count].astype(np.int64)
    if count and not (begins[0] == 0 and (np.diff(begins) > LITERALS).all() and begins[-1] <= used - LITERALS):
        raise ValueError("the clauses are not one after the other")
    lengths = pool[begins + LENGTH].astype(np.int64)
    if not np.array_equal(begins + LITERALS + lengths, np.append(begins[1:], used)[:count]) or (lengths < 2).any():
        raise ValueError("the clauses are not one after the other")
    if count:
        written = np.ones(used, np.bool_)
        written[(begins[:, None] + np.arange(LITERALS)).ravel()] = False
        words = pool[:used][written]
        if words.min() < 0 or words.max() >= literals:
            raise ValueError("a clause is about candidates that do not exist")
    _check_lists(nodes[: 2 * count], heads, np.repeat(begins, 2), literals)
    _check_clause_reasons(memory, begins, lengths)


def _check_lists(nodes: Ints, heads: Ints, places: NDArray[np.int64], literals: int) -> None:
    """Every node is in one list, and every list ends."""
    count = len(nodes)
    following, met = nodes[:, 0].astype(np.int64), np.concatenate((nodes[:, 0], heads))
    if not np.array_equal(np.sort(met[met >= 0]), np.arange(count)) or (met < -1).any():
        raise ValueError("a watched literal is not in one list")
    if (nodes[:, 2] != places).any() or (count and (nodes[:, 1].min() < 0 or nodes[:, 1].max() >= literals)):
        raise ValueError("a node is of another clause")
    following = np.append(np.where(following < 0, count, following), count)
    for _ in range(count.bit_length()):  # twice as far each time
        following = following[following]
    if (following != count).any():
        raise ValueError("a list of watched literals never ends")


def _check_clause_reasons(memory: Memory, begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
    """Beyond the first level, what a clause made true is its one true literal, and the last of them decided."""
    value, reason, level, pool = (memory[name] for name in ("value", "reason", "level", "pool"))
    decided = memory["trail"][: int(memory["counters"][SIZE])].astype(np.int64)
    place = np.full(len(value), len(value))
    place[decided] = np.arange(len(decided))
    for candidate in decided[(reason[decided] < DECIDED) & (level[decided] > 0)]:
        start = -2 - int(reason[candidate])
        number = int(np.searchsorted(begins, start))
        if number == len(begins) or begins[number] != start:
            raise ValueError("a clause that decided something is missing")
        literals = pool[start + LITERALS : start + LITERALS + lengths[number]]
        others = literals[literals >> 1 != candidate] >> 1
        if len(others) != len(literals) - 1 or (place[others] >= place[candidate]).any():
            raise ValueError("a clause has decided something before its time")


def check_message(message: NDArray[np.int32], candidates: int) -> None:
    """ValueError where these are not clauses that another island tells."""
    if message.dtype != np.int32 or message.ndim != 1:
        raise ValueError("clauses that another island tells are not a list of numbers")
    place = 0
    while place < len(message):
        length = int(message[place])
        literals = message[place + 2 : place + 2 + length]
        if length < 1 or len(literals) < length or literals.min() < 0 or literals.max() >= 2 * candidates:
            raise ValueError("a clause that another island tells is about candidates that do not exist")
        place += 2 + length
