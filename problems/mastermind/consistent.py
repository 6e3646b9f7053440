"""Every code that a history leaves, by a walk through all codes that turns back as soon as a turn cannot come true.

After some pegs of a code, each turn has a least number of blacks and of colours in common; the pegs left can add at
most one each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from islands.kernels.jit import lean_kernel
from islands.operators.recall import LARGEST, expect
from islands.operators.space import Genomes, Memory
from problems.mastermind.game import Turn

Table = NDArray[np.int32]
Counters = NDArray[np.int64]

WORK = 1 << 20  # steps between two looks
DONE, FOUND, DEPTH, FLOOR = range(4)  # places in `counters`


@lean_kernel
def place(guesses: Table, counts: Table, state: Table, have: Table, peg: int, colour: int, step: int) -> None:
    """Put a colour on a peg (step 1), or take it away again (step -1)."""
    if step < 0:
        have[colour] -= 1
    for turn in range(guesses.shape[0]):
        if guesses[turn, peg] == colour:
            state[0, turn] += step
        if have[colour] < counts[turn, colour]:
            state[1, turn] += step
    if step > 0:
        have[colour] += 1


@lean_kernel
def _possible(said: Table, state: Table, left: int) -> bool:
    """Whether each turn can still come true with `left` pegs to go."""
    for turn in range(said.shape[1]):
        for kind in range(2):
            missing = said[kind, turn] - state[kind, turn]
            if missing < 0 or missing > left:
                return False
    return True


@lean_kernel
def walk(
    guesses: Table, counts: Table, said: Table, order: Table, choice: Table, state: Table, have: Table,
    counters: Counters, found: Genomes, work: int,
) -> Any:  # fmt: skip
    """Go on with a walk until `found` is full, `work` steps are done or no code is left; returns how many were found.

    order: (pegs, colours) which colour is tried when; choice: (pegs,) how many of them were tried.
    """
    pegs, colours = order.shape
    new = 0
    depth = counters[DEPTH]
    for _ in range(work):
        if depth == pegs:
            if new == found.shape[0]:
                break
            for peg in range(pegs):
                found[new, peg] = order[peg, choice[peg] - 1]
            new += 1
        elif choice[depth] < colours:
            place(guesses, counts, state, have, depth, order[depth, choice[depth]], 1)
            choice[depth] += 1
            depth += 1
            if depth < pegs:
                choice[depth] = 0
            if _possible(said, state, pegs - depth):
                continue
        depth -= 1
        if depth < counters[FLOOR]:
            counters[DONE] = 1
            break
        place(guesses, counts, state, have, depth, order[depth, choice[depth] - 1], -1)
    counters[DEPTH] = depth
    counters[FOUND] += new
    return new


@dataclass(frozen=True)
class Walk:
    """Where a walk stands, as arrays; `MEMORY` names those that change."""

    guesses: Table  # (turns, pegs)
    counts: Table  # (turns, colours) pegs of each colour in a guess
    said: Table  # (2, turns) blacks, and blacks and whites
    order: Table
    choice: Table
    state: Table
    have: Table
    counters: Counters

    @property
    def done(self) -> bool:
        return bool(self.counters[DONE])

    def go(self, found: Genomes, work: int) -> int:
        """Fill `found` (n, pegs) with the next codes; returns how many there are."""
        if self.done:
            return 0
        return int(
            walk(
                self.guesses, self.counts, self.said, self.order, self.choice, self.state, self.have, self.counters,
                found, work,
            )
        )  # fmt: skip


MEMORY = ("order", "choice", "state", "have", "counters")


def check_walk(arrays: Memory, history: History) -> None:
    """ValueError where arrays from a file, named by `MEMORY`, are not a walk through the codes of a history."""
    pegs, colours = history.pegs, history.colours
    order = expect(arrays, "order", np.int32, (pegs, colours))
    choice = expect(arrays, "choice", np.int32, (pegs,), 0, colours)
    expect(arrays, "state", np.int32, (2, len(history.guesses)), 0, pegs)
    expect(arrays, "have", np.int32, (colours,), 0, pegs)
    counters = expect(arrays, "counters", np.int64, (4,), -1, LARGEST)
    depth, floor = int(counters[DEPTH]), int(counters[FLOOR])
    if (np.sort(order, axis=1) != np.arange(colours)).any():
        raise ValueError("the walk does not try each colour once")
    if floor != 0 or depth > pegs or (depth < 0 and not counters[DONE]) or (choice[: max(depth, 0)] < 1).any():
        raise ValueError("the walk is not where it could be")


class History:
    """The turns of a game as tables."""

    def __init__(self, pegs: int, colours: int, turns: Sequence[Turn]) -> None:
        self.pegs, self.colours = pegs, colours
        self.guesses = np.array([turn.guess for turn in turns], np.int32).reshape(len(turns), pegs)
        answers = np.array([turn.feedback for turn in turns], np.int32).reshape(len(turns), 2)
        self.said = np.ascontiguousarray(np.stack((answers[:, 0], answers.sum(axis=1))), np.int32)
        self.counts = (self.guesses[:, :, None] == np.arange(colours)).sum(axis=1).astype(np.int32)

    def begin(self, order: Table | None = None, prefix: Sequence[int] = ()) -> Walk:
        """A walk through all codes, in the order (pegs, colours) of colours, or through those that begin so."""
        if order is None:
            order = np.tile(np.arange(self.colours, dtype=np.int32), (self.pegs, 1))
        choice, counters = np.zeros(self.pegs, np.int32), np.zeros(4, np.int64)
        state, have = np.zeros((2, len(self.guesses)), np.int32), np.zeros(self.colours, np.int32)
        for peg, first in enumerate(prefix):
            choice[peg] = first + 1
            place(self.guesses, self.counts, state, have, peg, int(order[peg, first]), 1)
        counters[DEPTH] = counters[FLOOR] = len(prefix)
        counters[DONE] = not _possible(self.said, state, self.pegs - len(prefix))
        return Walk(self.guesses, self.counts, self.said, order, choice, state, have, counters)

    def resumed(self, arrays: Mapping[str, Any]) -> Walk:
        """A walk from where its arrays, named by `MEMORY`, say it stands."""
        return Walk(self.guesses, self.counts, self.said, **arrays)

    def codes(self, prefix: Sequence[int] = (), most: int | None = None) -> Genomes:
        """All codes that the history leaves, in order, (n, pegs); of more than `most` the first ones."""
        parts = list(self._parts(self.begin(prefix=prefix), most))
        return np.concatenate(parts) if parts else np.empty((0, self.pegs), np.int32)

    def count(self) -> int:
        """How many codes the history leaves."""
        return sum(len(part) for part in self._parts(self.begin(), None))

    def _parts(self, on: Walk, most: int | None) -> Iterator[Genomes]:
        size, left = 1024, most
        while not on.done and left != 0:
            found = np.empty((size if left is None else min(size, left), self.pegs), np.int32)
            new = on.go(found, WORK)
            left = None if left is None else left - new
            size = min(1 << 16, 2 * size)
            yield found[:new]

    def extent(self, probes: int = 300) -> tuple[float, float]:
        """About how many codes there are and how many steps a walk through them takes, by random descents (Knuth)."""
        rng = np.random.default_rng(0)
        codes = steps = 0.0
        for _ in range(probes):
            on, weight = self.begin(), 1.0
            for peg in range(self.pegs):
                ways = [colour for colour in range(self.colours) if self._allows(on, peg, colour)]
                weight *= len(ways)
                steps += weight
                if not ways:
                    break
                place(self.guesses, self.counts, on.state, on.have, peg, int(rng.choice(ways)), 1)
            codes += weight
        return codes / probes, steps * self.colours / probes

    def _allows(self, on: Walk, peg: int, colour: int) -> bool:
        """Whether each turn can still come true with this colour on the next peg."""
        place(self.guesses, self.counts, on.state, on.have, peg, colour, 1)
        allows = _possible(self.said, on.state, self.pegs - peg - 1)
        place(self.guesses, self.counts, on.state, on.have, peg, colour, -1)
        return allows
