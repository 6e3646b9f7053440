"""Sudoku beyond the product's largest size: CPU seconds of the search of recipe fast on 64x64.

The full grid is a regular one, changed again and again in ways that keep it solved; cells are taken out at random.
Readers and alphabets end at 49x49, so that this calls the decoder itself; every solution is checked by the rules.

Run: python benchmarks/sudoku_beyond.py [--percents 20,25,30] [--seeds 2] [--limit 60]
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, tell

from islands.kernels.rng import Rng
from islands.operators.space import Memory
from problems.sudoku.decode import Decoder
from problems.sudoku.grid import check_grids
from problems.sudoku.learn import CONFLICTS
from problems.sudoku.making import full_grid

BOX, N = (8, 8), 64


def solved(percent: int, seed: int, limit: float) -> dict[str, Any]:
    """One puzzle, one search."""
    kept = Rng(seed, N, percent).numpy.permutation(N * N) < round(percent / 100 * N * N)
    givens = np.where(kept, full_grid(BOX, Rng(seed)), 0).astype(np.int32)
    genomes, costs = np.tile(np.arange(1, N + 1, dtype=np.int32), (2, N)), np.ones(2, np.int64)
    rng, memory = Rng(seed), Memory()
    started = time.process_time()
    decoder = Decoder(*BOX, givens)
    while costs.min() > 0 and time.process_time() - started < limit:
        decoder.improve(genomes, costs, rng, memory)
    seconds = time.process_time() - started
    best = genomes[[int(np.argmin(costs))]]
    return {
        "given %": percent,
        "seed": seed,
        "open": len(decoder.groups.candidates),
        "solved": "yes" if not costs.min() and check_grids(BOX, givens[None], best)[0] else "no",
        "conflicts": int(memory["counters"][CONFLICTS]),
        "s": seconds,
    }


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--percents", default="20,25,30", help="of the cells given (default %(default)s)")
    options.add_argument("--seeds", type=int, default=2, help="of puzzle and search (default 2)")
    options.add_argument("--limit", type=float, default=60.0, help="CPU seconds of one search (default 60)")
    given = options.parse_args()
    solved(60, 0, 1.0)  # compiles
    rows = []
    for percent in map(int, given.percents.split(",")):
        for seed in range(1, given.seeds + 1):
            rows.append(solved(percent, seed, given.limit))
            tell(rows[-1])
    columns = ("given %", "seed", "open", "solved", "conflicts", "s")
    publish([Result("64x64, one core", columns, rows)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
