"""The table of the sudoku seed document again: recipe classic on 40 puzzles, ours beside the seed's.

The puzzles are the 10 easy, medium, hard and expert ones of problems/sudoku/data, made by `islands make sudoku
--difficulty ...`; what each word means is said in problems/sudoku/logic.py. (The seed's own 40 are not published.)
Best setting of the seed: diagonal crossover, the best 20% mate; smart initialisation; populations divisible by 3. An
island gives up after 25 generations without a lower cost. CPU time of this process, kernels compiled before; the seed's
times are of its own C++ on an unknown machine. `--variants` compares the seed's other choices at one population.

Run: python benchmarks/sudoku_classic.py [--seeds 3] [--populations 102,501,1002,5001] [--variants] [--json FILE]
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from output import Result, machine, parser, publish, tell

import problems.sudoku
from islands.model.island import Island
from islands.model.messages import Order
from problems.sudoku import Sudoku
from problems.sudoku.logic import LEVELS

DATA = Path(problems.sudoku.__file__).parent / "data"
COLUMNS = ("puzzles", "solved %", "seed %", "ms", "seed ms", "generations", "seed generations", "gave up ms",
           "seed gave up ms")  # fmt: skip
SEED: dict[tuple[int, str], tuple[float | None, ...]] = {  # solved %, ms, generations, ms to give up
    (102, "easy"): (100, 1102, 7.2, None), (102, "medium"): (60, 2721, 18.8, 6381),
    (102, "hard"): (0, None, None, 9412), (102, "expert"): (0, None, None, 9583),
    (501, "easy"): (100, 4662, 5.6, None), (501, "medium"): (90, 13222, 11, 35048),
    (501, "hard"): (50, 25979, 32.4, 53385), (501, "expert"): (0, None, None, 51216),
    (1002, "easy"): (100, 9208, 5.3, None), (1002, "medium"): (100, 24384, 14.8, None),
    (1002, "hard"): (60, 43039, 25.5, 87460), (1002, "expert"): (20, 91698, 54.5, 123294),
}  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "best setting": {},
    "two-point crossover": {"crossover": "two-point"},
    "universal sampling": {"selection": "universal"},
    "random initialisation": {"initial": "random"},
    "punish_same": {"punish_same": True},
}


def live(puzzle: Sudoku, population: int, seed: int) -> tuple[bool, int, float]:
    """(solved?, generations, milliseconds) of one island until it has solved the puzzle or given up."""
    started = time.process_time()
    island = Island.alone(puzzle, "classic", seed, population=population)
    while True:
        report = island.evolve(Order(epoch=island.epoch, generations=1, snapshot=False))
        if len(report.solutions) or report.stale >= island.recipe.give_up.stale:
            break
    return bool(len(report.solutions)), island.generation, 1000 * (time.process_time() - started)


def row(level: str, population: int, seeds: int, **choices: Any) -> dict[str, Any]:
    puzzles = Sudoku.read((DATA / f"{level}.sdm").read_text(), **choices)
    lives = [live(puzzle, population, seed) for puzzle in puzzles for seed in range(1, seeds + 1)]
    solved = [one for one in lives if one[0]]
    given_up = [one[2] for one in lives if not one[0]]
    theirs = SEED.get((population, level), (None,) * 4)
    figures = {
        "puzzles": f"population {population:,}, {level}",
        "solved %": 100 * len(solved) / len(lives),
        "seed %": theirs[0],
        "ms": statistics.mean(one[2] for one in solved) if solved else None,
        "seed ms": theirs[1],
        "generations": statistics.mean(one[1] for one in solved) if solved else None,
        "seed generations": theirs[2],
        "gave up ms": statistics.mean(given_up) if given_up else None,
        "seed gave up ms": theirs[3],
    }
    tell(figures)
    return figures


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=3, help="runs of each puzzle (3)")
    arguments.add_argument("--populations", default="102,501,1002,5001", help="(102,501,1002,5001)")
    arguments.add_argument(
        "--variants", action="store_true", help="the seed's other choices too, at the first population"
    )
    given = arguments.parse_args()
    populations = [int(size) for size in given.populations.split(",")]
    on = machine("numba", "numpy")
    live(Sudoku.read((DATA / "easy.sdm").read_text(), punish_same=True)[0], 102, 1)  # compiles
    rows = [row(level, population, given.seeds) for population in populations for level in LEVELS]
    results = [Result("Recipe classic beside its seed document", COLUMNS, rows)]
    if given.variants:
        for name, choices in VARIANTS.items():
            rows = [row(level, populations[0], given.seeds, **choices) for level in LEVELS]
            results.append(Result(name, ("puzzles", "solved %", "ms", "generations", "gave up ms"), rows))
    publish(results, on, given.json)


if __name__ == "__main__":
    main()
