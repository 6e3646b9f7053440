"""Other solvers for the puzzles of `own.py`, each as its own documentation shows it: C Adaptive Search, CP-SAT with one
worker, DEAP, pygmo. All give CPU seconds, evaluations where they count them, and the lowest cost."""

from __future__ import annotations

import random
import resource
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from own_puzzles import Costas, Interval, Langford, Magic, Partition, Queens

from islands import Arrangement, Problem
from islands.rules.exact import Model

POPULATION = 100
PROGRAMS: dict[type[Problem], str] = {
    Queens: "queens",
    Interval: "all-interval",
    Langford: "langford",
    Magic: "magic-square",
    Costas: "costas",
    Partition: "partit",
}


class Outcome(NamedTuple):
    """One search."""

    seconds: float  # of CPU
    evaluations: int | None
    cost: int | None  # None: not known, and not solved


Rival = Callable[[Problem, int], Outcome | None]
"""A puzzle and a seed -> what became of it; None: this solver has no program for it."""


def adaptive_search(folder: Path, limit: float) -> Rival:
    """Programs of Diaz and Codognet, one for each puzzle, in `folder`; the start of the process counts."""

    def search(problem: Problem, seed: int) -> Outcome | None:
        program = next((PROGRAMS[kind] for kind in type(problem).__mro__ if kind in PROGRAMS), None)
        if program is None:
            return None
        size = next(iter(problem.model_dump().values()))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            command = [str(folder / program), str(size), "-b", "1", "-s", str(seed)]
            subprocess.run(command, capture_output=True, check=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return Outcome(limit, None, None)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Outcome(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, None, 0)

    return search


def cp_sat(limit: float) -> Rival:
    """The same rules, as `--recipe exact` writes them; one worker. The limit is of its deterministic time, about CPU
    seconds; writing the model does not count."""

    def search(problem: Problem, seed: int) -> Outcome | None:
        from ortools.sat.python import cp_model

        declared = problem.declared
        if declared is None or declared.exact is None:
            return None
        model = Model(problem.space(), declared.exact.domains)
        for _ in model.declare(declared.rules):
            pass
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.max_deterministic_time = limit
        started = time.process_time()
        status = solver.solve(model.model)
        solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        return Outcome(time.process_time() - started, None, 0 if solved else None)

    return search


def deap(budget: int) -> Rival:
    """A genetic algorithm with the operators of its tutorials: partially matched crossover and shuffled indices for
    values that change places, two-point crossover and uniform numbers for choices; tournament of 3."""
    from deap import base, creator, tools

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a class is made twice
        creator.create("FewestFaults", base.Fitness, weights=(-1.0,))
        creator.create("Candidate", list, fitness=creator.FewestFaults)

    def search(problem: Problem, seed: int) -> Outcome:
        random.seed(seed)
        space = problem.space()
        started, evaluations, best = time.process_time(), 0, 1 << 62

        def judge(one: Any) -> tuple[int]:
            return (int(problem.cost(np.array(one, np.int32))),)

        def child(one: Any, other: Any) -> list[Any]:
            pair = [creator.Candidate(one), creator.Candidate(other)]
            if random.random() < 0.7:
                (tools.cxPartialyMatched if arranged else tools.cxTwoPoint)(*pair)
            for mine in pair:
                if random.random() < 0.3 and arranged:
                    tools.mutShuffleIndexes(mine, indpb=2 / space.length)
                elif not arranged:
                    tools.mutUniformInt(mine, 0, tops, indpb=1 / space.length)
            return pair

        arranged, tops, values = isinstance(space, Arrangement), [], []
        if isinstance(space, Arrangement):
            values = space.values.tolist()
            population = [creator.Candidate(random.sample(range(len(values)), len(values))) for _ in range(POPULATION)]
        else:
            tops = (space.options - 1).tolist()
            population = [creator.Candidate(random.randint(0, top) for top in tops) for _ in range(POPULATION)]
        while evaluations < budget and best > 0:
            for one in population:
                one.fitness.values = judge([values[i] for i in one] if arranged else one)
            evaluations += len(population)
            best = min(best, int(min(one.fitness.values[0] for one in population)))
            chosen = tools.selTournament(population, len(population), tournsize=3)
            population = [mine for pair in zip(chosen[::2], chosen[1::2], strict=True) for mine in child(*pair)]
        return Outcome(time.process_time() - started, evaluations, best)

    return search


def pygmo(budget: int) -> Rival:
    """Its simple genetic algorithm: whole numbers for choices; for values that change places random keys, ranked."""
    import pygmo as pg

    class Wrapped:
        def __init__(self, problem: Problem) -> None:
            self.problem, self.space = problem, problem.space()

        def fitness(self, numbers: Any) -> tuple[float]:
            if isinstance(self.space, Arrangement):
                genome = self.space.values[np.argsort(numbers)]
            else:
                genome = np.rint(numbers).astype(np.int32)
            return (float(self.problem.cost(genome)),)

        def get_bounds(self) -> tuple[list[float], list[float]]:
            if isinstance(self.space, Arrangement):
                return [0.0] * self.space.length, [1.0] * self.space.length
            return [0.0] * self.space.length, (self.space.options - 1.0).tolist()

        def get_nix(self) -> int:
            return 0 if isinstance(self.space, Arrangement) else self.space.length

    def search(problem: Problem, seed: int) -> Outcome:
        started = time.process_time()
        population = pg.population(pg.problem(Wrapped(problem)), POPULATION, seed=seed)
        method = pg.sga(10, cr=0.9, m=1 / problem.space().length, mutation="uniform", seed=seed)
        while population.problem.get_fevals() < budget and population.champion_f[0] > 0:
            population = pg.algorithm(method).evolve(population)
        return Outcome(
            time.process_time() - started, int(population.problem.get_fevals()), int(population.champion_f[0])
        )

    return search


def shortest_tour(table: list[list[int]], limit: float) -> tuple[int, bool]:
    """The length of the best tour that CP-SAT finds, and whether it has proved that there is no shorter one."""
    from ortools.sat.python import cp_model

    model, arcs, lengths = cp_model.CpModel(), [], []
    for a, row in enumerate(table):
        for b, length in enumerate(row):
            if a != b:
                taken = model.new_bool_var("")
                arcs.append((a, b, taken))
                lengths.append(length * taken)
    model.add_circuit(arcs)
    model.minimize(sum(lengths))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model)
    return round(solver.objective_value), status == cp_model.OPTIMAL
