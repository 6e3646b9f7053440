"""What the magic square seed document says of the elite: a large one converges faster, its death helps large squares.

Recipe classic, population 200, one island. Parts `size` and `death`: an island ends with its first square or after
`--evaluations`; a run that found none counts as that many in the median. Part `collect`: how many different squares an
island finds in that many. Evaluations, not seconds: they do not depend on the machine.

Run: python benchmarks/elite.py [--seeds 20] [--evaluations 5 (millions)] [--parts size,death,collect]
     [--orders 4,5,6] [--json FILE]
"""

from __future__ import annotations

import statistics
from typing import Any

from output import Result, machine, parser, publish, tell

from islands.model.island import Island
from islands.model.messages import Order
from problems.magic_square import MagicSquare

POPULATION = 200
SIZES = (0, 2, 20, 100, 180)  # of the elite
DEATHS = (0, 100, 1000, 10_000)  # generations
TITLES = {
    "size": "The size of an elite that never dies",
    "death": "The death of an elite of 100, until the first square",
    "collect": "The death of an elite of 100, and the number of different squares",
}
EPOCH = 100  # generations


def live(order: int, seed: int, most: int, **numbers: int) -> tuple[bool, int]:
    """(found?, evaluations) of one island."""
    island = Island.alone(MagicSquare(size=order), "classic", seed, population=POPULATION, **numbers)
    while island.evaluations < most:
        report = island.evolve(Order(epoch=island.epoch, generations=EPOCH, snapshot=False))
        if len(report.solutions):
            since = island.generation - int(report.born[0])
            return True, island.evaluations - since * (POPULATION - numbers["elite"])
    return False, most


def collect(order: int, seed: int, most: int, **numbers: int) -> int:
    """The number of different squares that one island finds."""
    island = Island.alone(MagicSquare(size=order), "classic", seed, population=POPULATION, **numbers)
    found: set[bytes] = set()
    while island.evaluations < most:
        report = island.evolve(Order(epoch=island.epoch, generations=EPOCH, snapshot=False))
        found.update(square.tobytes() for square in report.solutions)
    return len(found)


def row(part: str, order: int, seeds: int, most: int, **numbers: int) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "order": order,
        "elite": numbers["elite"],
        "elite death": numbers["elite_death"] or "never",
    }
    if part == "collect":
        counts = [collect(order, seed, most, **numbers) for seed in range(1, seeds + 1)]
        figures |= {"squares, median": statistics.median(counts), "least": min(counts), "most": max(counts)}
    else:
        lives = [live(order, seed, most, **numbers) for seed in range(1, seeds + 1)]
        figures["found"] = f"{sum(found for found, _ in lives)} of {seeds}"
        figures["evaluations, median"] = statistics.median(count for _, count in lives)
    tell(figures)
    return figures


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=20, help="runs of each row (20)")
    arguments.add_argument("--evaluations", type=float, default=5, help="millions of a run at most (5)")
    arguments.add_argument("--parts", default="size,death,collect", help="(size,death,collect)")
    arguments.add_argument("--orders", default="4,5,6", help="of the squares (4,5,6)")
    given = arguments.parse_args()
    on, most = machine("numba", "numpy"), int(given.evaluations * 1e6)
    orders = [int(order) for order in given.orders.split(",")]
    results = []
    for part in given.parts.split(","):
        varied = [{"elite": 100, "elite_death": period} for period in DEATHS]
        if part == "size":
            varied = [{"elite": size, "elite_death": 0} for size in SIZES]
        rows = [row(part, order, given.seeds, most, **numbers) for order in orders for numbers in varied]
        results.append(Result(TITLES[part], tuple(rows[0]), rows))
    publish(results, on, given.json)


if __name__ == "__main__":
    main()
