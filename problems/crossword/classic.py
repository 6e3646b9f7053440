"""The operators of the seed document 001, and its count of errors.

    1   for a cell that two words of different orientation cover with different letters
    7   for a word that intersects no other ("... and forms a new connectivity component", says the document)
    30  for every part of the grid beyond the first that touches no other part
    15  for two parallel words that lie next to each other, or on each other
    20  for two words of different orientation that touch, but do not intersect

The document and its public program are not always of one mind; docs/puzzles/crossword.md names the readings and why we
chose ours. Of two children one is used. A word that intersects no other has its seven errors whether it touches one or
not. A generation: each of the 100 mutates with probability 0.6, the 8 best are crossed in pairs, and the best 100 of
these 28 children and of their 100 elders live on. Nobody is protected.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from islands.kernels.jit import inner_kernel, kernel
from islands.kernels.rng import Rng
from islands.operators import survive
from islands.operators.choose import one_point
from islands.operators.recipe import Crossover, GiveUp, Indices, Mutate, Points, Recipe, Select, Settle
from islands.operators.space import Costs, Genomes
from problems.crossword.placement import Numbers, Words

POPULATION = 100
BEST = 8
MUTATION = 0.6
GENERATIONS = 20_000
LEFT_OUT = 100  # errors of a word without a place

ROW, COLUMN, WAY, LENGTH, PART = range(5)  # of a word
OFF = 2  # the way of a word without a place
APART, RIGHT = -1, -2  # what is no error between two words


# --- errors ---


@inner_kernel
def _root(placed: Numbers, word: int) -> int:
    while placed[word, PART] != word:
        word = placed[word, PART]
    return word


@inner_kernel
def _parallel(placed: Numbers, i: int, j: int) -> int:
    """Errors of two words of the same way."""
    along = COLUMN - placed[i, WAY]
    ahead = placed[j, along] - placed[i, along]
    between = abs(placed[j, 1 - along] - placed[i, 1 - along])
    over = -placed[j, LENGTH] < ahead < placed[i, LENGTH]
    touch = -placed[j, LENGTH] <= ahead <= placed[i, LENGTH]
    return 15 if (between == 1 and over) or (between == 0 and touch) else APART


@inner_kernel
def _cross(words: Numbers, placed: Numbers, i: int, j: int) -> int:
    """Errors of two words of different ways."""
    if placed[i, WAY]:
        i, j = j, i
    across, down = (
        placed[j, COLUMN] - placed[i, COLUMN],
        placed[i, ROW] - placed[j, ROW],
    )  # of the cell where their lines meet
    within, beneath = 0 <= across < placed[i, LENGTH], 0 <= down < placed[j, LENGTH]
    if within and beneath:
        return RIGHT if words[i, across] == words[j, down] else 1
    near = (within and -1 <= down <= placed[j, LENGTH]) or (beneath and -1 <= across <= placed[i, LENGTH])
    return 20 if near else APART


@inner_kernel
def judge_one(words: Numbers, lengths: Numbers, grid: int, genome: Numbers, placed: Numbers, figures: Costs) -> None:
    """The seed's fitness of one genome, its crossings, and the rows and columns of its box; `placed` is (n, 5)."""
    n = lengths.shape[0]
    errors, crossings, components = 0, 0, 0
    top, left, bottom, right = grid, grid, 0, 0
    for i in range(n):
        steps = grid - lengths[i] + 1
        half = grid * steps
        placed[i, LENGTH] = lengths[i]
        placed[i, PART] = i
        placed[i, WAY] = 0 if genome[i] < half else 1 if genome[i] < 2 * half else OFF
        if placed[i, WAY] == OFF:
            errors += LEFT_OUT
            continue
        line, place = genome[i] % half // steps, genome[i] % half % steps
        row, column = (place, line) if placed[i, WAY] else (line, place)
        placed[i, ROW], placed[i, COLUMN] = row, column
        top, left = min(top, row), min(left, column)
        bottom = max(bottom, row + (lengths[i] if placed[i, WAY] else 1))
        right = max(right, column + (1 if placed[i, WAY] else lengths[i]))
        components += 1
    for i in range(n):
        crossed = placed[i, WAY] == OFF
        for j in range(n):
            if i == j or placed[i, WAY] == OFF or placed[j, WAY] == OFF:
                continue
            found = _parallel(placed, i, j) if placed[i, WAY] == placed[j, WAY] else _cross(words, placed, i, j)
            crossed = crossed or found == RIGHT or found == 1
            if j > i and found != APART:
                errors += max(found, 0)
                crossings += found == RIGHT
                a, b = _root(placed, i), _root(placed, j)
                if a != b:
                    placed[a, PART] = b
                    components -= 1
        if not crossed:
            errors += 7
    figures[0] = errors + 30 * max(components - 1, 0)
    figures[1] = crossings
    figures[2] = max(0, bottom - top)
    figures[3] = max(0, right - left)


@kernel
def sweep_errors(words: Numbers, lengths: Numbers, grid: int, genomes: Genomes, figures: Costs) -> None:
    """The same for a population: errors, crossings, rows and columns of each, (k, 4)."""
    placed = np.empty((lengths.shape[0], 5), np.int32)
    for k in range(genomes.shape[0]):
        judge_one(words, lengths, grid, genomes[k], placed, figures[k])


# --- operators ---


def settlers(words: Words) -> Settle:
    """Every word at a random place."""
    options = 2 * words.halves

    def settle(count: int, rng: Rng) -> Genomes:
        return rng.numpy.integers(0, options, size=(count, len(options)), dtype=np.int32)

    return settle


PAIRS = np.array(list(combinations(range(BEST), 2)), np.int64)  # (28, 2) ranks


def pairs_of_best() -> Select:
    """All pairs of the 8 best; fewer, where the population has fewer."""

    def select(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
        ranking = np.argsort(costs, kind="stable")
        return np.asarray(ranking[PAIRS[: shape[0]] % len(costs)])

    return select


def one_child() -> Crossover:
    """The words before a random delimiter from one parent, the others from the other."""
    two = one_point()

    def cross(families: Genomes, rng: Rng) -> tuple[Genomes, Points]:
        children, cuts = two.cut(families, rng)
        return children[:, :1], cuts

    return Crossover(cross)


def move_one(words: Words) -> Mutate:
    """One random word gets a random place."""
    options = 2 * words.halves

    def mutate(genomes: Genomes, rng: Rng) -> None:
        word = rng.numpy.integers(0, len(options), len(genomes))
        genomes[np.arange(len(genomes)), word] = rng.numpy.integers(0, options[word])

    return mutate


def classic(words: Words) -> Recipe:
    """The algorithm of the seed document."""
    return Recipe(
        purpose="the genetic algorithm of the seed document, which ends with the first layout without errors",
        population=POPULATION,
        epoch=500,
        settle=settlers(words),
        select=pairs_of_best(),
        crossover=one_child(),
        births=len(PAIRS),
        mutation=MUTATION,
        mutate=move_one(words),
        mutate_first=True,
        give_up=GiveUp(barren=GENERATIONS),
        survive=survive.best(),
    )
