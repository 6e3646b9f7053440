"""The generation log of the magic square seed document: where each individual comes from, as compressed JSON lines.

A run that traces keeps with each solution where it comes from (origin.py); with `solutions` that is all. `details` logs
for every individual of every generation whether it is of the elite, its parents, their cut, and where it mutated.
`population` adds every genome with its cost, and the costs of its cells where the puzzle tells them. A log is large.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from islands.model.breeding import Descent, Rows
from islands.operators.space import Costs, Genomes

TraceLevel = Literal["none", "solutions", "details", "population"]

Line = dict[str, Any]
"""One individual of the log: JSON."""

CellCosts = Callable[[Genomes], NDArray[np.integer[Any]]]
"""(n, length) -> (n, length): what each cell adds to the cost."""


class TraceLog:
    """One island's log of one epoch."""

    def __init__(self, level: TraceLevel, tolerance: int = 0, cell_costs: CellCosts | None = None) -> None:
        self._whole, self._tolerance, self._cell_costs = level == "population", tolerance, cell_costs
        self._lines: list[str] = []
        self._mutants: dict[int, list[int]] = {}

    def mutants(self, rows: Rows, mutated: NDArray[np.bool_]) -> None:
        """The living that mutated before they mated: their rows, and where they changed, (n, length)."""
        points = (np.flatnonzero(where).tolist() for where in mutated)
        self._mutants = {row: where for row, where in zip(rows.tolist(), points, strict=True) if where}

    def generation(
        self, number: int, genomes: Genomes, costs: Costs, elite: Rows, others: Rows, chosen: Rows, descent: Descent
    ) -> None:
        """One line: the elite and then the survivors, among the others by the rows they had, and among the children."""
        individuals: list[Line] = [{"elite": True, "was": row} for row in elite.tolist()]
        individuals += [
            self._born(row - len(others), descent) if row >= len(others) else self._lived(int(others[row]))
            for row in chosen.tolist()
        ]
        for individual, genome, cost in zip(individuals, genomes, costs.tolist(), strict=True):
            if self._whole or cost <= self._tolerance:
                individual |= {"cost": cost, "genome": genome.tolist()}
        if self._whole and self._cell_costs is not None:
            for individual, cells in zip(individuals, self._cell_costs(genomes).tolist(), strict=True):
                individual["cells"] = cells
        self._lines.append(json.dumps({"generation": number, "best": int(costs.min()), "individuals": individuals}))
        self._mutants = {}

    def packed(self) -> bytes:
        """All lines as one gzip member; a fixed time stamp keeps equal runs equal."""
        return gzip.compress(("\n".join(self._lines) + "\n").encode(), compresslevel=6, mtime=0)

    def _born(self, row: int, descent: Descent) -> Line:
        parents, points = descent.parents[row].tolist(), descent.points[row].tolist()
        if parents[0] < 0:
            return {"newcomer": True}  # in a place that only duplicates applied for
        cut = {"points": points} if points else {}
        return {"parents": parents, **cut, "mutated": np.flatnonzero(descent.mutated[row]).tolist()}

    def _lived(self, row: int) -> Line:
        """One that lived on from this row, as it was or mutated."""
        return {"was": row, "mutated": self._mutants[row]} if row in self._mutants else {"was": row}
