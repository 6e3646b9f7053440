"""The codes that a history leaves where there are too many codes to walk through: from two halves that fit.

Half codes are grouped by their colours, placed anyhow. Whether two groups fit is a matter of colours alone (blacks and
whites together); of two groups that fit, two half codes do if their blacks add up. Every code that is left is counted;
of many, a regular sample is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from problems.mastermind.consistent import Counters, History, Table
from problems.mastermind.judge import Code
from problems.mastermind.packed import Words, all_codes, pack

MOST_HALVES = 60_000  # of one side
JOINED_TURNS = 16  # at most: their blacks fit in a word
TOTAL, KEPT, STRIDE, PHASE = range(4)  # places in `counters`


@dataclass(frozen=True)
class Half:
    """Half codes by their colours: group g has the rows starts[g]:starts[g + 1]."""

    codes: Table  # (n, pegs)
    words: Words  # (n,) packed
    counts: Words  # (groups, words) pegs of each colour, 8 bits each
    starts: Table  # (groups + 1,)


@cache
def half_codes(pegs: int, colours: int) -> Half:
    codes = all_codes(pegs, colours)
    counts = (codes[:, :, None] == np.arange(colours)).sum(axis=1).astype(np.int32)
    groups, number = np.unique(counts, axis=0, return_inverse=True)
    order = np.argsort(number.reshape(-1), kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(number.reshape(-1))))).astype(np.int32)
    ordered = np.ascontiguousarray(codes[order])
    return Half(ordered, pack(ordered, colours).nibbles, _in_bytes(groups), starts)


def can_join(pegs: int, colours: int) -> bool:
    """Whether half of the pegs have few enough codes."""
    return bool(pegs >= 2 and colours ** (pegs - pegs // 2) <= MOST_HALVES)


def _in_bytes(counts: Table) -> Words:
    """(n, colours) -> (n, words), 8 bits for each colour."""
    padded = np.zeros((len(counts), -(-counts.shape[1] // 8) * 8), np.uint8)
    padded[:, : counts.shape[1]] = counts
    return padded.view("<u8").astype(np.uint64)


@inner_kernel
def _fits(left: Words, right: Words, counts: Words, alien: Table) -> bool:
    """Whether in every turn as many pegs of the two groups have no like in the guess as the judge said."""
    high, low = np.uint64(0x8080808080808080), np.uint64(0x0101010101010101)
    for turn in range(counts.shape[0]):
        beyond = np.int64(0)
        for k in range(left.shape[0]):
            less = ((left[k] + right[k]) | high) - counts[turn, k]  # in each byte; its high bit says: not negative
            kept = less & high
            beyond += np.int64(((less & (kept - (kept >> np.uint64(7)))) * low) >> np.uint64(56))
        if beyond != alien[turn]:
            return False
    return True


@lean_kernel
def _pair(left_counts: Words, right_counts: Words, counts: Words, alien: Table, pairs: Table) -> Any:
    """The pairs of groups that fit, as left * groups + right; returns how many."""
    new = 0
    for a in range(left_counts.shape[0]):
        for b in range(right_counts.shape[0]):
            if _fits(left_counts[a], right_counts[b], counts, alien):
                pairs[new] = a * right_counts.shape[0] + b
                new += 1
    return new


@lean_kernel
def _join(
    pairs: Table, left_counts: Words, right_counts: Words, counts: Words, alien: Table, left_starts: Table,
    right_starts: Table, left_blacks: Words, right_blacks: Words, blacks: np.uint64, left_words: Words,
    right_words: Words, kept: Words, counters: Counters,
) -> None:  # fmt: skip
    """Count every code that fits; keep each STRIDE-th of them in `kept`, and when that is full every second."""
    for pair in pairs:
        a, b = pair // right_counts.shape[0], pair % right_counts.shape[0]
        if not _fits(left_counts[a], right_counts[b], counts, alien):
            continue
        for i in range(left_starts[a], left_starts[a + 1]):
            missing = blacks - left_blacks[i]
            for j in range(right_starts[b], right_starts[b + 1]):
                if right_blacks[j] != missing:
                    continue
                counters[TOTAL] += 1
                counters[PHASE] += 1
                if counters[PHASE] < counters[STRIDE]:
                    continue
                counters[PHASE] = 0
                if counters[KEPT] == kept.shape[0]:
                    for k in range(kept.shape[0] // 2):
                        kept[k] = kept[2 * k]
                    counters[KEPT] = kept.shape[0] // 2
                    counters[STRIDE] *= 2
                kept[counters[KEPT]] = left_words[i] | right_words[j]
                counters[KEPT] += 1


@lru_cache(maxsize=16)
def _pairs(pegs: int, colours: int, guess: Code, alien: int) -> Table:
    """The pairs of groups that fit a first turn, which is the same in all games of a player."""
    left, right = half_codes(pegs // 2, colours), half_codes(pegs - pegs // 2, colours)
    counts = np.bincount(guess, minlength=colours)[None].astype(np.int32)
    pairs = np.empty(len(left.counts) * len(right.counts), np.int32)
    return pairs[: _pair(left.counts, right.counts, _in_bytes(counts), np.array([alien], np.int32), pairs)].copy()


def joined(history: History, most: int) -> tuple[Words, int]:
    """The nibbles of all codes that a history of 1 to 16 turns leaves, or of a sample of `most`, and how many there
    are."""
    pegs, colours = history.pegs, history.colours
    cut = pegs // 2
    left, right = half_codes(cut, colours), half_codes(pegs - cut, colours)
    kept, counters = np.empty(most, np.uint64), np.array([0, 0, 1, 0], np.int64)
    alien = (pegs - history.said[1]).astype(np.int32)
    _join(
        _pairs(pegs, colours, tuple(history.guesses[0].tolist()), int(alien[0])),
        left.counts, right.counts, _in_bytes(history.counts)[1:], alien[1:], left.starts, right.starts,
        _blacks(left, history.guesses[:, :cut]), _blacks(right, history.guesses[:, cut:]),
        _word(history.said[0].astype(np.uint64)[:, None])[0],
        left.words, right.words << np.uint64(4 * cut), kept, counters,
    )  # fmt: skip
    return kept[: counters[KEPT]], int(counters[TOTAL])


def _blacks(half: Half, guesses: Table) -> Words:
    """Of each half code the blacks of every turn, 4 bits each."""
    return _word((half.codes[None] == guesses[:, None]).sum(axis=2).astype(np.uint64))


def _word(rows: NDArray[Any]) -> Words:
    """(turns, n) -> (n,)"""
    word = np.zeros(rows.shape[1], np.uint64)
    for turn, row in enumerate(rows):
        word |= row << np.uint64(4 * turn)
    return word
