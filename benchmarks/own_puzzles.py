"""Puzzles as a user writes them, for `own.py` and `own_islands.py`: with a plain cost, and with declared rules."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from islands import AllDifferent, Arrangement, Choices, Equal, Problem, Ranking, Sum, lookup
from islands.model.loading import load

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

# A plain cost, as somebody writes it who knows Python and nothing of this product


class PlainQueens(Problem):
    size: int = 50

    def space(self):
        return Arrangement(range(self.size))

    def cost(self, rows):
        n = self.size
        return 2 * n - len({int(r) + c for c, r in enumerate(rows)}) - len({int(r) - c for c, r in enumerate(rows)})


class PlainInterval(Problem):
    """The differences of neighbours are all different."""

    size: int = 16

    def space(self):
        return Arrangement(range(self.size))

    def cost(self, row):
        return self.size - 1 - len({abs(int(a) - int(b)) for a, b in pairwise(row)})


class PlainLangford(Problem):
    """k numbers between the two k; the genome is the cell of each first one."""

    pairs: int = 12

    def space(self):
        return Choices(self.pairs, [2 * self.pairs - k - 1 for k in range(1, self.pairs + 1)])

    def cost(self, firsts):
        taken = {int(first) for first in firsts} | {int(first) + k for k, first in enumerate(firsts, 2)}
        return 2 * self.pairs - len(taken)


class PlainPartition(Problem):
    """The numbers 1 to n in two halves with equal sums and equal sums of squares."""

    size: int = 40

    def space(self):
        return Arrangement(range(1, self.size + 1))

    def cost(self, row):
        numbers = [int(number) for number in row]
        half = self.size // 2
        squares = [number * number for number in numbers]
        return abs(sum(numbers[:half]) - sum(numbers[half:])) + abs(sum(squares[:half]) - sum(squares[half:]))


class PlainTour(Problem):
    """The shortest way through random cities and back."""

    cities: int = 50
    instance: int = 1

    def space(self):
        return Arrangement(range(self.cities))

    def cost(self, tour):
        table, cities = distances(self.cities, self.instance), tour.tolist()
        return sum(table[a][b] for a, b in pairwise(cities)) + table[cities[-1]][cities[0]]

    def ranking(self):
        return Ranking(optimising=True)


@cache
def distances(cities: int, instance: int) -> Any:
    places = np.random.default_rng((cities, instance)).integers(0, 1000, (cities, 2))
    return np.rint(np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))).astype(int).tolist()


# Declared rules: most of them are examples of the product

Queens: Any = load(str(EXAMPLES / "queens.py"))
Interval: Any = load(str(EXAMPLES / "all_interval.py"))
Langford: Any = load(str(EXAMPLES / "langford.py"))
Magic: Any = load(str(EXAMPLES / "magic_square.py"))
Costas: Any = load(str(EXAMPLES / "costas.py"))
Colouring: Any = load(str(EXAMPLES / "colouring.py"))
Quasigroup: Any = load(str(EXAMPLES / "quasigroup.py"))
Knight: Any = load(str(EXAMPLES / "knights_tour.py"))
Golomb: Any = load(str(EXAMPLES / "golomb.py"))


class OneRuleInterval(Interval):  # type: ignore[misc]
    """Without the rule that follows from the other one."""

    def rules(self, x):
        yield AllDifferent(abs(x[1:] - x[:-1]))


class ColourlessKnight(Knight):  # type: ignore[misc]
    """The colours of the squares are left to the search."""

    def space(self):
        squares = range(self.size**2)
        return Arrangement(squares, [-1 if square == 0 and not self.open else 0 for square in squares])

    def canonical(self, genomes):
        return genomes


class Sudoku(Problem):
    """Each row has its numbers; columns and boxes are to be mended."""

    givens: str

    def space(self):
        given = np.array([int(number) if number in "123456789" else 0 for number in self.givens]).reshape(9, 9)
        groups = np.where(given, -1, np.arange(9)[:, None])
        for row in given:
            row[row == 0] = sorted(set(range(1, 10)) - set(row.tolist()))
        return Arrangement(given.ravel(), groups.ravel())

    def rules(self, x):
        square = x.reshape(9, 9)
        yield from (AllDifferent(column) for column in square.T)
        for row in range(0, 9, 3):
            for column in range(0, 9, 3):
                yield AllDifferent(square[row : row + 3, column : column + 3].ravel())


class Partition(Problem):
    size: int = 40

    def space(self):
        return Arrangement(range(1, self.size + 1))

    def rules(self, x):
        squares = np.arange(self.size + 1) ** 2
        half = self.size // 2
        yield Equal(sum(x[:half]), sum(x[half:]))
        yield Sum([lookup(squares, number) for number in x[:half]], int(squares.sum()) // 2)


def hard_sudokus(file: Any) -> Iterator[Sudoku]:
    """Those of a file with a puzzle in each line."""
    for line in file.read_text().split():
        yield Sudoku(givens=line)


# Choices of two

Knapsack: Any = load(str(EXAMPLES / "knapsack.py"))


class Cut(Problem):
    """Two sides of a graph with weights: what is not cut."""

    nodes: int = 60
    instance: int = 1

    def space(self):
        return Choices(self.nodes, 2)

    def cost(self, sides):
        return int((_weights(self.nodes, self.instance) * (sides[:, None] == sides)).sum())

    def ranking(self):
        return Ranking(optimising=True)


@cache
def _weights(nodes: int, instance: int) -> Any:
    random = np.random.default_rng((nodes, instance))
    return np.triu(random.integers(0, 10, (nodes, nodes)) * (random.random((nodes, nodes)) < 0.3), 1)


class Cover(Problem):
    """Few sets that contain everything; what is missing costs more than a set."""

    sets: int = 60
    instance: int = 1

    def space(self):
        return Choices(self.sets, 2)

    def cost(self, taken):
        members = _members(self.sets, self.instance)
        covered = members[taken.astype(bool)].any(axis=0)
        return int(taken.sum()) + 3 * int((~covered).sum())

    def ranking(self):
        return Ranking(optimising=True)


@cache
def _members(sets: int, instance: int) -> Any:
    return np.random.default_rng((sets, instance)).random((sets, 100)) < 0.08


def lightest(stock: Any, most: int) -> int:
    """The value of what the best knapsack leaves behind, by dynamic programming; weights and values, (2, things)."""
    weights, values = stock.tolist()
    worth = np.zeros(most + 1, int)
    for weight, value in zip(weights, values, strict=True):
        worth[weight:] = np.maximum(worth[weight:], worth[:-weight] + value)
    return int(sum(values)) - int(worth[-1])
