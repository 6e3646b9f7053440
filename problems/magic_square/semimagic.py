"""How many squares of an order there are: semi-magic squares by the number, magic classes in each on average.

Rows and columns of a semi-magic square may be permuted and transposed at will: 2 n!^2 arrangements make a semi-magic
class. Its magic classes are the pairs of transversals (one cell per row and column) that both sum to M and differ by
an involution of the rows with n mod 2 fixed points: permute such a pair onto the diagonals, as `harvest` does. So

    magic classes = semi-magic classes * mean number of such pairs in a semi-magic class

The first factor is known for orders up to 6; walks that visit every semi-magic class they reach equally often sample
the second. A step takes two lines and chooses among all ways to exchange cells that keep their sums, each with the
same chance; the way back then has that chance too. Where there is no way, to stay counts as a step. Now and then it
takes three lines: some squares, rich in magic ones, have no way out by two.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng, RngState, below
from islands.operators.estimate import Estimate, Tally, interval
from islands.operators.recipe import Improve
from islands.operators.space import Costs, Genomes, Memory
from problems.magic_square.harvest import Table, involutions, two_lines
from problems.magic_square.kernels import sweep_costs

SQUARES = {4: 68_688, 5: 579_043_051_200, 6: 94_590_660_245_399_996_601_600}
"""Semi-magic squares modulo the 8 symmetries, magic ones included: OEIS A271103 (Suzuki, Trump, Ripatti 2018)."""

REACHED = {4: 473}  # of the 477 semi-magic classes; no magic square is in the others. Of larger orders it is not known
THIN = 20  # steps from one sample to the next
RARE = 10  # samples from one step of three lines to the next
BURN = 2_000  # samples that do not count: a walk begins at a magic square, which is not a typical one
TRIPLES = np.array(list(permutations(range(3))))


def semimagic_classes(n: int) -> int:
    """Semi-magic squares modulo permutations of rows and of columns and transposition."""
    return SQUARES[n] * 8 // (2 * factorial(n) ** 2)


def transversals(n: int) -> tuple[Table, Table]:
    """All permutations in lexicographic order, (n!, n), and where each first differs from the one before, (n!,)."""
    columns = np.array(list(permutations(range(n))), np.int64)
    same = (columns[1:] == columns[:-1]).cumprod(axis=1).sum(axis=1)
    return columns, np.concatenate(([0], same))


@kernel
def lazy_step(square: Genomes, n: int, differences: Table, state: RngState) -> bool:
    """Exchange cells of two random lines in one of all possible ways; False where there is no way."""
    a, b, along, across = two_lines(square, n, differences, state)
    total = chosen = ways = way = 0
    for number in range(1, 1 << (n - 1)):  # in Gray code; the last place stays, else each way would come twice
        place = 0
        while not (number >> place) & 1:
            place += 1
        total += differences[place] * (1 - 2 * ((chosen >> place) & 1))
        chosen ^= 1 << place
        if total == 0:
            ways += 1
            if below(state, ways) == 0:
                way = chosen
    for k in range(n - 1):
        if (way >> k) & 1:
            one, other = a * across + k * along, b * across + k * along
            square[one], square[other] = square[other], square[one]
    return ways > 0


@kernel
def triple_step(square: Genomes, n: int, magic: int, orders: Table, digits: Table, way: Table, state: RngState) -> int:
    """Permute cells of three random lines in one of all ways that keep their sums, to stay included: how many.

    A way is a permutation of each place but the last: `digits`, (n - 1,), is the one being tried, `way` the chosen.
    """
    a = below(state, n)
    b = (a + 1 + below(state, n - 1)) % n
    c = b
    while c in (a, b):
        c = below(state, n)
    along, across = 1, n
    if below(state, 2):
        along, across = n, 1
    cells, sums = np.empty((n, 3), np.int64), np.zeros((n, 2), np.int64)
    for k in range(n):
        for line in range(3):
            cells[k, line] = square[(a, b, c)[line] * across + k * along]
    ways = place = 0
    digits[0] = -1
    while place >= 0:
        digits[place] += 1
        if digits[place] == 6:
            place -= 1
            continue
        order = orders[digits[place]]
        one, two = sums[place, 0] + cells[place, order[0]], sums[place, 1] + cells[place, order[1]]
        if place < n - 2:
            place += 1
            sums[place, 0], sums[place, 1] = one, two
            digits[place] = -1
        elif one + cells[n - 1, 0] == magic and two + cells[n - 1, 1] == magic:
            ways += 1
            if below(state, ways) == 0:
                way[:] = digits
    for k in range(n - 1):
        for line in range(3):
            square[(a, b, c)[line] * across + k * along] = cells[k, orders[way[k], line]]
    return ways


@kernel
def magic_pairs(
    square: Genomes, n: int, magic: int, columns: Table, changed: Table, orders: Table, sums: Table, pairs: Table
) -> int:
    """The magic classes of a semi-magic square's class."""
    found = 0
    for number in range(columns.shape[0]):
        row = columns[number]
        for i in range(changed[number], n):
            sums[i + 1] = sums[i] + square[i * n + row[i]]
        if sums[n] != magic:
            continue
        for i in range(n):
            for j in range(i):
                pairs[i, j] = pairs[j, i] = square[i * n + row[j]] + square[j * n + row[i]]
            pairs[i, i] = square[i * n + row[i]]
        for k in range(orders.shape[0]):
            total = 0
            for m in range((n + 1) // 2):
                total += pairs[orders[k, m], orders[k, n - 1 - m]]
            found += total == magic
    return found // 2  # each pair was found from both of its transversals


@kernel
def _sample(
    square: Genomes, n: int, magic: int, samples: int, columns: Table, changed: Table, orders: Table, triples: Table,
    state: RngState,
) -> int:  # fmt: skip
    """Walk on, in place: the magic classes of all samples together."""
    digits, way = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64)
    differences, sums, pairs = np.empty(n, np.int64), np.zeros(n + 1, np.int64), np.empty((n, n), np.int64)
    total = 0
    for number in range(samples):
        for _ in range(THIN):
            lazy_step(square, n, differences, state)
        if number % RARE == 0:
            triple_step(square, n, magic, triples, digits, way, state)
        total += magic_pairs(square, n, magic, columns, changed, orders, sums, pairs)
    return total


def lazy_walks(size: int, magic: int, first: Improve, samples: int) -> Improve:
    """Every individual is a walk of its own, which begins at the square that `first` brings it to.

    memory["tally"] is (walks, 2): samples, and magic classes in all of them.
    """
    tables = *transversals(size), involutions(size), TRIPLES

    def improve(genomes: Genomes, costs: Costs, rng: Rng, memory: Memory) -> int:
        tally = memory.setdefault("tally", np.zeros((len(genomes), 2)))
        begin = np.flatnonzero((tally[:, 0] == 0) & (costs > 0))
        evaluations = 0
        if len(begin):
            squares, errors = genomes[begin], costs[begin]
            evaluations = first(squares, errors, rng, memory)
            genomes[begin], costs[begin] = squares, errors
        walking = np.flatnonzero((tally[:, 0] > 0) | (costs == 0))
        for row in walking:
            square = genomes[row]
            if tally[row, 0] == 0:
                _sample(square, size, magic, BURN, *tables, rng.state)
            tally[row, 1] += _sample(square, size, magic, samples, *tables, rng.state)
            tally[row, 0] += samples
        sweep_costs(genomes, size, magic, 1, False, costs)
        return evaluations + samples * len(walking)

    return improve


def classes(n: int, tallies: list[Tally]) -> Estimate | None:
    """The magic classes, by the mean number that each walk has seen per semi-magic class."""
    walked = np.concatenate(tallies)
    walked = walked[walked[:, 0] > 0]
    if len(walked) < 2:
        return None
    total = semimagic_classes(n)
    reached = REACHED.get(n, total)
    middle, low, high = interval(walked[:, 1] / walked[:, 0])
    note = f"covers what the walk reaches of {total:,} semi-magic classes"
    if n in REACHED:
        note = f"covers the {reached:,} of {total:,} semi-magic classes that the walk reaches"
    return Estimate(middle, max(0.0, low), high, "class", len(walked), note).times(reached, "class")
