"""Cells taken out of a full grid of the family, as long as it is proved that one solution is left.

Every proof is given a limit, of generations, which is the same on every machine. Where it is not found within it, the
cell stays given: the puzzle has one solution, but perhaps a given to spare.
"""

from __future__ import annotations

import numpy as np

from islands.kernels.rng import Rng
from islands.operators.space import Genomes, Memory
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.family.search import FamilyDecoder
from problems.sudoku.fast import total
from problems.sudoku.search import FOUND

LONG, SHORT = 10, 2  # generations of a proof, tenths of a second of 16x16; and after `PATIENCE` were in vain
PATIENCE = 100  # generations of one puzzle


def is_only(rules: Ruleset, givens: Genomes, full: Genomes, generations: int) -> bool | None:
    """Whether a full grid is the only solution of these givens of it; None where that takes longer."""
    decoder, rng, memory = FamilyDecoder(rules, givens), Rng(0), Memory()
    genomes, costs = np.stack((full, full)), np.ones(2, np.int64)
    for _ in range(generations):
        decoder.improve(genomes, costs, rng, memory)
        if memory["counters"][FOUND] > 1:
            return False
        if total(memory) is not None:
            return True
    return None


def thinned(rules: Ruleset, full: Genomes, cells: list[int], target: int) -> tuple[Genomes, list[int]]:
    """The givens that are left when cells are taken out in this order, until there are `target`; and those of them that
    may be to spare.

    Several cells at a time, twice as many after each success and half as many after each failure: what is left is the
    same as by one at a time, where every proof is found.
    """
    givens, unknown = full.copy(), []
    start, many, patience = 0, max(1, len(full) // 4), PATIENCE
    while start < len(cells) and (spare := int((givens > 0).sum()) - target) > 0:
        out = cells[start : start + min(many, spare)]
        givens[out] = 0
        limit = LONG if patience > 0 else SHORT
        answer = is_only(rules, givens, full, limit)
        if answer:
            start += len(out)
            many = 2 * len(out)
            continue
        givens[out] = full[out]
        if answer is None:
            patience -= limit
        if len(out) > 1:
            many = len(out) // 2
            continue
        unknown += out if answer is None else []
        start += 1
    return givens, unknown
