"""The candidates that the checks of a puzzle look at: solutions and their images, near misses, populations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.problem import Problem, images, tasks
from islands.operators.space import Genomes

SEED = 1
SAMPLES = 50  # random candidates that a check looks at
EPOCHS = 10  # of the first recipe, in which it has to find a solution
IMAGES = 500  # of a solution that a check looks at


def search(problem: Problem) -> Iterator[tuple[Genomes, bool]]:
    """What the first recipe finds, step by step, and whether an epoch has passed; of a puzzle that is only swept, what
    each task finds."""
    sweeping, (name, recipe) = problem.sweeping(), next(iter(problem.recipes().items()))
    island, step = Island.alone(problem, name, SEED), max(1, recipe.epoch // EPOCHS)
    swept = sweeping is not None and sweeping.only
    for number in range(tasks(problem) if swept else EPOCHS * -(-recipe.epoch // step)):
        work: dict[str, Any] = (
            {"tasks": range(number, number + 1), "generations": 0} if swept else {"generations": step}
        )
        report = island.evolve(Order(epoch=number, snapshot=False, **work))
        yield report.solutions.astype(np.int32), report.generation >= recipe.epoch


def bred(problem: Problem) -> Genomes:
    """The population of each recipe after its first generation: better than random, and mostly not solved."""
    populations = []
    for name in problem.recipes():
        island = Island.alone(problem, name, SEED)
        island.evolve(Order(epoch=0, generations=1, snapshot=False))
        populations.append(island.genomes[:SAMPLES])
    return np.concatenate(populations)


def neighbours(problem: Problem, solutions: Genomes) -> Genomes:
    """Near misses: each solution with two values exchanged, where that stays in the space."""
    rows, rng, length = np.arange(len(solutions)), Rng(SEED).numpy, solutions.shape[1]
    one, other = rng.integers(0, length, (2, len(solutions)))
    near = solutions.copy()
    near[rows, one], near[rows, other] = solutions[rows, other], solutions[rows, one]
    return near[problem.space().contains(near)]


def images_of(problem: Problem, solutions: Genomes) -> Iterator[tuple[int, Genomes]]:
    """The images of solutions by their numbers, the first among them; of very many a part from all over."""
    symmetry, count = problem.symmetry(), images(problem)
    for number in range(0, count, max(1, count // IMAGES)):
        yield number, solutions if symmetry is None else symmetry.image(solutions.copy(), number)
