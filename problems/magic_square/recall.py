"""Checks of what an island of magic squares remembers, where that comes from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from islands.operators.recall import LARGEST, expect, expect_only
from islands.operators.recipe import Recall
from islands.operators.space import Genomes, Memory
from problems.magic_square import semimagic
from problems.magic_square.enumeration import tasks
from problems.magic_square.tempering import ladder

if TYPE_CHECKING:
    from problems.magic_square import MagicSquare


def recalling(puzzle: MagicSquare) -> Recall:
    """For all recipes of a puzzle: how long walkers have walked or found nothing, who is on which rung, where a harvest
    stands, what an estimate has seen.
    """
    cells = puzzle.size**2

    def recall(memory: Memory, genomes: Genomes) -> None:
        expect_only(memory, "waited", "walk", "swept", "tally", "ladders", "rungs")
        if "waited" in memory:
            expect(memory, "waited", np.int64, (None,), 0, LARGEST)
        if "walk" in memory and not puzzle.space().contains(expect(memory, "walk", np.int32, (cells,))[None]).all():
            raise ValueError("walk is not an arrangement of the numbers")
        if "swept" in memory:
            expect(memory, "swept", np.bool_, (tasks(),))
        if "rungs" in memory:
            rungs = expect(memory, "rungs", np.int64, (None,))
            if (np.sort(rungs) != np.arange(len(rungs))).any():
                raise ValueError("rungs does not have every row once")
        if "tally" in memory:
            _check_estimate(memory, len(genomes), puzzle.size)

    return recall


def _check_estimate(memory: Memory, walks: int, size: int) -> None:
    if size in semimagic.SQUARES:
        expect(memory, "tally", np.float64, (walks, 2))
        return
    levels = len(ladder(size))
    expect(memory, "tally", np.float64, (walks, 1 + levels))
    replicas = expect(memory, "ladders", np.int32, (walks, levels, size**2))
    if (np.sort(replicas, axis=2) != np.arange(size**2)).any():
        raise ValueError("ladders has what is not an arrangement of the ranks")
