"""Evaluations per second of one core: our engine's plain genetic algorithm beside DEAP, PyGAD and pygmo.

The same work for all, in one process, by turns, several rounds: the cost of an order-10 magic square (a permutation of
100 numbers), population 200, generational, tournament of 2, order crossover, one swap per child, no improve step. What
is counted is evaluated candidates per second of this process's CPU time; compilation and set-up are left out.

Only the frameworks differ: every peer is given our own compiled cost, and the quickest use of its API that we know.
  ours    an Island with that Recipe, all of `evolve` included (collecting solutions, statistics)
  DEAP    eaSimple with cxOrdered and selTournament. `arrays`: individuals are array.array, so that the compiled cost
          reads them without a copy, and a swap of our own, as mutShuffleIndexes draws 100 random numbers for one swap.
          `lists`: individuals are lists and mutation is mutShuffleIndexes, as in DEAP's tutorial
  PyGAD   tournament; costs in batches (fitness_batch_size), and our compiled order crossover and swap, as it has none
          for permutations: only selection and bookkeeping are PyGAD's own
  pygmo   sga cannot cross permutations: random keys in [0, 1], single-point crossover, one key in a hundred mutates;
          a compiled function ranks the keys and computes the cost. sga keeps the best of old and new
`classic`, the recipe of the seed document (inversion crossover, elite, no duplicates), is measured beside them; a child
that is refused as a duplicate counts as evaluated.

Run: python benchmarks/engine.py [--rounds 7] [--seconds 1.0] [--json FILE]
"""

from __future__ import annotations

import array
import random
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pygad
import pygmo
from deap import algorithms, base, creator, tools
from output import Result, machine, parser, publish, spread

from islands.kernels.jit import kernel
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import IslandSpec, Order
from islands.operators import arrange, select, survive
from islands.operators.recipe import Recipe
from islands.operators.space import Arrangement
from problems.magic_square import MagicSquare
from problems.magic_square.kernels import line_errors, sweep_costs

SIZE = 10
CELLS = SIZE * SIZE
MAGIC = MagicSquare(size=SIZE).magic - SIZE  # the peers' permutations begin with 0
POPULATION = 200
MAIN = 1  # which diagonals count: the two main ones

Live = Callable[[int], int]
"""So many generations more -> how many candidates were evaluated."""


def ours(recipe: str) -> Live:
    """An island on its own."""
    parameters = {"size": SIZE}
    island = Island(IslandSpec(index=0, seed=1, puzzle="magic-square", source=None, parameters=parameters,
                               recipe="classic", numbers={}))  # fmt: skip
    if recipe == "plain":
        space = MagicSquare(size=SIZE).space()
        island.recipe = Recipe(
            population=POPULATION,
            select=select.tournament(2),
            crossover=arrange.order(space),
            mutate=arrange.swap(space),
            survive=survive.children(),
        )

    def live(generations: int) -> int:
        before = island.evaluations
        island.evolve(Order(epoch=island.epoch, generations=generations, snapshot=False))
        return island.evaluations - before

    return live


def deap(kind: type) -> Live:
    arrays = kind is array.array
    creator.create("Cost", base.Fitness, weights=(-1.0,))
    creator.create("Square", kind, fitness=creator.Cost, **({"typecode": "i"} if arrays else {}))
    made = creator.Square
    errors = np.empty(4 * SIZE, np.int64)

    def evaluate(square: Any) -> tuple[float]:
        genome = np.frombuffer(square, np.int32) if arrays else np.array(square, np.int32)
        return (line_errors(genome, SIZE, MAGIC, MAIN, errors),)

    def swap(square: Any) -> tuple[Any]:
        a, b = int(random.random() * CELLS), int(random.random() * CELLS)
        square[a], square[b] = square[b], square[a]
        return (square,)

    toolbox = base.Toolbox()
    toolbox.register("mate", tools.cxOrdered)
    if arrays:
        toolbox.register("mutate", swap)
    else:
        toolbox.register("mutate", tools.mutShuffleIndexes, indpb=1 / CELLS)
    toolbox.register("select", tools.selTournament, tournsize=2)
    toolbox.register("evaluate", evaluate)
    population = [made(random.sample(range(CELLS), CELLS)) for _ in range(POPULATION)]

    def live(generations: int) -> int:
        _, logbook = algorithms.eaSimple(population, toolbox, cxpb=1.0, mutpb=1.0, ngen=generations, verbose=False)
        return sum(logbook.select("nevals"))

    return live


def pygad_() -> Live:
    space = Arrangement(np.arange(CELLS))
    cross, mutate, rng = arrange.order(space), arrange.swap(space), Rng(1)
    population = space.sample(POPULATION, rng)
    evaluated = 0

    def fitness(_: Any, squares: Any, __: Any) -> list[int]:
        nonlocal evaluated
        evaluated += len(squares)
        costs = np.empty(len(squares), np.int64)
        sweep_costs(squares, SIZE, MAGIC, MAIN, False, costs)
        return (-costs).tolist()  # quicker for PyGAD than an array

    def crossover(parents: Any, _: Any, __: Any) -> Any:
        return cross(np.stack((parents, np.roll(parents, -1, axis=0)), axis=1), rng)[:, 0]

    def swap(offspring: Any, _: Any) -> Any:
        mutate(offspring, rng)
        return offspring

    def live(generations: int) -> int:
        nonlocal population, evaluated
        evaluated = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = pygad.GA(
                num_generations=generations,
                num_parents_mating=POPULATION,
                initial_population=population,
                gene_type=np.int32,
                fitness_func=fitness,
                fitness_batch_size=POPULATION,
                parent_selection_type="tournament",
                K_tournament=2,
                keep_parents=0,
                keep_elitism=0,
                crossover_type=crossover,
                mutation_type=swap,
            )
            made.run()
        population = np.ascontiguousarray(made.population, np.int32)
        return evaluated

    return live


@kernel
def _cost_of_keys(keys: Any, square: Any, errors: Any) -> float:
    """The rank of each key is the number in its cell."""
    for cell, rank in enumerate(np.argsort(keys)):
        square[rank] = cell
    return float(line_errors(square, SIZE, MAGIC, MAIN, errors))


class RandomKeys:
    """The square as a pygmo problem."""

    def __init__(self) -> None:
        self.square, self.errors = np.empty(CELLS, np.int32), np.empty(4 * SIZE, np.int64)

    def fitness(self, keys: Any) -> tuple[float]:
        return (_cost_of_keys(keys, self.square, self.errors),)

    def get_bounds(self) -> tuple[list[float], list[float]]:
        return [0.0] * CELLS, [1.0] * CELLS


def pygmo_() -> Live:
    population = pygmo.population(pygmo.problem(RandomKeys()), POPULATION, seed=1)

    def live(generations: int) -> int:
        nonlocal population
        algorithm = pygmo.algorithm(
            pygmo.sga(generations, cr=1.0, crossover="single", m=1 / CELLS, mutation="uniform", param_s=2)
        )
        before = population.problem.get_fevals()
        population = algorithm.evolve(population)
        return int(population.problem.get_fevals() - before)

    return live


def rate(live: Live, generations: int) -> float:
    """Evaluations per second of CPU time."""
    started = time.process_time()
    evaluated = live(generations)
    return evaluated / (time.process_time() - started)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=7, help="of all, by turns (default 7)")
    options.add_argument("--seconds", type=float, default=1.0, help="of CPU time for each in each round (default 1.0)")
    given = options.parse_args()
    random.seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # DEAP minds that a class is made twice
        made = {
            "ours": ours("plain"),
            "DEAP, arrays": deap(array.array),
            "DEAP, lists": deap(list),
            "PyGAD": pygad_(),
            "pygmo": pygmo_(),
            "ours, classic": ours("classic"),
        }
    generations = {}
    for name, live in made.items():
        live(3)  # compiles
        generations[name] = max(1, round(given.seconds * rate(live, 20) / POPULATION))
    rates: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(given.rounds):
        for name, live in made.items():
            rates[name].append(rate(live, generations[name]))
    rows = [
        {
            "engine": name,
            "evaluations/s/core": statistics.median(measured),
            "spread": spread(measured),
            "ours is faster by": statistics.median(a / b for a, b in zip(rates["ours"], measured, strict=True)),
            "rounds": measured,
        }
        for name, measured in rates.items()
    ]
    columns = ("engine", "evaluations/s/core", "spread", "ours is faster by")
    note = "Targets: 60 times DEAP, 6 times pygmo. The factor is the median of the rounds' own factors."
    result = Result("Plain genetic algorithm, order-10 square, population 200, CPU time", columns, rows, note)
    publish([result], machine("deap", "pygad", "pygmo", "numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
