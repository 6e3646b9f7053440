"""Recipe `fast`: a small population of legal layouts; children have a part of each parent, and walk."""

from __future__ import annotations

import numpy as np

from islands.kernels.rng import Rng
from islands.operators import select, survive
from islands.operators.recall import LARGEST, expect, expect_only
from islands.operators.recipe import Crossover, GiveUp, Recipe
from islands.operators.space import Costs, Genomes, Memory
from problems.crossword.aims import ERROR, Aims
from problems.crossword.anneal import anneal
from problems.crossword.board import OFF, Board, Table
from problems.crossword.child import child
from problems.crossword.placement import Words

DOUBLINGS = 6  # of the first walks, until they have their full length
USUAL = 12  # generations until which a population is about as good as it gets, and others are worth a look
OTHERS = 16  # layouts made anew in each generation from then on
SHORT = 7  # doublings of their walks, at most: a long one would better them to what is known
BARREN = 60  # generations without a new layout, of which there may be no more


class Fast:
    """The operators, with their work space."""

    def __init__(self, words: Words, aims: Aims) -> None:
        self.words, self.aims = words, aims
        self.board = Board.of(words)
        self.first, self.then = _occurrences(words)
        self.steps = min(4000, max(300, 240_000 // len(words.lengths)))

    def recipe(self) -> Recipe:
        n = len(self.words.lengths)
        return Recipe(
            purpose="good layouts: all words, many crossings, a small box",
            population=4 if n < 60 else 2,
            epoch=_epoch(n),
            settle=self.settle,
            select=select.tournament(2),
            crossover=Crossover(self.cross),
            improve=self.improve,
            harvest=self.others,
            give_up=GiveUp(barren=BARREN),
            survive=survive.best(),
            recall=_recall,
        )

    def settle(self, count: int, rng: Rng) -> Genomes:
        """Nothing is laid yet."""
        return np.tile(2 * self.words.halves, (count, 1))

    def improve(self, genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        """A walk for each, short at first; the costs follow."""
        rounds = memory.setdefault("rounds", np.zeros(1, np.int64))
        steps = max(1, self.steps >> max(0, DOUBLINGS - int(rounds[0])))
        rounds += 1
        layouts = self._places(genomes)
        self.walk(layouts, steps, rng)
        genomes[:] = self._genomes(layouts)
        costs[:] = self.aims.costs(self.words, genomes)
        return steps * len(genomes)

    def others(self, solved: Genomes, rng: Rng, memory: Memory) -> Genomes:
        """Crosswords near these and far from them: some or all words are taken up, and a short walk lays them again."""
        if memory["rounds"][0] <= USUAL:
            return solved[:0]
        genomes = solved[np.arange(OTHERS) % len(solved)]
        taken = rng.numpy.random(genomes.shape) < rng.numpy.random((OTHERS, 1)) * 1.5
        layouts = self._places(np.where(taken, 2 * self.words.halves, genomes))
        self.walk(layouts, 1 << int(rng.numpy.integers(SHORT + 1)), rng)
        genomes = self._genomes(layouts)
        return genomes[self.aims.costs(self.words, genomes) < ERROR]

    def walk(self, layouts: Table, steps: int, rng: Rng) -> None:
        """Better layouts (k, n, 3) in place."""
        board, n = self.board, layouts.shape[1]
        anneal(
            layouts, steps, board.letters, self.first, self.then, board.lying, board.cells, board.figures,
            self.aims.weights, np.array([0.0, 0.0, 0.0, *self.aims.temperatures]), np.empty(n),
            np.zeros((7, n), np.int64), rng.state,
        )  # fmt: skip

    def cross(self, families: Genomes, rng: Rng) -> Genomes:
        """One child of each two."""
        mothers, fathers = self._places(families[:, 0]), self._places(families[:, 1])
        children = [child(*parents, self.words, rng) for parents in zip(mothers, fathers, strict=True)]
        return self._genomes(np.stack(children))[:, None]

    def _places(self, genomes: Genomes) -> Table:
        """Rows, columns and ways in the middle of a board, (k, n, 3)."""
        rows, columns, across, out = self.words.places(genomes)
        ways = np.where(out, OFF, np.where(across, 0, 1))
        return np.stack((rows + self.words.grid, columns + self.words.grid, ways), axis=2).astype(np.int64)

    def _genomes(self, layouts: Table) -> Genomes:
        """The inverse, of layouts at the origin."""
        rows, columns, ways = (layouts[:, :, k].astype(np.int32) for k in range(3))
        return self.words.genomes(rows, columns, ways == 0, ways == OFF)


def _recall(memory: Memory, genomes: Genomes) -> None:
    """The check of what `improve` remembers."""
    if memory:
        expect_only(memory, "rounds")
        expect(memory, "rounds", np.int64, (1,), 0, LARGEST)


def usual_generations(n: int) -> int:
    """How long a run for `n` words lives: twice USUAL for many, and to the end of an epoch."""
    epoch, wanted = _epoch(n), USUAL if n < 60 else 2 * USUAL
    ramp = epoch - 1  # generations of the first epochs, 1, 2 ..., which are shorter
    return ramp - (ramp - wanted) // epoch * epoch


def _epoch(n: int) -> int:
    """Generations between two reports: fewer the longer they take."""
    return 4 if n < 60 else 2 if n < 150 else 1


def _occurrences(words: Words) -> tuple[Table, Table]:
    """Where each letter stands first in each word, (n, letters), and where next, (n, longest); -1 = nowhere."""
    n, longest = words.letters.shape
    first, then = np.full((n, int(words.letters.max()) + 1), -1), np.full((n, longest), -1)
    for word in range(n):
        for k in reversed(range(int(words.lengths[word]))):
            letter = words.letters[word, k]
            then[word, k] = first[word, letter]
            first[word, letter] = k
    return first, then
