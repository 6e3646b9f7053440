"""A third set of puzzles that the search was not tuned on: a reviewer wrote them from the README and the documents
alone, after the last change of the search. Nothing was changed because of them. 3 million evaluations."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

from __future__ import annotations

from math import gcd

import numpy as np

from islands import Arrangement, Choices, Equal, Problem, Sum, lookup

HOUSES = (
    "Norwegian Dane Brit Swede German",
    "yellow blue red green white",
    "cats horses birds fish dogs",
    "water tea milk coffee beer",
    "Dunhill Blend PallMall Prince BlueMaster",
)
TOGETHER = (
    "Brit red, Swede dogs, Dane tea, green coffee, PallMall birds, yellow Dunhill, BlueMaster beer, German Prince"
)
BESIDE = "Blend cats, horses Dunhill, Norwegian blue, Blend water"


class Zebra(Problem):
    """Five houses, five things of five kinds: who has the fish? The genome is the house of each thing."""

    def space(self):
        return Arrangement(list(range(5)) * 5, np.repeat(np.arange(5), 5))

    def rules(self, x):
        house = dict(zip(" ".join(HOUSES).split(), x, strict=True))
        for one, other in (pair.split() for pair in TOGETHER.split(", ")):
            yield Equal(house[one], house[other])
        for one, other in (pair.split() for pair in BESIDE.split(", ")):
            yield Equal(abs(house[one] - house[other]), 1)
        yield Equal(house["green"] + 1, house["white"])
        yield Equal(house["milk"], 2)
        yield Equal(house["Norwegian"], 0)


class Stars(Problem):
    """Two stars in each row and column, and none touch."""

    size: int = 10

    def space(self):
        return Choices(self.size**2, 2)

    def rules(self, x):
        board = x.reshape(self.size, self.size)
        for line in (*board, *board.T):
            yield Sum(line, 2)
        for i in range(self.size - 1):
            for j in range(self.size - 1):
                yield Sum(board[i : i + 2, j : j + 2].ravel(), most=1)


class NoThreeInLine(Problem):
    """Two points in each row of a board, and no three in any line."""

    size: int = 8

    def space(self):
        return Arrangement(([1, 1] + [0] * (self.size - 2)) * self.size, np.repeat(np.arange(self.size), self.size))

    def rules(self, x):
        n, board = self.size, x.reshape(self.size, self.size)
        for down in range(1, n):
            for right in range(1 - n, n):
                for i, j in np.ndindex(n, n):
                    if gcd(down, right) == 1 and not (i >= down and 0 <= j - right < n):
                        line = [(i + k * down, j + k * right) for k in range(n)]
                        points = [board[place] for place in line if place[0] < n and 0 <= place[1] < n]
                        if len(points) > 2:
                            yield Sum(points, most=2)


class PrimeRing(Problem):
    """The numbers 1 to n in a ring: neighbours add up to a prime."""

    size: int = 20

    def space(self):
        return Arrangement(range(1, self.size + 1), [-1] + [0] * (self.size - 1))

    def rules(self, x):
        prime = [n > 1 and all(n % d for d in range(2, n)) for n in range(2 * self.size + 1)]
        for here, there in zip(x, np.roll(x, -1), strict=True):
            yield Equal(lookup(prime, here + there), 1)


class DifferenceSet(Problem):
    """Some numbers below v, of which every distance around a ring occurs once: (31, 6) or (57, 8)."""

    ring: int = 31
    numbers: int = 6

    def space(self):
        return Arrangement([1] * self.numbers + [0] * (self.ring - self.numbers))

    def rules(self, x):
        for distance in range(1, self.ring // 2 + 1):
            yield Sum([lookup([[0, 0], [0, 1]], a, b) for a, b in zip(x, np.roll(x, -distance), strict=True)], 1)


RULES: dict[str, Problem] = {
    "zebra": Zebra(),
    "star battle 10": Stars(),
    "star battle 14": Stars(size=14),
    "no three in line 8": NoThreeInLine(),
    "no three in line 10": NoThreeInLine(size=10),
    "prime ring 20": PrimeRing(),
    "prime ring 60": PrimeRing(size=60),
    "difference set 31": DifferenceSet(),
    "difference set 57": DifferenceSet(ring=57, numbers=8),
}
