"""How quick the clause-learning kernels are: the same search, conflict for conflict, in two states of the code.

Every instance is searched for --generations by one island and one seed. `state` is a digest of all that the search
remembers then: where it differs, the two states of the code did not search alike, and their times say nothing.

Run: python benchmarks/sudoku_learning.py [--generations 20] in the one tree and in the other, by turns
"""

from __future__ import annotations

import hashlib
import time
from typing import Any

import numpy as np
from output import Result, machine, parser, publish, tell

from islands.kernels.rng import Rng
from islands.operators.space import Memory
from problems.sudoku.decode import Decoder
from problems.sudoku.learn import ASSIGNED, CONFLICTS
from problems.sudoku.making import full_grid

INSTANCES = ((6, 50, 1), (6, 47, 2), (7, 40, 1))  # side of a box, percent of givens, seed


def searched(side: int, percent: int, seed: int, generations: int) -> dict[str, Any]:
    """One island, one seed."""
    n, box = side * side, (side, side)
    kept = Rng(seed, n, percent).numpy.permutation(n * n) < round(percent / 100 * n * n)
    decoder = Decoder(*box, np.where(kept, full_grid(box, Rng(seed)), 0).astype(np.int32))
    genomes, costs = np.tile(np.arange(1, n + 1, dtype=np.int32), (2, n)), np.ones(2, np.int64)
    rng, memory = Rng(seed), Memory()
    started = time.process_time()
    for _ in range(generations):
        if costs.min() > 0:
            decoder.improve(genomes, costs, rng, memory)
    seconds = time.process_time() - started
    state = hashlib.sha256(b"".join(memory[name].tobytes() for name in sorted(memory))).hexdigest()[:12]
    assigned = int(memory["counters"][ASSIGNED])
    return {
        "set": f"{n}-{percent}", "seed": seed, "conflicts": int(memory["counters"][CONFLICTS]), "assignments": assigned,
        "state": state, "s": seconds, "M assignments/s": assigned / seconds / 1e6,
    }  # fmt: skip


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--generations", type=int, default=20, help="of 400,000 assignments (default 20)")
    given = options.parse_args()
    searched(5, 45, 1, 2)  # compiles
    rows = [searched(*instance, given.generations) for instance in INSTANCES]
    for row in rows:
        tell(row)
    columns = ("set", "seed", "conflicts", "assignments", "state", "s", "M assignments/s")
    publish([Result("the learning search, one core", columns, rows)], machine("numba", "numpy"), given.json)


if __name__ == "__main__":
    main()
