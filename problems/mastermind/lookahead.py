"""The best guess for a set of codes, by looking ahead to the end of the game: a beam search over strategies.

A set's total is the number of guesses that it takes to find each of its codes, summed. Two codes take 3; n codes take
at least 2n - 1, if one of them tells all others apart, and 2n if another code does. Else the guesses that look best by
a table of usual totals are tried, and each of the sets that they leave is solved the same way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from problems.mastermind.packed import Responses

Table = NDArray[np.int32]
Totals = NDArray[np.float64]

DEPTH = 18  # guesses ahead: with one peg, each of 16 colours may take one
PIECE = 1_000  # sets that are solved between two looks: at most some tenths of a second
ALIKE = 2  # guesses of the same score that are tried: most of them are images of each other
LOW, HIGH, KEPT, TRIED, RESPONSE, START, CURSOR = range(7)  # places in a frame
LEAST, TOTAL = range(2)  # places in `sums`


class Search(NamedTuple):
    """Tables and work space of a search; c guesses, of which the first n are the codes."""

    responses: Responses  # (c, n) to each guess, if each code were the secret
    totals: Totals  # (n + 1,) usual total of a set of each size
    beams: Table  # (DEPTH,) how many guesses to try at each depth
    win: int  # the response to the right guess
    members: Table  # (DEPTH, n)
    counts: Table  # (DEPTH, responses)
    starts: Table  # (DEPTH, responses)
    tops: Table  # (DEPTH, beam)
    scores: Totals  # (DEPTH, beam)
    best: Table  # (DEPTH,)
    frames: Table  # (DEPTH, 7)
    sums: Totals  # (DEPTH, 2)


@inner_kernel
def _score(search: Search, depth: int, low: int, high: int, guess: int) -> Any:
    """The total of the set if every set that the guess leaves took the usual; as -1 where all are told apart."""
    members, counts, row = search.members[depth], search.counts[depth], search.responses[guess]
    for k in range(low, high):
        counts[row[members[k]]] += 1
    score, parts = np.float64(high - low), 0
    for k in range(low, high):
        response = row[members[k]]
        if counts[response]:
            parts += 1
            if response != search.win:
                score += search.totals[counts[response]]
            counts[response] = 0
    return np.float64(-1.0) if parts == high - low else score


@inner_kernel
def _split(search: Search, depth: int, low: int, high: int, guess: int) -> None:
    """Order the set by response into the next depth; starts[depth, r] is where those of response r begin."""
    members, row = search.members[depth], search.responses[guess]
    starts, below = search.starts[depth], search.members[depth + 1]
    kinds = search.counts.shape[1]
    for response in range(kinds):
        starts[response] = 0
    for k in range(low, high):
        starts[row[members[k]]] += 1
    place = low
    for response in range(kinds):
        place += starts[response]
        starts[response] = place
    for k in range(high - 1, low - 1, -1):
        response = row[members[k]]
        starts[response] -= 1
        below[starts[response]] = members[k]


@inner_kernel
def _open(search: Search, depth: int, low: int, high: int, limit: float) -> Any:
    """The total of a set that is solved at a glance, its guess in best[depth]; else -1, with the guesses to try."""
    size, members = high - low, search.members[depth]
    search.best[depth] = members[low]
    if size <= 2:
        return np.float64(2 * size - 1)
    if depth + 2 >= search.members.shape[0]:
        return np.float64(size * size)
    for k in range(low, high):
        if _score(search, depth, low, high, members[k]) < 0:
            search.best[depth] = members[k]
            return np.float64(2 * size - 1)
    if 2 * size >= limit:
        return limit
    beam, kept = search.beams[depth], 0
    tops, scores = search.tops[depth], search.scores[depth]
    for guess in range(search.responses.shape[0]):
        score = _score(search, depth, low, high, guess)
        if score < 0:
            search.best[depth] = guess
            return np.float64(2 * size)
        if kept == beam and score >= scores[kept - 1]:
            continue
        same = 0
        for k in range(kept):
            same += scores[k] == score
        if same >= ALIKE:
            continue
        k = kept if kept < beam else beam - 1
        kept = k + 1
        while k > 0 and scores[k - 1] > score:
            scores[k], tops[k] = scores[k - 1], tops[k - 1]
            k -= 1
        scores[k], tops[k] = score, guess
    frame, sums = search.frames[depth], search.sums[depth]
    frame[LOW], frame[HIGH], frame[KEPT], frame[TRIED], frame[CURSOR] = low, high, kept, -1, 0
    sums[LEAST] = limit
    return np.float64(-1.0)


@inner_kernel
def _next_set(search: Search, depth: int) -> bool:
    """Find the next set to solve below this one: from frame[START] to frame[CURSOR]; False where all is tried."""
    frame, sums, starts, kinds = search.frames[depth], search.sums[depth], search.starts[depth], search.counts.shape[1]
    while True:
        if frame[TRIED] >= 0:
            while frame[RESPONSE] < kinds and sums[TOTAL] < sums[LEAST]:
                response = frame[RESPONSE]
                start = starts[response]
                end = starts[response + 1] if response + 1 < kinds else frame[HIGH]
                frame[RESPONSE] += 1
                if end - start > 2 and response != search.win:
                    frame[START], frame[CURSOR] = start, end
                    sums[TOTAL] -= 2 * (end - start) - 1
                    return True
            if sums[TOTAL] < sums[LEAST]:
                sums[LEAST], search.best[depth] = sums[TOTAL], search.tops[depth, frame[TRIED]]
        frame[TRIED] += 1
        if frame[TRIED] == frame[KEPT]:
            return False
        _split(search, depth, frame[LOW], frame[HIGH], search.tops[depth, frame[TRIED]])
        frame[RESPONSE] = 0
        sums[TOTAL] = frame[HIGH] - frame[LOW]
        for response in range(kinds):  # what no strategy can do without
            part = (starts[response + 1] if response + 1 < kinds else frame[HIGH]) - starts[response]
            if part and response != search.win:
                sums[TOTAL] += 2 * part - 1


@lean_kernel
def _go_on(search: Search, first: int, size: int, place: Table, sets: int) -> Any:
    """Go on from depth place[0], or begin where that is -1: the total of the whole set, or -1 after `sets` sets."""
    depth, value = place[0], np.float64(-1.0)
    if depth < 0:
        depth = first
        value = _open(search, depth, 0, size, np.float64(1e18))
    while True:
        if value >= 0:
            if depth == first:
                return value
            depth -= 1
            search.sums[depth, TOTAL] += value
        if sets == 0:
            place[0] = depth
            return np.float64(-1.0)
        if _next_set(search, depth):
            frame, sums = search.frames[depth], search.sums[depth]
            depth += 1
            value = _open(search, depth, frame[START], frame[CURSOR], sums[LEAST] - sums[TOTAL])
            sets -= 1
        else:
            value = search.sums[depth, LEAST]


def solve(search: Search, first: int, size: int) -> float:
    """The total of members[first, :size], its guess in best[first]: depth first, with a stack of its own, as a compiled
    function that calls itself cannot be cached; in pieces, between which Ctrl-C is heard."""
    place = np.full(1, -1, np.int32)
    while True:
        total = float(_go_on(search, first, size, place, PIECE))
        if total >= 0:
            return total
