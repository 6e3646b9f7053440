"""Recipe `fast` of the family: clause learning on the groups of any rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from islands.kernels.rng import Rng
from islands.operators import select, survive
from islands.operators.recipe import Exchange, Recipe
from islands.operators.space import Costs, Genomes, Memory
from problems.sudoku import store
from problems.sudoku.decode import Decoder
from problems.sudoku.family.encode import encoded
from problems.sudoku.family.ruleset import Ruleset
from problems.sudoku.fast import total
from problems.sudoku.groups import Groups, given_candidates, open_groups
from problems.sudoku.phases import is_preferred
from problems.sudoku.search import FOUND


class FamilyDecoder(Decoder):
    """The search of any puzzle of the family. A genome is a value for each cell."""

    def __init__(self, rules: Ruleset, givens: Genomes) -> None:
        self.rules = rules
        n, cells = rules.layout.n, len(rules.layout.places)
        full, possible = encoded(rules)
        every = open_groups(full, possible)
        given = given_candidates(givens, n)
        place = np.cumsum(possible) - 1
        sizes = every.ends[: every.total] - every.starts[: every.total]
        alone = every.members[every.starts[: every.total][sizes == 1]]
        true = np.unique(np.concatenate((place[given[possible[given]]], alone))).astype(np.uint32)
        self._settle(every, true, n, cells)
        self.is_contradiction |= every.total < full.total or not possible[given].all()
        self.options = self._options(every, possible)

    def _options(self, every: Groups, possible: NDArray[np.bool_]) -> Genomes:
        """A value for each cell that it may have: what is open, else what is fixed."""
        values = np.ones(self.cells, np.int32)
        self._fill(values, self.groups.candidates[::-1])
        return np.where(self.fixed > 0, self.fixed, values).astype(np.int32)

    def _preferred(self, genome: Genomes) -> NDArray[np.bool_]:
        own = self.groups.candidates < self.cells * self.n
        preferred = np.zeros(len(own), np.bool_)
        preferred[own] = is_preferred(genome, self.groups.candidates[own], self.n)
        return preferred

    def _completed(self, values: Genomes) -> Genomes:
        return np.where(values > 0, values, self.options).astype(np.int32)

    def _judge(self, genomes: Genomes, costs: Costs) -> None:
        costs[:] = [count_faults(self.rules, genome) for genome in genomes]


def count_faults(rules: Ruleset, genome: Genomes) -> int:
    return sum(len(cells) for cells, _ in rules.faults(genome.tolist()))


def fast(rules: Ruleset, givens: Genomes) -> Recipe:
    """Clause learning; givens (cells,), 0 = free."""
    decoder = FamilyDecoder(rules, givens)
    return Recipe(
        purpose="clause learning; it ends with a proof that no more solutions exist",
        population=4,
        epoch=2,
        select=select.everyone(),
        survive=survive.children(),
        total=total,
        improve=decoder.improve,
        exchange=Exchange(store.share, decoder.absorb, decoder.check),
        recall=decoder.recall,
    )


def solutions(
    rules: Ruleset, givens: Genomes, limit: int, seed: int, generations: int | None = None
) -> tuple[Genomes, bool]:
    """Up to `limit` distinct solutions, (k, cells), and whether these are proved to be all."""
    decoder, rng, memory = FamilyDecoder(rules, givens), Rng(seed), Memory()
    found: list[Genomes] = [np.empty((0, decoder.cells), np.int32)]
    genomes = rng.numpy.integers(1, decoder.n + 1, (2, decoder.cells)).astype(np.int32)
    costs = np.ones(2, np.int64)
    count = lived = 0
    while count < limit and total(memory) is None and lived != generations:
        lived += 1
        decoder.improve(genomes, costs, rng, memory)
        if int(memory["counters"][FOUND]) > count:
            count += 1
            found.append(genomes[:1].copy())
    return np.concatenate(found), total(memory) == count
