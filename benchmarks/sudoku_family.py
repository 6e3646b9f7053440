"""The family of sudoku: seconds of the search beside CaDiCaL and CP-SAT.

  islands    CPU time from the rules and givens to the first solution, with the encoding, of the first such puzzle of a
             process: the forms of cages and marks, which later ones share, are made anew
  ... search call  of that the search alone, without rules becoming candidates and givens being propagated
  cadical    CaDiCaL 1.9.5 by PySAT, on the same candidates, groups and foes as clauses, after the givens were
             propagated: CPU time from a list of clauses to the solution; the list itself is not counted
  cpsat      CP-SAT, 1 worker, on the rules themselves (AllDifferent, sums, comparisons): CPU time of its solve call

Instances are made here: a full grid, extras that are true in it, givens left at random. Kernels are compiled before.
Every solution is checked by the verifier. A search that reaches the limit counts with the limit, and as a failure.

Run: python benchmarks/sudoku_family.py [--sets x-25-40,killer-16-0] [--count 10] [--rivals cadical,cpsat] [--json FILE]
"""

from __future__ import annotations

import resource
import time
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from output import Result, machine, parser, publish
from sudoku import COLUMNS, Outcome, apart, compared, described, measured

from islands.kernels.rng import Rng
from islands.operators.space import Memory
from problems.sudoku import Variant
from problems.sudoku.family import pieces
from problems.sudoku.family.encode import encoded
from problems.sudoku.family.making import Wish, make
from problems.sudoku.family.ruleset import BANNED
from problems.sudoku.family.search import FamilyDecoder

SETS = (
    "diagonal-16-40", "diagonal-25-40", "jigsaw-16-40", "jigsaw-25-40", "latin-30-58", "latin-35-58", "latin-40-58",
    "killer-9-0", "killer-16-10", "killer-16-20", "samurai-9-25", "anti-king-25-40", "anti-knight-9-20",
    "windoku-16-40", "thermometers-9-0", "arrows-9-5", "inequality-9-0", "kropki-9-0",
)  # fmt: skip


def islands_seconds(puzzle: Variant, seed: int, limit: float) -> Outcome:
    """Our search, as an island lives it."""
    rng, memory = Rng(seed), Memory()
    givens = np.array(puzzle.givens, np.int32)
    genomes = rng.numpy.integers(1, puzzle.size + 1, (2, len(givens))).astype(np.int32)
    costs = np.ones(2, np.int64)
    started = time.process_time()
    encoded.cache_clear()
    pieces.clear()
    decoder = FamilyDecoder(puzzle.ruleset, givens)
    encoded_at = time.process_time()
    while costs.min() > 0 and time.process_time() - started < limit:
        decoder.improve(genomes, costs, rng, memory)
    ended = time.process_time()
    solved = bool(costs.min() == 0) and puzzle.verify(genomes[int(np.argmin(costs))])
    return ended - started, solved, ended - encoded_at


def clauses(puzzle: Variant) -> list[list[int]]:
    """What is open after the givens: exactly one candidate of each group, not both of two foes."""
    groups = FamilyDecoder(puzzle.ruleset, np.array(puzzle.givens, np.int32)).groups
    made: list[list[int]] = []
    lists = [groups.members[start:end].tolist() for start, end in zip(groups.starts, groups.ends, strict=True)]
    for group in lists[: groups.total]:
        made.append([one + 1 for one in group])
        made += ([-one - 1, -other - 1] for one, other in combinations(group, 2))
    for one, foes in enumerate(lists[groups.total :]):
        made += ([-one - 1, -other - 1] for other in foes if one < other)
    return made


def cadical(puzzle: Variant, limit: float) -> Outcome:
    from pysat.solvers import Cadical195

    given = clauses(puzzle)
    started = time.process_time()
    soft = int(started + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))
    with Cadical195(bootstrap_with=given) as solver:
        read = time.process_time()
        solved = bool(solver.solve())
        return time.process_time() - started, solved, time.process_time() - read


def cpsat(puzzle: Variant, limit: float) -> Outcome:
    from ortools.sat.python import cp_model

    model, n = cp_model.CpModel(), puzzle.size
    x = [model.new_int_var(given or 1, given or n, "") for given in puzzle.givens]
    for unit in puzzle.ruleset.units:
        model.add_all_different(x[cell] for cell in unit)
    for one, other in puzzle.ruleset.apart:
        model.add(x[one] != x[other])
    pairs = [(a, b) for a in range(1, n + 1) for b in range(1, n + 1)]
    for (one, other), ban in puzzle.ruleset.banned:
        model.add_forbidden_assignments([x[one], x[other]], [pair for pair in pairs if BANNED[ban][0](*pair)])
    for extra in puzzle.ruleset.extras:
        cells = [x[cell] for cell in extra.cells]
        if extra.kind == "cage":
            model.add_all_different(cells)
            model.add(sum(cells) == extra.number)
        elif extra.kind == "arrow":
            model.add(sum(cells[1:]) == cells[0])
        elif extra.kind in ("thermometer", "less", "greater"):
            for one, other in pairwise(cells if extra.kind != "greater" else cells[::-1]):
                model.add(one < other)
        else:
            step = extra.number or 0
            white = extra.kind == "white"
            allowed = [(a, b) for a, b in pairs if (abs(a - b) == step if white else max(a, b) == step * min(a, b))]
            model.add_allowed_assignments(cells, allowed)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    started = time.process_time()
    soft = int(started + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))
    status = solver.solve(model)
    seconds = time.process_time() - started
    return seconds, status in (cp_model.OPTIMAL, cp_model.FEASIBLE), seconds


RIVALS: dict[str, Any] = {"cadical": cadical, "cpsat": cpsat}


def rival(name: str, limit: float, puzzle: Any, _seed: int) -> Outcome:
    return apart(RIVALS[name], puzzle, limit)


def generated(name: str, number: int) -> Variant:
    """`diagonal-25-40`: size and percent of givens."""
    variant, size, percent = name.rsplit("-", 2)
    wish = Wish(variant, int(size), filled=int(percent) / 100)
    puzzle: Variant = make(wish, Rng(number)).puzzle
    return puzzle


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default=",".join(SETS), help="variant-size-percent (default %(default)s)")
    options.add_argument("--count", type=int, default=10, help="instances of each set (default 10)")
    options.add_argument("--first", type=int, default=1, help="seed of the first instance (default 1)")
    options.add_argument("--seeds", type=int, default=2, help="of our search (default 2)")
    options.add_argument("--limit", type=float, default=60.0, help="CPU seconds of one search (default 60)")
    options.add_argument("--rivals", default="cadical,cpsat", help="'' for none (default %(default)s)")
    given = options.parse_args()
    rows: list[dict[str, Any]] = []
    islands_seconds(generated("diagonal-9-40", 0), 0, given.limit)  # compiles
    for name in given.sets.split(","):
        puzzles: list[Any] = [generated(name, given.first + k) for k in range(given.count)]
        seeds = range(1, given.seeds + 1)
        search: Any = partial(islands_seconds, limit=given.limit)
        ours = measured(name, "islands", puzzles, seeds, search)
        table = [described(name, "islands", ours)]
        table.append(described(name, "... search call", [(call, solved, call) for _, solved, call in ours]))
        for solver in filter(None, given.rivals.split(",")):
            outcomes = measured(name, solver, puzzles, range(1), partial(rival, solver, given.limit))
            table.append(described(name, solver, outcomes))
        rows += compared(table)
        print(*(f"{row['set']} {row['solver']}: {row['median s']:.3g} s" for row in table), sep="; ", flush=True)
    results = [Result("CPU seconds to the first solution, one core", COLUMNS, rows, "x: how many times ours.")]
    publish(results, machine("numba", "numpy", "ortools", "python-sat"), given.json)


if __name__ == "__main__":
    main()
