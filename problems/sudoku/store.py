"""The learnt clauses of an island's memory: space for more, fewer of them, and those that are sent to other islands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Memory
from problems.sudoku.clauses import DISTANCE, LENGTH, LITERALS, MARKS, SENT, USEFUL, Clauses, watch_all
from problems.sudoku.groups import Ints, spread
from problems.sudoku.learn import COUNT, LIMIT, REDUCTIONS, USED
from problems.sudoku.propagate import DECIDED, FALSE, TRUE, Board, set_false, set_true
from problems.sudoku.search import DEPTH, DONE, FOUND, SIZE

FIRST_LIMIT = 1000  # clauses before the first reduction ...
MORE = 200  # ... and this many more before each later one
SPARE = 500  # places for new clauses, however many are kept
GOOD, FAIR = 2, 6  # distances of clauses that are kept for ever, and while they are of use
KEPT = 0.3  # of the others
LONGEST_SENT = 8  # literals of the longest clause that is sent to other islands, unless its distance is good
MOST_SENT = 500  # clauses in one message


def clauses_of(memory: Memory) -> Clauses:
    return Clauses(*(memory[name] for name in Clauses._fields))


def begin(memory: Memory, candidates: int) -> None:
    """No clauses yet."""
    memory.update(pool=np.zeros(0, np.int32), places=np.zeros(0, np.int32), nodes=np.zeros((0, 3), np.int32))
    memory["heads"] = np.full(2 * candidates, -1, np.int32)
    memory["counters"][LIMIT] = FIRST_LIMIT
    make_space(memory)


def make_space(memory: Memory) -> None:
    """Arrays long enough for `limit` clauses, and a pool that any one more clause fits into."""
    counters, candidates = memory["counters"], len(memory["heads"]) // 2
    if counters[LIMIT] > len(memory["places"]):
        memory["places"] = _longer(memory["places"], int(counters[LIMIT]))
        memory["nodes"] = _longer(memory["nodes"], 2 * int(counters[LIMIT]))
    needed = int(counters[USED]) + candidates + LITERALS + 1
    if needed > len(memory["pool"]):
        memory["pool"] = _longer(memory["pool"], needed + needed // 2 + 16 * int(counters[LIMIT]))


def reduce(memory: Memory, value: NDArray[np.int8]) -> None:
    """Drop the worst clauses and what is decided; nothing may be guessed. Afterwards there is space for more."""
    counters = memory["counters"]
    places, lengths, literals = _listed(memory)
    count = len(places)
    owner = np.repeat(np.arange(count), lengths)
    known = _truths(value, literals)
    pool = memory["pool"]
    distance, marks = pool[places + DISTANCE], pool[places + MARKS]
    is_open = np.bincount(owner[known == TRUE], minlength=count) == 0
    keep = (distance <= GOOD) | ((distance <= FAIR) & (marks & USEFUL > 0))
    others = np.flatnonzero(~keep & is_open)
    best = others[np.lexsort((lengths[others], distance[others]))]
    keep[best[: int(KEPT * len(best))]] = True
    keep &= is_open
    stays = keep[owner] & (known != FALSE)
    lengths = np.bincount(owner[stays], minlength=count)[keep]
    counters[REDUCTIONS] += 1
    counters[LIMIT] = FIRST_LIMIT + MORE * counters[REDUCTIONS]
    _rebuild(memory, lengths, distance[keep], marks[keep] & ~USEFUL, literals[stays])


def share(memory: Memory) -> dict[str, NDArray[Any]]:
    """What holds for every island of the same puzzle: decided candidates, and good clauses not sent before.

    After the first solution nothing is sent: solutions that were found are excluded here, but not elsewhere.
    """
    if "pool" not in memory or memory["counters"][FOUND]:
        return {}
    counters, pool = memory["counters"], memory["pool"]
    places, lengths, _ = _listed(memory)
    new = (pool[places + MARKS] & SENT) == 0
    worth = np.flatnonzero(new & ((pool[places + DISTANCE] <= GOOD) | (lengths <= LONGEST_SENT)))
    best = worth[np.lexsort((lengths[worth], pool[places[worth] + DISTANCE]))][:MOST_SENT]
    pool[places[best] + MARKS] |= SENT
    size = int(counters[SIZE] if counters[DEPTH] == 0 else memory["levels"][0])
    decided = memory["trail"][int(memory["told"][0]) : size].astype(np.int64)
    memory["told"][0] = size
    units = 2 * decided + (memory["value"][decided] == FALSE)
    words = [np.stack((np.ones_like(units), np.zeros_like(units), units), axis=1).ravel()]
    for place, length in zip(places[best], lengths[best], strict=True):
        words += [pool[place : place + 2], pool[place + LITERALS : place + LITERALS + length]]
    message = np.concatenate(words).astype(np.int32)
    return {"clauses": message} if len(message) else {}


def absorb(memory: Memory, board: Board, message: Ints) -> None:
    """Add the clauses that other islands sent; nothing may be guessed."""
    counters = memory["counters"]
    lengths, distances, kept = [], [], []
    size, place = int(counters[SIZE]), 0
    while place < len(message):
        length, distance = message[place : place + 2].tolist()
        literals = message[place + 2 : place + 2 + length]
        place += 2 + length
        known = _truths(board.value, literals)
        literals = literals[known != FALSE]
        if (known == TRUE).any():
            continue
        if not len(literals):
            counters[DONE] = 1
        elif len(literals) == 1:
            assign = set_false if literals[0] & 1 else set_true
            size = assign(board, np.uint32(literals[0] >> 1), DECIDED, 0, size)
        else:
            lengths.append(len(literals))
            distances.append(min(distance, len(literals)))
            kept.append(literals)
    counters[SIZE] = size
    if kept:
        places, own, old = _listed(memory)
        pool = memory["pool"]
        _rebuild(
            memory,
            np.concatenate((own, lengths)),
            np.concatenate((pool[places + DISTANCE], distances)),
            np.concatenate((pool[places + MARKS], np.full(len(kept), USEFUL | SENT))),
            np.concatenate((old, *kept)),
        )


def _truths(value: NDArray[np.int8], literals: NDArray[Any]) -> NDArray[np.int8]:
    """TRUE, OPEN or FALSE of each literal."""
    known = value[literals >> 1]
    return np.asarray(np.where(literals & 1, -known, known))


def _rebuild(
    memory: Memory,
    lengths: NDArray[np.int64],
    distances: NDArray[Any],
    marks: NDArray[Any],
    literals: NDArray[Any],
) -> None:
    """These are the clauses."""
    ends = np.cumsum(lengths + LITERALS)
    places = ends - lengths - LITERALS
    counters = memory["counters"]
    counters[COUNT], counters[USED] = len(places), ends[-1] if len(ends) else 0
    counters[LIMIT] = max(int(counters[LIMIT]), len(places) + SPARE)
    make_space(memory)
    pool = memory["pool"]
    pool[places + LENGTH], pool[places + DISTANCE], pool[places + MARKS] = lengths, distances, marks
    pool[spread(places + LITERALS, lengths)] = literals
    memory["places"][: len(places)] = places
    watch_all(clauses_of(memory), len(places))


def _listed(memory: Memory) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Place and length of each clause, and the literals of all."""
    places = memory["places"][: memory["counters"][COUNT]].astype(np.int64)
    lengths = memory["pool"][places + LENGTH].astype(np.int64)
    return places, lengths, memory["pool"][spread(places + LITERALS, lengths)].astype(np.int64)


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.zeros((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
