"""Puzzles that nobody tuned the search on, most of them from CSPLib. They were written down, and committed, before the
first of them was run; what `own.py --held-out` says about them is what it is.

With rules, 3 and 15 million evaluations: car sequencing (CSPLib 1), a magic sequence (19), a planted 3-SAT, a sports
tournament (26), the bandwidth of a grid, a still life (32). With a plain cost, 200,000 evaluations: open stacks, a low
autocorrelation binary sequence (5), fractions (41), a quasigroup with an identity (3), a quadratic assignment, and
warehouse location (34).
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from islands import Arrangement, Choices, Equal, Less, Problem, Ranking, Sum, lookup

CAPACITIES = ((1, 2), (2, 3), (1, 3), (2, 5), (1, 5))  # at most so many of so many cars in a row have the option


class Cars(Problem):
    """Cars in the order in which they are built. Options are drawn one car after the other, as the capacities allow:
    so there is a solution, and most capacities are nearly used up."""

    cars: int = 60
    instance: int = 1

    def wanted(self):
        random = np.random.default_rng((self.cars, self.instance))
        options = np.zeros((self.cars, len(CAPACITIES)), int)
        for car in range(self.cars):
            for option, (most, window) in enumerate(CAPACITIES):
                options[car, option] = options[max(0, car - window + 1) : car, option].sum() < most
            options[car] &= random.random(len(CAPACITIES)) < 0.9
        return options

    def space(self):
        kinds = np.unique(self.wanted(), axis=0, return_inverse=True)[1]
        return Arrangement(sorted(kinds.ravel().tolist()))

    def rules(self, x):
        kinds = np.unique(self.wanted(), axis=0)
        for option, (most, window) in enumerate(CAPACITIES):
            has = [lookup(kinds[:, option], car) for car in x]
            for first in range(self.cars - window + 1):
                yield Sum(has[first : first + window], most=most)


class MagicSequence(Problem):
    """Number i says how often i occurs."""

    size: int = 40

    def space(self):
        return Choices(self.size, self.size)

    def rules(self, x):
        for i in range(self.size):
            yield Equal(sum(number.same(i) for number in x), x[i])


class Satisfiability(Problem):
    """Clauses of three literals that a hidden assignment fulfils."""

    variables: int = 150
    clauses: int = 600
    instance: int = 1

    def space(self):
        return Choices(self.variables, 2)

    def rules(self, x):
        random = np.random.default_rng((self.variables, self.instance))
        hidden = random.integers(0, 2, self.variables)
        written = 0
        while written < self.clauses:
            chosen, signs = random.choice(self.variables, 3, replace=False), random.integers(0, 2, 3)
            if (hidden[chosen] == signs).any():
                yield Sum([x[v] if sign else 1 - x[v] for v, sign in zip(chosen, signs, strict=True)], least=1)
                written += 1


class Tournament(Problem):
    """Everybody plays everybody, once a week, in one of so many periods: at most twice in the same. The games of each
    week are those of the circle method; their periods are what is searched for."""

    teams: int = 12

    def games(self):
        last, weeks = self.teams - 1, self.teams - 1
        return [
            [(last, week)] + [((week + k) % last, (week - k) % last) for k in range(1, self.teams // 2)]
            for week in range(weeks)
        ]

    def space(self):
        periods = self.teams // 2
        return Arrangement(list(range(periods)) * (self.teams - 1), np.repeat(np.arange(self.teams - 1), periods))

    def rules(self, x):
        periods, games = self.teams // 2, self.games()
        for period in range(periods):
            for team in range(self.teams):
                plays = [[int(team in game) for game in week] for week in games]
                slots = x.reshape(-1, periods)[:, period]
                yield Sum([lookup(table, slot) for table, slot in zip(plays, slots, strict=True)], most=2)


class Bandwidth(Problem):
    """The cells of a grid are numbered so that neighbours differ by at most its width, which is the best possible."""

    size: int = 7

    def space(self):
        return Arrangement(range(self.size**2))

    def rules(self, x):
        grid = x.reshape(self.size, self.size)
        for a, b in (*zip(grid[1:].flat, grid[:-1].flat, strict=True),
                     *zip(grid[:, 1:].flat, grid[:, :-1].flat, strict=True)):  # fmt: skip
            yield Less(abs(a - b), self.size + 1)


class StillLife(Problem):
    """As many living cells as possible, of which none dies and next to which none is born, in Conway's game of life."""

    size: int = 8
    alive: int = 36  # the most that there can be, OEIS A055397

    def space(self):
        return Choices(self.size**2, 2)

    def rules(self, x):
        board: Any = np.zeros((self.size + 4, self.size + 4), object)
        board[2:-2, 2:-2] = x.reshape(self.size, self.size)
        changes = [int(number == 3) for number in range(9)] + [int(number not in (2, 3)) for number in range(9)]
        for row in range(1, self.size + 3):
            for column in range(1, self.size + 3):
                around = board[row - 1 : row + 2, column - 1 : column + 2].sum() - board[row, column]
                if not isinstance(around, int):
                    yield Sum([lookup(changes, 9 * board[row, column] + around)], 0)
        yield Sum(x, least=self.alive)


# With a plain cost


class OpenStacks(Problem):
    """In which order to make products so that few customers wait for the rest of theirs at the same time."""

    products: int = 16
    instance: int = 1

    def orders(self) -> list[set[int]]:
        random = np.random.default_rng((self.products, self.instance))
        return [set(np.flatnonzero(wanted).tolist()) for wanted in random.random((self.products, self.products)) < 0.2]

    def space(self):
        return Arrangement(range(self.products))

    def cost(self, order):
        place = {product: time for time, product in enumerate(order.tolist())}
        spans = [[place[product] for product in wanted] for wanted in _orders(self.products, self.instance) if wanted]
        return max(sum(min(span) <= time <= max(span) for span in spans) for time in range(self.products))

    def ranking(self):
        return Ranking(optimising=True)


@cache
def _orders(products: int, instance: int) -> list[set[int]]:
    return OpenStacks(products=products, instance=instance).orders()


class LowAutocorrelation(Problem):
    """A sequence of -1 and 1 whose autocorrelations have a small sum of squares."""

    length: int = 27

    def space(self):
        return Choices(self.length, 2)

    def cost(self, bits):
        signs = 2 * bits.astype(np.int64) - 1
        return int(sum(int(signs[k:] @ signs[:-k]) ** 2 for k in range(1, self.length)))

    def ranking(self):
        return Ranking(optimising=True)


class Fractions(Problem):
    """The digits 1 to 9 in A/BC + D/EF + G/HI = 1."""

    def space(self):
        return Arrangement(range(1, 10))

    def cost(self, digits):
        a, b, c, d, e, f, g, h, i = digits.tolist()
        x, y, z = 10 * b + c, 10 * e + f, 10 * h + i
        return abs(a * y * z + d * x * z + g * x * y - x * y * z)


class Identity(Problem):
    """An idempotent quasigroup with (a b)(b a) = a: QG3."""

    size: int = 8

    def space(self):
        square = [[a, *(v for v in range(self.size) if v != a)] for a in range(self.size)]
        for a, row in enumerate(square):
            row.insert(a, row.pop(0))
        groups = np.where(np.eye(self.size, dtype=bool), -1, np.arange(self.size)[:, None])
        return Arrangement(np.array(square).ravel(), groups.ravel())

    def cost(self, genome):
        n = self.size
        square = genome.reshape(n, n).tolist()
        doubles = sum(n - len(set(column)) for column in zip(*square, strict=True))
        return doubles + sum(square[square[a][b]][square[b][a]] != a for a in range(n) for b in range(n))


class Assignment(Problem):
    """Facilities at places: flows times distances."""

    size: int = 15
    instance: int = 1

    def space(self):
        return Arrangement(range(self.size))

    def cost(self, places):
        flows, distances = _flows(self.size, self.instance)
        return int((flows * distances[places][:, places]).sum())

    def ranking(self):
        return Ranking(optimising=True)


@cache
def _flows(size: int, instance: int) -> tuple[Any, Any]:
    random = np.random.default_rng((size, instance))
    flows, distances = random.integers(0, 10, (2, size, size))
    return np.triu(flows, 1), distances + distances.T


class Warehouses(Problem):
    """From which warehouse each shop is supplied, where a warehouse that is used costs something too."""

    shops: int = 40
    warehouses: int = 15
    instance: int = 1

    def space(self):
        return Choices(self.shops, self.warehouses)

    def cost(self, supply):
        upkeep, delivery = _deliveries(self.shops, self.warehouses, self.instance)
        chosen = supply.tolist()
        return upkeep * len(set(chosen)) + sum(row[one] for row, one in zip(delivery, chosen, strict=True))

    def ranking(self):
        return Ranking(optimising=True)


@cache
def _deliveries(shops: int, warehouses: int, instance: int) -> tuple[int, list[list[int]]]:
    random = np.random.default_rng((shops, warehouses, instance))
    towns, stores = random.integers(0, 100, (shops, 2)), random.integers(0, 100, (warehouses, 2))
    return 120, np.rint(np.hypot(*(towns[:, None] - stores[None]).transpose(2, 0, 1))).astype(int).tolist()


RULES: dict[str, Problem] = {
    "60 cars": Cars(),
    "magic sequence 40": MagicSequence(),
    "3-SAT, 150 variables": Satisfiability(),
    "tournament of 12": Tournament(),
    "bandwidth of 7x7": Bandwidth(),
    "still life 8": StillLife(),
}
PLAIN: dict[str, Problem] = {
    "open stacks 16": OpenStacks(),
    "autocorrelation 27": LowAutocorrelation(),
    "fractions": Fractions(),
    "QG3(8)": Identity(),
    "assignment 15": Assignment(),
    "40 shops": Warehouses(),
}


def best_known(name: str) -> int:
    """The least cost of a puzzle of PLAIN, computed by other means than the search, or from the literature; of the
    assignment, the least that anything found."""
    if name == "open stacks 16":
        return _fewest_stacks(PLAIN[name].orders())  # type: ignore[attr-defined]
    if name == "40 shops":
        return _cheapest_supply(*_deliveries(40, 15, 1))
    return {"autocorrelation 27": 37, "assignment 15": 3435}[name]


def _fewest_stacks(orders: list[set[int]]) -> int:
    """By dynamic programming over the sets of products that are made."""
    products, masks = len(orders), [sum(1 << product for product in wanted) for wanted in orders if wanted]
    fewest = {0: 0}
    for made in range(1, 1 << products):
        best = products + 1
        for product in range(products):
            if made >> product & 1:
                before = made & ~(1 << product)
                waiting = sum(bool(mask & made) and bool(mask & ~before) for mask in masks)
                best = min(best, max(fewest[before], waiting))
        fewest[made] = best
    return fewest[(1 << products) - 1]


def _cheapest_supply(upkeep: int, delivery: list[list[int]]) -> int:
    """Every set of warehouses."""
    table, best = np.array(delivery), 1 << 60
    for number in range(1, table.shape[1] + 1):
        for used in combinations(range(table.shape[1]), number):
            best = min(best, upkeep * number + int(table[:, used].min(axis=1).sum()))
    return best
