"""The next guess for a set of codes: among codes of the set and free ones, the one after which least is to be expected.

A guess splits the set by what the judge would answer; a rule of thumb says what a part of its size costs. In
small sets the best guesses are looked through to the end, in large ones one guess further.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.operators.space import Genomes
from problems.mastermind import lookahead
from problems.mastermind.judge import Code
from problems.mastermind.packed import Codes, pack, response_table, responses, tally, unpack

Reals = NDArray[np.float64]

SMALL = 400  # codes of a set that is looked through to the end
MEDIUM, MEDIUM_COLOURS = 1_000, 5  # ... with narrow beams; with fewer colours a guess tells too little for it
TRIED, AHEAD, REPLIES = 12, 20_000, 60  # guesses for a large set that are looked behind, against codes, with replies
WEIGHED, FINALISTS = 6_000, 60  # codes of a large set that the best guesses are weighed against
CLIMBED = 1_200  # ... and those on the way there
OWN = 800  # codes of a large set that are weighed as guesses
CLIMBERS, ROUNDS = 5, 8  # guesses that are improved step by step
FREE = 800  # guesses that do not belong to the set, for looking ahead
BEAMS, NARROW = (16, 8, 5, 3), (8, 4, 2, 1)
FITS = {(8, 12): (1.27, 0.36)}  # guesses for a set: a constant, and what each e-fold of its size adds
OPENINGS = {  # found by building the whole tree after several, or, at (8,12), by weighing what two guesses more leave
    (4, 6): (0, 0, 1, 2),
    (5, 8): (0, 0, 1, 2, 3),
    (6, 9): (0, 0, 1, 1, 2, 3),
    (8, 12): (0, 0, 1, 1, 2, 2, 3, 3),
}


class Planner:
    """Plans for one game."""

    def __init__(self, pegs: int, colours: int, beams: tuple[int, ...] = BEAMS) -> None:
        self.pegs, self.colours, self.beams = pegs, colours, beams
        self.win = pegs * (pegs + 1) + pegs
        usual = 1.15, 0.1525 + 0.785 / math.log(max(2, pegs * (pegs + 3) // 2))
        self._level, self._slope = FITS.get((pegs, colours), usual)
        self._steps = self._neighbourhood()

    def guesses_each(self, sizes: Any) -> Reals:
        """How many guesses a code takes, on average, in sets of these sizes (a fit over whole games)."""
        sizes = np.maximum(sizes, 1.0)
        many: Reals = np.maximum(2 - 1 / sizes, self._level + self._slope * np.log(sizes))
        return np.where(sizes > 1, many, 1.0)

    def scores(self, guesses: Codes, codes: Codes, total: float) -> Reals:
        """How many guesses a code takes on average after each guess; `codes` are a sample of `total`."""
        counts = tally(guesses, codes, self.pegs).astype(np.float64)
        counts[:, self.win] = 0
        each: Reals = counts * self.guesses_each(counts * (total / len(codes)))
        return np.asarray(each.sum(axis=1) / len(codes))

    def guess(self, codes: Codes, total: int) -> np.uint64:
        """The nibbles of the next guess; `codes`, in random order, are all or a sample of a set of `total`."""
        if total <= 2:
            return np.uint64(codes.nibbles[0])
        if total <= SMALL:
            return self.look_ahead(codes)
        if total <= MEDIUM and self.colours >= MEDIUM_COLOURS:
            return Planner(self.pegs, self.colours, NARROW).look_ahead(codes)
        best = self.pool(codes, total)[:TRIED]
        left = [self.behind(best[[k]], codes[:AHEAD], total) for k in range(len(best))]
        return np.uint64(best.nibbles[int(np.argmin(left))])

    def behind(self, guess: Codes, codes: Codes, total: float) -> float:
        """How many guesses a code takes on average after one (a batch of one), if a good one follows each answer."""
        answers = responses(guess, codes, self.pegs)
        order = answers.argsort(kind="stable")
        cuts = np.flatnonzero(np.diff(answers[order])) + 1
        guesses = 0.0
        for rows in np.split(order, cuts):
            if answers[rows[0]] != self.win:
                part = codes[rows]
                each = self.scores(part[:REPLIES], part, total * len(part) / len(codes))
                guesses += len(part) * (1 + float(each.min()))
        return guesses / len(codes)

    def opening(self) -> Code:
        """The first guess: how many pegs have the same colour is all that matters."""
        if (self.pegs, self.colours) in OPENINGS:
            return OPENINGS[self.pegs, self.colours]
        shapes = [
            [colour for colour, many in enumerate(shape) for _ in range(many)]
            for shape in _partitions(self.pegs, self.pegs)
            if len(shape) <= self.colours
        ]
        some = np.random.default_rng(0).integers(0, self.colours, (WEIGHED, self.pegs), np.int32)
        scores = self.scores(
            pack(np.array(shapes, np.int32), self.colours),
            pack(some, self.colours),
            float(self.colours) ** self.pegs,
        )
        return tuple(shapes[int(scores.argmin())])

    def pool(self, codes: Codes, total: int) -> Codes:
        """Guesses worth a thought, of the set and free ones, the best first."""
        some = codes[:CLIMBED]
        pools = [codes[:OWN]]
        scores = [self.scores(pools[0], some, total)]
        for _ in range(ROUNDS):
            best = np.concatenate(scores).argsort(kind="stable")[:CLIMBERS]
            near = self.near(_joined(pools)[best])
            near = near[~np.isin(near.nibbles, np.concatenate([pool.nibbles for pool in pools]))]
            if not len(near):
                break
            pools.append(near)
            scores.append(self.scores(near, some, total))
            if scores[-1].min() >= min(part.min() for part in scores[:-1]):
                break
        pool = _joined(pools)[np.concatenate(scores).argsort(kind="stable")]
        if len(codes) <= CLIMBED:
            return pool
        finalists = pool[:FINALISTS]
        return finalists[self.scores(finalists, codes[:WEIGHED], total).argsort(kind="stable")]

    def near(self, codes: Codes) -> Codes:
        """All codes that differ from one of these in a peg, or by an exchange of two."""
        genomes = unpack(codes.nibbles, self.pegs)
        changes, swaps = self._steps
        moved = (genomes[:, None, :] + changes) % self.colours
        near = np.concatenate((moved.reshape(-1, self.pegs), genomes[:, swaps].reshape(-1, self.pegs)))
        packed = pack(near, self.colours)
        return packed[np.unique(packed.nibbles, return_index=True)[1]]

    def _neighbourhood(self) -> tuple[Genomes, Genomes]:
        """What is added to a code, (k, pegs), and which pegs it is read from, (l, pegs)."""
        changes = [
            [step if peg == place else 0 for peg in range(self.pegs)]
            for place in range(self.pegs)
            for step in range(1, self.colours)
        ]
        swaps = []
        for i in range(self.pegs):
            for j in range(i):
                order = list(range(self.pegs))
                order[i], order[j] = j, i
                swaps.append(order)
        return np.array(changes, np.int32), np.array(swaps, np.int32).reshape(-1, self.pegs)

    def look_ahead(self, codes: Codes) -> np.uint64:
        """The guess for a small set."""
        guesses = self.candidates(codes)
        search = self.search(guesses, codes)
        search.members[0] = np.arange(len(codes))
        lookahead.solve(search, 0, len(codes))
        return np.uint64(guesses.nibbles[search.best[0]])

    def candidates(self, codes: Codes) -> Codes:
        """The codes of a small set, then the best free ones."""
        pool = self.pool(codes, len(codes))
        return _joined([codes, pool[~np.isin(pool.nibbles, codes.nibbles)][:FREE]])

    def search(self, guesses: Codes, codes: Codes) -> lookahead.Search:
        """Of a set of codes; they are the first of the guesses."""
        sizes = np.arange(len(codes) + 1)
        deep, kinds = lookahead.DEPTH, (self.pegs + 1) ** 2
        beams = np.full(deep, self.beams[-1], np.int32)
        beams[: len(self.beams)] = self.beams
        return lookahead.Search(
            responses=response_table(guesses, codes, self.pegs),
            totals=sizes * self.guesses_each(sizes),
            beams=beams,
            win=self.win,
            members=np.zeros((deep, len(codes)), np.int32),
            counts=np.zeros((deep, kinds), np.int32),
            starts=np.zeros((deep, kinds), np.int32),
            tops=np.zeros((deep, max(self.beams)), np.int32),
            scores=np.zeros((deep, max(self.beams))),
            best=np.zeros(deep, np.int32),
            frames=np.zeros((deep, 7), np.int32),
            sums=np.zeros((deep, 2)),
        )


def _joined(parts: list[Codes]) -> Codes:
    return Codes(np.concatenate([part.nibbles for part in parts]), np.concatenate([part.unary for part in parts]))


def _partitions(total: int, largest: int) -> Iterator[list[int]]:
    """The ways to write a number as a sum, largest terms first."""
    if not total:
        yield []
    for first in range(min(total, largest), 0, -1):
        for rest in _partitions(total - first, first):
            yield [first, *rest]
