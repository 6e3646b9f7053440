"""The operators of the seed document 001, and its count of errors.

    1   for a cell that two words of different orientation cover with different letters
    7   for a word that intersects no other
    30  for every part of the grid beyond the first that touches no other part
    15  for two parallel words that lie next to each other, or on each other
    20  for two words of different orientation that touch, but do not intersect

The seed says both that two parents have two children and that only one is used; its main loop uses one, and so do we.
"The 8 best are crossed in pairs, all genomes of the previous population are added, all are mutated": 28 children
and the 72 best of the others, each mutated with probability 0.6. Nobody is protected.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from islands.operators import survive
from islands.operators.choose import one_point
from islands.operators.jit import kernel
from islands.operators.rng import Rng
from islands.recipe import Crossover, Indices, Mutate, Recipe, Select, Settle
from islands.space import Costs, Genomes
from problems.crossword.placement import Numbers, Words

POPULATION = 100
BEST = 8
MUTATION = 0.6
GENERATIONS = 20_000
LEFT_OUT = 100  # errors of a word without a place: more than any place can cost


# --- errors ---


@kernel
def _root(parts: Numbers, word: int) -> int:
    while parts[word] != word:
        word = parts[word]
    return word


@kernel
def _cross(words: Numbers, place: Numbers, i: int, j: int) -> int:
    """Errors of word i across and word j down. They touch where they reach each other's lines with one cell to spare.

    A place is (row, column, length). Returns -1 where they are apart, else the errors; -2 for a right intersection.
    """
    right = place[j, 1] - place[i, 1]  # of the crossing, in the word across
    down = place[i, 0] - place[j, 0]
    within, beneath = 0 <= right < place[i, 2], 0 <= down < place[j, 2]
    if within and beneath:
        return -2 if words[i, right] == words[j, down] else 1
    near = within and -1 <= down <= place[j, 2]
    beside = beneath and -1 <= right <= place[i, 2]
    return 20 if near or beside else -1


@kernel
def count_errors(words: Numbers, lengths: Numbers, grid: int, genome: Numbers, place: Numbers, parts: Numbers) -> int:
    """The seed's fitness of one genome; `place` (n, 4) and `parts` (n,) are room to work in."""
    n = lengths.shape[0]
    errors = 0
    components = 0
    for i in range(n):
        steps = grid - lengths[i] + 1
        half = grid * steps
        place[i, 2] = lengths[i]
        parts[i] = i
        if genome[i] < half:
            place[i, 0], place[i, 1], place[i, 3] = genome[i] // steps, genome[i] % steps, 0
        elif genome[i] < 2 * half:
            place[i, 0], place[i, 1], place[i, 3] = (genome[i] - half) % steps, (genome[i] - half) // steps, 1
        else:
            place[i, 3] = 2
            errors += LEFT_OUT
            continue
        components += 1
    for i in range(n):
        crossed = False
        for j in range(n):
            if i == j or place[i, 3] == 2 or place[j, 3] == 2:
                continue
            if place[i, 3] == place[j, 3]:
                along = 1 - place[i, 3]
                gap = place[j, along] - place[i, along]
                between = abs(place[j, 1 - along] - place[i, 1 - along])
                meet = -lengths[j] < gap < lengths[i]
                touch = (between <= 1 and meet) or (between == 0 and -lengths[j] <= gap <= lengths[i])
                found = 15 if touch else -1
            elif place[i, 3] == 0:
                found = _cross(words, place, i, j)
            else:
                found = _cross(words, place, j, i)
            crossed = crossed or found == -2 or found == 1
            if j > i and found != -1:
                errors += max(found, 0)
                a, b = _root(parts, i), _root(parts, j)
                if a != b:
                    parts[a] = b
                    components -= 1
        if not crossed and place[i, 3] != 2:
            errors += 7
    return errors + 30 * max(components - 1, 0)


@kernel
def sweep_errors(words: Numbers, lengths: Numbers, grid: int, genomes: Genomes, errors: Costs) -> None:
    """The same for a population."""
    n = lengths.shape[0]
    place = np.empty((n, 4), np.int32)
    parts = np.empty(n, np.int32)
    for row in range(genomes.shape[0]):
        errors[row] = count_errors(words, lengths, grid, genomes[row], place, parts)


# --- operators ---


def settlers(words: Words) -> Settle:
    """Every word at a random place."""
    options = 2 * words.halves

    def settle(count: int, rng: Rng) -> Genomes:
        return rng.numpy.integers(0, options, size=(count, len(options)), dtype=np.int32)

    return settle


def pairs_of_best(best: int = BEST) -> Select:
    """All pairs of the best, and then everyone with themselves, in the order of their costs."""
    pairs = np.array(list(combinations(range(best), 2)), np.int64)

    def select(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
        ranking = np.argsort(costs, kind="stable")
        alone = np.repeat(np.arange(shape[0])[:, None], 2, axis=1)
        families = np.concatenate((pairs, alone))[: shape[0]] % len(costs)
        return np.asarray(ranking[families])

    return select


def one_child() -> Crossover:
    """The words before a random delimiter from one parent, the others from the other."""
    cross = one_point()
    return lambda families, rng: cross(families, rng)[:, :1]


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
        population=POPULATION,
        epoch=500,
        settle=settlers(words),
        select=pairs_of_best(),
        crossover=one_child(),
        mutation=MUTATION,
        mutate=move_one(words),
        survive=survive.children(),
    )
