"""A strategy tree: what to guess after every sequence of answers, for a whole game; and its file in the cache."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from problems.mastermind.game import Turn
from problems.mastermind.judge import Code
from problems.mastermind.packed import Responses, Words, all_codes, pack, response, responses, unpack

Table = NDArray[np.int32]

NOTHING = np.uint64(2**64 - 1)  # no code: a code has at most 12 nibbles


@dataclass(frozen=True)
class Tree:
    """Nodes, each behind its parent; node 0 is the opening."""

    pegs: int
    guesses: Words  # (n,) nibbles
    said: Responses  # (n,) the response to the parent's guess that leads here
    parents: Table  # (n,) -1 for the opening

    @cached_property
    def _children(self) -> tuple[Table, NDArray[np.int64]]:
        """All nodes, ordered by their parents, and where the children of each begin; one start more at the end."""
        order = np.argsort(self.parents, kind="stable").astype(np.int32)
        return order, np.searchsorted(self.parents[order], np.arange(len(self.parents) + 1))

    def reply(self, history: Sequence[Turn]) -> Code | None:
        """The next guess; None where the history is not one of this tree."""
        order, starts = self._children
        node = 0
        for turn in history:
            if turn.guess != self._code(node):
                return None
            answer = response(*turn.feedback, self.pegs)
            node = next((int(c) for c in order[starts[node] : starts[node + 1]] if self.said[c] == answer), -1)
            if node < 0:
                return None
        return self._code(node)

    def _code(self, node: int) -> Code:
        return tuple(unpack(self.guesses[node], self.pegs).tolist())

    def lengths(self, colours: int) -> Counter[int]:
        """How many codes take how many guesses: every code goes down the tree."""
        order, starts = self._children
        win = response(self.pegs, 0, self.pegs)
        found: Counter[int] = Counter()
        waiting = [(0, 1, pack(all_codes(self.pegs, colours), colours))]
        while waiting:
            node, taken, codes = waiting.pop()
            guess = pack(unpack(self.guesses[node : node + 1], self.pegs), colours)
            answers = responses(guess, codes, self.pegs)
            found[taken] += int((answers == win).sum())
            children = order[starts[node] : starts[node + 1]]
            inner = starts[children + 1] > starts[children]
            leaves = children[~inner]
            last = np.full(win + 1, NOTHING)  # the guess of the leaf that an answer leads to
            last[self.said[leaves]] = self.guesses[leaves]
            found[taken + 1] += int((last[answers] == codes.nibbles).sum())
            waiting += [(int(child), taken + 1, codes[answers == self.said[child]]) for child in children[inner]]
        return found


def read_tree(file: Path, pegs: int, colours: int) -> Tree | None:
    """None where there is no such file, or it is torn or not of this game."""
    try:
        with file.open("rb") as stream, np.load(stream) as arrays:
            kept = arrays["guesses"], arrays["said"], arrays["parents"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    return Tree(pegs, *kept) if _is_sound(pegs, colours, *kept) else None


def _is_sound(pegs: int, colours: int, guesses: Words, said: Responses, parents: Table) -> bool:
    """Whether these are codes and answers of the game, and parents that come before their children."""
    arrays = (guesses, said, parents)
    if [array.dtype for array in arrays] != [np.uint64, np.uint8, np.int32] or any(a.ndim != 1 for a in arrays):
        return False
    if not len(guesses) == len(said) == len(parents) > 0 or parents[0] != -1 or (parents[1:] < 0).any():
        return False
    fits = bool((guesses >> np.uint64(4 * pegs) == 0).all() and (unpack(guesses, pegs) < colours).all())
    return fits and bool((parents < np.arange(len(parents))).all() and (said < response(pegs, 0, pegs)).all())


def write_tree(file: Path, tree: Tree) -> None:
    """In one step, or not at all: where the disk is full or not writable the tree is built again next time."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            draft = Path(folder) / file.name
            np.savez(draft, guesses=tree.guesses, said=tree.said, parents=tree.parents)
            draft.replace(file)
