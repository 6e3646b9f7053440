"""Puzzles of a user's own, as users write them, with the default recipe: one island, one core, CPU time, ten seeds.

  plain      `cost` alone, 200,000 evaluations; beside DEAP and pygmo with the same cost. The best tour is CP-SAT's
  rules      declared rules, 3 million evaluations; beside CP-SAT with one worker, which gets the same rules, and, where
             --adaptive-search names a folder with its programs, beside C Adaptive Search, which has a program for each
  hard       the same with 15 million evaluations
  held-out   the puzzles of own_held_out.py, on which nothing was tuned
  second     those of own_held_out_2.py, written after it; without rivals. Of those that are optimised, over the least
             that is known, or that any seed found
  third      those of own_held_out_3.py, by a reviewer, after the last change of the search
  binary     choices of two: walkers beside `classic`, the same cost and evaluations
  start      compiling and loading kernels: an empty cache, another puzzle with the cache of the first, the first again

Solved of all, medians and worst, a search that failed with the time it took; "x ours": the ratio of the medians. The
seed of a rival is that of ours. Kernels are compiled before, but for `start`, and rules are written before. C Adaptive
Search is built outside of the project, with `make CFLAGS="-O3 -fcommon"` in its src (github.com/didoudiaz).

Run: nice -n 19 python benchmarks/own.py [plain rules ...] [--seeds 10] [--rival-seeds 3] [--adaptive-search DIR]
     [--limit 10] [--only TEXT,...] [--json FILE]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import own_held_out
import own_held_out_2
import own_held_out_3
import own_puzzles as own
from output import Result, machine, parser, publish, tell
from own_peers import Outcome, Rival, adaptive_search, cp_sat, deap, pygmo, shortest_tour

from islands import Problem
from islands.model.island import Island
from islands.model.messages import Order
from islands.model.problem import optimising

HERE = Path(__file__).resolve().parents[1]
PLAIN, RULES, HARD = 200_000, 3_000_000, 15_000_000  # evaluations
BINARY_BEST = {"cut 60": 776, "cover 60": 19, "autocorrelation 27": 37}
"""The least costs known: of the last from the literature, of the others from walks of 300,000 evaluations."""
COLUMNS = ("puzzle", "solver", "solved", "median ms", "worst ms", "evaluations", "M/s", "x ours", "over the best")


@dataclass(frozen=True)
class Puzzle:
    """What is searched: the same for all seeds, or an instance for each."""

    name: str
    of: Callable[[int], Problem]
    budget: int
    best: int | None = None  # of one that is optimised


def same(name: str, problem: Problem, budget: int, best: int | None = None) -> Puzzle:
    return Puzzle(name, lambda _: problem, budget, best)


def ours(budget: int, recipe: str | None = None) -> Rival:
    """The recipe that a run gets for which nobody names one, until it is solved or has made its evaluations."""

    def search(problem: Problem, seed: int) -> Outcome:
        if problem.declared is not None:
            assert problem.declared.flat  # a run writes it once
        started = time.process_time()
        island = Island.alone(problem, recipe or problem.recipe_for(1, None)[0], seed, stale=0)
        for _ in island.steps(Order(epoch=0, generations=budget)):
            if island.lowest == 0 or island.evaluations >= budget:
                break
        return Outcome(time.process_time() - started, island.evaluations, island.lowest)

    return search


def compared(puzzles: Sequence[Puzzle], rivals: dict[str, tuple[Rival, int]], seeds: int) -> Iterator[dict[str, Any]]:
    """A row for each puzzle and solver. Rivals come with their number of seeds."""
    for puzzle in puzzles:
        first: float | None = None
        for name, (rival, count) in {"ours": (ours(puzzle.budget), seeds), **rivals}.items():
            searched = [rival(puzzle.of(seed), seed) for seed in range(1, count + 1)]
            outcomes = [outcome for outcome in searched if outcome is not None]
            if outcomes:
                row = {"puzzle": puzzle.name, "solver": name, **described(outcomes, puzzle.best)}
                first = first or row["median ms"]
                row["x ours"] = row["median ms"] / first
                tell(row)
                yield row


def described(outcomes: Sequence[Outcome], best: int | None) -> dict[str, Any]:
    milliseconds = [1000 * outcome.seconds for outcome in outcomes]
    evaluations = [outcome.evaluations for outcome in outcomes if outcome.evaluations is not None]
    solved = sum(outcome.cost == (best or 0) for outcome in outcomes)
    row: dict[str, Any] = {
        "solved": f"{solved} of {len(outcomes)}",
        "median ms": statistics.median(milliseconds),
        "worst ms": max(milliseconds),
        "evaluations": int(statistics.median(evaluations)) if evaluations else None,
        "M/s": sum(evaluations) / sum(milliseconds) / 1000 if evaluations else None,
    }
    if best:
        over = [100 * (outcome.cost / best - 1) for outcome in outcomes if outcome.cost is not None]
        row["over the best"] = f"{statistics.median(over):.1f}%, worst {max(over):.1f}%"
    return row


def plain() -> list[Puzzle]:
    shortest, proved = shortest_tour(own.distances(50, 1), 300)
    print(f"the best tour of 50 cities: {shortest}{', proved by CP-SAT' if proved else ', the best CP-SAT found'}")
    return [
        same("queens 50", own.PlainQueens(size=50), PLAIN),
        same("all-interval 16", own.PlainInterval(size=16), PLAIN),
        same("Langford 12", own.PlainLangford(pairs=12), PLAIN),
        same("partition 40", own.PlainPartition(size=40), PLAIN),
        same("tour of 50", own.PlainTour(cities=50), PLAIN, shortest),
    ]


def rules() -> list[Puzzle]:
    return [
        same("queens 1000", own.Queens(size=1000), RULES),
        same("all-interval 20", own.Interval(size=20), RULES),
        same("all-interval 20, one rule", own.OneRuleInterval(size=20), RULES),
        same("Langford 24", own.Langford(pairs=24), RULES),
        same("magic 8", own.Magic(size=8), RULES),
        same("Costas 14", own.Costas(size=14), RULES),
        same("queen8_8, 9 colours", own.Colouring(board=8, colours=9), RULES),
        Puzzle("quasigroup 15, 95 holes", lambda seed: own.Quasigroup(size=15, holes=95, number=seed), RULES),
    ]


def hard() -> list[Puzzle]:
    sudokus = list(own.hard_sudokus(HERE / "problems" / "sudoku" / "data" / "expert.sdm"))
    return [
        Puzzle("expert sudokus", lambda seed: sudokus[seed % len(sudokus)], HARD),
        same("knight 8, open", own.Knight(size=8, open=True), HARD),
        same("knight 8, closed", own.Knight(size=8), HARD),
        same("knight 8, closed, no colours", own.ColourlessKnight(size=8), HARD),
        same("Golomb 10", own.Golomb(marks=10), HARD),
        same("Costas 16", own.Costas(size=16), HARD),
    ]


def held_out_rules() -> list[Puzzle]:
    return [
        same(f"{name}, {budget // 10**6} M", problem, budget)
        for name, problem in own_held_out.RULES.items()
        for budget in (RULES, HARD)
    ]


def held_out_plain() -> list[Puzzle]:
    return [
        same(name, problem, PLAIN, own_held_out.best_known(name) if optimising(problem) else None)
        for name, problem in own_held_out.PLAIN.items()
    ]


def second_rules() -> list[Puzzle]:
    return [same(f"{name}, 3 M", problem, RULES) for name, problem in own_held_out_2.RULES.items()]


def third() -> list[Puzzle]:
    return [same(name, problem, RULES) for name, problem in own_held_out_3.RULES.items()]


def second_plain(seeds: int) -> list[Puzzle]:
    made = []
    for name, problem in own_held_out_2.PLAIN.items():
        best = own_held_out_2.BEST.get(name)
        if best is None and optimising(problem):
            best = min(ours(PLAIN)(problem, seed).cost or 0 for seed in range(1, seeds + 1))  # type: ignore[union-attr]
        made.append(same(name, problem, PLAIN, best))
    return made


def binary() -> list[Puzzle]:
    knapsacks: list[Any] = [own.Knapsack(things=things, number=i) for things in (50, 200) for i in (1, 2, 3)]
    made = []
    for one in knapsacks:
        best = own.lightest(one.stock, one.capacity)
        made.append(same(f"knapsack {one.things}, {one.number}", one, PLAIN, best))
    for name, problem in {
        "cut 60": own.Cut(),
        "cover 60": own.Cover(),
        "autocorrelation 27": own_held_out.PLAIN["autocorrelation 27"],
    }.items():
        made.append(same(name, problem, PLAIN, BINARY_BEST[name]))
    return made


FIRST_USE = """
import sys, time
sys.path.insert(0, "benchmarks")
from own import ours
import own_puzzles
problem = getattr(own_puzzles, sys.argv[1])()
times = [time.process_time()]
for seed in (1, 1):
    ours(20_000)(problem, seed)
    times.append(time.process_time())
print(2 * times[1] - times[0] - times[2])
"""


def start() -> Iterator[dict[str, Any]]:
    """CPU seconds of the first search of a process, less those of the same search again."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(HERE)}
        for what, kind in (
            ("queens, an empty cache", "Queens"),
            ("Langford, the cache of queens", "Langford"),
            ("queens again", "Queens"),
        ):
            command = [sys.executable, "-c", FIRST_USE, kind]
            done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, check=True)
            yield {"process": what, "kernels, CPU s": float(done.stdout)}


def known_rivals(given: Any, budget: int) -> dict[str, dict[str, tuple[Rival, int]]]:
    """The rivals of each section that are there, with how many seeds they get; a sentence for each that is not."""
    exact: dict[str, tuple[Rival, int]] = {}
    if given.adaptive_search is None:
        print("C Adaptive Search is left out: no --adaptive-search DIR")
    else:
        exact["Adaptive Search, C"] = adaptive_search(given.adaptive_search, given.limit), given.seeds
    if find_spec("ortools") is not None:
        exact["CP-SAT"] = cp_sat(given.limit), given.rival_seeds
    else:
        print("CP-SAT is left out: ortools is not installed")
    evolving: dict[str, tuple[Rival, int]] = {}
    for name, rival in {"deap": deap, "pygmo": pygmo}.items():
        if find_spec(name) is None:
            print(f"{name} is left out: it is not installed")
        else:
            evolving[name] = rival(budget), given.rival_seeds
    classic = {"classic": (ours(budget, "classic"), given.seeds), "fast": (ours(budget, "fast"), given.seeds)}
    return {"exact": exact, "evolving": evolving, "binary": classic}


def main() -> None:
    sections = ("plain", "rules", "hard", "held-out", "second", "third", "binary", "start")
    options = parser(__doc__)
    options.add_argument("sections", nargs="*", default=sections, help=f"of {', '.join(sections)} (default: all)")
    options.add_argument("--seeds", type=int, default=10, help="of ours and of C Adaptive Search (default 10)")
    options.add_argument("--rival-seeds", type=int, default=3, help="of CP-SAT, DEAP and pygmo (default 3)")
    options.add_argument("--adaptive-search", type=Path, metavar="DIR", help="a folder with its programs")
    options.add_argument("--limit", type=float, default=10.0, help="seconds of CP-SAT and Adaptive Search (default 10)")
    options.add_argument("--only", default="", metavar="TEXT,...", help="puzzles whose names contain one of these")
    given = options.parse_args()

    def compared_here(puzzles: Sequence[Puzzle], rivals: dict[str, tuple[Rival, int]]) -> Iterator[dict[str, Any]]:
        chosen = [one for one in puzzles if any(text in one.name for text in given.only.split(","))]
        return compared(chosen, rivals, given.seeds)

    for problem in (own.Queens(size=8), own.Langford(pairs=4), own.PlainQueens(size=8), own.PlainLangford(pairs=4)):
        ours(1000)(problem, 1)  # compiles
    rivals = known_rivals(given, PLAIN)
    made: dict[str, Callable[[], Iterable[dict[str, Any]]]] = {
        "plain": lambda: compared_here(plain(), rivals["evolving"]),
        "rules": lambda: compared_here(rules(), rivals["exact"]),
        "hard": lambda: compared_here(hard(), rivals["exact"]),
        "held-out": lambda: [
            *compared_here(held_out_rules(), rivals["exact"]),
            *compared_here(held_out_plain(), rivals["evolving"]),
        ],
        "second": lambda: [*compared_here(second_rules(), {}), *compared_here(second_plain(given.seeds), {})],
        "third": lambda: compared_here(third(), rivals["exact"]),
        "binary": lambda: compared_here(binary(), rivals["binary"]),
    }
    results = [Result(name, COLUMNS, list(made[name]())) for name in given.sections if name in made]
    if "start" in given.sections:
        results.append(Result("start", ("process", "kernels, CPU s"), list(start())))
    publish(results, machine("numba", "numpy", "ortools", "deap", "pygmo"), given.json)


if __name__ == "__main__":
    main()
