"""How a population fares, in a few numbers for the event log. Nothing depends on them but what people read."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from islands.operators.space import Costs, Genomes

SAMPLE = 32  # individuals that are compared with the best one


def vitals(genomes: Genomes, costs: Costs) -> dict[str, Any]:
    """The fields `best`, `average`, `spread` and `diversity` of a Report."""
    count, sample = len(costs), genomes[:: -(-len(genomes) // SAMPLE)]
    first = int(costs.argmin())
    best = int(costs[first])
    above = np.subtract(costs, best, dtype=np.float64)
    middle = float(np.add.reduce(above)) / count  # the methods of an array take twice as long, `std` five times
    return {
        "best": best,
        "average": float(np.add.reduce(costs, dtype=np.float64)) / count,
        "spread": sqrt(max(0.0, float(above @ above) / count - middle * middle)),
        "diversity": float(np.count_nonzero(sample != genomes[first]) / sample.size),
    }
