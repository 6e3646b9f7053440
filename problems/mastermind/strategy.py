"""Building strategy trees.

A tree is built by planning each set of codes, from the opening on. Games with few codes are looked through to the end
from the second guess on, so that their trees are as good as a wide beam finds; (4,6) takes 5,625 guesses for its 1,296
codes, which is the least possible.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from islands.kernels.cache import cache_folder
from problems.mastermind import lookahead
from problems.mastermind.packed import Codes, Responses, Words, all_codes, pack, responses
from problems.mastermind.planning import SMALL, Planner
from problems.mastermind.tree import Table, Tree, read_tree, write_tree

VERSION = 1  # of the trees: raise it when they are built otherwise
FEW = 1_500  # codes of a game whose every guess is looked ahead from
FEW_COLOURS, MANY_COLOURS = 4, 8  # with fewer or more, guesses tell so little that it takes long to look ahead
VERY_FEW = 150  # codes of a game with more colours than that
WIDE = (1, 60, 20, 10, 5, 3)  # beams for such a game
MIDDLE, TRIES = 50_000, 3  # codes of a game; guesses tried to the end for its sets of up to TRIED codes
TRIED = 10_000
OWN_ENOUGH = 40  # codes of a set that may be told apart by one of them

Watch = Callable[[int], None]
"""Called with how many codes more have their place in the tree."""


class Part:
    """A growing part of a tree, and the total of guesses of its codes."""

    def __init__(self, guess: np.uint64, total: int) -> None:
        self.guesses, self.said, self.parents = [np.array([guess])], [np.zeros(1, np.uint8)], [np.full(1, -1)]
        self.total, self.size = total, 1

    def add(self, said: int, part: Part) -> None:
        """Hang another part below the first node."""
        guesses, answers, parents = part.joined()
        answers[0] = said
        self.guesses.append(guesses)
        self.said.append(answers)
        self.parents.append(np.where(parents < 0, 0, parents + self.size))
        self.size += part.size
        self.total += part.total

    def add_leaves(self, said: Responses, guesses: Words) -> None:
        """Hang codes that are alone below the first node."""
        self.guesses.append(guesses)
        self.said.append(said)
        self.parents.append(np.zeros(len(said), np.int64))
        self.size += len(said)
        self.total += len(said)

    def joined(self) -> tuple[Words, Responses, NDArray[np.int64]]:
        return np.concatenate(self.guesses), np.concatenate(self.said), np.concatenate(self.parents)


class Builder:
    """Builds the tree of one game."""

    def __init__(self, pegs: int, colours: int, watch: Watch | None = None) -> None:
        self.pegs, self.colours, self.watch = pegs, colours, watch
        self.few = is_small(pegs, colours)
        self.planner = Planner(pegs, colours, WIDE) if self.few else Planner(pegs, colours)

    def tree(self) -> Tree:
        codes = pack(all_codes(self.pegs, self.colours), self.colours)
        opening = pack(np.array([self.planner.opening()], np.int32), self.colours)
        search = self.planner.search(codes, codes) if self.few else None
        root = Part(opening.nibbles[0], len(codes))
        answers = responses(opening, codes, self.pegs)
        for said in np.unique(answers[answers != self.planner.win]).tolist():
            rows = np.flatnonzero(answers == said).astype(np.int32)
            part = self._sought(search, codes, rows, 1) if search is not None else self._planned(codes[rows])
            root.add(said, part)
            if self.watch is not None:
                self.watch(len(rows))
        guesses, answers, parents = root.joined()
        return Tree(self.pegs, guesses, answers, parents.astype(np.int32))

    def _planned(self, codes: Codes) -> Part:
        """Of a set of any size."""
        if len(codes) <= SMALL:
            return self._small(codes)
        shuffled = codes[np.random.default_rng(len(codes)).permutation(len(codes))]
        pool = self.planner.pool(shuffled, len(codes))
        tries = TRIES if self.colours**self.pegs <= MIDDLE and len(codes) <= TRIED else 1
        parts = [self._after(pool[row : row + 1], codes) for row in range(tries)]
        return min(parts, key=lambda part: part.total)

    def _after(self, guess: Codes, codes: Codes) -> Part:
        part = Part(guess.nibbles[0], len(codes))
        answers = responses(guess, codes, self.pegs)
        for said in np.unique(answers[answers != self.planner.win]).tolist():
            part.add(said, self._planned(codes[answers == said]))
        return part

    def _small(self, codes: Codes) -> Part:
        """By looking ahead; free guesses are not sought where one of the set's own tells all others apart."""
        rows = np.arange(len(codes), dtype=np.int32)
        if len(codes) <= OWN_ENOUGH:
            part = self._sought(self.planner.search(codes, codes), codes, rows, 0)
            if part.total < 2 * len(codes):
                return part
        guesses = self.planner.candidates(codes)
        return self._sought(self.planner.search(guesses, codes), guesses, rows, 0)

    def _sought(self, search: lookahead.Search, guesses: Codes, rows: Table, depth: int) -> Part:
        """Of a set of codes, rows of a search, by looking ahead."""
        depth = min(depth, lookahead.DEPTH - 3)  # there are always levels left to look ahead
        best = int(rows[0])
        if len(rows) > 2:
            search.members[depth, : len(rows)] = rows
            lookahead.solve(search, depth, len(rows))
            best = int(search.best[depth])
        part = Part(guesses.nibbles[best], len(rows))
        answers = search.responses[best, rows]
        sizes = np.bincount(answers, minlength=search.win + 1)
        alone = (sizes[answers] == 1) & (answers != search.win)
        part.add_leaves(answers[alone], guesses.nibbles[rows[alone]])
        sizes[search.win] = 0
        for said in np.flatnonzero(sizes > 1).tolist():
            part.add(said, self._sought(search, guesses, rows[answers == said], depth + 1))
        return part


def is_small(pegs: int, colours: int) -> bool:
    """Whether a tree is built within about a second, so that a player may wait for it."""
    return bool(colours >= FEW_COLOURS and colours**pegs <= (FEW if colours <= MANY_COLOURS else VERY_FEW))


def tree_of(pegs: int, colours: int) -> Tree:
    """The tree of a game: from the cache, else built and put there. A torn or older file is replaced."""
    file = cache_folder() / f"mastermind-{pegs}-{colours}-v{VERSION}.npz"
    tree = read_tree(file, pegs, colours)
    if tree is None:
        tree = Builder(pegs, colours).tree()
        write_tree(file, tree)
    return tree
