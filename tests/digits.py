"""A test puzzle that uses every interface of the engine: digits with the right sum, read in either direction."""

from dataclasses import replace

import numpy as np

from islands import Choices, Problem, Recipe
from islands.model.capabilities import Sweeping
from islands.operators import choose, select, survive
from islands.operators.recipe import Exchange


def remember(genomes, costs, rng, memory):
    """An improve step with a memory: every third call sets one random digit of the first row."""
    calls = memory.setdefault("calls", np.zeros(1, np.int64))
    calls += 1
    if calls[0] % 3 == 0:
        heard = int(memory["heard"][0]) if "heard" in memory else 0
        genomes[0, rng.numpy.integers(genomes.shape[1])] = (rng.numpy.integers(3) + heard) % 3
        costs[0] = abs(int(genomes[0].sum()) - genomes.shape[1])
        return 1
    return 0


def swap_ends(genomes, rng, memory):
    """A harvest: two digits of a solution exchanged keep its sum."""
    more = genomes.copy()
    more[:, [0, 1]] = more[:, [1, 0]]
    return more


def share(memory):
    return {"calls": memory["calls"].copy()} if "calls" in memory else {}


def absorb(memory, arrays):
    memory["heard"] = memory.get("heard", np.zeros(1, np.int64)) + arrays["calls"]


class Digits(Problem):
    length: int = 6
    count: bool = False  # a sweep gives numbers instead of genomes

    def space(self):
        return Choices(self.length, 3)

    def cost(self, genome):
        return abs(int(genome.sum()) - self.length)

    def costs(self, genomes):
        return np.abs(genomes.sum(axis=1, dtype=np.int64) - self.length)

    def canonical(self, genomes):
        backwards = genomes[:, ::-1]
        differ = genomes != backwards
        first = differ.argmax(axis=1)
        rows = np.arange(len(genomes))
        return np.where((backwards[rows, first] < genomes[rows, first])[:, None], backwards, genomes)

    def verify(self, genome):
        return sum(int(digit) for digit in genome) == self.length

    def known_total(self):
        return 74 if self.length == 6 else None

    def sweeping(self):
        return Sweeping(tasks=3**3, sweep=self.sweep)

    def sweep(self, task):
        """All solutions whose first three digits are those of `task` in base 3."""
        head = [task // 9, task // 3 % 3, task % 3]
        tails = np.indices((3,) * (self.length - 3)).reshape(self.length - 3, -1).T
        genomes = np.hstack((np.tile(head, (len(tails), 1)), tails)).astype(np.int32)
        genomes = genomes[self.costs(genomes) == 0]
        return int((self.canonical(genomes) == genomes).all(axis=1).sum()) if self.count else genomes

    def recipes(self):
        fast = Recipe(
            select=select.tournament(2), survive=survive.children(), crossover=choose.one_point(),
            mutate=choose.reset(self.space()), mutation=0.5, population=6, elite=2, elite_death=3, epoch=2,
            duplicates=False, improve=remember, harvest=swap_ends, exchange=Exchange(share, absorb),
        )  # fmt: skip
        classic = Recipe(
            select=select.mating_pool(), survive=survive.best(), crossover=choose.two_point(), population=8, epoch=3,
            mutate=choose.reset(self.space()), mutation=0.3,
        )  # fmt: skip
        return {"fast": fast, "classic": classic, "forgetful": replace(classic, forget=True)}
