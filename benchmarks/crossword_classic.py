"""Two readings of the crossword seed document: how 28 children and 100 elders become 100 again.

  best of both    each elder mutates with probability 0.6, and the best 100 of elders and children live on: the
                  document's public program, and recipe classic
  children first  the 28 children and the 72 best elders live on, and each mutates with probability 0.6: the document's
                  list of steps, read alone

Lists of 5, 6 and 8 random words on 20x20; an island ends with its first crossword or after 20,000 generations.

Run: python benchmarks/crossword_classic.py [--lists 40] [--generations 20000] [--json FILE]
     python benchmarks/crossword_classic.py --folder FOLDER     writes 100 lists of 5 to 20 words, for `islands run`
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from crossword import draw, island
from output import Result, machine, parser, publish, tell

from islands.kernels.rng import Rng
from islands.model.messages import Order
from islands.operators import survive
from islands.operators.recipe import Indices, Recipe
from islands.operators.space import Costs, Genomes
from problems.crossword import Crossword
from problems.crossword.aims import ERROR
from problems.crossword.classic import PAIRS

SIZES = (5, 6, 8)


def pairs_and_the_others(genomes: Genomes, costs: Costs, shape: tuple[int, int], rng: Rng) -> Indices:
    """All pairs of the 8 best, then the best with themselves."""
    alone = np.repeat(np.arange(shape[0] - len(PAIRS))[:, None], 2, axis=1)
    return np.asarray(np.argsort(costs, kind="stable")[np.concatenate((PAIRS, alone))])


def children_first(recipe: Recipe) -> Recipe:
    return replace(recipe, select=pairs_and_the_others, births=None, mutate_first=False, survive=survive.children())


def live(words: tuple[str, ...], seed: int, generations: int, reading: str) -> tuple[bool, int, int]:
    """(solved?, generations, fewest errors) of one island."""
    home = island(Crossword(words=words), seed, "classic")
    home.recipe = home.recipe if reading == "best of both" else children_first(home.recipe)
    while home.generation < generations:
        report = home.evolve(Order(epoch=home.epoch, generations=100, snapshot=False))
        if len(report.solutions):
            return True, int(report.born[0]), 0
    return False, home.generation, home.lowest // ERROR


def row(count: int, reading: str, lists: int, generations: int) -> dict[str, Any]:
    lives = [live(draw(count, seed), seed, generations, reading) for seed in range(1, lists + 1)]
    solved = [one[1] for one in lives if one[0]]
    figures = {
        "reading": reading,
        "words": count,
        "solved": f"{len(solved)} of {len(lives)}",
        "generations": statistics.median(solved) if solved else None,
        "fewest errors": statistics.mean(one[2] for one in lives),
    }
    tell(figures)
    return figures


def write_lists(folder: Path) -> None:
    """input1.txt to input100.txt, a word in a line."""
    folder.mkdir(parents=True)
    for number in range(100):
        words = draw(5 + number % 16, 300_000 + number)
        (folder / f"input{number + 1}.txt").write_text("\n".join(words).lower() + "\n", encoding="utf-8")


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--lists", type=int, default=40, help="lists of each length (40)")
    arguments.add_argument("--generations", type=int, default=20_000, help="at most (20000)")
    arguments.add_argument("--folder", type=Path, help="write 100 lists there, and nothing else")
    given = arguments.parse_args()
    if given.folder is not None:
        write_lists(given.folder)
        return
    on = machine("numba", "numpy")
    rows = [
        row(count, reading, given.lists, given.generations)
        for count in SIZES
        for reading in ("best of both", "children first")
    ]
    publish([Result("Readings of the crossword document", tuple(rows[0]), rows)], on, given.json)


if __name__ == "__main__":
    main()
