"""The table of the sudoku seed document again: recipe classic, ours beside the document's.

FILE has the puzzles, one per line, below comment lines that name their levels (# easy, # medium, # hard, # expert). The
document's own forty are public: Code/testdata.txt of github.com/MariusHuke/Sudoku. Without FILE the 40 puzzles of
problems/sudoku/data are taken; how many givens they have was chosen with the document's table in view, so that they
confirm nothing.

An island gives up after 25 generations without a lower cost. CPU time of this process, kernels compiled before; the
document's times are of its own C++ on an unknown machine. --readings measures other readings of the document, and its
other choices, at one population.

Run: python benchmarks/sudoku_classic.py [FILE] [--seeds 10] [--populations 102,501,1002] [--readings] [--json FILE]
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, tell

import problems.sudoku
from islands.kernels.rng import Rng
from islands.model.island import Island
from islands.model.messages import Order
from islands.operators.recipe import Candidates, Indices, Recipe, Survive
from islands.operators.space import Costs, Genomes
from problems.sudoku import Sudoku, classic
from problems.sudoku.logic import LEVELS

DATA = Path(problems.sudoku.__file__).parent / "data"
COLUMNS = ("puzzles", "solved %", "seed %", "ms", "seed ms", "generations", "seed generations", "gave up ms",
           "seed gave up ms", "gave up after")  # fmt: skip
SEED: dict[tuple[int, str], tuple[float | None, ...]] = {  # solved %, ms, generations, ms to give up
    (102, "easy"): (100, 1102, 7.2, None), (102, "medium"): (60, 2721, 18.8, 6381),
    (102, "hard"): (0, None, None, 9412), (102, "expert"): (0, None, None, 9583),
    (501, "easy"): (100, 4662, 5.6, None), (501, "medium"): (90, 13222, 11, 35048),
    (501, "hard"): (50, 25979, 32.4, 53385), (501, "expert"): (0, None, None, 51216),
    (1002, "easy"): (100, 9208, 5.3, None), (1002, "medium"): (100, 24384, 14.8, None),
    (1002, "hard"): (60, 43039, 25.5, 87460), (1002, "expert"): (20, 91698, 54.5, 123294),
}  # fmt: skip

Puzzles = dict[str, list[str]]  # the lines of each level's puzzles
Reading = Callable[[Sudoku, Recipe], Recipe]


# --- readings of the document ---


class Pairs(Sudoku, frozen=True):
    """A cell has as many collisions as there are other cells with its value in its row and in its column."""

    def costs(self, genomes: Genomes) -> Costs:
        n = self.size
        grids = genomes.reshape(-1, n, n)
        counts = [(grids == value).sum(axis=axis) for value in range(1, n + 1) for axis in (1, 2)]
        pairs: Costs = np.sum([(count * (count - 1)).sum(axis=1) for count in counts], axis=0)
        return pairs


def of_children(survive: Survive) -> Survive:
    """The same choice among the children alone."""

    def chosen(candidates: Candidates, places: int, rng: Rng) -> Indices:
        first = candidates.living
        children = Candidates(candidates.costs[first:], 0, lambda: candidates.genomes()[first:])
        return survive(children, places, rng) + first

    return chosen


def random_mates(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
    """Everyone mates once, in random company."""
    return np.resize(rng.numpy.permutation(len(costs)), shape[0] * shape[1]).reshape(shape)


def literally(puzzle: Sudoku, recipe: Recipe) -> Recipe:
    """Cells "with a fitness > 1"."""
    return replace(recipe, mutate=classic.conflict_swaps(puzzle.arrangement(), puzzle.size, above=1))


PAIRS = "every pair of equal cells counts"
READINGS: dict[str, Reading] = {
    "classic": lambda puzzle, recipe: recipe,
    "children alone are selected": lambda puzzle, recipe: replace(recipe, survive=of_children(recipe.survive)),
    "mates by lot, not neighbours in rank": lambda puzzle, recipe: replace(recipe, select=random_mates),
    "only cells with more than 1 collision swap": literally,
    PAIRS: lambda puzzle, recipe: recipe,
}
CHOICES: dict[str, dict[str, Any]] = {
    "smart initialisation": {"initial": "smart"},
    "two-point crossover": {"crossover": "two-point"},
    "universal sampling": {"selection": "universal"},
    "punish_same": {"punish_same": True},
}


# --- measuring ---


def sections(file: Path | None) -> Puzzles:
    """The puzzles of a file, or our own, by level. SystemExit where the file names no level."""
    if file is None:
        return {level: (DATA / f"{level}.sdm").read_text().splitlines() for level in LEVELS}
    found: Puzzles = {}
    level = None
    for line in file.read_text().splitlines():
        named = re.match(rf"#\s*({'|'.join(LEVELS)})\b", line, re.IGNORECASE)
        level = named[1].lower() if named else level
        if level is not None and line.strip() and not line.startswith("#"):
            found.setdefault(level, []).append(line)
    if not found:
        raise SystemExit(f"{file} names no level: expected lines such as # {LEVELS[0]} above its puzzles.")
    return found


def live(puzzle: Sudoku, population: int, seed: int, reading: str = "classic") -> tuple[bool, int, float]:
    """(solved?, generations, milliseconds) of one island until it has solved the puzzle or given up."""
    started = time.process_time()
    island = Island.alone(puzzle, "classic", seed, population=population)
    island.recipe = READINGS[reading](puzzle, island.recipe)
    if reading == PAIRS:
        island.problem = Pairs(**puzzle.model_dump())
    while True:
        report = island.evolve(Order(epoch=island.epoch, generations=1, snapshot=False))
        if len(report.solutions) or report.stale >= island.recipe.give_up.stale:
            break
    return bool(len(report.solutions)), island.generation, 1000 * (time.process_time() - started)


def row(
    puzzles: Puzzles, level: str, population: int, seeds: int, reading: str = "classic", **choices: Any
) -> dict[str, Any]:
    grids = Sudoku.read("\n".join(puzzles[level]), **choices)
    lives = [live(puzzle, population, seed, reading) for puzzle in grids for seed in range(1, seeds + 1)]
    solved, given_up = [one for one in lives if one[0]], [one for one in lives if not one[0]]
    theirs = SEED.get((population, level), (None,) * 4)
    figures = {
        "puzzles": f"population {population:,}, {level}",
        "solved %": 100 * len(solved) / len(lives),
        "seed %": theirs[0],
        "ms": _mean(one[2] for one in solved),
        "seed ms": theirs[1],
        "generations": _mean(one[1] for one in solved),
        "seed generations": theirs[2],
        "gave up ms": _mean(one[2] for one in given_up),
        "seed gave up ms": theirs[3],
        "gave up after": _mean(one[1] for one in given_up),
    }
    tell(figures)
    return figures


def _mean(values: Any) -> float | None:
    listed = list(values)
    return statistics.mean(listed) if listed else None


def other_readings(puzzles: Puzzles, population: int, seeds: int) -> Result:
    """Solved % and generations of each level, a line for each reading and for each other choice."""
    lines = []
    for name in [*READINGS, *CHOICES]:
        reading, choices = name if name in READINGS else "classic", CHOICES.get(name, {})
        line: dict[str, Any] = {"reading": name}
        for level in puzzles:
            figures = row(puzzles, level, population, seeds, reading, **choices)
            line |= {f"{level} %": figures["solved %"], f"{level} generations": figures["generations"]}
        lines.append(line)
    return Result(f"Other readings, population {population:,}", tuple(lines[0]), lines)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the puzzles, by level")
    arguments.add_argument("--seeds", type=int, default=10, help="runs of each puzzle (10)")
    arguments.add_argument("--populations", default="102,501,1002", help="(102,501,1002)")
    arguments.add_argument("--readings", action="store_true", help="other readings too, at the last population")
    given = arguments.parse_args()
    populations = [int(size) for size in given.populations.split(",")]
    puzzles = sections(given.file)
    on = machine("numba", "numpy")
    live(Sudoku.read(puzzles[next(iter(puzzles))][0])[0], 102, 1)  # compiles
    rows = [row(puzzles, level, population, given.seeds) for population in populations for level in puzzles]
    results = [Result("Recipe classic beside its seed document", COLUMNS, rows)]
    if given.readings:
        results.append(other_readings(puzzles, populations[-1], given.seeds))
    publish(results, on, given.json)


if __name__ == "__main__":
    main()
