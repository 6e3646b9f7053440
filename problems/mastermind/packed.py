"""Codes packed into words, and what the judge would say of them by the million.

A code is a word of 4-bit colours, peg 0 lowest; its colours in unary are further words: `pegs` bits for each colour, as
many of them set as the code has pegs of it. Two codes have a peg in common where a XOR has a zero nibble, and as many
colours in common, placed or not, as an AND has bits.

    response    blacks * (pegs + 1) + blacks and whites: one number for what the judge says
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import inner_kernel, lean_kernel
from islands.operators.space import Genomes

Words = NDArray[np.uint64]
Responses = NDArray[np.uint8]
Counts = NDArray[np.int32]


@dataclass(frozen=True)
class Codes:
    """A batch of packed codes."""

    nibbles: Words  # (n,)
    unary: Words  # (n, words)

    def __len__(self) -> int:
        return len(self.nibbles)

    def __getitem__(self, rows: Any) -> Codes:
        """A batch again: rows are a slice, numbers or a mask."""
        return Codes(self.nibbles[rows], self.unary[rows])


@inner_kernel
def _ones(word: np.uint64) -> Any:
    """How many bits are 1; the compiler knows this formula and makes one instruction of it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner_kernel
def _common_pegs(a: np.uint64, b: np.uint64, pegs: int) -> Any:
    """In how many pegs two codes agree."""
    differ = a ^ b
    differ |= differ >> np.uint64(2)
    differ |= differ >> np.uint64(1)
    return pegs - _ones(differ & np.uint64(0x1111111111111111))


@lean_kernel
def _pack(genomes: Genomes, pegs: int, nibbles: Words, unary: Words) -> None:
    for row in range(genomes.shape[0]):
        word = np.uint64(0)
        for peg in range(pegs):
            colour = genomes[row, peg]
            word |= np.uint64(colour) << np.uint64(4 * peg)
            bit = colour * pegs
            while unary[row, bit >> 6] >> np.uint64(bit & 63) & np.uint64(1):
                bit += 1
            unary[row, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
        nibbles[row] = word


@inner_kernel
def _answer(guesses: Words, guess_unary: Words, g: int, nibbles: Words, unary: Words, row: int, pegs: int) -> Any:
    """The response to guess g if the code of a row were the secret."""
    both = 0
    for k in range(unary.shape[1]):
        both += _ones(guess_unary[g, k] & unary[row, k])
    return _common_pegs(guesses[g], nibbles[row], pegs) * (pegs + 1) + both


@lean_kernel
def _judge(guesses: Words, guess_unary: Words, nibbles: Words, unary: Words, pegs: int, answers: Responses) -> None:
    for g in range(guesses.shape[0]):
        for row in range(nibbles.shape[0]):
            answers[g, row] = _answer(guesses, guess_unary, g, nibbles, unary, row, pegs)


@lean_kernel
def _tally(guesses: Words, guess_unary: Words, nibbles: Words, unary: Words, pegs: int, counts: Counts) -> None:
    for g in range(guesses.shape[0]):
        for row in range(nibbles.shape[0]):
            counts[g, _answer(guesses, guess_unary, g, nibbles, unary, row, pegs)] += 1


def pack(genomes: Genomes, colours: int) -> Codes:
    """Codes (n, pegs), of colours from 0, packed."""
    pegs = genomes.shape[1]
    codes = Codes(np.zeros(len(genomes), np.uint64), np.zeros((len(genomes), -(-pegs * colours // 64)), np.uint64))
    _pack(np.ascontiguousarray(genomes, np.int32), pegs, codes.nibbles, codes.unary)
    return codes


def unpack(nibbles: Words | np.uint64, pegs: int) -> Genomes:
    """The words as codes, (n,) -> (n, pegs); a single one as (pegs,)."""
    places = np.arange(0, 4 * pegs, 4, dtype=np.uint64)
    return ((np.asarray(nibbles)[..., None] >> places) & np.uint64(15)).astype(np.int32)


def responses(guess: Codes, codes: Codes, pegs: int) -> Responses:
    """What the judge would say to a guess (a batch of one) if each code were the secret, (n,)."""
    found: Responses = response_table(guess, codes, pegs)[0]
    return found


def response_table(guesses: Codes, codes: Codes, pegs: int) -> Responses:
    """The same for each of many guesses, (guesses, n)."""
    answers = np.empty((len(guesses), len(codes)), np.uint8)
    _judge(guesses.nibbles, guesses.unary, codes.nibbles, codes.unary, pegs, answers)
    return answers


def tally(guesses: Codes, codes: Codes, pegs: int) -> Counts:
    """How many of the codes give each response to each guess, (guesses, (pegs + 1) ** 2)."""
    counts = np.zeros((len(guesses), (pegs + 1) ** 2), np.int32)
    _tally(guesses.nibbles, guesses.unary, codes.nibbles, codes.unary, pegs, counts)
    return counts


def response(blacks: int, whites: int, pegs: int) -> int:
    """The number of an answer of the judge."""
    return blacks * (pegs + 1) + blacks + whites


def all_codes(pegs: int, colours: int) -> Genomes:
    """Every code in order, (colours ** pegs, pegs)."""
    numbers = np.arange(colours**pegs, dtype=np.int64)[:, None]
    return (numbers // colours ** np.arange(pegs - 1, -1, -1, dtype=np.int64) % colours).astype(np.int32)
