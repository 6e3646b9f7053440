"""Sudoku: seconds of the search beside CaDiCaL and CP-SAT.

  islands    CPU time from the givens to the first solution: the improve step of recipe fast, generation by generation
  cadical    CaDiCaL 1.9.5 by PySAT: CPU time from a list of clauses to the solution, and of its solve call alone. A
             variable for each candidate that the givens do not exclude, a clause for each group, one for each pair
  cpsat      CP-SAT, 1 worker, an AllDifferent for each row, column and box: CPU time of its solve call

Kernels are compiled before. Every solution is checked by rules that share nothing with the search. A search that
reaches the limit counts with the limit, and as a failure. Rivals have one seed, ours as many as --seeds.

Sets are named by size and percent of givens: 9-30, 16-40, 25-35 to 25-55, and the frontier, 36-40 to 49-40. Their
instances are those of --data DIR, else generated.

Generated ones depend on the search that makes the full grids: to compare two versions, --save them once as --data.
Several islands: benchmarks/sudoku_islands.py.

Run: python benchmarks/sudoku.py [--data DIR] [--sets 9-30,25-45,36-47] [--count 3] [--rivals cadical] [--json FILE]
     python benchmarks/sudoku.py --sets frontier --rivals cadical --save DIR
"""

from __future__ import annotations

import multiprocessing
import re
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, quantile

from islands.kernels.rng import Rng
from islands.operators.space import Genomes, Memory
from problems.sudoku import Sudoku
from problems.sudoku.fast import fast
from problems.sudoku.groups import all_groups, given_candidates

SETS = ("9-30", "16-40", "25-35", "25-40", "25-45", "25-50", "25-55")
FRONTIER = ("36-40", "36-42", "36-45", "36-47", "36-50", "49-30", "49-35", "49-40")
COLUMNS = ("set", "solver", "solved", "median s", "mean s", "p95 s", "worst s", "median x", "mean x", "worst x")
Outcome = tuple[float, bool, float]  # seconds, whether solved, seconds of the solve call alone
Search = Callable[[Sudoku, int], Outcome]  # of a puzzle with a seed
FULL_GRID = 100  # generations in which a full grid is found, or another seed is tried


def islands_seconds(puzzle: Sudoku, seed: int, limit: float) -> Outcome:
    """Our search, as an island lives it."""
    rng, memory = Rng(seed), Memory()
    genomes = puzzle.space().sample(2, rng)
    costs = puzzle.costs(genomes)
    givens = np.array(puzzle.givens, np.int32)
    started = time.process_time()
    improve = fast(*puzzle.shape, givens).improve
    assert improve is not None
    while costs.min() > 0 and time.process_time() - started < limit:
        improve(genomes, costs, rng, memory)
    seconds = time.process_time() - started
    return seconds, bool(costs.min() == 0) and puzzle.verify(genomes[int(np.argmin(costs))]), seconds


def clauses(puzzle: Sudoku) -> list[list[int]]:
    """Exactly one candidate of each group."""
    groups, given = all_groups(*puzzle.shape), given_candidates(np.array(puzzle.givens, np.int32), puzzle.size)
    possible = np.ones(len(groups.candidates), np.bool_)
    for group in groups.groups[given].ravel():
        possible[groups.members[groups.starts[group] : groups.ends[group]]] = False
    possible[given] = True
    variables = np.cumsum(possible)
    made: list[list[int]] = []
    for start, end in zip(groups.starts, groups.ends, strict=True):
        members = groups.members[start:end]
        group = variables[members[possible[members]]].tolist()
        made += [group, *([-one, -other] for one, other in combinations(group, 2))]
    return made


def cadical(puzzle: Sudoku, limit: float) -> Outcome:
    from pysat.solvers import Cadical195

    given = clauses(puzzle)
    started = time.process_time()
    with Cadical195(bootstrap_with=given) as solver:
        read = time.process_time()
        soft = int(read + limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))
        solved = bool(solver.solve())
        return time.process_time() - started, solved, time.process_time() - read


def _cpsat(puzzle: Sudoku, limit: float) -> Outcome:
    from ortools.sat.python import cp_model

    model, (rows, columns), n = cp_model.CpModel(), puzzle.shape, puzzle.size
    cells = [
        [model.new_int_var(given or 1, given or n, "") for given in puzzle.givens[row * n : (row + 1) * n]]
        for row in range(n)
    ]
    for k in range(n):
        top, left = k // rows * rows, k % rows * columns
        model.add_all_different(cells[k])
        model.add_all_different(row[k] for row in cells)
        model.add_all_different(cells[top + i][left + j] for i in range(rows) for j in range(columns))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    started = time.process_time()
    status = solver.solve(model)
    seconds = time.process_time() - started
    return seconds, status in (cp_model.OPTIMAL, cp_model.FEASIBLE), seconds


def _answer(pipe: Connection, search: Callable[[Sudoku, float], Outcome], puzzle: Sudoku, limit: float) -> None:
    pipe.send(search(puzzle, limit))


def apart(search: Callable[[Sudoku, float], Outcome], puzzle: Sudoku, limit: float) -> Outcome:
    """In a process of its own, which may be ended by its CPU limit."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_answer, args=(there, search, puzzle, limit))
    process.start()
    there.close()
    try:
        outcome: Outcome = here.recv()
    except EOFError:
        outcome = limit, False, limit
    process.join()
    return outcome


RIVALS = {"cadical": cadical, "cpsat": _cpsat}


def rival(name: str, limit: float, puzzle: Sudoku, _seed: int) -> Outcome:
    return apart(RIVALS[name], puzzle, limit)


def generated(size: int, percent: int, number: int) -> Sudoku:
    """A solution of the empty grid, cells taken out at random."""
    side = int(size**0.5)
    grid, attempt = None, 0
    while grid is None:  # the empty grid has a heavy tail: rather try again
        grid = _full_grid(side, 1000 * number + attempt)
        attempt += 1
    kept = Rng(number, size, percent).numpy.permutation(size * size) < round(percent / 100 * size * size)
    return Sudoku(box=f"{side}x{side}", givens=tuple(np.where(kept, grid, 0).tolist()))


def _full_grid(side: int, seed: int) -> Genomes | None:
    """A solution of the empty grid, unless it takes long."""
    rng, memory, n = Rng(seed), Memory(), side * side
    improve = fast(side, side, np.zeros(n * n, np.int32)).improve
    assert improve is not None
    genomes = rng.numpy.integers(1, n + 1, (2, n * n)).astype(np.int32)
    costs = np.ones(2, np.int64)
    for _ in range(FULL_GRID):
        improve(genomes, costs, rng, memory)
        if not costs.min():
            found: Genomes = genomes[int(np.argmin(costs))]
            return found
    return None


def instances(name: str, data: Path | None, count: int, save: Path | None = None) -> Iterator[Sudoku]:
    """All of a set in the directory, of large ones `count`; where it has none, generated ones."""
    size, percent = (int(word) for word in name.split("-"))
    files = sorted(data.glob(f"inst{size}x{size}_{percent}_*.txt")) if data is not None else []
    if data is not None and size == 9:
        files += sorted(file for file in data.glob("*.txt") if not file.name.startswith("inst"))
    for file in files[: count if name in FRONTIER else None]:
        yield Sudoku.read(file.read_text())[0]
    for number in () if files else range(1, count + 1):
        puzzle = generated(size, percent, number)
        if save is not None:
            lines = np.array(puzzle.givens).reshape(size, size).tolist()
            text = "\n".join(" ".join(map(str, line)) for line in lines) + "\n"
            (save / f"inst{size}x{size}_{percent}_{number:02d}.txt").write_text(text)
        yield puzzle


def told(name: str, solver: str, number: int, seed: int, *figures: str) -> None:
    """A figure as it comes."""
    print(f"{name} {solver}, instance {number}, seed {seed}:", *figures, flush=True)


def measured(name: str, solver: str, puzzles: list[Sudoku], seeds: range, search: Search) -> list[Outcome]:
    """Every instance with every seed."""
    outcomes = []
    for number, puzzle in enumerate(puzzles, 1):
        for seed in seeds:
            outcomes.append(search(puzzle, seed))
            told(name, solver, number, seed, f"{outcomes[-1][0]:.3f}" + ("" if outcomes[-1][1] else " not solved"))
    return outcomes


def described(name: str, solver: str, outcomes: list[Outcome]) -> dict[str, Any]:
    seconds = [outcome[0] for outcome in outcomes]
    return {
        "set": name,
        "solver": solver,
        "solved": f"{sum(outcome[1] for outcome in outcomes)} of {len(outcomes)}",
        "median s": statistics.median(seconds),
        "mean s": statistics.mean(seconds),
        "p95 s": quantile(seconds, 0.95),
        "worst s": max(seconds),
    }


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many times longer than ours the rivals took."""
    ours = rows[0]
    for row in rows[1:]:
        row["median x"], row["mean x"] = row["median s"] / ours["median s"], row["mean s"] / ours["mean s"]
        row["worst x"] = row["worst s"] / ours["worst s"]
    return rows


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, metavar="DIR", help="instances; default: generated ones")
    options.add_argument(
        "--sets", default=",".join(SETS), help="size-percent, or all, or frontier (default %(default)s)"
    )
    options.add_argument("--count", type=int, default=10, help="generated instances of each set (default 10)")
    options.add_argument("--seeds", type=int, default=2, help="of our search (default 2)")
    options.add_argument("--limit", type=float, default=60.0, help="CPU seconds of one search (default 60)")
    options.add_argument("--rivals", default="cadical,cpsat", help="'' for none (default %(default)s)")
    options.add_argument("--save", type=Path, metavar="DIR", help="write generated instances there")
    given = options.parse_args()
    named = {"frontier": FRONTIER, "all": SETS + FRONTIER}
    names = [name for word in given.sets.split(",") for name in named.get(word, (word,))]
    for name in names:
        if not re.fullmatch(r"\d+-\d+", name):
            options.error(f"--sets {name}: expected size-percent, for instance 25-45; or all, or frontier")
    for size in sorted({int(name.partition("-")[0]) for name in names}):
        islands_seconds(generated(size, 60, 0), 0, given.limit)  # compiles
    rows: list[dict[str, Any]] = []
    seeds = range(1, given.seeds + 1)
    if given.save is not None:
        given.save.mkdir(parents=True, exist_ok=True)
    for name in names:
        puzzles = list(instances(name, given.data, given.count, given.save))
        search = partial(islands_seconds, limit=given.limit)
        table = [described(name, "islands", measured(name, "islands", puzzles, seeds, search))]
        for solver in filter(None, given.rivals.split(",")):
            rivalling = partial(rival, solver, given.limit)
            outcomes = measured(name, solver, puzzles, range(1), rivalling)
            table.append(described(name, solver, outcomes))
            if solver == "cadical":
                alone = [(outcome[2], outcome[1], outcome[2]) for outcome in outcomes]
                table.append(described(name, "... solve call", alone))
        rows += compared(table)
        print(*(f"{row['set']} {row['solver']}: {row['median s']:.3g} s" for row in table), sep="; ", flush=True)
    results = [Result("CPU seconds to the first solution, one core", COLUMNS, rows, "x: how many times ours.")]
    publish(results, machine("numba", "numpy", "ortools", "python-sat"), given.json)


if __name__ == "__main__":
    main()
